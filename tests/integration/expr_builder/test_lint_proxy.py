"""In front of an engine that checks little, lint and its predicted answers make a client meet what the service says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError

from expr_builder import lint
from tests.support.lint_proxy import LintProxy, lint_proxy, send
from tests.support.rule_examples import REQUEST_RULES, names_of
from tests.unit.expr_builder.rule_cases import CASES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mypy_boto3_dynamodb import DynamoDBClient

    from expr_builder.rules import Rule


def schema(*names: str) -> Any:
    return [{"AttributeName": name, "KeyType": kind} for name, kind in zip(names, ("HASH", "RANGE"), strict=False)]


def index(name: str, *keys: str, projection: str = "ALL") -> Any:
    return {"IndexName": name, "KeySchema": schema(*keys), "Projection": {"ProjectionType": projection}}


@pytest.fixture(scope="module")
def both() -> Iterator[tuple[DynamoDBClient, LintProxy]]:
    """A client, and the proxy in front of moto, which has learnt the tables of the examples and of the words below."""
    with lint_proxy() as (client, proxy):
        for name, keys, more in (
            (
                "accounts",
                ("PK", "SK"),
                [
                    index("ByEmail", "email", "created", projection="KEYS_ONLY"),
                    index("ByKeys", "slug", projection="KEYS_ONLY"),
                ],
            ),
            ("music", ("artist", "song"), [index("ByGenre", "genre", "year", projection="KEYS_ONLY")]),
        ):
            local = {"LocalSecondaryIndexes": [index("ByDate", "PK", "created")]} if name == "accounts" else {}
            names = {*keys, *(key["AttributeName"] for entry in more for key in entry["KeySchema"])}
            client.create_table(
                TableName=name,
                KeySchema=schema(*keys),
                AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key in sorted(names)],
                BillingMode="PAY_PER_REQUEST",
                GlobalSecondaryIndexes=more,
                **local,  # type: ignore[arg-type]
            )
        yield client, proxy


@pytest.fixture
def client(both: tuple[DynamoDBClient, LintProxy]) -> DynamoDBClient:
    return both[0]


@pytest.fixture
def proxy(both: tuple[DynamoDBClient, LintProxy]) -> LintProxy:
    return both[1]


def refusal(client: DynamoDBClient, operation: str, request: Any) -> tuple[str, int, str]:
    """Code, status and words of the error that a client raises."""
    with pytest.raises(ClientError) as caught:
        send(client, operation, request)
    response = caught.value.response
    return response["Error"]["Code"], response["ResponseMetadata"]["HTTPStatusCode"], response["Error"]["Message"]


# --- Every rule


def test_the_proxy_learns_the_tables_that_are_made_through_it(proxy: LintProxy) -> None:
    declared = names_of(REQUEST_RULES[0])["accounts"]
    learnt = proxy.tables["accounts"]
    assert learnt.key_schema.types == declared.key_schema.types
    known = {name: (entry.types, entry.projection) for name, entry in (learnt.indexes or {}).items()}
    assert known["ByEmail"] == ({"email": "S", "created": "S"}, "KEYS_ONLY")
    assert known.keys() >= (declared.indexes or {}).keys()


@pytest.mark.parametrize("rule", REQUEST_RULES, ids=repr)
def test_what_breaks_a_rule_is_answered_in_the_service_s_words(
    client: DynamoDBClient, proxy: LintProxy, rule: Rule
) -> None:
    (problem,) = lint(rule.fails, rule.operation, proxy.tables.values())
    if problem.stage == "client":  # the service ignores it, and so does the engine
        return
    before = proxy.refused
    code, status, message = refusal(client, rule.operation, rule.fails)
    assert proxy.refused == before + 1
    assert status == 400
    if code == "TransactionCanceledException":
        assert problem.stage == "table"
        assert "ValidationError]" in message
    else:
        assert (code, message) == (problem.code, problem.message)


# Requests that the service takes and moto does not, with what it says. Nothing else is let pass.
MOTO = {
    # It knows no function on the left of a comparison.
    "function-place": "ValueError: Invalid attribute name a",
}

# What no request shows: it depends on the item that is stored.
RUN_TIME = (
    "The provided expression refers to an attribute that does not exist in the item",
    "The document path provided in the update expression is invalid for update",
)
STORED = ("ConditionalCheckFailedException", "ResourceNotFoundException")


@pytest.mark.parametrize("rule", REQUEST_RULES, ids=repr)
def test_what_keeps_a_rule_is_carried_out(client: DynamoDBClient, proxy: LintProxy, rule: Rule) -> None:
    assert carry_out(client, proxy, rule.operation, rule.passes) == MOTO.get(rule.id, "")


def carry_out(client: DynamoDBClient, proxy: LintProxy, operation: str, request: Any) -> str:
    """What the engine says instead of carrying a request out that the proxy has let pass."""
    for item in client.scan(TableName="accounts")["Items"]:  # what an earlier example has written
        client.delete_item(TableName="accounts", Key={name: item[name] for name in ("PK", "SK")})
    before = proxy.passed
    result = ""
    try:
        send(client, operation, request)
    except ClientError as error:
        code, words = error.response["Error"]["Code"], error.response["Error"]["Message"]
        if code not in STORED and words not in RUN_TIME and "[ConditionalCheckFailed]" not in words:
            result = f"{code}: {words}"
    except Exception as error:  # noqa: BLE001  # moto raises whatever its parsers raise
        result = f"{type(error).__name__}: {error}"
    assert proxy.passed == before + 1
    return result


def test_each_way_to_break_a_rule_is_answered_so(client: DynamoDBClient, proxy: LintProxy) -> None:
    for case in CASES:
        if case.code == "ParamValidationError":
            continue
        code, status, message = refusal(client, case.operation, case.bad)
        assert status == 400
        if code == "TransactionCanceledException":
            assert message.endswith("[ValidationError]")
        else:
            assert (code, message) == (case.code, case.message)


def test_no_way_to_keep_a_rule_is_stopped(client: DynamoDBClient, proxy: LintProxy) -> None:
    refused = proxy.refused
    for case in CASES:
        carry_out(client, proxy, case.operation, case.good)  # what moto makes of it is not the question
    assert proxy.refused == refused


# --- What passes, and what does not


def test_what_passes_is_the_engine_s_affair_and_what_is_refused_never_gets_there(
    client: DynamoDBClient, proxy: LintProxy
) -> None:
    key: Any = {"PK": {"S": "ACCT#passes"}, "SK": {"S": "PROFILE"}}
    guard: Any = {"TableName": "accounts", "Item": key, "ConditionExpression": "attribute_not_exists(PK)"}
    client.put_item(**guard)
    assert client.get_item(TableName="accounts", Key=key)["Item"] == key
    assert refusal(client, "PutItem", guard) == (
        "ConditionalCheckFailedException",
        400,
        "The conditional request failed",
    )
    refused = proxy.refused
    refusal(client, "PutItem", {"TableName": "accounts", "Item": {**key, "tags": {"SS": []}}})
    assert proxy.refused == refused + 1
    assert client.get_item(TableName="accounts", Key=key)["Item"] == key


def test_a_cancelled_transaction_has_its_reasons_as_data(client: DynamoDBClient, proxy: LintProxy) -> None:
    request = {
        "TransactItems": [
            {"Put": {"TableName": "music", "Item": {"artist": {"S": "a"}, "song": {"S": "b"}}}},
            {"Delete": {"TableName": "music", "Key": {"artist": {"S": "a"}}}},
            {"Delete": {"TableName": "music", "Key": {"artist": {"S": "b"}}}},
        ]
    }
    with pytest.raises(client.exceptions.TransactionCanceledException) as caught:
        send(client, "TransactWriteItems", request)
    response: Any = caught.value.response
    assert response["Error"]["Message"] == (
        "Transaction cancelled, please refer cancellation reasons for specific reasons [None, ValidationError, None]"
    )
    assert response["CancellationReasons"] == [
        {"Code": "None"},
        {"Code": "ValidationError", "Message": "The provided key element does not match the schema"},
        {"Code": "None"},
    ]
