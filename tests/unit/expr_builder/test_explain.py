"""Why a condition is true or false; which slot of a refused transaction is to blame, and for which clause."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from expr_builder import (
    Attr,
    Marker,
    Table,
    TransactionCanceled,
    TransactWrite,
    Unique,
    UniqueViolation,
    evaluate,
    explain,
    to_item,
)
from expr_builder.expressions.nodes import Function, Literal, Not
from tests.support.trees import conditions, items

accounts = Table("accounts", partition_key="PK", sort_key="SK")
KEY = {"PK": "A#1", "SK": "P"}


def test_each_clause_is_a_line_with_its_verdict_and_what_is_stored() -> None:
    condition = (
        Attr("PK").exists()
        & (Attr("email") == "old@example.com")
        & ((Attr("tags").size() < 2) | ~(Attr("locked") == True) | (Attr("n").size() > 3))  # noqa: E712
        & Attr("n").between(1, Attr("max"))
        & Attr("state").is_in(["open", Attr("default")])
        & Attr("name").begins_with(Attr("prefix"))
    )
    stored = {"PK": "A#1", "email": "new@example.com", "tags": {"a", "b"}, "locked": True, "n": 7, "max": 5}
    assert explain(condition, stored) == (
        "FALSE  all of these:\n"
        "true     attribute_exists(PK)  (PK is 'A#1')\n"
        "FALSE    email = 'old@example.com'  (email is 'new@example.com')\n"
        "FALSE    one of these:\n"
        "FALSE      size(tags) < 2  (size(tags) is 2)\n"
        "FALSE      not:\n"
        "true         locked = true  (locked is true)\n"
        "FALSE      size(n) > 3  (size(n) is undefined, n is 7)\n"
        "FALSE    n BETWEEN 1 AND max  (n is 7, max is 5)\n"
        "FALSE    state IN ('open', default)  (state is missing, default is missing)\n"
        "FALSE    begins_with(name, prefix)  (name is missing, prefix is missing)"
    )


def test_without_an_item_there_is_nothing_to_show_but_the_verdicts() -> None:
    condition = Attr("PK").exists() & (Attr("status") != "deleted")
    expected = "no item was stored\nFALSE  all of these:\nFALSE    attribute_exists(PK)\ntrue     status <> 'deleted'"
    assert explain(condition, None) == explain(condition, {}) == expected


def test_a_path_that_is_named_twice_is_shown_once() -> None:
    assert explain(Attr("a").between(Attr("b"), Attr("b")), {"a": 1}) == (
        "FALSE  a BETWEEN b AND b  (a is 1, b is missing)"
    )


def test_a_clause_of_literals_alone_shows_nothing_stored() -> None:
    clause = Function("begins_with", Literal({"S": "hello"}), Literal({"S": "he"}))
    assert explain(clause, {"a": 1}) == "true   begins_with('hello', 'he')"


def test_a_size_of_a_missing_attribute_is_undefined() -> None:
    assert explain(Attr("tags").size() < 5, {"a": 1}) == (
        "FALSE  size(tags) < 5  (size(tags) is undefined, tags is missing)"
    )


def test_a_stored_value_cannot_reach_the_terminal_as_a_command() -> None:
    assert explain(Attr("a") == "x", {"a": "\x1b[2J\nFALSE"}) == r"FALSE  a = 'x'  (a is '\x1b[2J\nFALSE')"


def test_a_condition_deeper_than_pythons_stack_is_explained() -> None:
    condition: Any = Attr("a") == 1
    for _ in range(2000):
        condition = Not(condition)
    assert explain(condition, {"a": 1}).splitlines()[-1].endswith("a = 1  (a is 1)")


@given(condition=conditions(), item=items())
def test_the_first_line_says_what_evaluate_says(condition: Any, item: dict[str, Any]) -> None:
    lines = explain(condition, item).splitlines()
    verdict = lines[0 if item else 1].split()[0]
    assert verdict == ("true" if evaluate(condition, item) else "FALSE")


# --- Refused transactions


class RefusingClient:
    """Answers every transaction as DynamoDB answers one that it cancels."""

    def __init__(self, *reasons: dict[str, Any], message: str = "") -> None:
        error = Exception("cancelled")
        error.response = {  # type: ignore[attr-defined]  # botocore's ClientError has it
            "Error": {"Code": "TransactionCanceledException", "Message": message},
            "CancellationReasons": list(reasons),
        }
        self.error = error

    def transact_write_items(self, **request: Any) -> Any:
        raise self.error


FAILED = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
INNOCENT = {"Code": "None"}


def refusal(transaction: TransactWrite, client: Any) -> TransactionCanceled:
    with pytest.raises(TransactionCanceled) as refused:
        transaction.send(client)
    return refused.value


def test_a_refused_transaction_says_slot_by_slot_which_clause_was_false() -> None:
    transaction = TransactWrite(
        accounts.update(KEY)
        .set(email="new@example.com")
        .if_exists()
        .when(Attr("version") == 3)
        .named("account")
        .return_old_on_failure(),
        accounts.put({"PK": "UNIQ#1", "SK": "LOCK"}).if_not_exists().named("email").return_old_on_failure(),
        accounts.delete({"PK": "UNIQ#0", "SK": "LOCK"})
        .when(Attr("owner") == "A#1")
        .named("old")
        .return_old_on_failure(),
        accounts.check({"PK": "A#9", "SK": "P"}).if_exists().named("parent"),
    )
    client = RefusingClient({**FAILED, "Item": to_item({**KEY, "version": 4})}, INNOCENT, FAILED, FAILED)
    refused = refusal(transaction, client)
    assert refused.explain() == (
        "slot \"account\" (Update in accounts, PK = 'A#1', SK = 'P'): its condition was false\n"
        "  FALSE  all of these:\n"
        "  true     attribute_exists(PK)  (PK is 'A#1')\n"
        "  FALSE    version = 3  (version is 4)\n"
        "slot \"email\" (Put in accounts, PK = 'UNIQ#1', SK = 'LOCK'): not to blame\n"
        "slot \"old\" (Delete in accounts, PK = 'UNIQ#0', SK = 'LOCK'): its condition was false\n"
        "  no item was stored\n"
        "  FALSE  owner = 'A#1'\n"
        "slot \"parent\" (ConditionCheck in accounts, PK = 'A#9', SK = 'P'): its condition was false\n"
        "  attribute_exists(PK)  (ask for the stored item with return_old_on_failure() to see which clause)"
    )
    assert "A#1" not in str(refused)


def test_other_reasons_are_given_with_dynamodbs_words() -> None:
    transaction = TransactWrite(
        accounts.put({**KEY, "n": 1}).named("a"),
        accounts.put({"PK": "A#2", "SK": "P"}).if_not_exists(),
    )
    too_large = {"Code": "ValidationError", "Message": "Item size has exceeded the maximum allowed size"}
    assert refusal(transaction, RefusingClient(too_large, {"Code": "ItemCollectionSizeLimitExceeded"})).explain() == (
        "slot \"a\" (Put in accounts, PK = 'A#1', SK = 'P'): "
        "ValidationError: Item size has exceeded the maximum allowed size\n"
        "slot \"action1\" (Put in accounts, PK = 'A#2', SK = 'P'): ItemCollectionSizeLimitExceeded"
    )


def test_an_item_that_the_answer_should_have_carried_is_not_taken_for_absent() -> None:
    put = accounts.put(KEY).if_not_exists().named("email").return_old_on_failure()
    only_message = RefusingClient(message="Transaction cancelled, reasons [ConditionalCheckFailed]")
    assert refusal(TransactWrite(put), only_message).explain() == (
        "slot \"email\" (Put in accounts, PK = 'A#1', SK = 'P'): its condition was false\n"
        "  attribute_not_exists(PK)  (the answer did not carry the stored item)"
    )


def test_a_failed_condition_that_the_action_does_not_have_is_only_named() -> None:
    assert refusal(TransactWrite(accounts.put(KEY)), RefusingClient(FAILED)).explain() == (
        "slot \"action0\" (Put in accounts, PK = 'A#1', SK = 'P'): its condition was false"
    )


def test_a_unique_violation_explains_itself_too() -> None:
    unique = Unique(accounts, owner="PK", email=Marker("UNIQ#EMAIL#{}"))
    creation = unique.create({**KEY, "email": "a@example.com"})
    marker = {"PK": "UNIQ#EMAIL#a@example.com", "SK": "LOCK", "owner": "A#7"}
    refused = refusal(creation, RefusingClient(INNOCENT, {**FAILED, "Item": to_item(marker)}))
    assert isinstance(refused, UniqueViolation)
    assert refused.explain() == (
        "slot \"record\" (Put in accounts, PK = 'A#1', SK = 'P'): not to blame\n"
        "slot \"email\" (Put in accounts, PK = 'UNIQ#EMAIL#a@example.com', SK = 'LOCK'): its condition was false\n"
        "  FALSE  attribute_not_exists(PK)  (PK is 'UNIQ#EMAIL#a@example.com')"
    )
