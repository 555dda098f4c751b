"""From API Gateway to the service and back. A function's ``app.py`` says which route it serves, and what to do
there."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.event_handler import APIGatewayRestResolver, Response

from accounts.observability import log_failure, logger, metrics, record
from accounts.problems import headers_of, problem_of, unexpected
from accounts.request import BadRequest, Request, etag
from accounts.settings import SettingsError, settings
from accounts.wiring import CALL_SECONDS

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from accounts.model import Account

__all__ = ["Request", "Response", "account_response", "empty_response", "serve"]

Answer = dict[str, Any]
Operation = Callable[[Request], Response[str]]

# Accounts are personal data: a browser may keep its own copy, and asks each time whether it is still good.
_ALWAYS = {"Cache-Control": "private, no-cache", "X-Content-Type-Options": "nosniff"}


def serve(method: str, route: str, operation: Operation) -> Callable[[dict[str, Any], LambdaContext], Answer]:
    """Make the Lambda entry point of a function that serves one route.

    It never raises: what ``operation`` raises becomes a problem, and what nobody foresaw becomes a bare 500 and a
    line in the log.

    Args:
        method: The HTTP method.
        route: The path, with parameters in angle brackets: ``"/accounts/<account_id>"``.
        operation: What to do. Its name labels logs and metrics.
    """
    app = _resolver(method, route, operation)

    def handle(event: dict[str, Any], context: LambdaContext) -> Answer:
        started = time.perf_counter()
        try:
            logger.set_correlation_id((event.get("requestContext") or {}).get("requestId"))
            answer = app.resolve(event, context)
        except Exception as error:  # noqa: BLE001 - not even an event from elsewhere may end in a traceback
            answer = _not_resolved(error)
        record(operation.__name__, answer["statusCode"], (time.perf_counter() - started) * 1000)
        return answer

    logged = logger.inject_lambda_context(handle, clear_state=True)
    return metrics.log_metrics(logged, capture_cold_start_metric=True)


def account_response(account: Account, *, status: int = 200, location: str | None = None) -> Response[str]:
    """An account, with its version as ``ETag``."""
    headers = {"ETag": etag(account.version)}
    if location is not None:
        headers["Location"] = location
    return _response(status, account.model_dump_json(), {"Content-Type": "application/json", **headers})


def empty_response(status: int, *, version: int | None = None) -> Response[str]:
    """An answer without a body."""
    return _response(status, "", {} if version is None else {"ETag": etag(version)})


def _resolver(method: str, route: str, operation: Operation) -> APIGatewayRestResolver:
    app = APIGatewayRestResolver(debug=False)

    @app.route(route, method=method)
    def _serve(**path: str) -> Response[str]:
        return operation(Request(app.current_event.raw_event, path, _time_left(app.lambda_context)))

    @app.not_found
    def _elsewhere(_: Exception) -> Response[str]:
        here = re.fullmatch(re.sub("<[^>]+>", "[^/]+", route) + "/*", app.current_event.path)
        if here and app.current_event.http_method.upper() != method:
            refused = _problem_response(BadRequest(405, f"This resource is for {method} only."))
            refused.headers["Allow"] = method
            return refused
        return _problem_response(BadRequest(404, "There is nothing at this path."))

    app.exception_handler(Exception)(_problem_response)
    return app


def _time_left(context: LambdaContext) -> Callable[[], float]:
    """Seconds for retries: what the function has left, less what a last call and the answer may take."""
    return lambda: context.get_remaining_time_in_millis() / 1000 - CALL_SECONDS


def _problem_response(error: Exception) -> Response[str]:
    problem = problem_of(error)
    if problem is None:
        log_failure(error)
        problem = unexpected()
    return _response(problem.status, problem.text(), headers_of(problem))


def _response(status: int, body: str, headers: Mapping[str, str]) -> Response[str]:
    return Response(status_code=status, body=body, headers={**_ALWAYS, **_cross_origin(), **headers})


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


def _not_resolved(error: Exception) -> Answer:
    response = _problem_response(error)
    return {
        "statusCode": response.status_code,
        "multiValueHeaders": {name: [value] for name, value in response.headers.items()},
        "body": response.body,
        "isBase64Encoded": False,
    }
