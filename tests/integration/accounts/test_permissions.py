"""Least privilege, request by request: what a function asks of DynamoDB is what its role allows, and nothing less."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from accounts.wiring import make_client
from tests.support.events import expectations, read_event, reset, seed
from tests.support.handlers import call
from tests.support.template import actions_of

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# IAM knows no transactions: it asks for the right to each of their members.
MEMBERS = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem"}
EXPECTED = expectations()
FUNCTIONS = sorted({one.function for one in EXPECTED.values() if one.status is not None})


class Asked:
    """The permissions that calls of the functions' client need."""

    def __init__(self) -> None:
        self.actions: set[str] = set()
        self.tables: set[str] = set()

    def note(self, params: dict[str, Any], model: Any, **_: Any) -> None:
        if model.name in ("TransactWriteItems", "TransactGetItems"):
            for item in params["TransactItems"]:
                for member, details in item.items():
                    self._add(MEMBERS.get(member, "GetItem"), details)
        else:
            self._add(model.name, params)

    def _add(self, operation: str, details: dict[str, Any]) -> None:
        self.actions.add(f"dynamodb:{operation}")
        self.tables.add(details["TableName"])


def remove_markers(client: DynamoDBClient, table: str) -> None:
    for item in client.scan(TableName=table)["Items"]:
        if item["SK"] == {"S": "LOCK"}:
            client.delete_item(TableName=table, Key={"PK": item["PK"], "SK": item["SK"]})


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_asks_for_exactly_what_its_role_allows(function: str, client: DynamoDBClient, table: str) -> None:
    asked = Asked()
    make_client().meta.events.register("before-parameter-build.dynamodb", asked.note)

    for name, expected in EXPECTED.items():
        if expected.function == function:
            for marked in (True, False):  # as seeded, and without the markers, as damage leaves an account
                reset(client, table)
                seed(client, table, expected.seed)
                if not marked:
                    remove_markers(client, table)
                call(function, json.loads(read_event(name)))

    assert asked.actions == actions_of(function)
    assert asked.tables == {table}
