"""The first problem is the one that the service answers with, in its words of August 2026."""

# ruff: noqa: E501

from __future__ import annotations

from typing import Any

import pytest

from expr_builder import lint
from tests.unit.expr_builder.rule_cases import (
    ENVELOPE,
    INVALID,
    KEY,
    TABLES,
    batch_put,
    keyed,
    put,
    query,
    scan,
    transact,
)

S, BAD_NUMBER = {"S": "x"}, {"N": "five"}
EMPTY_SET: dict[str, Any] = {"NS": []}
MIXED = "Can not use both expression and non-expression parameters in the same request"
NO_EXPRESSION = "can only be specified when using expressions"
CHECK = {"ConditionExpression": "attribute_exists(a)"}
ASK = {"KeyConditionExpression": "PK = :pk"}


def first(request: Any, operation: str) -> str:
    return lint(request, operation, TABLES)[0].message


@pytest.mark.parametrize(
    ("operation", "request_", "words"),
    [
        # A bad name of a table comes alone, before everything else.
        ("PutItem", put(ReturnValues="NEW", TableName="a b"), "Value 'a b' at 'tableName'"),
        ("PutItem", {"ReturnValues": "NEW"}, "Value null at 'tableName'"),
        ("UpdateItem", keyed(ReturnConsumedCapacity="ALL", ReturnValues="NEW"), "Value 'NEW' at 'returnValues'"),
        # Whether parameters go together comes before all values.
        ("PutItem", put(Item={**KEY, "a": EMPTY_SET}, Expected={"a": {}}, **CHECK), MIXED),
        ("PutItem", put(Item={**KEY, "a": EMPTY_SET}, ExpressionAttributeValues={":a": BAD_NUMBER}), NO_EXPRESSION),
        ("UpdateItem", keyed(Key={"PK": {}}, ExpressionAttributeNames={"x": ""}), NO_EXPRESSION),
        ("Scan", scan(ExclusiveStartKey={"PK": {}}, ScanFilter={"a": {"ComparisonOperator": "EQ"}}, ExpressionAttributeNames={}), NO_EXPRESSION),
        ("Query", query(ExclusiveStartKey={"PK": {}}, QueryFilter={}), MIXED),
        ("Scan", scan(ConditionalOperator="OR", AttributesToGet=["a", "a"]), "ConditionalOperator cannot be used"),
        ("Query", {"TableName": "accounts", "ConditionalOperator": "AND"}, "ConditionalOperator cannot be used"),
        # Values come before expressions, those of the start key among them, and before what is legacy.
        ("PutItem", put(Item={**KEY, "a": EMPTY_SET}, ConditionExpression="a = = b"), "An number set  may not be empty"),
        ("Query", query(ExclusiveStartKey={"PK": {}}, FilterExpression=""), "The provided starting key is invalid: "),
        ("Scan", scan(ExclusiveStartKey={"PK": {}}, FilterExpression="a = = b"), "The provided starting key is invalid: "),
        ("Scan", scan(ExclusiveStartKey={"PK": {}}, Segment=1), "The provided starting key is invalid: "),
        ("Scan", scan(Segment=1, FilterExpression=""), "The TotalSegments parameter is required"),
        ("UpdateItem", keyed(Key={**KEY, "PK": {}}, AttributeUpdates={"a": {}}), "Supplied AttributeValue is empty"),
        ("UpdateItem", keyed(AttributeUpdates={"a": {}}, Expected={"a": {}}), "Only DELETE action is allowed"),
        ("PutItem", put(Item={**KEY, "a": EMPTY_SET}, ReturnValues="ALL_NEW"), "An number set  may not be empty"),
        ("PutItem", put(ReturnValues="ALL_NEW", Expected={"a": {}}), "ReturnValues can only be ALL_OLD or NONE"),
        # In one value a bad number comes before a second type.
        ("PutItem", put(Item={**KEY, "a": {"S": "x", "N": "five"}}), "cannot be converted to a numeric value: five"),
        ("PutItem", put(Item={**KEY, "a": {"S": "x", "N": ""}}), "cannot be converted to a numeric value"),
        # The other expressions, and what none of them uses, come before the structure of the key condition.
        ("Query", query(KeyConditionExpression="PK > :pk OR a = b", FilterExpression=""), "Invalid FilterExpression"),
        ("Query", query(KeyConditionExpression="PK > :pk OR a = b", ProjectionExpression=" "), "Invalid ProjectionExpression"),
        ("Query", query(KeyConditionExpression="PK > :pk OR a = b", ExpressionAttributeValues={":b": S}), "unused in expressions"),
        ("Query", query(KeyConditionExpression="NOT PK = :pk", ConsistentRead=True, IndexName="ByEmail"), "Invalid operator used"),
        # What needs the table comes last.
        ("UpdateItem", keyed(Key={"PK": S}, UpdateExpression="REMOVE SK, a[0], a.b"), "Two document paths conflict"),
        ("PutItem", put(Item={"PK": S}, ConditionExpression="status = b"), "reserved keyword"),
    ],
)  # fmt: skip
def test_the_first_problem_is_the_one_that_the_service_names(operation: str, request_: Any, words: str) -> None:
    assert words in first(request_, operation)


# --- The envelope


ENVELOPED = [
    ({"Item": {**KEY, "a": {"SS": []}}}, f"{INVALID}An string set  may not be empty"),
    ({"Item": {**KEY, "a": {"NS": []}}}, f"{INVALID}An number set  may not be empty"),
    ({"Item": {**KEY, "a": {"BS": []}}}, f"{INVALID}Binary sets should not be empty"),
    ({"Item": {**KEY, "a": {"SS": ["a", "a"]}}}, f"{INVALID}Input collection [a, a] contains duplicates."),
    ({"Item": {**KEY, "a": {"NS": ["1", "1"]}}}, "Input collection contains duplicates"),
    ({"Item": {**KEY, "a": {"BS": ["YQ==", "YQ=="]}}}, f"{INVALID}Input collection [YQ==, YQ==]of type BS contains duplicates."),
    ({"Item": {**KEY, "a": {"L": [{"NULL": False}]}}}, f"{INVALID}Null attribute value types must have the value of true"),
    ({"ConditionExpression": ""}, "Invalid ConditionExpression: The expression can not be empty;"),
    ({"ConditionExpression": "a = = b"}, 'Invalid ConditionExpression: Syntax error; token: "=", near: "= = b"'),
    ({"ConditionExpression": "((a = b))"}, "Invalid ConditionExpression: The expression has redundant parentheses;"),
    ({"ConditionExpression": "a" * 4097}, "Invalid ConditionExpression: Expression size has exceeded the maximum allowed size; expression size: 4097"),
    ({"ExpressionAttributeValues": {":v": S}}, "ExpressionAttributeValues can only be specified when using expressions: ConditionExpression is null"),
    ({**CHECK, "ExpressionAttributeNames": {"#a": "a"}}, "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a}"),
    ({"ReturnValues": "ALL_NEW"}, "ReturnValues can only be ALL_OLD or NONE"),
]  # fmt: skip
BARE = [
    ({"Item": {**KEY, "a": {}}}, "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"),
    ({"Item": {**KEY, "a": {"S": "x", "N": "1"}}}, "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"),
    ({"Item": {**KEY, "SK": {"S": ""}}}, "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: SK"),
    ({"Item": {**KEY, "SK": {"N": "1"}}}, f"{INVALID}Type mismatch for key SK expected: S actual: N"),
    ({"Item": {"PK": S}}, f"{INVALID}Missing the key SK in the item"),
    ({"Item": {**KEY, "a": {"S": "x" * 409_600}}}, "Item size has exceeded the maximum allowed size"),
]  # fmt: skip


@pytest.mark.parametrize(("members", "words"), ENVELOPED)
def test_a_single_write_puts_faults_of_the_request_into_the_envelope(members: dict[str, Any], words: str) -> None:
    assert first(put(**members), "PutItem") == f"{ENVELOPE}{words}"


@pytest.mark.parametrize(("members", "words"), BARE)
def test_a_single_write_says_bare_what_is_wrong_with_keys_sizes_and_the_number_of_types(
    members: dict[str, Any], words: str
) -> None:
    assert first(put(**members), "PutItem") == words


@pytest.mark.parametrize(("members", "words"), [*ENVELOPED[:-3], *BARE])
def test_transactions_and_batches_say_everything_bare(members: dict[str, Any], words: str) -> None:
    assert first(transact("Put", put(**members)), "TransactWriteItems") == words
    # Batches have words of their own for keys that do not fit the table.
    if list(members) == ["Item"] and not any(word in words for word in ("Type mismatch", "Missing the key")):
        assert first(batch_put(members["Item"]), "BatchWriteItem") == words


def test_reads_say_everything_bare_but_a_bad_select_of_a_query() -> None:
    select = "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"
    assert first(query(Select="SPECIFIC_ATTRIBUTES"), "Query") == f"{ENVELOPE}{select}"
    assert first(scan(Select="SPECIFIC_ATTRIBUTES"), "Scan") == select
    empty = "The expression can not be empty;"
    assert first(query(FilterExpression=""), "Query") == f"Invalid FilterExpression: {empty}"
    assert first(scan(FilterExpression=""), "Scan") == f"Invalid FilterExpression: {empty}"
    assert first(keyed(ProjectionExpression=""), "GetItem") == f"Invalid ProjectionExpression: {empty}"


@pytest.mark.parametrize("operation", ["PutItem", "UpdateItem", "DeleteItem"])
@pytest.mark.parametrize(
    ("value", "words", "wrapped"),
    [
        ({"NULL": False}, f"{INVALID}Null attribute value types must have the value of true", False),
        ({"SS": []}, f"{INVALID}An string set  may not be empty", True),
        ({"SS": ["a", "a"]}, f"{INVALID}Input collection [a, a] contains duplicates.", True),
    ],
)
def test_inside_the_envelope_only_some_values_are_named_by_their_placeholder(
    operation: str, value: Any, words: str, wrapped: bool
) -> None:
    request = (put if operation == "PutItem" else keyed)(
        ConditionExpression="a = :v", ExpressionAttributeValues={":v": value}
    )
    named = f"ExpressionAttributeValues contains invalid value: {words} for key :v"
    assert first(request, operation) == f"{ENVELOPE}{named if wrapped else words}"
    assert first(scan(FilterExpression="a = :v", ExpressionAttributeValues={":v": value}), "Scan") == named


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"NULL": False}, f"The provided starting key is invalid: {INVALID}Null attribute value types must have the value of true"),
        ({"SS": []}, f"The provided starting key is invalid: {INVALID}An string set  may not be empty"),
        ({"NS": []}, f"{INVALID}An number set  may not be empty"),
        ({"SS": ["a", "a"]}, f"{INVALID}Input collection [a, a] contains duplicates."),
        ({"N": "five"}, "The parameter cannot be converted to a numeric value: five"),
    ],
)  # fmt: skip
def test_only_some_values_of_a_start_key_are_named_as_such(value: Any, words: str) -> None:
    assert first(scan(ExclusiveStartKey={**KEY, "SK": value}), "Scan") == words


def test_a_table_keeps_its_letters_inside_the_name_of_a_member() -> None:
    keys = [{"PK": {"S": str(number)}, "SK": S} for number in range(101)]
    words = "failed to satisfy constraint: Member must have length less than or equal to 100"
    expected = f"{ENVELOPE}Value at 'RequestItems.People.member.Keys' {words}"
    assert first({"RequestItems": {"People": {"Keys": keys}}}, "BatchGetItem") == expected


def test_counts_are_those_of_the_text_and_functions_are_named_however_deep() -> None:
    assert first(put(ConditionExpression=" AND ".join(["a<b"] * 151)), "PutItem").endswith("operator count: 301")
    nested = "(NOT " * 150 + "f(a)" + ")" * 150
    assert first(scan(FilterExpression=nested), "Scan").endswith("Invalid function name; function: f")
