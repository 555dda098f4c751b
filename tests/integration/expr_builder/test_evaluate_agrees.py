"""``evaluate`` against a real engine: any condition, any items, and no item at all."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from expr_builder import Attr, Table, evaluate, to_item
from expr_builder.expressions.render import Placeholders, render
from tests.support.engine_differences import engine_errs, engine_refuses
from tests.support.trees import CLAUSES, clauses, conditions, items

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mypy_boto3_dynamodb import DynamoDBClient

    from expr_builder import Condition
    from expr_builder.attribute_values.values import TypedItem

_partition = count()


_bounded = settings(derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
_stored = st.lists(items(), min_size=1, max_size=3)


@pytest.mark.parametrize("kind", CLAUSES)
@settings(_bounded, max_examples=100)
@given(data=st.data(), stored=_stored)
def test_each_kind_of_clause_is_true_where_the_engine_says_so(
    engine_client: DynamoDBClient, engine_table: str, kind: str, data: st.DataObject, stored: list[dict[str, Any]]
) -> None:
    _compare(engine_client, engine_table, data.draw(clauses(kind, stored)), stored)


@settings(_bounded, max_examples=80)
@given(data=st.data(), stored=_stored)
def test_clauses_joined_by_and_or_and_not_are_true_where_the_engine_says_so(
    engine_client: DynamoDBClient, engine_table: str, data: st.DataObject, stored: list[dict[str, Any]]
) -> None:
    _compare(engine_client, engine_table, data.draw(conditions(stored)), stored)


@pytest.mark.parametrize("text", ["", "é", "𝄞", "a𝄞é", "e\u0301"])
def test_the_size_of_text_is_counted_in_utf_16_units_here_and_there(
    engine_client: DynamoDBClient, engine_table: str, text: str
) -> None:
    for size in range(len(text.encode()) + 1):
        _compare(engine_client, engine_table, Attr("a").size() == size, [{"a": text}])


@pytest.mark.parametrize("argument", ["", "l", "lo", "low", "o", "ow", b"lo", b"ow"])
def test_the_beginning_is_told_from_the_middle_and_the_end_here_and_there(
    engine_client: DynamoDBClient, engine_table: str, argument: Any
) -> None:
    stored: list[dict[str, Any]] = [{"a": "low" if isinstance(argument, str) else b"low"}]
    _compare(engine_client, engine_table, Attr("a").begins_with(argument), stored)


def _compare(client: DynamoDBClient, table: str, condition: Condition, stored: list[dict[str, Any]]) -> None:
    named = {f"I{position}": item for position, item in enumerate(stored)}
    typed = {name: to_item(item) for name, item in named.items()}

    if not any(engine_refuses(condition, item) for item in typed.values()):
        partition = f"P{next(_partition)}"
        _put_all(client, table, partition, typed)
        comparable = {name for name, item in typed.items() if not engine_errs(condition, item)}
        expected = {name for name in comparable if evaluate(condition, named[name])}
        assert _matching(client, table, partition, condition) & comparable == expected

    if not engine_errs(condition, {}):
        assert _holds_without_item(client, table, condition) == evaluate(condition, None)


def _put_all(client: DynamoDBClient, table: str, partition: str, typed: Mapping[str, TypedItem]) -> None:
    puts: list[Any] = [
        {"PutRequest": {"Item": {"PK": {"S": partition}, "SK": {"S": name}, **item}}} for name, item in typed.items()
    ]
    client.batch_write_item(RequestItems={table: puts})


def _matching(client: DynamoDBClient, table: str, partition: str, condition: Condition) -> set[str]:
    placeholders = Placeholders()
    request: dict[str, Any] = {"TableName": table, "FilterExpression": render(condition, placeholders)}
    placeholders.into(request)
    request["KeyConditionExpression"] = "PK = :partition"
    request["ExpressionAttributeValues"] = {**placeholders.values, ":partition": {"S": partition}}
    return {item["SK"]["S"] for item in client.query(**request)["Items"]}


def _holds_without_item(client: DynamoDBClient, table: str, condition: Condition) -> bool:
    absent = Table(table, partition_key="PK", sort_key="SK").delete({"PK": "none", "SK": "none"})
    try:
        client.delete_item(**absent.when(condition).to_request())
    except client.exceptions.ConditionalCheckFailedException:
        return False
    return True
