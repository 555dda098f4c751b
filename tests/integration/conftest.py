"""Shared by the integration tests: an empty store in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import boto3
import pytest

from tests.support.moto import empty_moto

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mypy_boto3_dynamodb import DynamoDBClient


@pytest.fixture
def moto(monkeypatch: pytest.MonkeyPatch) -> Iterator[DynamoDBClient]:
    """A client of moto."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with empty_moto():
        yield boto3.client("dynamodb")
