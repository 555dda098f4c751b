"""Tables of all key types, in which the tools for markers are tried."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from expr_builder import Table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

__all__ = ["HEADS", "SORTS", "TABLES", "create_declared"]

TABLES = {
    "a partition key alone": Table("museum", "PK"),
    "two strings": Table("museum", "PK", "SK"),
    "a number to sort by": Table("museum", "PK", ("SK", "N")),
    "two binary keys": Table("museum", ("PK", "B"), ("SK", "B")),
}
SORTS: dict[str | None, Any] = {None: "", "S": "LOCK", "N": 0, "B": b"LOCK"}
"""By the type of the sort key that of markers."""

HEADS: dict[str | None, Any] = {None: None, "S": "HEAD", "N": 1, "B": b"HEAD"}
"""By the type of the sort key that of records."""


def create_declared(client: DynamoDBClient, table: Table) -> None:
    """Create a table with the keys that are declared."""
    kinds: dict[str, Any] = table.key_schema.types
    roles: list[Any] = ["HASH", "RANGE"]
    client.create_table(
        TableName=table.name,
        KeySchema=[{"AttributeName": name, "KeyType": role} for name, role in zip(kinds, roles, strict=False)],
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": kind} for name, kind in kinds.items()],
        BillingMode="PAY_PER_REQUEST",
    )
