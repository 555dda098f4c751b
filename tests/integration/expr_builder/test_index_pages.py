"""Pages of an index on a real store: a cursor that went through JSON continues where it stopped."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from expr_builder import Index, Key, Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_dynamodb import DynamoDBClient

ORDERS = Table("orders", "PK", ("SK", "N"), indexes={"by_team": Index("team", ("at", "N"), projection="ALL")})
ITEMS = [{"PK": f"A#{number % 2}", "SK": number, "team": "red", "at": number // 2} for number in range(5)]


@pytest.fixture
def client(moto: DynamoDBClient) -> DynamoDBClient:
    """A client of moto with the table, filled."""
    moto.create_table(
        TableName="orders",
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
        AttributeDefinitions=[
            {"AttributeName": "PK", "AttributeType": "S"},
            {"AttributeName": "SK", "AttributeType": "N"},
            {"AttributeName": "team", "AttributeType": "S"},
            {"AttributeName": "at", "AttributeType": "N"},
        ],
        GlobalSecondaryIndexes=[
            {
                "IndexName": "by_team",
                "KeySchema": [
                    {"AttributeName": "team", "KeyType": "HASH"},
                    {"AttributeName": "at", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
    )
    for item in ITEMS:
        ORDERS.put(item).send(moto)
    return moto


@pytest.mark.parametrize(
    "search",
    [
        lambda: ORDERS.query(Key("team").eq("red")).on_index("by_team"),
        lambda: ORDERS.query(Key("team").eq("red") & Key("at").gte(0)).on_index("by_team").descending(),
        lambda: ORDERS.scan().on_index("by_team"),
        lambda: ORDERS.scan(),
    ],
)
def test_one_item_a_page_with_a_cursor_through_json_gives_every_item_once(
    client: DynamoDBClient, search: Callable[[], Any]
) -> None:
    found, cursor = [], "null"
    for _ in range(2 * len(ITEMS)):
        page = search().limit(1).start_from(json.loads(cursor)).page(client)
        found += page.items
        cursor = json.dumps(page.last_key)
        if page.last_key is None:
            break
    assert sorted(item["SK"] for item in found) == [0, 1, 2, 3, 4]


def test_a_table_read_from_its_description_is_the_declared_one(client: DynamoDBClient) -> None:
    table = Table.from_description(client.describe_table(TableName="orders"))
    assert table.key_schema.types == ORDERS.key_schema.types
    assert table.indexes is not None
    assert ORDERS.indexes is not None
    (found,), (declared,) = table.indexes.values(), ORDERS.indexes.values()
    assert (found.types, found.projection, found.local) == (declared.types, declared.projection, declared.local)
