"""An accounts table in this process. moto knows no tokens: what DynamoDB says of one is put into the client."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

import boto3
import pytest
from botocore.config import Config

from tests.support.moto import empty_moto
from tests.support.store import Store
from tests.support.template import create_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mypy_boto3_dynamodb import DynamoDBClient


@pytest.fixture(scope="module")
def client() -> Iterator[DynamoDBClient]:
    """One client for all tests of a module, since it is what takes longest to make."""
    with empty_moto():
        client = boto3.client("dynamodb", "us-east-1", config=Config(retries={"total_max_attempts": 1}))
        yield client
        client.close()


@pytest.fixture
def store(client: DynamoDBClient) -> Store:
    """An empty table."""
    table = f"accounts-{uuid4()}"
    create_table(client, table)
    return Store(client, table)
