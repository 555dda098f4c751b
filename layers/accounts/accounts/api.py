"""From API Gateway to the service and back. A function's ``app.py`` says what to do, ``template.yaml`` where."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from accounts import coldstart  # first: it pauses the garbage collector for everything that loads after it
from accounts.observability import log_failure, logger, metrics, record
from accounts.problems import UNFORESEEN, choose_headers, find_problem
from accounts.request import Request as Request  # so that a function needs one import
from accounts.request import make_etag
from accounts.settings import SettingsError, settings
from accounts.wiring import CALL_SECONDS, make_service

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from accounts.model import Account, Change
    from accounts.request import Event

# Accounts are personal data: a browser may keep its own copy, and must ask each time whether it is still current.
_ALWAYS = {"Cache-Control": "private, no-cache", "X-Content-Type-Options": "nosniff"}

Answer = dict[str, object]


@dataclass(frozen=True, slots=True)
class Response:
    """An answer: status, text and headers."""

    status: int
    body: str
    headers: dict[str, str]

    def to_lambda(self) -> Answer:
        """The form that API Gateway expects from a function (payload version 1.0)."""
        return {
            "statusCode": self.status,
            "multiValueHeaders": {name: [value] for name, value in self.headers.items()},
            "body": self.body,
            "isBase64Encoded": False,
        }


Operation = Callable[[Request], Response]


def serve(operation: Operation) -> Callable[[Event, LambdaContext], Answer]:
    """Make the Lambda entry point of a function.

    It never raises: what ``operation`` raises becomes a problem, an unexpected error a bare 500 and a line in the log.

    Args:
        operation: What to do. Its name labels logs and metrics.
    """

    def handle(event: Event, context: LambdaContext) -> Answer:
        started = time.perf_counter()
        try:
            logger.set_correlation_id((event.get("requestContext") or {}).get("requestId"))
            response = operation(Request(event, _watch_time(context)))
        except Exception as error:  # noqa: BLE001 - not even an event that is not API Gateway's may end in a traceback
            response = _respond_to_error(error)
        record(operation.__name__, response.status, (time.perf_counter() - started) * 1000)
        return response.to_lambda()

    # clear_state, as containers are reused: no line may carry what the last request has left behind.
    logged = logger.inject_lambda_context(handle, clear_state=True)
    measured = metrics.log_metrics(logged, capture_cold_start_metric=True)
    coldstart.finish(make_service)
    return measured


def respond_with(account: Account, *, status: int = 200, location: str | None = None) -> Response:
    """Answer with an account, and with its version as ``ETag``."""
    headers = {"ETag": make_etag(account.version)}
    if location is not None:
        headers["Location"] = location
    return _respond(status, account.model_dump_json(), {"Content-Type": "application/json", **headers})


def respond_empty(status: int, *, version: int | None = None) -> Response:
    """Answer without a body."""
    return _respond(status, "", {} if version is None else {"ETag": make_etag(version)})


def change_account(request: Request, model: type[Change]) -> Response:
    """Carry out the change that the body asks for, and answer with the changed account.

    412 when ``If-Match`` names other versions only.
    """
    subject = request.subject  # first: a stranger learns nothing about the rest of the request
    account = make_service().change(
        request.account_id,
        request.read_body(model),
        subject=subject,
        expected=request.if_match,
        key=request.idempotency_key,
        time_left=request.time_left,
    )
    return respond_with(account)


def _watch_time(context: LambdaContext) -> Callable[[], float]:
    """Seconds left for retries: the function's time, less what a last call and the answer may take."""
    return lambda: context.get_remaining_time_in_millis() / 1000 - CALL_SECONDS


def _respond_to_error(error: Exception) -> Response:
    problem = find_problem(error)
    if problem is None:
        log_failure(error)
        problem = UNFORESEEN
    return _respond(problem.status, problem.to_json(), choose_headers(problem))


def _respond(status: int, body: str, headers: Mapping[str, str]) -> Response:
    return Response(status, body, {**_ALWAYS, **_allow_origin(), **headers})


def _allow_origin() -> dict[str, str]:
    """What a browser needs to let the one allowed origin read the answer. Preflight requests end at API Gateway."""
    try:
        origin = settings().allowed_origin
    except SettingsError:
        return {}  # this very answer reports it
    if not origin:
        return {}
    return {"Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": "ETag, Location, Retry-After"}
