"""The one place that turns what went wrong into an HTTP answer (RFC 9457)."""

from __future__ import annotations

from http import HTTPStatus

from accounts.errors import Busy, KeyReused, NotFound, Stale, Taken
from accounts.model import FieldError, Problem
from accounts.request import BadRequest

RETRY_SECONDS = 1


def problem_of(error: Exception) -> Problem | None:
    """The problem to answer with, or ``None`` for an error that nobody foresaw."""
    match error:
        case BadRequest():
            return _problem(error.status, error.detail, error.errors)
        case NotFound():
            return _problem(404, "There is no such account.")
        case Taken():
            return _problem(
                409,
                "Another account has these already.",
                [FieldError(field=field, code="taken", message="is already taken") for field in error.fields],
            )
        case Stale():
            return _problem(412, "The account has changed: read it again and send its current ETag in If-Match.")
        case KeyReused():
            return _problem(422, "This Idempotency-Key cannot be used again.", [_reused(error)])
        case Busy():
            return _problem(503, "Try again in a moment: repeating the same request is safe.")
    return None


def unexpected() -> Problem:
    """The answer to an error that nobody foresaw. It tells nothing: the log does."""
    return _problem(500, "The request could not be carried out.")


def headers_of(problem: Problem) -> dict[str, str]:
    """The headers that belong to a problem."""
    headers = {"Content-Type": "application/problem+json"}
    if problem.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if problem.status == 503:
        headers["Retry-After"] = str(RETRY_SECONDS)
    return headers


def _problem(status: int, detail: str, errors: list[FieldError] | None = None) -> Problem:
    return Problem(title=HTTPStatus(status).phrase, status=status, detail=detail, errors=errors or [])


def _reused(error: KeyReused) -> FieldError:
    message = (
        "made an account that is deleted since: use a fresh key"
        if error.deleted
        else "was used for another request: use a fresh key"
    )
    return FieldError(field="Idempotency-Key", code="reused", message=message)
