"""What an account remembers of its last changes: how much, in which order, and for which request."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from accounts.errors import KeyReused
from accounts.model import ChangeEmail, SignUp
from accounts.receipts import KEPT, RECEIPTS, add_receipt, answer_again, fingerprint

A, B = ChangeEmail(email="a@example.com"), ChangeEmail(email="b@example.com")


def account(version: int = 1, **more: Any) -> dict[str, Any]:
    return {
        "account_id": "a1f9c3",
        "email": f"v{version}@example.com",
        "username": f"v{version}",
        "subject": "user-1",
        "version": version,
        "created_at": "t",
        **more,
    }


def after_changes(count: int) -> dict[str, Any]:
    """An account after changes with the keys k-2, k-3 …, each named for the version that it made."""
    stored = account()
    for version in range(2, count + 2):
        changed = account(version, receipts=stored.get(RECEIPTS, []))
        stored = {**changed, RECEIPTS: add_receipt(changed, f"k-{version}", A)}
    return stored


def test_the_fingerprint_is_the_same_in_every_process_and_release() -> None:
    # Stored with accounts: another one would make each repeated request a request of another kind.
    assert fingerprint(A) == "7f777fc16f227ee680879e727d3570771de182ef1de65af190f52b4dc878e6ed"
    assert (
        fingerprint(SignUp(email="a@example.com", username="a-b"))
        == "e4c521b09f011c47e149b364c354df71ed776a5663ee5fdb425e25670b8d8820"
    )


def test_every_field_and_its_spelling_are_part_of_the_fingerprint() -> None:
    requests = [
        SignUp(email=email, username=name) for email in ("a@example.com", "A@example.com") for name in ("ada", "Ada")
    ]

    assert len({fingerprint(request) for request in [*requests, A]}) == 5


def test_the_order_of_a_models_fields_is_no_part_of_the_fingerprint() -> None:
    class Turned(BaseModel):
        username: str
        email: str

    turned = Turned(username="ada", email="a@example.com")

    assert fingerprint(turned) == fingerprint(SignUp(email="a@example.com", username="ada"))


def test_a_receipt_holds_the_answer_and_what_it_answered() -> None:
    assert add_receipt(account(2), "k-2", A) == [
        {
            "token": "k-2",
            "fingerprint": fingerprint(A),
            "email": "v2@example.com",
            "username": "v2",
            "version": 2,
        }
    ]


@pytest.mark.parametrize(("changes", "kept"), [(1, [2]), (2, [2, 3]), (3, [2, 3, 4]), (4, [3, 4, 5]), (7, [6, 7, 8])])
def test_the_last_three_are_kept_the_newest_at_the_end(changes: int, kept: list[int]) -> None:
    assert [one["version"] for one in after_changes(changes)[RECEIPTS]] == kept
    assert KEPT == 3


def test_adding_a_receipt_leaves_the_account_as_it_was() -> None:
    stored = after_changes(3)
    receipts = list(stored[RECEIPTS])

    add_receipt(stored, "k-9", A)

    assert stored[RECEIPTS] == receipts


@pytest.mark.parametrize("version", [2, 3, 4])
def test_each_kept_receipt_gives_its_own_answer_again(version: int) -> None:
    again = answer_again(after_changes(3), f"k-{version}", A)

    assert again is not None
    assert again.model_dump() == {
        "account_id": "a1f9c3",
        "email": f"v{version}@example.com",
        "username": f"v{version}",
        "version": version,
        "created_at": "t",
    }


@pytest.mark.parametrize("stored", [account(), account(receipts=[]), after_changes(4)])
def test_nothing_is_known_of_a_token_without_a_receipt(stored: dict[str, Any]) -> None:
    assert answer_again(stored, "k-2", A) is None


def test_a_token_that_came_with_another_request_is_refused() -> None:
    with pytest.raises(KeyReused) as refused:
        answer_again(after_changes(3), "k-3", B)

    assert not refused.value.deleted
