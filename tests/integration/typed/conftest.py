"""Typed tables on real stores: each test runs on moto, in process, and on a local cloud."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from expr_builder import Index, Table
from tests.support.cloud import dynamodb, local_cloud

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mypy_boto3_dynamodb import DynamoDBClient

Create = Any


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DynamoDBClient]:
    """A client of a whole engine, with a connection for each of 16 threads."""
    with local_cloud(tmp_path_factory.mktemp("typed")) as cloud, dynamodb(cloud, threads=16) as client:
        yield client


@pytest.fixture(params=["moto", "ministack"])
def client(request: pytest.FixtureRequest) -> DynamoDBClient:
    """A client of each store in turn."""
    found: DynamoDBClient = request.getfixturevalue("moto" if request.param == "moto" else "engine")
    return found


@pytest.fixture
def create(client: DynamoDBClient) -> Callable[..., Table]:
    """Creates an empty table of this test alone."""

    def make(partition_key: str, sort_key: str | None = None, *, types: Any = None, **indexes: Index) -> Table:
        return create_table(client, partition_key, sort_key, types or {}, indexes)

    return make


@pytest.fixture
def plain(create: Callable[..., Table]) -> Table:
    """An empty table keyed by PK and SK."""
    return create("PK", "SK")


@pytest.fixture
def orders(create: Callable[..., Table]) -> Table:
    """An empty table keyed by user and order, with an index by date and one by status."""
    return create(
        "user_id",
        "order_id",
        by_date=Index("user_id", "created_at", local=True),
        by_status=Index("status", ("total", "N")),
        types={"total": "N"},
    )


def create_table(
    client: DynamoDBClient, partition_key: str, sort_key: str | None, types: dict[str, str], indexes: dict[str, Index]
) -> Table:
    """Create a table on demand; attributes are strings unless ``types`` says otherwise."""
    name = f"typed-{uuid4()}"
    keys = [partition_key, *([sort_key] if sort_key else [])]
    local = {name: index for name, index in indexes.items() if index.local}
    wanted: dict[str, Any] = {
        "TableName": name,
        "KeySchema": _schema([partition_key], [sort_key] if sort_key else []),
        "BillingMode": "PAY_PER_REQUEST",
    }
    for kind, group in (
        ("LocalSecondaryIndexes", local),
        ("GlobalSecondaryIndexes", {name: index for name, index in indexes.items() if name not in local}),
    ):
        if group:
            wanted[kind] = [
                {
                    "IndexName": index_name,
                    "KeySchema": _schema(index.partition_keys, index.sort_keys),
                    "Projection": _projection(index),
                }
                for index_name, index in group.items()
            ]
    attributes = {*keys, *(key for index in indexes.values() for key in (*index.partition_keys, *index.sort_keys))}
    wanted["AttributeDefinitions"] = [
        {"AttributeName": attribute, "AttributeType": types.get(attribute, "S")} for attribute in sorted(attributes)
    ]
    client.create_table(**wanted)
    typed = [(key, types.get(key, "S")) for key in keys]
    return Table(name, typed[0], typed[1] if len(typed) == 2 else None, indexes=indexes)


def _schema(partition: Any, sort: Any) -> list[dict[str, str]]:
    return [
        {"AttributeName": key, "KeyType": kind} for kind, keys in (("HASH", partition), ("RANGE", sort)) for key in keys
    ]


def _projection(index: Index) -> dict[str, Any]:
    """What is declared; everything where nothing is."""
    if isinstance(index.projection, tuple):
        return {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(index.projection)}
    return {"ProjectionType": index.projection or "ALL"}
