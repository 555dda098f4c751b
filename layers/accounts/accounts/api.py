"""From API Gateway to the service and back. A function's ``app.py`` says which route it serves, and what to do
there."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from accounts import coldstart
from accounts.observability import log_failure, logger, metrics, record
from accounts.problems import headers_of, problem_of, unexpected
from accounts.request import BadRequest, Request, etag
from accounts.settings import SettingsError, settings
from accounts.wiring import CALL_SECONDS, account_service

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from accounts.model import Account, Change

__all__ = ["Request", "Response", "account_response", "change_account", "empty_response", "serve"]

Answer = dict[str, Any]

# Accounts are personal data: a browser may keep its own copy, and asks each time whether it is still good.
_ALWAYS = {"Cache-Control": "private, no-cache", "X-Content-Type-Options": "nosniff"}


@dataclass(frozen=True, slots=True)
class Response:
    """An answer: status, text and headers."""

    status: int
    body: str
    headers: dict[str, str]

    def to_lambda(self) -> Answer:
        """The form that API Gateway takes from a function (payload version 1.0)."""
        return {
            "statusCode": self.status,
            "multiValueHeaders": {name: [value] for name, value in self.headers.items()},
            "body": self.body,
            "isBase64Encoded": False,
        }


Operation = Callable[[Request], Response]


def serve(method: str, route: str, operation: Operation) -> Callable[[dict[str, Any], LambdaContext], Answer]:
    """Make the Lambda entry point of a function that serves one route.

    It never raises: what ``operation`` raises becomes a problem, and what nobody foresaw becomes a bare 500 and a
    line in the log.

    Args:
        method: The HTTP method.
        route: The path, with parameters in angle brackets: ``"/accounts/<account_id>"``.
        operation: What to do. Its name labels logs and metrics.
    """
    pattern = re.compile(re.sub("<([^>]+)>", r"(?P<\1>[^/]+)", route) + "/*")

    def handle(event: dict[str, Any], context: LambdaContext) -> Answer:
        started = time.perf_counter()
        try:
            logger.set_correlation_id((event.get("requestContext") or {}).get("requestId"))
            request = Request(event, _path_of(event, method, pattern), _time_left(context))
            response = operation(request)
        except Exception as error:  # noqa: BLE001 - not even an event from elsewhere may end in a traceback
            response = _problem_response(error)
        record(operation.__name__, response.status, (time.perf_counter() - started) * 1000)
        return response.to_lambda()

    logged = logger.inject_lambda_context(handle, clear_state=True)
    measured = metrics.log_metrics(logged, capture_cold_start_metric=True)
    coldstart.finish(account_service)
    return measured


def account_response(account: Account, *, status: int = 200, location: str | None = None) -> Response:
    """An account, with its version as ``ETag``."""
    headers = {"ETag": etag(account.version)}
    if location is not None:
        headers["Location"] = location
    return _response(status, account.model_dump_json(), {"Content-Type": "application/json", **headers})


def empty_response(status: int, *, version: int | None = None) -> Response:
    """An answer without a body."""
    return _response(status, "", {} if version is None else {"ETag": etag(version)})


def change_account(request: Request, model: type[Change]) -> Response:
    """Carry out the change that the body asks for, and answer with the account as it is then.

    412 when ``If-Match`` names other versions only.
    """
    subject = request.subject
    account = account_service().change(
        request.account_id,
        request.body(model),
        subject=subject,
        expected=request.if_match,
        key=request.idempotency_key,
        time_left=request.time_left,
    )
    return account_response(account)


def _path_of(event: Mapping[str, Any], method: str, pattern: re.Pattern[str]) -> dict[str, str]:
    """The path's parameters. API Gateway routes already; this holds if somebody wires a route to another function."""
    found = pattern.fullmatch(event["path"])
    if not found:
        raise BadRequest(404, "There is nothing at this path.")
    if event["httpMethod"].upper() != method:
        raise BadRequest(405, f"This resource is for {method} only.", headers={"Allow": method})
    return found.groupdict()


def _time_left(context: LambdaContext) -> Callable[[], float]:
    """Seconds for retries: what the function has left, less what a last call and the answer may take."""
    return lambda: context.get_remaining_time_in_millis() / 1000 - CALL_SECONDS


def _problem_response(error: Exception) -> Response:
    problem = problem_of(error)
    if problem is None:
        log_failure(error)
        problem = unexpected()
    extra = error.headers if isinstance(error, BadRequest) else {}
    return _response(problem.status, problem.text(), {**headers_of(problem), **extra})


def _response(status: int, body: str, headers: Mapping[str, str]) -> Response:
    return Response(status, body, {**_ALWAYS, **_cross_origin(), **headers})


def _cross_origin() -> dict[str, str]:
    """What a browser needs to let the one allowed origin read the answer. Preflight requests end at API Gateway."""
    try:
        origin = settings().allowed_origin
    except SettingsError:
        return {}  # this is the answer that reports it
    return (
        {"Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": "ETag, Location, Retry-After"}
        if origin
        else {}
    )
