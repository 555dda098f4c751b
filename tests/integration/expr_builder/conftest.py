"""A local cloud of its own for tests that need a whole engine, not moto: started once, on a free port."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.cloud import dynamodb, local_cloud

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mypy_boto3_dynamodb import DynamoDBClient

    from tools.local_cloud import LocalCloud


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCloud]:
    """A running local cloud."""
    with local_cloud(tmp_path_factory.mktemp("engine")) as cloud:
        yield cloud


@pytest.fixture(scope="session")
def engine_client(engine: LocalCloud) -> Iterator[DynamoDBClient]:
    """A DynamoDB client of it."""
    with dynamodb(engine) as client:
        yield client


@pytest.fixture(scope="session")
def engine_table(engine_client: DynamoDBClient) -> str:
    """The name of an empty table with the string keys PK and SK; each test uses partition keys of its own."""
    engine_client.create_table(
        TableName="engine",
        KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK")],
        BillingMode="PAY_PER_REQUEST",
    )
    return "engine"
