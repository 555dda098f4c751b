"""The library's transactions on an engine with threads and tokens: a local cloud, started once; a table per test."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from expr_builder import Marker, Table, Unique
from tests.support.cloud import dynamodb, local_cloud
from tests.support.template import create_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mypy_boto3_dynamodb import DynamoDBClient

THREADS = 16


@pytest.fixture(scope="session")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DynamoDBClient]:
    """A client of the engine, with a connection for each thread."""
    with local_cloud(tmp_path_factory.mktemp("engine")) as cloud, dynamodb(cloud, threads=THREADS) as client:
        yield client


@pytest.fixture
def table(client: DynamoDBClient) -> Table:
    """An empty table of this test alone, keyed as the template says."""
    name = f"engine-{uuid4()}"
    create_table(client, name)
    return Table(name, partition_key="PK", sort_key="SK")


@pytest.fixture
def unique(table: Table) -> Unique:
    """E-mail and username are unique, whatever their capitals."""
    return Unique(
        table,
        owner="PK",
        email=Marker("UNIQ#EMAIL#{}", normalize=str.lower),
        username=Marker("UNIQ#HANDLE#{}", normalize=str.lower),
    )
