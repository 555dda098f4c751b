"""What the tests need to know of the deployment, read from ``template.yaml`` so that it cannot drift."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.sam_template import Route, Template, functions, routes, template
from tools.venvs import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from mypy_boto3_dynamodb import DynamoDBClient

__all__ = [
    "ROOT",
    "Route",
    "Template",
    "actions_of",
    "create_table",
    "function_folder",
    "function_seconds",
    "functions",
    "routes",
    "template",
]

_TABLE_PROPERTIES = (
    "AttributeDefinitions",
    "BillingMode",
    "GlobalSecondaryIndexes",
    "KeySchema",
    "LocalSecondaryIndexes",
)


def create_table(client: DynamoDBClient, name: str) -> None:
    """Make the accounts table as the template declares it: keys, indexes, billing."""
    properties = template()["Resources"]["AccountsTable"]["Properties"]
    wanted = {key: properties[key] for key in _TABLE_PROPERTIES if key in properties}
    client.create_table(TableName=name, **wanted)


def function_folder(logical_id: str, of: Template | None = None) -> Path:
    """Where the code of a function of the template is."""
    return ROOT / str(functions(of)[logical_id]["CodeUri"])


def function_seconds(logical_id: str) -> int:
    """How long a function of the template may run."""
    return int(functions()[logical_id].get("Timeout", template()["Globals"]["Function"]["Timeout"]))


def actions_of(logical_id: str, of: Template | None = None) -> set[str]:
    """The actions that a function's own policies allow."""
    policies = functions(of)[logical_id].get("Policies", [])
    return {action for policy in policies for statement in policy["Statement"] for action in statement["Action"]}
