"""Client request tokens, and answers that get lost, on an engine that honours tokens (moto ignores them)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest
from botocore.exceptions import ReadTimeoutError

from expr_builder import (
    IdempotentParameterMismatch,
    RequestUnavailable,
    TransactionCanceled,
    TransactWrite,
    UniqueViolation,
)
from tests.support.cloud import stored

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mypy_boto3_dynamodb import DynamoDBClient

    from expr_builder import Table, Unique

COUNTER = {"PK": "COUNTER#1", "SK": "TOTAL"}
ADA = {"PK": "ACCT#1", "SK": "PROFILE", "email": "ada@example.com", "username": "ada"}
BOB = {"PK": "ACCT#2", "SK": "PROFILE", "email": "bob@example.com", "username": "bob"}
AFTER_CALL = "after-call.dynamodb.TransactWriteItems"


class LostAnswers:
    """Lets calls go through, and loses the answers of the first ones on their way back."""

    def __init__(self) -> None:
        self.to_lose = 0
        self.calls = 0

    def __call__(self, **_: Any) -> None:
        self.calls += 1
        if self.calls <= self.to_lose:
            raise ReadTimeoutError(endpoint_url="http://127.0.0.1")


@pytest.fixture
def lost(client: DynamoDBClient) -> Iterator[LostAnswers]:
    answers = LostAnswers()
    client.meta.events.register(AFTER_CALL, answers)
    yield answers
    client.meta.events.unregister(AFTER_CALL, answers)


def increment(table: Table, *, by: int = 1, token: str | None = None) -> TransactWrite:
    return TransactWrite(table.update(COUNTER).add(total=by), token=token)


def total(client: DynamoDBClient, table: Table) -> int:
    return int(stored(client, table.name)[0]["total"])


def test_a_repeated_token_is_not_applied_twice(client: DynamoDBClient, table: Table) -> None:
    once = increment(table, token=str(uuid4()))

    once.send(client)
    once.send(client)

    assert total(client, table) == 1


def test_a_fresh_token_is_applied_again(client: DynamoDBClient, table: Table) -> None:
    for _ in range(2):
        increment(table).send(client)

    assert total(client, table) == 2


def test_a_token_with_another_body_is_a_mismatch_and_writes_nothing(client: DynamoDBClient, table: Table) -> None:
    token = str(uuid4())
    increment(table, token=token).send(client)

    with pytest.raises(IdempotentParameterMismatch):
        increment(table, by=2, token=token).send(client)

    assert total(client, table) == 1


def test_attributes_in_another_order_are_the_same_body_under_one_token(client: DynamoDBClient, table: Table) -> None:
    token = str(uuid4())
    item = {**COUNTER, "tags": {"a", "b", "c"}, "total": 1}

    for order in (item, dict(reversed(item.items()))):
        TransactWrite(table.put(order).if_not_exists(), token=token).send(client)

    assert stored(client, table.name) == [item]


def test_the_token_of_a_cancelled_transaction_is_free_again(
    client: DynamoDBClient, table: Table, unique: Unique
) -> None:
    token = str(uuid4())
    unique.create(ADA).send(client)
    late = unique.create({**BOB, "email": ADA["email"]}, token=token)
    with pytest.raises(UniqueViolation):
        late.send(client)

    unique.delete(ADA).send(client)
    late.send(client)

    assert {item["PK"] for item in stored(client, table.name)} == {
        "ACCT#2",
        "UNIQ#EMAIL#ada@example.com",
        "UNIQ#HANDLE#bob",
    }


@pytest.mark.parametrize("token", [None, "import-of-monday-42"])
def test_a_create_whose_answer_was_lost_succeeds_and_is_made_once(
    token: str | None, client: DynamoDBClient, table: Table, unique: Unique, lost: LostAnswers
) -> None:
    lost.to_lose = 1

    unique.create(ADA, token=token).send(client)

    assert lost.calls == 2
    assert stored(client, table.name) == [
        ADA,
        {"PK": "UNIQ#EMAIL#ada@example.com", "SK": "LOCK", "owner": "ACCT#1"},
        {"PK": "UNIQ#HANDLE#ada", "SK": "LOCK", "owner": "ACCT#1"},
    ]


def test_a_counter_whose_answers_were_lost_counts_once(client: DynamoDBClient, table: Table, lost: LostAnswers) -> None:
    lost.to_lose = 3

    increment(table).send(client)

    assert lost.calls == 4
    assert total(client, table) == 1


def test_a_change_and_a_deletion_whose_answers_were_lost_succeed(
    client: DynamoDBClient, table: Table, unique: Unique, lost: LostAnswers
) -> None:
    unique.create(ADA).send(client)

    lost.calls, lost.to_lose = 0, 1
    unique.change(ADA, email="ada@example.org").send(client)
    lost.calls = 0
    unique.delete({**ADA, "email": "ada@example.org"}).send(client)

    assert stored(client, table.name) == []


def test_when_every_answer_is_lost_the_outcome_is_unknown_and_may_be_a_success(
    client: DynamoDBClient, table: Table, lost: LostAnswers
) -> None:
    lost.to_lose = 3

    with pytest.raises(RequestUnavailable) as caught:
        increment(table).send(client, max_attempts=3)

    assert caught.value.outcome_unknown
    assert total(client, table) == 1


def test_a_retry_with_a_new_body_and_a_new_token_would_have_been_refused(
    client: DynamoDBClient, unique: Unique, lost: LostAnswers
) -> None:
    """Why ``send`` keeps body and token: whoever starts again from scratch meets their own earlier success."""
    lost.to_lose = 1
    with pytest.raises(RequestUnavailable):
        unique.create(ADA).send(client, max_attempts=1)

    with pytest.raises(UniqueViolation) as caught:
        unique.create(ADA).send(client)

    assert caught.value.failed == ("record", "email", "username")
    assert caught.value.holders == {"email": "ACCT#1", "username": "ACCT#1"}


def test_a_refusal_reports_the_stored_item_and_what_stood_against_it(client: DynamoDBClient, table: Table) -> None:
    increment(table).send(client)
    guarded = table.update(COUNTER).add(total=1).when(table.key_schema.absent).named("counter").return_old_on_failure()

    with pytest.raises(TransactionCanceled) as caught:
        TransactWrite(guarded).send(client)

    assert caught.value.slots["counter"].item == {**COUNTER, "total": 1}
