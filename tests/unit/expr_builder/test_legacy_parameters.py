"""Legacy parameters: what the service takes beside expressions, and what it refuses in the maps themselves.

Words and combinations: dynalite's and extenddb's tests, which their authors run against the service.
"""

# ruff: noqa: E501

from __future__ import annotations

from typing import Any

import pytest

from expr_builder import Index, Table, lint
from tests.unit.expr_builder.rule_cases import ENVELOPE, INVALID, KEY, TABLES, batch_get, keyed, mixture, put, scan

S, N, B, TRUE = {"S": "x"}, {"N": "5"}, {"B": "YQ=="}, {"BOOL": True}
ONE_OF_EACH: dict[str, Any] = {
    "S": S,
    "N": N,
    "B": B,
    "BOOL": TRUE,
    "NULL": {"NULL": True},
    "SS": {"SS": ["x"]},
    "NS": {"NS": ["5"]},
    "BS": {"BS": ["YQ=="]},
    "L": {"L": []},
    "M": {"M": {}},
}
EQ = {"ComparisonOperator": "EQ", "AttributeValueList": [S]}
OPERATORS = ("EQ", "NE", "LE", "LT", "GE", "GT", "CONTAINS", "NOT_CONTAINS", "BEGINS_WITH", "IN", "BETWEEN")


def query(**members: Any) -> dict[str, Any]:
    return {"TableName": "accounts", "KeyConditions": {"PK": EQ}, **members}


def condition(operator: str, *values: Any) -> dict[str, Any]:
    return {"ComparisonOperator": operator, "AttributeValueList": list(values)}


def messages(request: Any, operation: str, tables: Any = TABLES) -> list[str]:
    return [problem.message for problem in lint(request, operation, tables)]


# --- What stands beside expressions


@pytest.mark.parametrize(
    "members",
    [
        {"ProjectionExpression": "a"},
        {"FilterExpression": "a = :a", "ExpressionAttributeValues": {":a": S}},
        {"ProjectionExpression": "#a", "FilterExpression": "#a = b", "ExpressionAttributeNames": {"#a": "status"}},
        {"AttributesToGet": ["a"], "QueryFilter": {"a": EQ, "b": EQ}, "ConditionalOperator": "OR"},
        {"QueryFilter": {}},
    ],
)
def test_key_conditions_may_stand_beside_other_parameters_of_either_kind(members: dict[str, Any]) -> None:
    assert lint(query(**members), "Query", TABLES) == []
    assert lint(query(**members), "Query") == []


READ = {"ProjectionExpression": "a"}
FILTER = {"FilterExpression": "attribute_exists(a)"}
ASK = {"KeyConditionExpression": "PK = :pk", "ExpressionAttributeValues": {":pk": S}}
CHECK = {"ConditionExpression": "attribute_exists(a)"}
TWO = {"a": EQ, "b": EQ}


@pytest.mark.parametrize(
    ("operation", "request_", "legacy", "expressions"),
    [
        ("PutItem", put(**CHECK, Expected={"a": EQ}), "Expected", "ConditionExpression"),
        ("PutItem", put(**CHECK, ConditionalOperator="AND"), "ConditionalOperator", "ConditionExpression"),
        ("DeleteItem", keyed(**CHECK, Expected=TWO, ConditionalOperator="AND"), "Expected, ConditionalOperator", "ConditionExpression"),
        ("UpdateItem", keyed(**CHECK, AttributeUpdates={"a": {"Value": S}}), "AttributeUpdates", "ConditionExpression"),
        ("UpdateItem", keyed(UpdateExpression="REMOVE a", Expected=TWO), "Expected", "UpdateExpression"),
        (
            "UpdateItem",
            keyed(
                **CHECK,
                UpdateExpression="REMOVE a",
                ConditionalOperator="OR",
                Expected=TWO,
                AttributeUpdates={"a": {"Value": S}},
            ),
            "AttributeUpdates, Expected, ConditionalOperator",
            "UpdateExpression, ConditionExpression",
        ),
        ("GetItem", keyed(**READ, AttributesToGet=["a"]), "AttributesToGet", "ProjectionExpression"),
        ("Scan", scan(**READ, ScanFilter={"a": EQ}), "ScanFilter", "ProjectionExpression"),
        ("Scan", scan(**FILTER, AttributesToGet=["a"]), "AttributesToGet", "FilterExpression"),
        (
            "Scan",
            scan(**READ, **FILTER, AttributesToGet=["a"], ScanFilter=TWO, ConditionalOperator="OR"),
            "AttributesToGet, ScanFilter, ConditionalOperator",
            "ProjectionExpression, FilterExpression",
        ),
        ("Query", query(**ASK), "KeyConditions", "KeyConditionExpression"),
        ("Query", query(**FILTER, QueryFilter={"a": EQ}), "QueryFilter", "FilterExpression"),
        ("Query", query(**READ, AttributesToGet=["a"]), "AttributesToGet", "ProjectionExpression"),
        (
            "Query",
            query(**ASK, **READ, **FILTER, QueryFilter=TWO, ConditionalOperator="AND"),
            "QueryFilter, ConditionalOperator, KeyConditions",
            "ProjectionExpression, FilterExpression, KeyConditionExpression",
        ),
        ("BatchGetItem", batch_get(**READ, AttributesToGet=["a"]), "AttributesToGet", "ProjectionExpression"),
    ],
)  # fmt: skip
def test_what_is_mixed_is_named_in_the_services_order(
    operation: str, request_: Any, legacy: str, expressions: str
) -> None:
    words = mixture(legacy, expressions)
    envelope = ENVELOPE if operation in ("PutItem", "UpdateItem", "DeleteItem") else ""
    assert messages(request_, operation)[0] == f"{envelope}{words}"


def test_expressions_for_one_table_and_legacy_parameters_for_another_are_mixed() -> None:
    keys = {"Keys": [KEY]}
    tables: dict[str, Any] = {"accounts": {**keys, **READ}, "others": {**keys, "AttributesToGet": ["a"]}}
    (problem,) = lint({"RequestItems": tables}, "BatchGetItem")
    assert problem.pointer == "/RequestItems/others/AttributesToGet"
    assert problem.message == mixture("AttributesToGet", "ProjectionExpression")
    del tables["others"]["AttributesToGet"]
    assert lint({"RequestItems": tables}, "BatchGetItem") == []


# --- Conditions: operators, counts, types


@pytest.mark.parametrize("member", ["ScanFilter", "QueryFilter", "Expected", "KeyConditions"])
@pytest.mark.parametrize("operator", OPERATORS)
def test_each_operator_compares_with_as_many_values_as_it_takes(operator: str, member: str) -> None:
    least = {"BETWEEN": 2}.get(operator, 1)
    most = {"IN": 3}.get(operator, least)
    for count in range(4):
        found = of_condition(member, condition(operator, *[S] * count))
        if count == 0 and member == "Expected":
            del found["Expected"]["a"]["AttributeValueList"]
        words = [
            text for text in messages(found, OPERATIONS[member]) if "argument(s)" in text or "must be used" in text
        ]
        assert bool(words) is not (least <= count <= most), (count, words)
        if words and not (count == 0 and member == "Expected"):
            envelope = ENVELOPE if member == "Expected" else ""
            text = f"{envelope}{INVALID}Invalid number of argument(s) for the {operator} ComparisonOperator"
            assert words == [text]


OPERATIONS = {"ScanFilter": "Scan", "QueryFilter": "Query", "KeyConditions": "Query", "Expected": "PutItem"}


def of_condition(member: str, one: dict[str, Any]) -> dict[str, Any]:
    if member == "KeyConditions":
        return query(KeyConditions={"PK": EQ, "SK": one})
    wrap = {"ScanFilter": scan, "QueryFilter": query, "Expected": put}[member]
    return wrap(**{member: {"a": one}})


@pytest.mark.parametrize("operator", ["NULL", "NOT_NULL"])
def test_a_test_for_presence_compares_with_nothing(operator: str) -> None:
    for member in ("ScanFilter", "QueryFilter", "Expected"):
        operation = OPERATIONS[member]
        assert messages(of_condition(member, {"ComparisonOperator": operator}), operation) == []
        (words,) = messages(of_condition(member, condition(operator, S)), operation)
        assert words.endswith(f"Invalid number of argument(s) for the {operator} ComparisonOperator")


TYPES = {
    **dict.fromkeys(("EQ", "NE"), tuple(ONE_OF_EACH)),
    **dict.fromkeys(("LE", "LT", "GE", "GT", "IN", "BETWEEN"), ("S", "N", "B")),
    **dict.fromkeys(("CONTAINS", "NOT_CONTAINS"), ("S", "N", "B", "BOOL", "NULL")),
    "BEGINS_WITH": ("S", "B"),
}


@pytest.mark.parametrize("kind", ONE_OF_EACH)
@pytest.mark.parametrize("operator", OPERATORS)
def test_each_operator_compares_with_the_types_that_it_takes(operator: str, kind: str) -> None:
    one = condition(operator, *[ONE_OF_EACH[kind]] * (2 if operator == "BETWEEN" else 1))
    words = f"{INVALID}ComparisonOperator {operator} is not valid for {kind} AttributeValue type"
    expected = [] if kind in TYPES[operator] else [words]
    assert messages(of_condition("ScanFilter", one), "Scan") == expected
    assert messages(of_condition("QueryFilter", one), "Query") == expected
    assert messages(of_condition("Expected", one), "PutItem") == [f"{ENVELOPE}{text}" for text in expected]


def test_the_values_of_one_condition_have_one_type_and_bounds_are_in_order() -> None:
    assert messages(of_condition("ScanFilter", condition("IN", S, N)), "Scan") == [
        f"{INVALID}AttributeValues inside AttributeValueList must be of same type"
    ]
    swapped = condition("BETWEEN", {"N": "10"}, {"N": "9"})
    assert messages(of_condition("ScanFilter", swapped), "Scan") == [
        "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"
    ]
    assert messages(of_condition("ScanFilter", condition("BETWEEN", {"N": "9"}, {"N": "10"})), "Scan") == []


def test_operators_are_those_of_the_service_and_a_filter_must_have_one() -> None:
    enumeration = (
        "Member must satisfy enum value set: [IN, NULL, BETWEEN, LT, NOT_CONTAINS, EQ, GT, NOT_NULL, NE, LE, "
        "BEGINS_WITH, GE, CONTAINS]"
    )
    where = "failed to satisfy constraint"
    assert messages(scan(ScanFilter={"Abc": condition("==", S)}), "Scan") == [
        f"{ENVELOPE}Value '==' at 'scanFilter.Abc.member.comparisonOperator' {where}: {enumeration}"
    ]
    assert messages(query(KeyConditions={"PK": {}}), "Query") == [
        f"{ENVELOPE}Value null at 'keyConditions.PK.member.comparisonOperator' {where}: Member must not be null"
    ]
    (words,) = messages(keyed(AttributeUpdates={"a": {"Action": "SET", "Value": S}}), "UpdateItem")
    assert words == (
        f"{ENVELOPE}Value 'SET' at 'attributeUpdates.a.member.action' {where}: "
        "Member must satisfy enum value set: [ADD, PUT, DELETE]"
    )


@pytest.mark.parametrize("member", ["ScanFilter", "QueryFilter", "Expected", "KeyConditions"])
def test_the_values_in_conditions_are_read(member: str) -> None:
    (words,) = messages(of_condition(member, condition("EQ", {"N": "five"})), OPERATIONS[member])
    assert words.endswith("The parameter cannot be converted to a numeric value: five")
    (problem,) = lint(of_condition(member, condition("EQ", {"S": 5})), OPERATIONS[member], TABLES)
    assert problem.code == "SerializationException"


# --- Expected


@pytest.mark.parametrize(
    "expected",
    [
        {"Value": S},
        {"Exists": True, "Value": S},
        {"Exists": False},
        {"ComparisonOperator": "EQ", "Value": S},
        {"ComparisonOperator": "NULL"},
        condition("BETWEEN", N, N),
    ],
)
def test_the_forms_of_an_expectation_are_taken(expected: dict[str, Any]) -> None:
    for request, operation in (
        (put(Expected={"a": expected}), "PutItem"),
        (keyed(Expected={"a": expected}), "DeleteItem"),
    ):
        assert lint(request, operation, TABLES) == []


@pytest.mark.parametrize(
    ("expected", "words"),
    [
        ({}, "Value must be provided when Exists is null for Attribute: a"),
        ({"Exists": True}, "Value must be provided when Exists is true for Attribute: a"),
        ({"Exists": False, "Value": S}, "Value cannot be used when Exists is false for Attribute: a"),
        ({"Value": S, "AttributeValueList": [S]}, "Value and AttributeValueList cannot be used together for Attribute: a"),
        ({"AttributeValueList": [S]}, "AttributeValueList can only be used with a ComparisonOperator for Attribute: a"),
        ({"Exists": True, **EQ}, "Exists and ComparisonOperator cannot be used together for Attribute: a"),
        ({"ComparisonOperator": "GT"}, "Value or AttributeValueList must be used with ComparisonOperator: GT for Attribute: a"),
        ({"ComparisonOperator": "BETWEEN", "Value": S}, "Invalid number of argument(s) for the BETWEEN ComparisonOperator"),
        ({"ComparisonOperator": "NULL", "Value": S}, "Invalid number of argument(s) for the NULL ComparisonOperator"),
    ],
)  # fmt: skip
def test_an_expectation_in_no_form_is_refused(expected: dict[str, Any], words: str) -> None:
    for request, operation in (
        (put(Expected={"a": expected}), "PutItem"),
        (keyed(Expected={"a": expected}), "DeleteItem"),
    ):
        assert messages(request, operation) == [f"{ENVELOPE}{INVALID}{words}"]


# --- AttributeUpdates


@pytest.mark.parametrize("kind", ONE_OF_EACH)
def test_an_update_puts_anything_adds_numbers_sets_and_lists_and_deletes_from_sets(kind: str) -> None:
    def found(action: str) -> list[str]:
        return messages(keyed(AttributeUpdates={"a": {"Action": action, "Value": ONE_OF_EACH[kind]}}), "UpdateItem")

    assert found("PUT") == []
    adds = kind in ("N", "SS", "NS", "BS", "L")
    deletes = kind in ("SS", "NS", "BS")
    assert found("ADD") == ([] if adds else [f"{ENVELOPE}{INVALID}ADD action is not supported for the type {kind}"])
    unfit = f"{ENVELOPE}{INVALID}DELETE action with value is not supported for the type {kind}"
    assert found("DELETE") == ([] if deletes else [unfit])


def test_an_update_of_an_attribute_of_the_key_is_refused_declared_or_not() -> None:
    request = keyed(AttributeUpdates={"SK": {"Action": "DELETE"}, "a": {"Action": "DELETE"}})
    words = f"{INVALID}Cannot update attribute SK. This attribute is part of the key"
    assert messages(request, "UpdateItem") == messages(request, "UpdateItem", ()) == [words]


# --- KeyConditions


@pytest.mark.parametrize("conditions", [{}, {"PK": EQ, "SK": EQ, "a": EQ}])
def test_one_or_two_conditions_find_the_items_of_a_table(conditions: dict[str, Any]) -> None:
    assert messages(query(KeyConditions=conditions), "Query") == ["Conditions can be of length 1 or 2 only"]


@pytest.mark.parametrize("operator", ["NE", "NULL", "NOT_NULL", "CONTAINS", "NOT_CONTAINS", "IN"])
def test_keys_are_not_found_by_these_operators(operator: str) -> None:
    one = condition(operator, *([] if "NULL" in operator else [S]))
    for conditions, at in (({"PK": one}, "PK"), ({"PK": EQ, "SK": one}, "SK")):
        (problem,) = lint(query(KeyConditions=conditions), "Query", TABLES)
        assert problem.message == "Attempted conditional constraint is not an indexable operation"
        assert (problem.pointer, problem.stage) == (f"/KeyConditions/{at}", "table")


@pytest.mark.parametrize(
    "one",
    [
        *(condition(operator, S) for operator in ("EQ", "LT", "LE", "GT", "GE", "BEGINS_WITH")),
        condition("BETWEEN", S, S),
    ],
)
def test_a_sort_key_is_found_by_the_others(one: dict[str, Any]) -> None:
    assert lint(query(KeyConditions={"PK": EQ, "SK": one}), "Query", TABLES) == []
    assert lint(query(KeyConditions={"PK": EQ, "SK": one}), "Query") == []


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        ({"SK": EQ}, "Query condition missed key schema element: PK"),
        ({"PK": EQ, "a": EQ}, "Query condition missed key schema element: SK"),
        ({"PK": condition("GT", S)}, "Query key condition not supported"),
    ],
)
def test_key_conditions_are_checked_against_the_keys_as_expressions_are(conditions: dict[str, Any], words: str) -> None:
    (problem,) = lint(query(KeyConditions=conditions), "Query", TABLES)
    assert (problem.pointer, problem.message) == ("/KeyConditions", words)


def test_an_index_with_several_attributes_in_its_keys_takes_as_many_conditions() -> None:
    tables = [Table("accounts", "PK", indexes={"ByPlace": Index(["country", "city"], ["street", "house"])})]
    conditions = dict.fromkeys(("country", "city", "street", "house"), EQ)
    assert lint(query(KeyConditions=conditions, IndexName="ByPlace"), "Query", tables) == []


def test_a_filter_is_not_on_the_attributes_of_the_key() -> None:
    (problem,) = lint(query(QueryFilter={"SK": EQ, "a": EQ}), "Query", TABLES)
    assert problem.pointer == "/QueryFilter"
    assert problem.message == "QueryFilter can only contain non-primary key attributes: Primary key attribute: SK"
    request = query(FilterExpression="SK = :a", ExpressionAttributeValues={":a": S})
    (problem,) = lint(request, "Query", TABLES)
    assert problem.pointer == "/FilterExpression"


def test_what_is_no_map_or_no_list_is_reported_for_its_shape_alone() -> None:
    for request, operation in (
        (query(KeyConditions=["x"]), "Query"),
        (query(KeyConditions={"PK": "x"}), "Query"),
        (query(QueryFilter={"a": {"ComparisonOperator": ["EQ"]}}), "Query"),
        (scan(ScanFilter={"a": {"ComparisonOperator": "EQ", "AttributeValueList": "x"}}), "Scan"),
        (scan(AttributesToGet=[["a"], ["a"]]), "Scan"),
        (put(Expected={"a": {"Exists": "no"}}), "PutItem"),
        (put(Expected={"a": {"ComparisonOperator": {}}}), "PutItem"),
        (keyed(AttributeUpdates={"a": {"Action": ["ADD"], "Value": S}}), "UpdateItem"),
    ):
        assert {problem.rule for problem in lint(request, operation, TABLES)} <= {"member-type", "legacy-expected"}
        assert lint(request, operation, TABLES)[0].rule == "member-type"
