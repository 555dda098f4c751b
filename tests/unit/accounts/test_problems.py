"""What each error becomes on its way out: status, words, headers; and that no value gets into them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from accounts import errors
from accounts.errors import Busy, DomainError, Inconsistent, KeyReused, NotFound, Stale, Taken
from accounts.model import FieldError, Problem
from accounts.problems import UNFORESEEN, choose_headers, find_problem
from accounts.request import BadRequest

JSON = {"Content-Type": "application/problem+json"}
SECRET = "secret-7f3c"


def taken(field: str) -> dict[str, str]:
    return {"field": field, "code": "taken", "message": "is already taken"}


def reused(message: str) -> dict[str, str]:
    return {"field": "Idempotency-Key", "code": "reused", "message": message}


KEY = "This Idempotency-Key cannot be used again."
DOMAIN: list[tuple[DomainError, int, str, str, list[dict[str, str]], dict[str, str]]] = [
    (NotFound(), 404, "Not Found", "There is no such account.", [], {}),
    (Taken(("email",)), 409, "Conflict", "Another account has these already.", [taken("email")], {}),
    (
        Taken(("username", "email")),
        409,
        "Conflict",
        "Another account has these already.",
        [taken("username"), taken("email")],
        {},
    ),
    (
        Stale(),
        412,
        "Precondition Failed",
        "The account has changed: read it again and send its current ETag in If-Match.",
        [],
        {},
    ),
    (
        KeyReused(),
        422,
        "Unprocessable Content",
        KEY,
        [reused("was used for another request: use a fresh key")],
        {},
    ),
    (
        KeyReused(deleted=True),
        422,
        "Unprocessable Content",
        KEY,
        [reused("made an account that is deleted since: use a fresh key")],
        {},
    ),
    (
        Busy(),
        503,
        "Service Unavailable",
        "Try again in a moment: repeating the same request is safe.",
        [],
        {"Retry-After": "1"},
    ),
]
UNFORESEEN_ERRORS = [Inconsistent(), ValueError(SECRET), KeyError(SECRET), DomainError(SECRET)]


@pytest.mark.parametrize(("error", "status", "title", "detail", "fields", "headers"), DOMAIN)
def test_an_error_of_the_service_becomes_a_problem(
    error: DomainError, status: int, title: str, detail: str, fields: list[Any], headers: dict[str, str]
) -> None:
    problem = find_problem(error)

    assert problem is not None
    found = json.loads(problem.to_json())
    assert found.pop("errors", []) == fields
    assert found == {"type": "about:blank", "title": title, "status": status, "detail": detail}
    assert choose_headers(problem) == JSON | headers


def test_every_error_of_the_service_is_one_of_these() -> None:
    declared = {
        one
        for one in vars(errors).values()
        if isinstance(one, type) and issubclass(one, DomainError) and one is not DomainError
    }

    assert declared == {type(case[0]) for case in DOMAIN} | {Inconsistent}


@pytest.mark.parametrize("error", UNFORESEEN_ERRORS, ids=lambda error: type(error).__name__)
def test_what_nobody_foresaw_is_no_problem_of_the_client(error: Exception) -> None:
    assert find_problem(error) is None


def test_the_answer_to_what_nobody_foresaw_tells_nothing() -> None:
    assert json.loads(UNFORESEEN.to_json()) == {
        "type": "about:blank",
        "title": "Internal Server Error",
        "status": 500,
        "detail": "The request could not be carried out.",
    }
    assert choose_headers(UNFORESEEN) == JSON


def test_a_bad_request_keeps_its_status_its_words_and_its_errors() -> None:
    one, other = (FieldError(field=name, code="missing", message="is required") for name in ("email", "username"))

    problem = find_problem(BadRequest(422, "Some fields are not valid.", one, other))

    assert problem == Problem(
        title="Unprocessable Content", status=422, detail="Some fields are not valid.", errors=[one, other]
    )


@pytest.mark.parametrize(
    ("status", "headers"),
    [(400, {}), (401, {"WWW-Authenticate": "Bearer"}), (404, {}), (413, {}), (503, {"Retry-After": "1"})],
)
def test_a_status_brings_its_header(status: int, headers: dict[str, str]) -> None:
    problem = find_problem(BadRequest(status, "No."))

    assert problem is not None
    assert choose_headers(problem) == JSON | headers


@pytest.mark.parametrize("error", [NotFound(SECRET), Stale(SECRET), Busy(SECRET)], ids=["not found", "stale", "busy"])
def test_what_an_error_says_in_the_code_does_not_get_out(error: DomainError) -> None:
    problem = find_problem(error)

    assert problem is not None
    assert SECRET not in problem.to_json()
