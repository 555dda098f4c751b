"""Advice: what is said of requests that the service takes, and of which nothing is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings

from expr_builder import Attr, BuildError, Index, Marker, Table, TransactGet, TransactWrite, Unique, lint
from expr_builder.linting import OPERATIONS
from expr_builder.linting.operation_guess import list_operations
from expr_builder.rules import RULES
from tests.support.rule_examples import ADVICE_RULES, names_of
from tests.support.trees import conditions, items
from tests.support.update_trees import updates
from tests.unit.expr_builder.rule_cases import CASES, TABLES

if TYPE_CHECKING:
    from expr_builder import Condition
    from expr_builder.expressions.updates import UpdateAction
    from expr_builder.rules import Rule

accounts = Table("accounts", "PK", "SK", indexes={"ByEmail": Index("email"), "ByDate": Index("PK", "at", local=True)})
KEY = {"PK": "A#1", "SK": "P"}
OTHER = {"PK": "A#2", "SK": "P"}
ADVICE = {rule.id for rule in ADVICE_RULES}


def advice(request: Any, operation: str | None = None) -> list[str]:
    """The rules of the advice on a request that has no problem."""
    assert lint(request, operation, [accounts]) == []
    return [given.rule for given in lint(request, operation, [accounts], advice=True)]


def advised(action: Any, operation: str) -> list[str]:
    return advice(action.to_request(), operation)


@pytest.mark.parametrize("rule", ADVICE_RULES, ids=repr)
def test_the_failing_example_gets_this_advice_alone_and_the_passing_one_none(rule: Rule) -> None:
    tables = [names_of(rule)["accounts"]]
    (found,) = lint(rule.fails, rule.operation, tables, advice=True)
    assert (found.rule, found.code, found.stage) == (rule.id, "Advice", "advice")
    assert lint(rule.passes, rule.operation, tables, advice=True) == []
    assert lint(rule.fails, rule.operation, tables) == lint(rule.passes, rule.operation, tables) == []


def test_all_advice_is_registered_as_such() -> None:
    assert {rule for rule in RULES if rule.startswith("advice-")} == ADVICE


# --- What each is about


SET_IT = accounts.update(KEY).set(email="a")


@pytest.mark.parametrize(
    ("update", "ghost"),
    [
        (SET_IT, True),
        (SET_IT.remove("old"), True),
        (SET_IT.when(Attr("a").not_exists() & (Attr("b") == 1)), False),
        (SET_IT.when(Attr("gone").not_exists()), False),  # says of its own what holds without an item
        (SET_IT.when(~Attr("gone").exists()), True),
        (SET_IT.when(Attr("PK").exists()), False),
        (SET_IT.when((Attr("v") == 1) | Attr("w").exists()), False),
        (SET_IT.add(n=1).when(Attr("once").not_exists()), False),
        (accounts.update(KEY).remove("email"), False),  # of no item nothing is removed
        (accounts.update(KEY).delete(tags={"a"}), False),
        (accounts.update(KEY).set(seen=Attr("seen").if_not_exists(1)), False),
        (accounts.update(KEY).set({Attr("address")["city"]: "Bath"}), False),  # fails without the map
        (accounts.update(KEY).set(copy=Attr("email")), False),  # fails without the attribute
    ],
    ids=repr,
)
def test_a_ghost_is_what_an_update_makes_of_nothing_and_nobody_asked_for(update: Any, ghost: bool) -> None:
    assert ("advice-ghost" in advised(update, "UpdateItem")) is ghost


A, V = Attr("a"), "x"


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        (A != V, True),
        (~(A == V), True),
        (~~(A != V), True),
        ((Attr("PK").exists()) & (A != V), True),  # the item is there, the attribute need not be
        ((A != V) | (Attr("b") == 1), True),
        (A["b"] != V, True),
        (A.exists() & (A["b"] != V), True),
        (~A.begins_with("z") & (A != V), True),
        (~(A != V), False),
        (A == V, False),
        (A.exists() & (A != V), False),
        (A.not_exists() | (A != V), False),
        (~A.not_exists() & (A != V), False),
        (A["b"].exists() & (A != V), False),
        ((A > "m") & (A != V), False),
    ],
    ids=repr,
)
@pytest.mark.parametrize("member", ["ConditionExpression", "FilterExpression"])
def test_an_inequality_that_holds_for_a_missing_attribute_is_told_where_nothing_says_so(
    condition: Condition, told: bool, member: str
) -> None:
    if member == "FilterExpression":
        found = advised(accounts.scan().filter(condition), "Scan")
    else:
        found = advised(accounts.delete(KEY).when(condition), "DeleteItem")
    assert found == (["advice-not-equal"] if told else [])


def test_a_filter_on_a_key_attribute_that_every_item_has_is_fine() -> None:
    assert advised(accounts.scan().filter(Attr("SK") != "LOCK"), "Scan") == []
    assert advised(accounts.delete(KEY).when(Attr("SK") != "LOCK"), "DeleteItem") == ["advice-not-equal"]


def test_the_attribute_and_the_place_are_named() -> None:
    (found,) = lint(accounts.delete(KEY).when(A["b"][0] != V).to_request(), "DeleteItem", advice=True)
    assert found.pointer == "/ConditionExpression"
    assert "attribute_exists(a.b[0])" in found.message


N = Attr("n")
COUNT = accounts.update(KEY).set(n=N + 1)


@pytest.mark.parametrize(
    ("update", "told"),
    [
        (COUNT, True),
        (accounts.update(KEY).set(n=N.if_not_exists(0) + 1), True),
        (accounts.update(KEY).set(n=N - 1).when(N >= 1), True),
        (accounts.update(KEY).add(n=1), True),
        (accounts.update(KEY).set(log=Attr("log").append(["x"])), True),
        (COUNT.set(state="open").when(Attr("state") == "open"), True),
        (accounts.update(KEY).add(tags={"a"}), False),  # a set holds it once
        (accounts.update(KEY).set(n=Attr("m") + 1), False),
        (COUNT.when(N == 3), False),
        (COUNT.set(state="done").when(Attr("state") == "open"), False),
        (COUNT.set(once="id").when(Attr("once").not_exists()), False),
        (COUNT.remove("pending").when(Attr("pending").exists()), False),
    ],
    ids=repr,
)
def test_what_counts_twice_when_it_is_repeated_is_told(update: Any, told: bool) -> None:
    assert ("advice-counter-token" in advised(update, "UpdateItem")) is told
    pair = TransactWrite(update, accounts.check(OTHER).when(Attr("PK").exists()))
    request = pair.to_request()
    request.pop("ClientRequestToken", None)
    assert ("advice-counter-token" in advice(request)) is told
    assert advice({**request, "ClientRequestToken": "t-1"}) == []


def test_an_action_that_cannot_be_repeated_keeps_the_whole_transaction_from_counting_twice() -> None:
    receipt = accounts.put(OTHER).if_not_exists()
    claimed = accounts.delete(OTHER).if_exists()
    for other in (receipt, claimed):
        request: Any = TransactWrite(COUNT, other).to_request()
        request.pop("ClientRequestToken", None)
        assert advice(request) == []


def test_a_put_without_a_condition_is_told_only_beside_others_that_have_one() -> None:
    guarded, bare = accounts.put(KEY).if_not_exists(), accounts.put(OTHER)
    assert advice(TransactWrite(guarded, bare, token="t").to_request()) == ["advice-unguarded-put"]
    check = accounts.check(KEY).when(Attr("PK").exists())
    assert advice(TransactWrite(check, bare, token="t").to_request()) == ["advice-unguarded-put"]
    assert advice(TransactWrite(accounts.put(KEY), bare, token="t").to_request()) == []
    (found,) = lint(TransactWrite(guarded, bare, token="t").to_request(), advice=True)
    assert found.pointer == "/TransactItems/1/Put"


def test_a_transaction_of_one_is_told_of_the_single_call_where_there_is_one() -> None:
    for action, call in (
        ({"Put": {"TableName": "t", "Item": {"id": {"S": "1"}}}}, "PutItem"),
        ({"Delete": {"TableName": "t", "Key": {"id": {"S": "1"}}}}, "DeleteItem"),
        ({"Get": {"TableName": "t", "Key": {"id": {"S": "1"}}}}, "GetItem with ConsistentRead"),
    ):
        (found,) = lint({"TransactItems": [action]}, advice=True)
        assert (found.rule, call in found.message) == ("advice-single-transaction", True)
    check = {"TableName": "t", "Key": {"id": {"S": "1"}}, "ConditionExpression": "attribute_exists(id)"}
    assert lint({"TransactItems": [{"ConditionCheck": check}]}, advice=True) == []
    assert advice(TransactGet(accounts.get(KEY), accounts.get(OTHER)).to_request()) == []


@pytest.mark.parametrize(
    ("members", "told"),
    [
        ({"Limit": 1}, True),
        ({"Select": "COUNT"}, True),
        ({"Limit": 2}, False),
        ({}, False),
        ({"Limit": 1, "ScanIndexForward": False}, False),  # the latest
        ({"Limit": 1, "ExclusiveStartKey": {"email": {"S": "a"}, "PK": {"S": "A"}, "SK": {"S": "P"}}}, False),
        ({"Limit": 1, "IndexName": None}, False),
        ({"Limit": 1, "IndexName": "Unknown", "TableName": "other"}, True),
        ({"Limit": 1, "KeyConditionExpression": "email = :v AND begins_with(born, :v)", "TableName": "other"}, False),
    ],
    ids=repr,
)
def test_asking_an_index_whether_a_value_is_taken_is_told(members: dict[str, Any], told: bool) -> None:
    request = {
        "TableName": "accounts",
        "IndexName": "ByEmail",
        "KeyConditionExpression": "email = :v" if members.get("IndexName", 1) else "PK = :v",
        "ExpressionAttributeValues": {":v": {"S": "a"}},
        **members,
    }
    assert advice(request, "Query") == (["advice-index-uniqueness"] if told else [])


def test_the_first_entry_of_a_list_in_an_index_is_no_question_of_uniqueness() -> None:
    lists = Table("accounts", "PK", "SK", indexes={"ByTeam": Index("team", "joined")})
    query = lists.query(Attr("team") == "red").on_index("ByTeam").limit(1).to_request()
    assert lint(query, "Query", [lists], advice=True) == []


def test_a_limit_of_one_before_a_filter_is_told() -> None:
    scan = accounts.scan().filter(Attr("email").exists())
    assert advised(scan.limit(1), "Scan") == ["advice-filter-limit"]
    assert advised(scan.limit(2), "Scan") == advised(scan, "Scan") == []


# --- What the library writes


def transactions_of_unique() -> list[Any]:
    unique = Unique(
        accounts,
        owner="PK",
        email=Marker("UNIQ#EMAIL#{}", normalize=str.lower),
        username=Marker("UNIQ#HANDLE#{}"),
    )
    ada = {**KEY, "email": "Ada@example.com", "username": "ada", "version": 3}
    counted = {"set": {"version": Attr("version") + 1}, "when": Attr("version") == 3}
    return [
        unique.create(ada),
        unique.change(ada, email="b@example.com"),
        unique.change(ada, email="ADA@example.com", username="eve", **counted),  # type: ignore[arg-type]
        unique.delete(ada),
        unique.delete(ada, when=Attr("version") == 3),
    ]


@pytest.mark.parametrize("transaction", transactions_of_unique())
def test_there_is_no_advice_on_what_keeps_values_unique(transaction: Any) -> None:
    request = transaction.to_request()
    request.pop("ClientRequestToken", None)
    assert advice(request) == []


def test_there_is_no_advice_on_guarded_single_writes_and_reads() -> None:
    assert advised(accounts.put(KEY), "PutItem") == []
    assert advised(accounts.put(KEY).if_not_exists(), "PutItem") == []
    assert advised(accounts.update(KEY).set(a=1).if_exists(), "UpdateItem") == []
    assert advised(accounts.delete(KEY).if_exists(), "DeleteItem") == []
    assert advised(accounts.get(KEY), "GetItem") == []
    assert advised(accounts.query(Attr("email") == "a").on_index("ByEmail"), "Query") == []


# --- Any request


def test_a_request_with_a_problem_gets_no_advice() -> None:
    for case in CASES:
        found = lint(case.bad, case.operation, TABLES, advice=True)
        assert found == lint(case.bad, case.operation, TABLES)
        assert found


def test_advice_on_any_sound_request_is_told_from_problems() -> None:
    for case in CASES:
        for found in lint(case.good, case.operation, TABLES, advice=True):
            assert (found.stage, found.code) == ("advice", "Advice")
            assert found.rule in ADVICE


@settings(deadline=None, max_examples=150)
@given(conditions(), items(), updates())
def test_advice_can_be_given_on_whatever_is_built(
    condition: Condition, item: dict[str, Any], changes: tuple[UpdateAction, ...]
) -> None:
    for action, operation in (
        (accounts.put({**item, **KEY}).when(condition), "PutItem"),
        (accounts.update(KEY).apply(changes), "UpdateItem"),
        (accounts.update(KEY).apply(changes).when(condition), "UpdateItem"),
        (accounts.delete(KEY).when(condition), "DeleteItem"),
        (accounts.scan().filter(condition), "Scan"),
    ):
        assert {found.stage for found in lint(action.to_request(), operation, advice=True)} <= {"advice"}


# --- The operation


def test_the_operation_is_found_out_where_the_members_tell_and_never_a_wrong_one() -> None:
    certain = 0
    for case in CASES:
        choices = list_operations(case.good)
        if case.operation == "UpdateItem" and choices == ("DeleteItem",):
            assert "UpdateExpression" not in case.good  # it only has a condition
            continue
        assert case.operation in choices
        if len(choices) == 1:
            certain += 1
            assert lint(case.good, tables=TABLES) == []
    assert certain > len(CASES) / 2


@pytest.mark.parametrize("request_", [None, 1, "x", [], {}, {1: 2}, {"a": 1}, {"TableName": "t"}])
def test_where_they_do_not_tell_it_is_asked_for_and_the_choices_are_named(request_: Any) -> None:
    with pytest.raises(BuildError) as caught:
        lint(request_)
    assert caught.value.rule == "operation"
    assert any(operation in caught.value.fix for operation in OPERATIONS)
    for operation in OPERATIONS:
        assert isinstance(lint(request_, operation), list)
