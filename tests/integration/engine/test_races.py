"""Uniqueness under threads: whatever meets, each value has one record and each record its own markers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from expr_builder import TransactionCanceled, UniqueViolation
from tests.support.cloud import stored
from tests.support.threads import at_once

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from expr_builder import Table, Unique, UniqueWrite

ROUNDS = 50
THREADS = 16

Record = dict[str, Any]


def record(number: int, *, email: str | None = None, username: str | None = None) -> Record:
    return {
        "PK": f"ACCT#{number}",
        "SK": "PROFILE",
        "email": email or f"user{number}@example.com",
        "username": username or f"user{number}",
    }


def with_markers(*records: Record) -> list[Record]:
    """The records and the markers that belong to them: all that may be stored."""
    markers = [
        {"PK": key, "SK": "LOCK", "owner": one["PK"]}
        for one in records
        for key in (f"UNIQ#EMAIL#{one['email'].lower()}", f"UNIQ#HANDLE#{one['username'].lower()}")
    ]
    return sorted([*records, *markers], key=lambda item: str(item["PK"]))


def send_at_once(client: DynamoDBClient, *writes: UniqueWrite) -> list[bool]:
    """Whether each of the transactions, all sent at the same time, went through; the others must be refused."""
    outcomes = at_once(partial(write.send, client) for write in writes)
    unexpected = [
        one for one in outcomes if isinstance(one, BaseException) and not isinstance(one, TransactionCanceled)
    ]
    assert unexpected == []
    return [not isinstance(one, BaseException) for one in outcomes]


def test_of_16_threads_that_create_the_same_values_one_wins_and_the_others_learn_all_taken_fields(
    client: DynamoDBClient, table: Table, unique: Unique
) -> None:
    winners = []
    for turn in range(ROUNDS):
        rivals = [
            record(turn * THREADS + number, email=f"Round{turn}@example.com", username=f"round{turn}")
            for number in range(THREADS)
        ]
        outcomes = at_once(partial(unique.create(rival).send, client) for rival in rivals)

        won = [rival for rival, outcome in zip(rivals, outcomes, strict=True) if not isinstance(outcome, BaseException)]
        lost = [outcome for outcome in outcomes if isinstance(outcome, UniqueViolation)]
        assert (len(won), len(lost)) == (1, THREADS - 1), outcomes
        owner = won[0]["PK"]
        assert {one.fields for one in lost} == {("email", "username")}
        assert [one.holders for one in lost] == [{"email": owner, "username": owner}] * (THREADS - 1)
        winners += won
    assert stored(client, table.name) == with_markers(*winners)


def test_threads_that_share_only_the_username_are_told_of_the_username_only(
    client: DynamoDBClient, table: Table, unique: Unique
) -> None:
    rivals = [record(number, username="same") for number in range(THREADS)]

    outcomes = at_once(partial(unique.create(rival).send, client) for rival in rivals)

    won = [rival for rival, outcome in zip(rivals, outcomes, strict=True) if not isinstance(outcome, BaseException)]
    assert len(won) == 1
    assert [one.fields for one in outcomes if isinstance(one, UniqueViolation)] == [("username",)] * (THREADS - 1)
    assert stored(client, table.name) == with_markers(*won)


def test_of_16_changes_of_one_record_one_wins_and_one_marker_moves(
    client: DynamoDBClient, table: Table, unique: Unique
) -> None:
    now = record(1)
    unique.create(now).send(client)
    for turn in range(5):
        emails = [f"{turn}-{number}@example.com" for number in range(THREADS)]

        won = send_at_once(client, *(unique.change(now, email=email) for email in emails))

        assert won.count(True) == 1
        now = {**now, "email": emails[won.index(True)]}
        assert stored(client, table.name) == with_markers(now)


def test_of_16_records_that_change_to_one_address_one_gets_it(
    client: DynamoDBClient, table: Table, unique: Unique
) -> None:
    records = [record(number) for number in range(THREADS)]
    for one in records:
        unique.create(one).send(client)

    won = send_at_once(client, *(unique.change(one, email="wanted@example.com") for one in records))

    assert won.count(True) == 1
    records[won.index(True)]["email"] = "wanted@example.com"
    assert stored(client, table.name) == with_markers(*records)


def test_a_change_that_meets_a_deletion_never_brings_the_record_back(
    client: DynamoDBClient, table: Table, unique: Unique
) -> None:
    for turn in range(ROUNDS):
        old = record(turn)
        unique.create(old).send(client)

        changed, deleted = send_at_once(client, unique.change(old, email=f"new{turn}@example.com"), unique.delete(old))

        assert changed != deleted
        left = [{**old, "email": f"new{turn}@example.com"}] if changed else []
        assert stored(client, table.name) == with_markers(*left)
        for one in left:
            unique.delete(one).send(client)


def test_a_change_that_comes_after_the_deletion_writes_nothing(
    client: DynamoDBClient, table: Table, unique: Unique
) -> None:
    unique.create(record(1)).send(client)
    unique.delete(record(1)).send(client)

    with pytest.raises(TransactionCanceled) as caught:
        unique.change(record(1), email="late@example.com", set={"seen": True}).send(client)

    assert caught.value.failed == ("record", "email.release")
    assert stored(client, table.name) == []


def test_a_stale_change_does_not_free_what_belongs_to_somebody_else_by_now(
    client: DynamoDBClient, table: Table, unique: Unique
) -> None:
    stale = record(1, email="e0@example.com")
    unique.create(stale).send(client)
    unique.change(stale, email="e1@example.com").send(client)
    newcomer = record(2, email="e0@example.com")
    unique.create(newcomer).send(client)

    for late in (unique.change(stale, email="e2@example.com"), unique.delete(stale)):
        with pytest.raises(TransactionCanceled) as caught:
            late.send(client)
        assert caught.value.failed == ("record", "email.release")

    assert stored(client, table.name) == with_markers({**stale, "email": "e1@example.com"}, newcomer)


def test_what_a_deletion_freed_can_be_taken_at_once_by_one(
    client: DynamoDBClient, table: Table, unique: Unique
) -> None:
    first = record(0, email="free@example.com", username="free")
    unique.create(first).send(client)
    unique.delete(first).send(client)
    rivals = [record(number, email="free@example.com", username="free") for number in range(1, THREADS + 1)]

    won = send_at_once(client, *(unique.create(rival) for rival in rivals))

    assert won.count(True) == 1
    assert stored(client, table.name) == with_markers(rivals[won.index(True)])


def test_a_change_racing_a_sign_up_for_the_address_that_it_frees_leaves_both_true(
    client: DynamoDBClient, table: Table, unique: Unique
) -> None:
    for turn in range(20):
        old, newcomer = record(2 * turn), record(2 * turn + 1, email=f"user{2 * turn}@example.com")
        unique.create(old).send(client)

        changed, created = send_at_once(
            client, unique.change(old, email=f"moved{turn}@example.com"), unique.create(newcomer)
        )

        assert changed
        left = [{**old, "email": f"moved{turn}@example.com"}, *([newcomer] if created else [])]
        assert stored(client, table.name) == with_markers(*left)
        for one in left:
            unique.delete(one).send(client)


@pytest.mark.parametrize("together", [True, False])
def test_two_records_that_swap_addresses_are_both_refused(
    together: bool, client: DynamoDBClient, table: Table, unique: Unique
) -> None:
    one, other = record(1), record(2)
    for each in (one, other):
        unique.create(each).send(client)
    swaps = [unique.change(one, email=other["email"]), unique.change(other, email=one["email"])]

    outcomes: list[Any] = (
        at_once(partial(swap.send, client) for swap in swaps)
        if together
        else [outcome for swap in swaps for outcome in at_once([partial(swap.send, client)])]
    )

    assert [type(outcome) for outcome in outcomes] == [UniqueViolation, UniqueViolation]
    assert [outcome.holders for outcome in outcomes] == [{"email": "ACCT#2"}, {"email": "ACCT#1"}]
    assert stored(client, table.name) == with_markers(one, other)


def test_a_swap_by_way_of_a_third_address_works(client: DynamoDBClient, table: Table, unique: Unique) -> None:
    one, other = record(1), record(2)
    for each in (one, other):
        unique.create(each).send(client)

    for before, email in (
        (one, "third@example.com"),
        (other, one["email"]),
        ({**one, "email": "third@example.com"}, other["email"]),
    ):
        unique.change(before, email=email).send(client)

    assert stored(client, table.name) == with_markers(
        {**one, "email": other["email"]}, {**other, "email": one["email"]}
    )


def test_an_address_in_other_capitals_keeps_its_marker_while_the_username_moves(
    client: DynamoDBClient, table: Table, unique: Unique
) -> None:
    old = record(1)
    unique.create(old).send(client)

    change = unique.change(old, email="USER1@Example.com", username="other")
    change.send(client)

    assert list(change.slots) == ["record", "username", "username.release"]
    assert stored(client, table.name) == with_markers({**old, "email": "USER1@Example.com", "username": "other"})
