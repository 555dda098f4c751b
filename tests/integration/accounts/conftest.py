"""The service on real stores, with the table as the template declares it."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING
from uuid import uuid4

import boto3
import pytest
from botocore.loaders import create_loader

from accounts.settings import settings
from accounts.wiring import make_client, make_service
from tests.support.cloud import dynamodb, local_cloud
from tests.support.moto import empty_moto
from tests.support.store import Store
from tests.support.template import create_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mypy_boto3_dynamodb import DynamoDBClient

    from tools.local_cloud import LocalCloud

TABLE = "accounts-test"


@pytest.fixture(scope="package", autouse=True)
def _one_loader() -> Iterator[None]:
    """The botocore sessions that the service makes, one a test, read AWS's descriptions once: that takes longest."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("botocore.session.create_loader", cache(create_loader))
        yield


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[DynamoDBClient]:
    """A client of an empty table on moto, in this process; the functions' environment points to the same one."""
    _set_environment(monkeypatch, endpoint="")
    with _fresh_wiring(), empty_moto():
        client = boto3.client("dynamodb")
        create_table(client, TABLE)
        yield client


@pytest.fixture
def function_client(cloud: LocalCloud, monkeypatch: pytest.MonkeyPatch) -> Iterator[DynamoDBClient]:
    """The client that functions use, with its timeouts and retries, on the engine that honours tokens."""
    _set_environment(monkeypatch, endpoint=cloud.endpoint)
    with _fresh_wiring():
        client = make_client()
        yield client
        client.close()


@pytest.fixture
def table(client: DynamoDBClient) -> str:
    """The name of the table on moto."""
    return TABLE


@pytest.fixture(scope="session")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCloud]:
    """An engine that honours tokens."""
    with local_cloud(tmp_path_factory.mktemp("accounts")) as cloud:
        yield cloud


@pytest.fixture(params=["moto", "ministack"])
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    """An empty table on each engine in turn.

    moto ignores the tokens of transactions, ministack honours them: what holds on both holds within the ten minutes of
    a token and after them.
    """
    if request.param == "moto":
        yield Store(request.getfixturevalue("client"), request.getfixturevalue("table"))
    else:
        yield request.getfixturevalue("token_store")


@pytest.fixture
def token_store(cloud: LocalCloud) -> Iterator[Store]:
    """An empty table on the engine that honours tokens."""
    with dynamodb(cloud) as client:
        table = f"accounts-{uuid4()}"
        create_table(client, table)
        yield Store(client, table)


def _set_environment(monkeypatch: pytest.MonkeyPatch, *, endpoint: str) -> None:
    environment = {
        "ALLOWED_ORIGIN": "https://app.example.com",
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL_DYNAMODB": endpoint,
        "AWS_SECRET_ACCESS_KEY": "testing",
        "POWERTOOLS_METRICS_NAMESPACE": "Accounts",
        "POWERTOOLS_SERVICE_NAME": "accounts",
        "TABLE_NAME": TABLE,
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)


@contextmanager
def _fresh_wiring() -> Iterator[None]:
    for made_once in (settings, make_client, make_service):
        made_once.cache_clear()
    try:
        yield
    finally:
        for made_once in (settings, make_client, make_service):
            made_once.cache_clear()
