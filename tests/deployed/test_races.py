"""Many clients at the same moment."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from tests.support.http import Answer
from tests.support.threads import at_once

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.deployed.conftest import Service

CLIENTS = 16


def together(calls: Iterable[Callable[[], Answer]]) -> list[Answer]:
    """The answers to calls made at the same moment; each call must have been answered."""
    outcomes = at_once(calls)
    answers = [outcome for outcome in outcomes if isinstance(outcome, Answer)]
    assert len(answers) == len(outcomes), outcomes
    return answers


@pytest.mark.parametrize("turn", ["while functions start", "when all are warm"])
def test_of_16_clients_that_want_one_address_exactly_one_gets_it(turn: str, service: Service) -> None:
    answers = together(
        partial(service.caller(f"user-{number}").sign_up, "Wanted@example.com", f"user-{number}")
        for number in range(CLIENTS)
    )

    assert sorted(answer.status for answer in answers) == [201] + [409] * (CLIENTS - 1), turn
    assert [answer.json["errors"] for answer in answers if answer.status == 409] == [
        [{"field": "email", "code": "taken", "message": "is already taken"}]
    ] * (CLIENTS - 1)
    account = next(answer.json for answer in answers if answer.status == 201)
    owner = f"ACCT#{account['account_id']}"
    assert [(item["PK"], item.get("owner")) for item in service.stored()] == [
        (owner, None),
        ("UNIQ#EMAIL#wanted@example.com", owner),
        (f"UNIQ#HANDLE#{account['username']}", owner),
    ]


def test_16_clients_that_want_the_same_address_and_username_learn_both(service: Service) -> None:
    answers = together(
        partial(service.caller(f"user-{number}").sign_up, "ada@example.com", "ada") for number in range(CLIENTS)
    )

    assert sorted(answer.status for answer in answers) == [201] + [409] * (CLIENTS - 1)
    assert {tuple(error["field"] for error in answer.json["errors"]) for answer in answers if answer.status == 409} == {
        ("email", "username")
    }
    assert len(service.stored()) == 3


def test_one_idempotency_key_sent_8_times_at_once_makes_one_account_and_one_answer(service: Service) -> None:
    alice, key = service.caller("alice"), str(uuid4())

    answers = together(partial(alice.sign_up, "ada@example.com", "ada", Idempotency_Key=key) for _ in range(8))

    assert [answer.status for answer in answers] == [201] * 8
    assert len({answer.text for answer in answers}) == 1
    assert len({answer.headers["location"] for answer in answers}) == 1
    assert len(service.stored()) == 3


def test_of_8_changes_that_expect_one_version_exactly_one_happens(service: Service) -> None:
    alice = service.caller("alice")
    account_id = alice.sign_up("ada@example.com", "ada").json["account_id"]

    answers = together(
        partial(alice.change_email, account_id, f"ada{number}@example.com", If_Match='"1"') for number in range(8)
    )

    assert sorted(answer.status for answer in answers) == [200] + [412] * 7
    changed = next(answer.json for answer in answers if answer.status == 200)
    assert alice.read(account_id).json == changed
    assert [item["PK"] for item in service.stored()] == [
        f"ACCT#{account_id}",
        f"UNIQ#EMAIL#{changed['email']}",
        "UNIQ#HANDLE#ada",
    ]


def test_changes_that_meet_a_deletion_leave_the_whole_account_or_nothing(service: Service) -> None:
    alice = service.caller("alice")
    for turn in range(5):
        account_id = alice.sign_up(f"ada{turn}@example.com", "ada").json["account_id"]

        changed, deleted = together(
            [
                partial(alice.change_email, account_id, f"new{turn}@example.com"),
                partial(alice.delete, account_id),
            ]
        )

        assert deleted.status == 204
        assert changed.status in {200, 404}
        assert service.stored() == []
