"""Sending: one conversation for every call, what is repeated, and what a single write says when it is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from expr_builder import (
    Attr,
    BatchGet,
    BatchWrite,
    BuildError,
    ConditionFailed,
    Key,
    Marker,
    RequestConflict,
    RequestThrottled,
    RequestUnavailable,
    Table,
    TransactionCanceled,
    TransactWrite,
    Unique,
)
from expr_builder.sending.conversation import Ask, Patience, Wait, converse
from tests.support.clients import Client, ConnectTimeoutError, ServiceError, canceled

if TYPE_CHECKING:
    from expr_builder.requests.writes import WriteAction

pytestmark = pytest.mark.usefixtures("naps")

table = Table("t", "PK")
KEY = {"PK": "a"}
ITEM = {"PK": "a", "n": 1, "status": "open"}
LOST = ConnectTimeoutError()
DENIED = ServiceError("AccessDeniedException")
update = table.update(KEY)


def refused(item: dict[str, Any] | None = None, retries: int = 0) -> ServiceError:
    more: dict[str, Any] = {"Item": item} if item else {}
    error = ServiceError("ConditionalCheckFailedException", **more)
    error.response["ResponseMetadata"]["RetryAttempts"] = retries
    return error


# --- the conversation


def test_a_conversation_does_nothing_itself() -> None:
    ask = Ask("get_item", {"TableName": "t"})
    talk = converse(ask, Patience())
    assert next(talk) is ask
    pause = talk.throw(ServiceError("ThrottlingException"))
    assert isinstance(pause, Wait)
    assert 0 <= pause.seconds <= 0.05
    assert next(talk) is ask
    with pytest.raises(StopIteration) as end:
        talk.send({"Item": {}})
    assert end.value.value == {"Item": {}}


def test_pauses_grow_up_to_a_second_and_end_with_the_attempts() -> None:
    talk = converse(Ask("get_item", {}), Patience(max_attempts=12))
    next(talk)
    pauses = []
    for _ in range(11):
        pause = talk.throw(ServiceError("ThrottlingException"))
        assert isinstance(pause, Wait)
        pauses.append(pause.seconds)
        next(talk)
    with pytest.raises(RequestThrottled, match="RequestThrottled after 12 attempts"):
        talk.throw(ServiceError("ThrottlingException"))
    assert all(pause <= min(1.0, 0.025 * 2**attempt) for attempt, pause in enumerate(pauses, 1))


QUERY = table.query(Key("PK").eq("a"))


@pytest.mark.parametrize(
    "read",
    [
        lambda client: QUERY.page(client, max_attempts=3),
        lambda client: list(QUERY.pages(client, max_attempts=3)),
        lambda client: list(QUERY.items(client, max_attempts=3)),
        lambda client: QUERY.count(client, max_attempts=3),
        lambda client: table.scan().page(client, max_attempts=3),
        lambda client: table.get(KEY).fetch(client, max_attempts=3),
        lambda client: BatchGet(table.get(KEY)).fetch(client, max_attempts=3),
        lambda client: BatchWrite(table.put(ITEM)).send(client, max_attempts=3),
        lambda client: table.put(ITEM).send(client, max_attempts=3),
    ],
    ids=["page", "pages", "items", "count", "scan", "get", "batch get", "batch write", "put"],
)  # fmt: skip
def test_throttling_is_retried_and_told_alike_everywhere(read: Any, naps: list[float]) -> None:
    throttled = ServiceError("ProvisionedThroughputExceededException")
    client = Client(throttled)
    with pytest.raises(RequestThrottled) as caught:
        read(client)
    assert (caught.value.attempts, caught.value.outcome_unknown, len(client.sent), len(naps)) == (3, False, 3, 2)
    final = ServiceError("ValidationException")
    with pytest.raises(ServiceError) as passed_on:
        read(Client(final))
    assert passed_on.value is final


def test_what_is_no_refusal_of_a_unique_write_is_passed_on_as_it_is() -> None:
    denied = ServiceError("AccessDeniedException")
    unique = Unique(table, owner="PK", email=Marker("E#{}"))
    with pytest.raises(ServiceError) as caught:
        unique.create({"PK": "a", "email": "x"}).send(Client(denied))
    assert caught.value is denied


# --- single writes


def test_a_single_write_is_sent_and_returns_what_was_asked_for() -> None:
    client = Client({"Attributes": {"n": {"N": "2"}}}, {})
    assert update.set(n=2).returning("UPDATED_NEW").send(client) == {"n": 2}
    assert table.delete(KEY).if_exists().send(client) is None
    assert client.sent == [
        {
            "TableName": "t",
            "Key": {"PK": {"S": "a"}},
            "UpdateExpression": "SET n = :v0",
            "ExpressionAttributeValues": {":v0": {"N": "2"}},
            "ReturnValues": "UPDATED_NEW",
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        },
        {
            "TableName": "t",
            "Key": {"PK": {"S": "a"}},
            "ConditionExpression": "attribute_exists(PK)",
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        },
    ]


def test_a_refused_write_explains_itself() -> None:
    write = update.set(n=2).when((Attr("n") == 1) & Attr("PK").exists())
    with pytest.raises(ConditionFailed) as caught:
        write.send(Client(refused({"PK": {"S": "a"}, "n": {"N": "7"}})))
    error = caught.value
    assert (error.table, error.item, error.retried) == ("t", {"PK": "a", "n": 7}, False)
    assert str(error) == 'the condition of a write to table "t" failed: the stored item is another'
    assert error.explain() == (
        "Update in t, PK = 'a': its condition was false\n"
        "  FALSE  all of these:\n"
        "  FALSE    n = 1  (n is 7)\n"
        "  true     attribute_exists(PK)  (PK is 'a')"
    )
    assert "7" not in repr(error)


def test_a_refused_write_of_a_missing_item_says_so() -> None:
    with pytest.raises(ConditionFailed, match="there is no such item") as caught:
        table.delete(KEY).if_exists().send(Client(refused()))
    assert caught.value.item is None
    assert caught.value.explain() == (
        "Delete in t, PK = 'a': its condition was false\n  no item was stored\n  FALSE  attribute_exists(PK)"
    )


def test_what_botocore_repeated_by_itself_is_told() -> None:
    with pytest.raises(ConditionFailed) as caught:
        table.put(ITEM).if_not_exists().send(Client(refused({"PK": {"S": "a"}}, retries=1)))
    assert caught.value.retried


SAFE = {
    "a put": table.put(ITEM),
    "a put that its own item satisfies": table.put(ITEM).when(Attr("status") == "open"),
    "a deletion": table.delete(KEY),
    "a deletion of what may be missing": table.delete(KEY).when(Attr("status") != "open"),
    "a value": update.set(n=2),
    "a default": update.set(n=Attr("n").if_not_exists(0)),
    "a copy of what stays": update.set(n=Attr("m")),
    "a removal": update.remove("n", Attr("a")["b"]),
    "elements into a set": update.add(tags={"a"}),
    "elements out of a set": update.delete(tags={"a"}),
    "a condition on what stays": update.set(n=2).when(Attr("status") == "open").if_exists(),
    "all new attributes": update.set(n=2).returning("ALL_NEW"),
    "the new of what is updated": update.set(n=2).remove("a").returning("UPDATED_NEW"),
    "no attributes": table.put(ITEM).returning("NONE"),
}
UNSAFE = {
    "a put only when there is none": table.put(ITEM).if_not_exists(),
    "a put over another status": table.put(ITEM).when(Attr("status") == "closed"),
    "a deletion only when there is one": table.delete(KEY).if_exists(),
    "a number added": update.add(n=1),
    "arithmetic": update.set(n=Attr("n") + 1),
    "a counter": update.set(n=Attr("n").increment()),
    "a list that grows": update.set(l=Attr("l").append(1)),
    "a copy of what changes": update.set(a=Attr("b"), b=1),
    "a default of what changes": update.set(a=Attr("b").if_not_exists(0), b=1),
    "a list element removed": update.remove(Attr("l")[0]),
    "a list element set, which may append": update.set({Attr("l")[9]: 1}),
    "elements into a set in a list, which may append one": update.add({Attr("l")[9]: {"a"}}),
    "a key, which the update may create": update.set(a=Attr("PK").if_not_exists("none")),
    "a condition on what changes": update.set(n=2).when(Attr("n") == 1),
    "an update only when there is none": update.set(n=2).if_not_exists(),
    "a put that shows the old item": table.put(ITEM).returning("ALL_OLD"),
    "a deletion that shows the old item": table.delete(KEY).returning("ALL_OLD"),
    "an update that shows the old item": update.set(n=2).returning("ALL_OLD"),
    "an update that shows what it replaces": update.set(n=2).returning("UPDATED_OLD"),
}


@pytest.mark.parametrize("write", SAFE.values(), ids=SAFE)
def test_what_may_be_repeated_is_after_a_lost_answer(write: WriteAction) -> None:
    client = Client(LOST, ServiceError("InternalServerError", 500), {})
    write.send(client)
    assert len(client.sent) == 3


@pytest.mark.parametrize("write", UNSAFE.values(), ids=UNSAFE)
def test_what_would_count_twice_is_not_repeated_after_a_lost_answer(write: WriteAction) -> None:
    client = Client(LOST, {})
    with pytest.raises(RequestUnavailable) as caught:
        write.send(client)
    assert (caught.value.outcome_unknown, caught.value.attempts, len(client.sent)) == (True, 1, 1)


@pytest.mark.parametrize("write", UNSAFE.values(), ids=UNSAFE)
def test_what_surely_did_not_happen_is_repeated_in_any_case(write: WriteAction) -> None:
    client = Client(ServiceError("TransactionConflictException"), ServiceError("ThrottlingException"), {})
    write.send(client)
    assert len(client.sent) == 3


class ChecksumError(Exception):
    """The answer arrived damaged, as botocore reports it."""


def test_a_damaged_answer_is_a_lost_one() -> None:
    client = Client(ChecksumError(), {})
    table.put(ITEM).send(client)
    assert len(client.sent) == 2
    with pytest.raises(RequestUnavailable) as caught:
        update.add(n=1).send(Client(ChecksumError()))
    assert caught.value.outcome_unknown


class BotoCoreError(Exception):
    """Any error of botocore's own."""


@pytest.mark.parametrize("failure", [DENIED, BotoCoreError("no credentials")], ids=["denied", "no credentials"])
@pytest.mark.parametrize(
    "send",
    [
        lambda client: table.put(ITEM).send(client),
        lambda client: table.put(ITEM).if_not_exists().send(client, exactly_once=True),
        lambda client: TransactWrite(table.put(ITEM)).send(client),
        lambda client: BatchWrite(table.put(ITEM)).send(client),
    ],
    ids=["put", "exactly once", "transaction", "batch"],
)
def test_a_repetition_that_fails_by_itself_leaves_the_outcome_unknown(send: Any, failure: Exception) -> None:
    client = Client(LOST, failure)
    with pytest.raises(RequestUnavailable) as caught:
        send(client)
    assert (caught.value.outcome_unknown, caught.value.attempts) == (True, 2)
    assert caught.value.__cause__ is failure
    assert caught.value.token == client.sent[0].get("ClientRequestToken")
    with pytest.raises(type(failure)) as passed_on:
        send(Client(ServiceError("ThrottlingException"), failure))  # nothing was lost before it
    assert passed_on.value is failure


def test_what_a_caller_s_timer_raises_and_what_a_read_fails_with_are_passed_on() -> None:
    late = ValueError("late")
    with pytest.raises(ValueError, match="late") as caught:
        table.put(ITEM).send(Client(LOST, late))
    assert caught.value is late
    with pytest.raises(ServiceError) as denied:
        table.get(KEY).fetch(Client(LOST, DENIED))
    assert denied.value is DENIED


# --- exactly once


def test_exactly_once_is_a_transaction_of_one_with_one_token() -> None:
    client = Client(LOST, ServiceError("InternalServerError", 500), {})
    assert update.add(n=1).send(client, exactly_once=True) is None
    first, *others = client.sent
    assert others == [first, first]
    assert len(first.pop("ClientRequestToken")) == 32
    assert first == {
        "TransactItems": [
            {
                "Update": {
                    "TableName": "t",
                    "Key": {"PK": {"S": "a"}},
                    "UpdateExpression": "ADD n :v0",
                    "ExpressionAttributeValues": {":v0": {"N": "1"}},
                    "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
                }
            }
        ]
    }


def test_exactly_once_is_refused_like_any_single_write() -> None:
    client = Client(LOST, canceled("ConditionalCheckFailed", _0={"PK": {"S": "a"}}))
    with pytest.raises(ConditionFailed) as caught:
        table.put(ITEM).if_not_exists().send(client, exactly_once=True)
    assert (caught.value.item, caught.value.retried) == ({"PK": "a"}, True)
    with pytest.raises(TransactionCanceled, match=r"Put \(ValidationError\)"):
        table.put(ITEM).send(Client(canceled("ValidationError")), exactly_once=True)
    with pytest.raises(RequestConflict) as unfinished:
        table.put(ITEM).send(Client(canceled("TransactionConflict")), exactly_once=True, max_attempts=2)
    assert unfinished.value.token is not None


def test_a_transaction_of_one_can_return_nothing() -> None:
    client = Client({})
    with pytest.raises(BuildError, match="a transaction returns no attributes"):
        update.set(n=1).returning("ALL_NEW").send(client, exactly_once=True)
    assert client.sent == []


def test_a_check_is_never_sent_by_itself() -> None:
    with pytest.raises(BuildError, match="a check is only part of a transaction"):
        table.check(KEY).if_exists().send(Client({}))
