"""What lies in the table ``shop`` of the markers' tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from expr_builder import from_item, to_item

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

__all__ = ["owners", "put", "stored"]


def put(client: DynamoDBClient, *items: dict[str, Any]) -> None:
    """Store items past all guards."""
    for item in items:
        client.put_item(TableName="shop", Item=to_item(item))


def stored(client: DynamoDBClient) -> list[dict[str, Any]]:
    """All items, by their keys."""
    return sorted((from_item(item) for item in client.scan(TableName="shop")["Items"]), key=lambda item: item["id"])


def owners(client: DynamoDBClient) -> dict[str, Any]:
    """The owner that each marker names, by the marker's key."""
    return {item["id"]: item["owner"] for item in stored(client) if "owner" in item}
