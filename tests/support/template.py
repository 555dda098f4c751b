"""What the tests need to know of the deployment, read from ``template.yaml`` so that it cannot drift."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

__all__ = ["ROOT", "create_table", "function_folder", "template"]

ROOT = Path(__file__).resolve().parents[2]

_TABLE_PROPERTIES = (
    "AttributeDefinitions",
    "BillingMode",
    "GlobalSecondaryIndexes",
    "KeySchema",
    "LocalSecondaryIndexes",
)


class _Loader(yaml.SafeLoader):
    """Understands CloudFormation's short forms: ``!Ref X`` reads as ``{"!Ref": "X"}``."""


def _short_form(loader: _Loader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    if isinstance(node, yaml.SequenceNode):
        value: Any = loader.construct_sequence(node, deep=True)
    elif isinstance(node, yaml.MappingNode):
        value = loader.construct_mapping(node, deep=True)
    else:
        value = node.value
    return {f"!{suffix}": value}


_Loader.add_multi_constructor("!", _short_form)


@cache
def template() -> dict[str, Any]:
    """The template as data."""
    loaded: dict[str, Any] = yaml.load((ROOT / "template.yaml").read_text(encoding="utf-8"), Loader=_Loader)
    return loaded


def create_table(client: DynamoDBClient, name: str) -> None:
    """Make the accounts table as the template declares it: keys, indexes, billing."""
    properties = template()["Resources"]["AccountsTable"]["Properties"]
    wanted = {key: properties[key] for key in _TABLE_PROPERTIES if key in properties}
    client.create_table(TableName=name, **wanted)


def function_folder(logical_id: str) -> Path:
    """Where the code of a function of the template is."""
    return ROOT / str(template()["Resources"][logical_id]["Properties"]["CodeUri"])
