"""Turns errors into HTTP answers (RFC 9457); nothing else does."""

from __future__ import annotations

from http import HTTPStatus

from accounts.errors import Busy, KeyReused, NotFound, Stale, Taken
from accounts.model import FieldError, Problem
from accounts.request import BadRequest

RETRY_SECONDS = 1


def find_problem(error: Exception) -> Problem | None:
    """The problem to answer with, or ``None`` for an unexpected error."""
    match error:
        case BadRequest():
            return _make_problem(error.status, error.detail, *error.errors)
        case NotFound():
            return _make_problem(404, "There is no such account.")
        case Taken():
            taken = [FieldError(field=field, code="taken", message="is already taken") for field in error.fields]
            return _make_problem(409, "Another account has these already.", *taken)
        case Stale():
            return _make_problem(412, "The account has changed: read it again and send its current ETag in If-Match.")
        case KeyReused():
            what = "made an account that is deleted since" if error.deleted else "was used for another request"
            reused = FieldError(field="Idempotency-Key", code="reused", message=f"{what}: use a fresh key")
            return _make_problem(422, "This Idempotency-Key cannot be used again.", reused)
        case Busy():
            return _make_problem(503, "Try again in a moment: repeating the same request is safe.")
    return None  # Inconsistent too: the client can do nothing about it, but the log must show it


def choose_headers(problem: Problem) -> dict[str, str]:
    """The headers that belong to a problem."""
    headers = {"Content-Type": "application/problem+json"}
    if problem.status == 401:
        headers["WWW-Authenticate"] = "Bearer"  # RFC 9110, section 15.5.2, demands one
    if problem.status == 503:
        headers["Retry-After"] = str(RETRY_SECONDS)
    return headers


def _make_problem(status: int, detail: str, *errors: FieldError) -> Problem:
    return Problem(title=HTTPStatus(status).phrase, status=status, detail=detail, errors=list(errors))


# Says nothing about the cause, which may be anything: that is for the log.
UNFORESEEN = _make_problem(500, "The request could not be carried out.")
