"""Transactions: the golden document, slots, limits, and what a refusal is turned into."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from expr_builder import (
    Attr,
    BuildError,
    IdempotentParameterMismatch,
    RequestConflict,
    RequestInProgress,
    RequestThrottled,
    RequestUnavailable,
    RequestUnfinished,
    Table,
    TransactGet,
    TransactionCanceled,
    TransactWrite,
)
from expr_builder.reserved import RESERVED_WORDS
from tests.support.clients import Client, ConnectTimeoutError, ServiceError, canceled

GOLDEN = Path(__file__).parents[2] / "data" / "signup.json"
pytestmark = pytest.mark.usefixtures("naps")

accounts = Table("accounts", partition_key="PK", sort_key="SK")
KEY = {"PK": "A#1", "SK": "P"}


def signup() -> TransactWrite:
    return TransactWrite(
        accounts.put({"PK": "ACCT#a1f9c3", "SK": "PROFILE", "email": "ada@lovelace.io", "username": "ada"})
        .if_not_exists()
        .named("account"),
        accounts.put({"PK": "UNIQ#EMAIL#ada@lovelace.io", "SK": "LOCK"}).if_not_exists().named("email"),
        accounts.put({"PK": "UNIQ#HANDLE#ada", "SK": "LOCK"}).if_not_exists().named("username"),
        token="signup-7f3c",
    )


def send(client: Any, tx: TransactWrite | None = None, **options: Any) -> Any:
    return (tx or signup()).send(client, **options)


# --- the request


def test_the_sign_up_is_the_golden_document_to_the_byte() -> None:
    assert signup().to_json() == GOLDEN.read_text()
    assert signup().to_request() == json.loads(GOLDEN.read_text())


def test_bytes_are_raw_for_the_client_and_base64_once_in_json() -> None:
    tx = TransactWrite(accounts.put({**KEY, "raw": b"test!", "more": {b"\x00"}}))
    item: Any = tx.to_request()["TransactItems"][0]["Put"]["Item"]
    assert item["raw"] == {"B": b"test!"}
    written = json.loads(tx.to_json())["TransactItems"][0]["Put"]["Item"]
    assert base64.b64decode(written["raw"]["B"]) == b"test!"
    assert [base64.b64decode(text) for text in written["more"]["BS"]] == [b"\x00"]


def test_a_sign_up_of_three_small_items_costs_six_write_units() -> None:
    assert signup().capacity() == 6
    assert TransactWrite(accounts.put({**KEY, "x": "y" * 1024}), accounts.check({**KEY, "SK": "Q"})).capacity() == 6


def test_slots_without_a_name_are_named_by_position() -> None:
    tx = TransactWrite(accounts.put(KEY), accounts.delete({**KEY, "SK": "Q"}).named("second"))
    assert list(tx.slots) == ["action0", "second"]
    assert 0 < len(tx.token) <= 36


def put(number: int) -> Any:
    return accounts.put({"PK": str(number), "SK": "P"})


def test_a_transaction_has_1_to_100_actions() -> None:
    for count in (1, 26, 100):
        assert len(TransactWrite(*map(put, range(count))).to_request()["TransactItems"]) == count
    for count in (0, 101):
        with pytest.raises(BuildError) as caught:
            TransactWrite(*map(put, range(count)))
        assert (caught.value.rule, caught.value.place) == ("transaction-count", "TransactItems")
    with pytest.raises(BuildError):
        TransactGet()


arn = Table("arn:aws:dynamodb:us-east-1:123456789012:table/accounts", "PK", "SK")
numbered = Table("numbered", ("id", "N"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (accounts.put(KEY).if_not_exists(), accounts.delete(KEY)),
        (accounts.check(KEY).if_exists(), accounts.update(KEY).set(a=1)),
        (accounts.put(KEY), arn.put(KEY)),
        (numbered.put({"id": 1}), numbered.put({"id": 1.0})),
    ],
)
def test_two_actions_on_one_item_are_refused(one: Any, other: Any) -> None:
    with pytest.raises(BuildError) as caught:
        TransactWrite(one.named("first"), other.named("second"))
    assert caught.value.rule == "transaction-same-item"
    assert caught.value.place == 'slot "second"'
    assert 'slot "first"' in caught.value.message


@pytest.mark.parametrize(
    ("make", "rule", "place"),
    [
        (lambda: TransactWrite(put(1), token=""), "token-length", "ClientRequestToken"),
        (lambda: TransactWrite(put(1), token="x" * 37), "token-length", "ClientRequestToken"),
        (lambda: TransactWrite(put(1), token=5), "token-length", "ClientRequestToken"),  # type: ignore[arg-type]
        (lambda: TransactWrite(put(1).named("a"), put(2).named("a")), "slot-name", 'slot "a"'),
        (lambda: TransactWrite(accounts.get(KEY)), "transaction-action", "TransactItems[0]"),  # type: ignore[arg-type]
        (lambda: TransactGet(accounts.get(KEY), put(1)), "transaction-action", "TransactItems[1]"),
        (
            lambda: TransactWrite(*(accounts.put({"PK": str(n), "SK": "P", "x": "y" * 400_000}) for n in range(11)))
            .to_request(),
            "transaction-size",
            "TransactItems",
        ),
        (
            lambda: TransactWrite(accounts.update(KEY).named("email")).to_request(),
            "update-empty",
            'slot "email", UpdateExpression',
        ),
    ],
)  # fmt: skip
def test_bad_transactions_are_refused_with_their_place(make: Any, rule: str, place: str) -> None:
    with pytest.raises(BuildError) as caught:
        make()
    assert (caught.value.rule, caught.value.place) == (rule, place)


# --- sending


def test_the_answer_is_the_clients() -> None:
    client = Client({"ConsumedCapacity": []})
    assert send(client) == {"ConsumedCapacity": []}
    assert client.sent == [json.loads(GOLDEN.read_text())]


def test_reasons_are_read_as_data_or_out_of_the_message() -> None:
    as_data = canceled("None", "ConditionalCheckFailed", "None")
    as_text = ServiceError(
        "TransactionCanceledException",
        message="Transaction cancelled, please refer cancellation reasons for specific reasons "
        "[None, ConditionalCheckFailed, None]",
    )
    lower_case = ServiceError("TransactionCanceledException")
    lower_case.response["message"] = "... reasons [None, ConditionalCheckFailed, None]"
    for error in (as_data, as_text, lower_case):
        with pytest.raises(TransactionCanceled) as caught:
            send(Client(error))
        assert {name: reason.code for name, reason in caught.value.slots.items()} == {
            "account": "None",
            "email": "ConditionalCheckFailed",
            "username": "None",
        }
        assert caught.value.failed == ("email",)
        assert str(caught.value) == "the condition of email failed"


def test_reasons_in_another_number_than_the_actions_say_nothing_of_single_slots() -> None:
    with pytest.raises(TransactionCanceled) as caught:
        send(Client(canceled("None", "ConditionalCheckFailed")))
    assert {reason.code for reason in caught.value.slots.values()} == {"Unknown"}
    assert caught.value.failed == ()
    assert (
        str(caught.value) == "the transaction was cancelled by account (Unknown), email (Unknown), username (Unknown)"
    )
    with pytest.raises(TransactionCanceled):
        send(Client(ServiceError("TransactionCanceledException", message="no brackets")))


def test_all_failing_slots_are_reported() -> None:
    with pytest.raises(TransactionCanceled) as caught:
        send(Client(canceled("ConditionalCheckFailed", "ConditionalCheckFailed", "ConditionalCheckFailed")))
    assert caught.value.failed == ("account", "email", "username")
    assert str(caught.value) == "the condition of account, email and username failed"


def test_the_stored_item_comes_as_python_values_and_never_into_a_repr() -> None:
    error = canceled("None", "ConditionalCheckFailed", "ConditionalCheckFailed", _1={"PK": {"S": "x"}, "n": {"N": "1"}})
    with pytest.raises(TransactionCanceled) as caught:
        send(Client(error))
    email, username = caught.value.slots["email"], caught.value.slots["username"]
    assert (email.item, username.item) == ({"PK": "x", "n": 1}, None)
    assert repr(email) == "Reason(code='ConditionalCheckFailed', item=present)"
    assert repr(username) == "Reason(code='ConditionalCheckFailed', item=absent)"


@pytest.mark.parametrize("reason", ["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"])
def test_conflicts_and_throttling_are_retried_with_the_same_body_and_token(reason: str, naps: list[float]) -> None:
    client = Client(canceled("None", reason, "None"), canceled(reason, "None", reason), {})
    assert send(client) == {}
    assert client.sent == [json.loads(GOLDEN.read_text())] * 3
    assert len(naps) == 2
    assert all(0 <= nap <= 1 for nap in naps)


@pytest.mark.parametrize(
    "final", ["ConditionalCheckFailed", "ValidationError", "ItemCollectionSizeLimitExceeded", "SomethingNew"]
)
def test_any_other_reason_is_final_even_beside_a_conflict(final: str) -> None:
    client = Client(canceled(final, "TransactionConflict", "None"))
    with pytest.raises(TransactionCanceled):
        send(client)
    assert len(client.sent) == 1


def test_unknown_reason_codes_are_never_retried() -> None:
    client = Client(canceled("ValueError", "None", "None"))
    with pytest.raises(TransactionCanceled, match=r"account \(ValueError\)"):
        send(client)
    assert len(client.sent) == 1


def test_a_conflict_that_does_not_end_is_a_conflict_never_a_refusal() -> None:
    client = Client(canceled("TransactionConflict", "None", "None"))
    with pytest.raises(RequestConflict) as caught:
        send(client, max_attempts=4)
    assert len(client.sent) == caught.value.attempts == 4
    assert caught.value.outcome_unknown is False
    assert not isinstance(caught.value, TransactionCanceled)


@pytest.mark.parametrize(
    ("error", "kind", "unknown"),
    [
        (ServiceError("TransactionConflictException"), RequestConflict, False),
        (ServiceError("ReplicatedWriteConflictException"), RequestConflict, False),
        (ServiceError("ProvisionedThroughputExceededException"), RequestThrottled, False),
        (ServiceError("ThrottlingException"), RequestThrottled, False),
        (ServiceError("InternalServerError", 500), RequestUnavailable, True),
        (ServiceError("NeverSeen", 503), RequestUnavailable, True),
        (ConnectTimeoutError(), RequestUnavailable, True),
        (TimeoutError(), RequestUnavailable, True),
    ],
)
def test_each_kind_of_try_again_has_its_error(error: Exception, kind: type, unknown: bool) -> None:
    with pytest.raises(RequestUnfinished) as caught:
        send(Client(error), max_attempts=3)
    assert (type(caught.value), caught.value.outcome_unknown, caught.value.attempts) == (kind, unknown, 3)
    assert send(Client(error, {})) == {}


def test_a_transaction_in_progress_is_waited_for_longer_than_five_seconds(naps: list[float]) -> None:
    client = Client(ConnectTimeoutError(), *[ServiceError("TransactionInProgressException")] * 5, {})
    assert send(client, max_attempts=2) == {}
    naps.clear()
    with pytest.raises(RequestInProgress) as caught:
        send(Client(ServiceError("TransactionInProgressException")), max_attempts=2)
    assert sum(naps) > 5
    assert caught.value.outcome_unknown


def test_no_retry_starts_that_the_time_left_does_not_cover(naps: list[float]) -> None:
    client = Client(canceled("TransactionConflict", "None", "None"))
    with pytest.raises(RequestConflict):
        send(client, time_left=lambda: 0.5 - sum(naps), max_attempts=1000)
    assert sum(naps) < 0.5
    assert len(client.sent) > 2


def test_the_body_is_frozen_before_the_first_attempt() -> None:
    stamp = {"at": 1}
    tx = TransactWrite(accounts.put({**KEY, "stamp": stamp}))
    client = Client(canceled("TransactionConflict"), {})

    def late(*_: Any) -> float:
        stamp["at"] = 2
        return 10

    tx.send(client, time_left=late)
    assert client.sent[0] == client.sent[1]
    assert client.sent[0]["TransactItems"][0]["Put"]["Item"]["stamp"] == {"M": {"at": {"N": "1"}}}


def test_attributes_in_another_order_are_the_same_body() -> None:
    one = TransactWrite(accounts.put({"PK": "1", "SK": "P", "m": {"a": 1, "b": {"y", "x"}}}), token="t")
    other = TransactWrite(accounts.put({"m": {"b": {"x", "y"}, "a": 1}, "SK": "P", "PK": "1"}), token="t")
    assert one.to_json() == other.to_json()


def test_a_token_is_made_once_and_kept_over_all_attempts() -> None:
    client = Client(ConnectTimeoutError(), ServiceError("InternalServerError", 500), {})
    TransactWrite(put(1)).send(client)
    tokens = {request["ClientRequestToken"] for request in client.sent}
    assert len(tokens) == 1
    assert 1 <= len(tokens.pop()) <= 36
    again = Client({})
    TransactWrite(put(1)).send(again)
    assert again.sent[0]["ClientRequestToken"] not in tokens


def test_a_refusal_after_a_lost_answer_says_so() -> None:
    with pytest.raises(TransactionCanceled) as caught:
        send(Client(ConnectTimeoutError(), canceled("ConditionalCheckFailed", "None", "None")))
    assert caught.value.retried is True
    with pytest.raises(TransactionCanceled) as caught:
        send(Client(canceled("ConditionalCheckFailed", "None", "None")))
    assert caught.value.retried is False


def test_a_token_used_for_another_body_is_told_apart() -> None:
    with pytest.raises(IdempotentParameterMismatch):
        send(Client(ServiceError("IdempotentParameterMismatchException")))


@pytest.mark.parametrize(
    "error", [ServiceError("ValidationException"), ServiceError("AccessDeniedException"), KeyError("bug")]
)
def test_what_is_no_matter_of_time_is_passed_on_as_it_is(error: Exception) -> None:
    client = Client(error)
    with pytest.raises(type(error)) as caught:
        send(client)
    assert caught.value is error
    assert len(client.sent) == 1


def test_a_refusal_explains_itself_at_least_by_its_summary() -> None:
    with pytest.raises(TransactionCanceled) as caught:
        send(Client(canceled("TransactionCanceledByNobody", "None", "None")))
    assert caught.value.explain()


def test_a_resources_client_is_refused() -> None:
    def copy_dynamodb_params() -> None: ...

    class Events:
        def __init__(self, *handlers: Any) -> None:
            self.handlers = handlers

        def emit(self, name: str, **_: Any) -> list[tuple[Any, None]]:
            assert name.startswith("provide-client-params.dynamodb")
            return [(handler, None) for handler in self.handlers]

    def client(*handlers: Any) -> Any:
        made = Client({"Responses": [{}]})
        made.meta = type("Meta", (), {"events": Events(*handlers)})()
        return made

    assert send(client(print))
    for tx in (signup(), TransactGet(accounts.get(KEY)), accounts.get(KEY)):
        method = tx.fetch if hasattr(tx, "fetch") else tx.send
        with pytest.raises(BuildError) as caught:
            method(client(copy_dynamodb_params))
        assert caught.value.rule == "client-resource"
    resource = type("Table", (), {"meta": type("Meta", (), {"client": Client({})})()})()
    with pytest.raises(BuildError, match=r"boto3\.client"):
        send(resource)


# --- reading


def test_a_transactional_read_returns_items_by_slot() -> None:
    tx = TransactGet(accounts.get(KEY).named("account"), accounts.get({**KEY, "SK": "Q"}, ["a"]))
    assert tx.to_request() == {
        "TransactItems": [
            {"Get": {"TableName": "accounts", "Key": {"PK": {"S": "A#1"}, "SK": {"S": "P"}}}},
            {
                "Get": {
                    "TableName": "accounts",
                    "Key": {"PK": {"S": "A#1"}, "SK": {"S": "Q"}},
                    "ProjectionExpression": "a",
                }
            },
        ]
    }
    assert json.loads(tx.to_json()) == tx.to_request()
    assert (tx.capacity(), list(tx.slots)) == (4, ["account", "action1"])
    client: Any = Client(canceled("TransactionConflict", "None"), {"Responses": [{"Item": {"a": {"N": "1"}}}, {}]})
    assert tx.fetch(client) == {"account": {"a": 1}, "action1": None}
    refusing: Any = Client(canceled("ValidationError", "None"))
    with pytest.raises(TransactionCanceled, match="account"):
        tx.fetch(refusing)


def test_a_single_read_is_retried_and_typed_back() -> None:
    client: Any = Client(ServiceError("ThrottlingException"), {"Item": {"a": {"N": "1"}}})
    assert accounts.get(KEY).fetch(client) == {"a": 1}
    nothing: Any = Client({})
    assert accounts.get(KEY).fetch(nothing) is None
    odd: Any = Client(canceled("None"))
    with pytest.raises(ServiceError):
        accounts.get(KEY).fetch(odd)


# --- data can never become expression text


@given(st.text(min_size=1, max_size=40), st.text(max_size=40))
def test_user_data_never_becomes_expression_text(name: str, value: str) -> None:
    table = Table("t", "key of the table", alias="always")
    condition = Attr(name)["x"].eq(value) | Attr(name).contains(value)
    try:
        request = table.update({"key of the table": "1"}).set({name: value}).when(condition).to_request()
    except BuildError as error:
        assert error.rule == "text-utf8"  # noqa: PT017  # half of a surrogate pair is no text
        return
    assert request["UpdateExpression"] == "SET #n0 = :v0"
    assert request["ConditionExpression"] in (
        "#n0.#n1 = :v1 OR contains(#n0, :v2)",
        "#n0.#n0 = :v1 OR contains(#n0, :v2)",
    )
    assert request["ExpressionAttributeNames"] in ({"#n0": name, "#n1": "x"}, {"#n0": "x"})
    assert request["ExpressionAttributeValues"] == {f":v{n}": {"S": value} for n in range(3)}


@given(st.text(min_size=1, max_size=40))
def test_a_name_is_written_bare_only_when_it_is_a_plain_word(name: str) -> None:
    request = Table("t", "PK").delete({"PK": "1"}).when(Attr(name).exists()).to_request()
    if re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) and name.upper() not in RESERVED_WORDS:
        assert request["ConditionExpression"] == f"attribute_exists({name})"
        assert "ExpressionAttributeNames" not in request
    else:
        assert request["ConditionExpression"] == "attribute_exists(#n0)"
        assert request["ExpressionAttributeNames"] == {"#n0": name}
