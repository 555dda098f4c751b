"""Lint and an engine: what lint lets pass, the engine takes; what both refuse, they refuse in the same words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tests.unit.expr_builder.rule_cases import CASES, Case

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mypy_boto3_dynamodb.client import DynamoDBClient

# What no request shows: the engine answers so because the item that an update is on does not exist.
RUN_TIME = ("refers to an attribute that does not exist in the item", "specific reasons [ValidationError]")

SAME_WORDS = {
    "batch-count",
    "legacy-operator",
    "return-values",
    "attribute-value",
    "batch-same-item",
    "expression-empty",
    "expression-length",
    "index-consistent",
    "index-key-empty",
    "index-key-type",
    "index-unknown",
    "item-size",
    "key-condition",
    "key-empty",
    "key-length",
    "key-schema",
    "key-type",
    "legacy-mixed",
    "limit-value",
    "member-missing",
    "member-value",
    "null-true",
    "number-finite",
    "number-precision",
    "number-range",
    "operand-distinct",
    "operand-type",
    "parentheses",
    "placeholder-undefined",
    "placeholder-unused",
    "projection-overlap",
    "reserved-word",
    "scan-segment",
    "select-projection",
    "select-value",
    "set-empty",
    "start-key",
    "start-key-range",
    "syntax",
    "table-name",
    "transaction-count",
    "update-key",
    "value-depth",
}
"""Rules for whose breach the engine, too, has the words that lint has."""


@pytest.fixture(scope="module")
def url(engine_client: DynamoDBClient) -> Iterator[str]:
    """Where the engine listens, with the table of the cases in it."""

    def index(name: str, partition: str) -> Any:
        return {"IndexName": name, "KeySchema": schema(partition, "created"), "Projection": {"ProjectionType": "ALL"}}

    by_keys: Any = {"IndexName": "ByKeys", "KeySchema": schema("slug")[:1]}
    by_keys["Projection"] = {"ProjectionType": "KEYS_ONLY"}
    names = ("PK", "SK", "email", "created", "slug")
    engine_client.create_table(
        TableName="accounts",
        KeySchema=schema("PK", "SK"),
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in names],
        BillingMode="PAY_PER_REQUEST",
        GlobalSecondaryIndexes=[index("ByEmail", "email"), by_keys],
        LocalSecondaryIndexes=[index("ByDate", "PK")],
    )
    yield engine_client.meta.endpoint_url
    engine_client.delete_table(TableName="accounts")


def schema(partition: str, sort: str = "") -> list[Any]:
    return [{"AttributeName": partition, "KeyType": "HASH"}, {"AttributeName": sort, "KeyType": "RANGE"}]


def refusal(url: str, operation: str, request: Any) -> str:
    """The engine's words when it refuses a request for what it is, else nothing. No client is in between: it would
    refuse, or mend, some of them itself."""
    headers = {
        "Content-Type": "application/x-amz-json-1.0",
        "X-Amz-Target": f"DynamoDB_20120810.{operation}",
        "Authorization": "AWS4-HMAC-SHA256 Credential=test/20250101/us-east-1/dynamodb/aws4_request",
    }
    try:
        with urlopen(Request(url, json.dumps(request).encode(), headers), timeout=10):
            return ""
    except HTTPError as error:
        with error:
            answer = json.loads(error.read())
    if answer["__type"].rpartition("#")[2] in ("ConditionalCheckFailedException", "ResourceNotFoundException"):
        return ""
    message = str(answer.get("message") or answer.get("Message"))
    return "" if "[ConditionalCheckFailed]" in message else message


def test_what_lint_lets_pass_the_engine_takes(url: str) -> None:
    # The engine wants three characters in every table name, as CreateTable does.
    sent = {(case.operation, json.dumps(case.good)): case for case in CASES if case.rule != "table-name"}
    refused = {
        (case.operation, case.rule, words)
        for case in sent.values()
        if (words := refusal(url, case.operation, case.good)) and not any(known in words for known in RUN_TIME)
    }
    assert refused == set()


def test_what_both_refuse_they_refuse_in_the_same_words(url: str) -> None:
    def same(case: Case) -> bool:
        return refusal(url, case.operation, case.bad) == case.message

    assert {case.rule for case in CASES if same(case)} == SAME_WORDS
