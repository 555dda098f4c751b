"""The service's words, sentence by sentence, as a client meets them behind the proxy.

Each row is one statement of the facts that are gathered about the service (of 2026-08): a request, and what the service
says. Where the facts leave something open there is ``…``.
"""

# ruff: noqa: E501

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from botocore.exceptions import ClientError

from expr_builder import Table, lint
from tests.support.lint_proxy import lint_proxy, send

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mypy_boto3_dynamodb import DynamoDBClient


class Row(NamedTuple):
    operation: str
    request: Any
    words: str
    """What the client reads; empty for what the service carries out."""
    code: str = "ValidationException"


ENVELOPE = "1 validation error detected: "
INVALID = "One or more parameter values were invalid: "
MISMATCH = "The provided key element does not match the schema"
CANCELLED = "Transaction cancelled, please refer cancellation reasons for specific reasons"
EMPTY_KEY = "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: PK"
EMPTY_INDEX_KEY = "One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: ByEmail, IndexKey: email"

KEY = {"PK": {"S": "A"}, "SK": {"S": "B"}}
OTHER = {"PK": {"S": "C"}, "SK": {"S": "D"}}
VALUES = {":v": {"S": "x"}}


def put(**members: Any) -> dict[str, Any]:
    return {"TableName": "facts", "Item": KEY, **members}


def put_value(value: Any) -> dict[str, Any]:
    return put(Item={**KEY, "a": value})


def keyed(**members: Any) -> dict[str, Any]:
    return {"TableName": "facts", "Key": KEY, **members}


def update(text: str, **members: Any) -> dict[str, Any]:
    return keyed(UpdateExpression=text, **members)


def query(text: str = "PK = :v", **members: Any) -> dict[str, Any]:
    return {
        "TableName": "facts",
        "KeyConditionExpression": text,
        "ExpressionAttributeValues": VALUES,
        **members,
    }


def scan(**members: Any) -> dict[str, Any]:
    return {"TableName": "facts", **members}


def transact(*actions: Any, **members: Any) -> dict[str, Any]:
    return {"TransactItems": list(actions), **members}


def batch_put(count: int) -> list[Any]:
    return [{"PutRequest": {"Item": {**KEY, "SK": {"S": str(number)}}}} for number in range(count)]


def batch_keys(count: int) -> list[Any]:
    return [{**KEY, "SK": {"S": str(number)}} for number in range(count)]


GOOD = {"Put": put(Item=OTHER)}
LARGE = {"S": "x" * 410_000}
FUNCTIONS = "f(" * 400 + "a" + ")" * 400
OPERATORS = " AND ".join(["a = b"] * 151)  # 150 and 151

WORDS = [
    # Words that the service uses
    Row(
        "TransactWriteItems",
        transact(GOOD, {"Delete": keyed(Key=OTHER)}),
        "Transaction request cannot include multiple operations on one item",
    ),
    Row(
        "TransactWriteItems",
        transact(),
        f"{ENVELOPE}Value '[]' at 'transactItems' failed to satisfy constraint: Member must have length greater than or equal to 1",
    ),
    Row(
        "TransactWriteItems",
        transact(*[{"Delete": keyed(Key=key)} for key in batch_keys(101)]),
        f"{ENVELOPE}…at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to 100",
    ),
    Row(
        "TransactWriteItems",
        transact(GOOD, {"Put": put(ConditionExpression="attribute_exists(PK)")}),
        f"{CANCELLED} [None, ConditionalCheckFailed]",
        "TransactionCanceledException",
    ),
    Row(
        "DeleteItem",
        keyed(ConditionExpression="attribute_exists(gone)"),
        "The conditional request failed",
        "ConditionalCheckFailedException",
    ),
    Row("GetItem", keyed(TableName="gone"), "Requested resource not found", "ResourceNotFoundException"),
    Row("GetItem", keyed(Key={"PK": {"S": "A"}}), MISMATCH),
    Row(
        "UpdateItem",
        update("SET PK = :v", ExpressionAttributeValues=VALUES),
        f"{INVALID}Cannot update attribute PK. This attribute is part of the key",
    ),
    Row("PutItem", put_value({"SS": []}), f"{ENVELOPE}{INVALID}An string set  may not be empty"),
    Row("PutItem", put_value({"NS": []}), f"{ENVELOPE}{INVALID}An number set  may not be empty"),
    Row("PutItem", put_value({"SS": ["a", "a"]}), f"{ENVELOPE}{INVALID}Input collection [a, a] contains duplicates."),
    Row(
        "PutItem",
        put_value({"NULL": False}),
        f"{ENVELOPE}{INVALID}Null attribute value types must have the value of true",
    ),
    Row(
        "Scan",
        scan(FilterExpression="a = b", ExpressionAttributeNames={"#unused": "a"}),
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {#unused}",
    ),
    Row(
        "Scan",
        scan(FilterExpression="a = b", ExpressionAttributeValues={":unused": {"S": "a"}}),
        "Value provided in ExpressionAttributeValues unused in expressions: keys: {:unused}",
    ),
    Row(
        "DeleteItem",
        keyed(ExpressionAttributeValues=VALUES),
        f"{ENVELOPE}ExpressionAttributeValues can only be specified when using expressions: ConditionExpression is null",
    ),
    Row("UpdateItem", update(""), f"{ENVELOPE}Invalid UpdateExpression: The expression can not be empty;"),
    Row(
        "PutItem",
        put(ConditionExpression=""),
        f"{ENVELOPE}Invalid ConditionExpression: The expression can not be empty;",
    ),
    Row(
        "Query",
        query("", ExpressionAttributeValues=None),
        "Invalid KeyConditionExpression: The expression can not be empty;",
    ),
    Row("Scan", scan(FilterExpression=""), "Invalid FilterExpression: The expression can not be empty;"),
    Row("GetItem", keyed(ProjectionExpression=""), "Invalid ProjectionExpression: The expression can not be empty;"),
    Row(
        "UpdateItem",
        update("INVALID SYNTAX"),
        f'{ENVELOPE}Invalid UpdateExpression: Syntax error; token: "INVALID", near: "INVALID SYNTAX"',
    ),
    Row(
        "TransactWriteItems",
        transact({"Update": update("INVALID SYNTAX")}),
        'Invalid UpdateExpression: Syntax error; token: "INVALID", near: "INVALID SYNTAX"',
    ),
    Row(
        "TransactWriteItems",
        transact({"Update": update("SET a = :v")}),
        "Invalid UpdateExpression: An expression attribute value used in expression is not defined; attribute value: :v",
    ),
    Row(
        "Scan",
        scan(FilterExpression="attribute_exists(#missing)"),
        "Invalid FilterExpression: An expression attribute name used in the document path is not defined; attribute name: #missing",
    ),
    Row(
        "PutItem",
        put(Expected={"a": {"Exists": False}}, ConditionExpression="a = b"),
        f"{ENVELOPE}Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {{Expected}} Expression parameters: {{ConditionExpression}}",
    ),
    Row("Query", query("SK = :v"), "Query condition missed key schema element: PK"),
    Row(
        "BatchGetItem",
        {"RequestItems": {"facts": {"Keys": [KEY, KEY]}}},
        "Provided list of item keys contains duplicates",
    ),
    Row(
        "Query",
        query("email = :v", IndexName="ByEmail", ConsistentRead=True),
        "Consistent reads are not supported on global secondary indexes",
    ),
    Row(
        "GetItem",
        keyed(TableName=""),
        f"{ENVELOPE}Value '' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 1",
    ),
    Row(
        "GetItem",
        keyed(TableName="t" * 256),
        f"{ENVELOPE}Value '{'t' * 256}' at 'tableName' failed to satisfy constraint: Member must have length less than or equal to 255",
    ),
    Row(
        "GetItem",
        keyed(TableName="a b"),
        f"{ENVELOPE}Value 'a b' at 'tableName' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
    ),
    Row("PutItem", put_value(LARGE), "Item size has exceeded the maximum allowed size"),
    Row(
        "TransactWriteItems",
        transact(GOOD, ClientRequestToken="t" * 37),
        f"{ENVELOPE}Value '{'t' * 37}' at 'clientRequestToken' failed to satisfy constraint: Member must have length less than or equal to 36",
    ),
    # Since mid-2026: the envelope, and what stays bare
    Row(
        "PutItem",
        put(ConditionExpression="a = :v", ExpressionAttributeValues={":v": {"NULL": False}}),
        f"{ENVELOPE}{INVALID}Null attribute value types must have the value of true",
    ),
    Row(
        "PutItem",
        put(ConditionExpression="a = :v", ExpressionAttributeValues={":v": {"SS": []}}),
        f"{ENVELOPE}ExpressionAttributeValues contains invalid value: {INVALID}An string set  may not be empty for key :v",
    ),
    Row(
        "UpdateItem",
        update("SET a = :v", ExpressionAttributeValues={":v": {"SS": ["a", "a"]}}),
        f"{ENVELOPE}ExpressionAttributeValues contains invalid value: {INVALID}Input collection [a, a] contains duplicates. for key :v",
    ),
    Row(
        "PutItem",
        put(ConditionExpression="((a = b))"),
        f"{ENVELOPE}Invalid ConditionExpression: The expression has redundant parentheses;",
    ),
    Row(
        "PutItem",
        put(ConditionExpression="contains(a, a)"),
        f"{ENVELOPE}Invalid ConditionExpression: The first operand must be distinct from the remaining operands for this operator or function; operator: contains, first operand: [a]",
    ),
    Row("PutItem", put(ReturnValues="ALL_NEW"), f"{ENVELOPE}ReturnValues can only be ALL_OLD or NONE"),
    Row(
        "UpdateItem",
        update("SET a.b = :v, a = :v", ExpressionAttributeValues=VALUES),
        f"{ENVELOPE}Invalid UpdateExpression: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [a, b], path two: [a]",
    ),
    Row(
        "PutItem",
        put(ConditionExpression="a = b", ExpressionAttributeNames={"#unused": "a"}),
        f"{ENVELOPE}Value provided in ExpressionAttributeNames unused in expressions: keys: {{#unused}}",
    ),
    Row(
        "PutItem",
        put(ConditionExpression="a = b AND " + "c" * 4096),
        f"{ENVELOPE}Invalid ConditionExpression: Expression size has exceeded the maximum allowed size; expression size: 4106",
    ),
    Row("TransactWriteItems", transact({"Put": put_value({"SS": []})}), f"{INVALID}An string set  may not be empty"),
    Row(
        "TransactWriteItems",
        transact({"Put": put(ConditionExpression="((a = b))")}),
        "Invalid ConditionExpression: The expression has redundant parentheses;",
    ),
    Row(
        "Scan",
        scan(FilterExpression="((a = b))"),
        "Invalid FilterExpression: The expression has redundant parentheses;",
    ),
    Row(
        "PutItem",
        put(Item={"PK": {"S": "A"}, "SK": {"N": "1"}}),
        f"{INVALID}Type mismatch for key SK expected: S actual: N",
    ),
    Row("UpdateItem", update("REMOVE a", Key={**KEY, "PK": {"S": ""}}), EMPTY_KEY),
    Row(
        "PutItem",
        put_value({}),
        "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
    ),
    Row(
        "PutItem",
        put_value({"S": "a", "N": "1"}),
        "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes",
    ),
    Row(
        "Query",
        query(Select="SPECIFIC_ATTRIBUTES"),
        f"{ENVELOPE}Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES",
    ),
    Row(
        "Scan",
        scan(Select="SPECIFIC_ATTRIBUTES"),
        "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES",
    ),
    Row(
        "PutItem",
        put(ReturnValues="ALL", ReturnConsumedCapacity="SOME", ReturnItemCollectionMetrics="ALL"),
        "3 validation errors detected: Value '…' at '…' failed to satisfy constraint: Member must satisfy enum value set: […]; Value '…' at '…' failed to satisfy constraint: Member must satisfy enum value set: […]; Value '…' at '…' failed to satisfy constraint: Member must satisfy enum value set: […]",
    ),
    Row(
        "UpdateItem",
        update("REMOVE a", ReturnConsumedCapacity="SOME", ReturnValues="ALL"),
        f"{ENVELOPE}Value 'ALL' at 'returnValues' failed to satisfy constraint: Member must satisfy enum value set: […]",
    ),
    Row(
        "PutItem",
        put(TableName="", ReturnValues="ALL"),
        f"{ENVELOPE}Value '' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 1",
    ),
    # Batches
    Row("BatchGetItem", {"RequestItems": {}}, "The requestItems parameter is required for BatchGetItem"),
    Row("BatchWriteItem", {"RequestItems": {}}, "The requestItems parameter is required for BatchWriteItem"),
    Row(
        "BatchGetItem",
        {"RequestItems": {"Facts.1": {"Keys": batch_keys(101)}}},
        f"{ENVELOPE}Value at 'RequestItems.Facts.1.member.Keys' failed to satisfy constraint: Member must have length less than or equal to 100",
    ),
    Row(
        "BatchWriteItem",
        {"RequestItems": {"Facts.1": batch_put(26)}},
        f"{ENVELOPE}Value '{{Facts.1=[…]}}' at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: [Member must have length less than or equal to 25, Member must have length greater than or equal to 1]",
    ),
    Row(
        "BatchGetItem",
        {
            "RequestItems": {
                "facts": {"Keys": [KEY], "ProjectionExpression": "a"},
                "other": {"Keys": [KEY], "AttributesToGet": ["a"]},
            }
        },
        "Can not use both expression and non-expression parameters in the same request: …",
    ),
    # Limits and segments
    Row("Query", query(Limit=0), f"{ENVELOPE}Value at 'Limit' failed to satisfy constraint…"),
    Row("Scan", scan(Limit=0), f"{ENVELOPE}Value '0' at 'limit' failed to satisfy constraint…"),
    Row("Scan", scan(TotalSegments=4), "…when parameter TotalSegments is present"),
    # Sets
    Row("PutItem", put_value({"BS": []}), f"{ENVELOPE}{INVALID}Binary sets should not be empty"),
    Row("PutItem", put_value({"NS": ["1", "1.0"]}), f"{ENVELOPE}…Input collection contains duplicates"),
    Row(
        "PutItem",
        put_value({"BS": ["AA==", "AA=="]}),
        f"{ENVELOPE}…Input collection […]of type BS contains duplicates.",
    ),
    # Index keys
    Row(
        "PutItem",
        put(Item={**KEY, "email": {"N": "1"}}),
        f"{INVALID}Type mismatch for Index Key email Expected: S Actual: N IndexName: ByEmail",
    ),
    Row("PutItem", put(Item={**KEY, "email": {"S": ""}}), EMPTY_INDEX_KEY),
    # Key conditions
    Row(
        "Query",
        query(ExpressionAttributeValues={":v": {"N": "1"}}),
        f"{INVALID}Condition parameter type does not match schema type",
    ),
    Row(
        "Query",
        query(ExpressionAttributeValues={":v": {"S": ""}}),
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: PK",
    ),
    Row("Query", query("PK = :v AND :v <= SK"), ""),
    # Start keys
    Row("Query", query(ExclusiveStartKey={"PK": {"S": "x"}}), "The provided starting key is invalid…"),
    Row("Scan", scan(ExclusiveStartKey={"PK": {"S": "x"}}), "The provided starting key is invalid…"),
    Row("Query", query(ExclusiveStartKey={**KEY, "PK": {"N": "1"}}), "The provided starting key is invalid"),
    Row(
        "Query",
        query(ExclusiveStartKey=KEY),
        "The provided starting key is outside query boundaries based on provided conditions",
    ),
    # Paths into keys
    Row(
        "Scan",
        scan(FilterExpression="PK[0] = :v", ExpressionAttributeValues=VALUES),
        "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: PK",
    ),
    Row(
        "Scan",
        scan(IndexName="ByEmail", FilterExpression="email.a = :v", ExpressionAttributeValues=VALUES),
        "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: IndexKey: email",
    ),
    # Indexes
    Row("Query", query("genre = :v", IndexName="ByGenre", Select="ALL_ATTRIBUTES"), "…"),
    Row("Scan", scan(IndexName="ByGenre", Select="ALL_ATTRIBUTES"), "…"),
    # Order
    Row("Query", query("SK = :v", FilterExpression=""), "Invalid FilterExpression: The expression can not be empty;"),
    Row(
        "Query",
        query("SK = :v", ProjectionExpression=""),
        "Invalid ProjectionExpression: The expression can not be empty;",
    ),
    Row(
        "Query",
        query("SK = :v", ExpressionAttributeNames={"#unused": "a"}),
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {#unused}",
    ),
    Row(
        "PutItem",
        put(Item={**KEY, "a": {"SS": []}}, Expected={"a": {"Exists": False}}, ConditionExpression="a = b"),
        f"{ENVELOPE}Can not use both expression and non-expression parameters in the same request: …",
    ),
    Row(
        "PutItem",
        put(Item={**KEY, "a": {"SS": []}}, ExpressionAttributeValues=VALUES),
        f"{ENVELOPE}ExpressionAttributeValues can only be specified when using expressions: ConditionExpression is null",
    ),
    Row("Query", query("SK SK", ExclusiveStartKey={"PK": {"SS": []}}), "The provided starting key is invalid: …"),
    Row("PutItem", put_value({"N": "x", "S": "a"}), "…The parameter cannot be converted to a numeric value: x"),
    # Accepted
    Row(
        "Query",
        {
            "TableName": "facts",
            "KeyConditions": {"PK": {"AttributeValueList": [{"S": "x"}], "ComparisonOperator": "EQ"}},
            "ProjectionExpression": "a",
        },
        "",
    ),
    Row(
        "Query",
        {
            "TableName": "facts",
            "KeyConditions": {"PK": {"AttributeValueList": [{"S": "x"}], "ComparisonOperator": "EQ"}},
            "FilterExpression": "a = :v",
            "ExpressionAttributeValues": VALUES,
        },
        "",
    ),
    # Expressions of any size and depth
    Row(
        "Scan",
        scan(FilterExpression="a = b AND " + "(" * 5000),
        "Invalid FilterExpression: Expression size has exceeded the maximum allowed size; expression size: 5010",
    ),
    Row(
        "Scan",
        scan(FilterExpression=f"a = {FUNCTIONS}"),
        "Invalid FilterExpression: Invalid function name; function: f",
    ),
    Row(
        "Scan",
        scan(FilterExpression=OPERATORS),
        "Invalid FilterExpression: The expression contains too many operators; operator count: 301",
    ),
    # Transactions
    Row("TransactWriteItems", transact(GOOD, {"Put": put(Item={**KEY, "PK": {"S": ""}})}), EMPTY_KEY),
    Row(
        "TransactWriteItems",
        transact(GOOD, {"Put": put(Item={"PK": {"S": "A"}})}, {"Delete": keyed(Key={"PK": {"S": "B"}})}),
        f"{CANCELLED} [None, ValidationError, None]",
        "TransactionCanceledException",
    ),
    Row(
        "TransactGetItems",
        transact({"Get": keyed()}, {"Get": keyed(Key={"PK": {"S": "A"}})}),
        f"{CANCELLED} [None, ValidationError]",
        "TransactionCanceledException",
    ),
    Row(
        "TransactWriteItems",
        transact({"Delete": keyed(Key={"PK": {"S": "B"}})}, {"Put": put_value(LARGE)}),
        "Item size has exceeded the maximum allowed size",
    ),
    Row(
        "TransactWriteItems",
        transact(GOOD, {"Update": update("SET a = :v", ExpressionAttributeValues={":v": LARGE})}),
        f"{CANCELLED} [None, ValidationError]",
        "TransactionCanceledException",
    ),
]


@pytest.fixture(scope="module")
def client() -> Iterator[DynamoDBClient]:
    def schema(*names: str) -> Any:
        return [{"AttributeName": name, "KeyType": kind} for name, kind in zip(names, ("HASH", "RANGE"), strict=False)]

    with lint_proxy() as (client, _):
        client.create_table(
            TableName="facts",
            KeySchema=schema("PK", "SK"),
            AttributeDefinitions=[
                {"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK", "email", "genre")
            ],
            BillingMode="PAY_PER_REQUEST",
            GlobalSecondaryIndexes=[
                {"IndexName": "ByEmail", "KeySchema": schema("email"), "Projection": {"ProjectionType": "ALL"}},
                {"IndexName": "ByGenre", "KeySchema": schema("genre"), "Projection": {"ProjectionType": "KEYS_ONLY"}},
            ],
        )
        yield client


@pytest.mark.parametrize("row", WORDS, ids=lambda row: f"{row.operation}: {row.words.removeprefix(INVALID)[:80]}")
def test_the_service_says(client: DynamoDBClient, row: Row) -> None:
    if not row.words:
        description = client.describe_table(TableName="facts")
        # Only asked, not sent: moto does not take all that the service takes.
        assert lint(row.request, row.operation, [Table.from_description(description)]) == []
        return
    with pytest.raises(ClientError) as caught:
        send(client, row.operation, row.request)
    response = caught.value.response
    assert (response["Error"]["Code"], response["ResponseMetadata"]["HTTPStatusCode"]) == (row.code, 400)
    said = response["Error"]["Message"]
    # With the open parts filled in as they are said, so that a difference is shown as one.
    found = re.fullmatch("(.*)".join(map(re.escape, row.words.split("…"))), said, re.DOTALL)
    assert said == row.words if found is None else found
