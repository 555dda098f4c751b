"""The service on moto, in this process, with the table as the template declares it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import boto3
import pytest
from moto import mock_aws

from accounts.settings import settings
from accounts.wiring import account_service, dynamodb_client
from tests.support.template import create_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mypy_boto3_dynamodb import DynamoDBClient

TABLE = "accounts-test"


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[DynamoDBClient]:
    """A client of an empty table; the functions' environment points to the same one."""
    environment = {
        "ALLOWED_ORIGIN": "https://app.example.com",
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL_DYNAMODB": "",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "POWERTOOLS_METRICS_NAMESPACE": "Accounts",
        "POWERTOOLS_SERVICE_NAME": "accounts",
        "TABLE_NAME": TABLE,
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    for made_once in (settings, dynamodb_client, account_service):
        made_once.cache_clear()
    with mock_aws():
        client = boto3.client("dynamodb")
        create_table(client, TABLE)
        yield client
    for made_once in (settings, dynamodb_client, account_service):
        made_once.cache_clear()


@pytest.fixture
def table(client: DynamoDBClient) -> str:
    """The name of the table."""
    return TABLE
