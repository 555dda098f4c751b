"""What goes out, and what is accepted."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from accounts.model import Account, ChangeEmail, FieldError, Problem, SignUp
from accounts.schema import make_account_item


def test_an_account_shows_five_members_of_its_item() -> None:
    item = make_account_item(
        "a1f9c3",
        email="Ada@example.com",
        username="Ada",
        subject="user-1",
        created_at="2026-01-02T03:04:05.678Z",
        fingerprint="f" * 64,
        version=3,
    )

    assert json.loads(Account.of(item).model_dump_json()) == {
        "account_id": "a1f9c3",
        "email": "Ada@example.com",
        "username": "Ada",
        "version": 3,
        "created_at": "2026-01-02T03:04:05.678Z",
    }


def test_an_account_item_is_stored_whole() -> None:
    item = make_account_item(
        "a1f9c3", email="A@example.com", username="Ada", subject="s", created_at="t", fingerprint="f"
    )

    assert item == {
        "PK": "ACCT#a1f9c3",
        "SK": "PROFILE",
        "account_id": "a1f9c3",
        "email": "A@example.com",
        "username": "Ada",
        "subject": "s",
        "version": 1,
        "created_at": "t",
        "fingerprint": "f",
        "norm": 1,
    }


def test_a_problem_leaves_out_what_it_does_not_say() -> None:
    assert json.loads(Problem(title="Not Found", status=404).to_json()) == {
        "type": "about:blank",
        "title": "Not Found",
        "status": 404,
    }


def test_a_problem_lists_its_errors() -> None:
    error = FieldError(field="email", code="taken", message="is already taken")

    assert json.loads(Problem(title="Conflict", status=409, detail="d", errors=[error]).to_json()) == {
        "type": "about:blank",
        "title": "Conflict",
        "status": 409,
        "detail": "d",
        "errors": [{"field": "email", "code": "taken", "message": "is already taken"}],
    }


def test_space_around_an_address_is_dropped_and_its_capitals_are_kept() -> None:
    assert ChangeEmail(email=" Ada@Example.com\n").email == "Ada@Example.com"


@pytest.mark.parametrize("value", [b"ada@example.com", 7, None, ["ada@example.com"]])
def test_only_a_string_is_a_string(value: object) -> None:
    with pytest.raises(ValidationError):
        SignUp.model_validate({"email": value, "username": "ada"})


def test_a_request_cannot_be_changed_after_it_was_checked() -> None:
    request = ChangeEmail(email="ada@example.com")

    with pytest.raises(ValidationError):
        request.email = "not an address"  # type: ignore[misc]
