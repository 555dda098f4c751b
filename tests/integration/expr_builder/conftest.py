"""A local cloud of its own for tests that need a whole engine, not moto: started once, on a free port."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import boto3
import pytest

from tools.local_cloud import LocalCloud, free_port
from tools.venvs import ensure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mypy_boto3_dynamodb import DynamoDBClient


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCloud]:
    """A running local cloud."""
    ensure("ministack")
    cloud = LocalCloud(free_port(), tmp_path_factory.mktemp("engine"))
    with warnings.catch_warnings():
        # It is meant to go on running, and is stopped by its process id.
        warnings.simplefilter("ignore", ResourceWarning)
        cloud.start()
    yield cloud
    cloud.stop()


@pytest.fixture(scope="session")
def engine_client(engine: LocalCloud) -> Iterator[DynamoDBClient]:
    """A DynamoDB client of it."""
    client = boto3.client(
        "dynamodb",
        endpoint_url=engine.endpoint,
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )
    yield client
    client.close()


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
