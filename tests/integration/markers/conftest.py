"""A table that has nothing to do with the accounts, on moto: a partition key alone, and an optional unique field."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import boto3
import pytest

from expr_builder import Table
from tests.support.moto import empty_moto
from tests.support.museum import create_declared

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mypy_boto3_dynamodb import DynamoDBClient

SCHEMA = """
from expr_builder import Marker, Table, Unique

unique = Unique(Table("shop", partition_key="id"), owner="id", sku=Marker("SKU#{}", sort="", optional=True))
"""


@pytest.fixture
def shop(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[DynamoDBClient]:
    """The table ``shop``, declared as ``shop.schema:unique`` in the current directory."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.delenv("TABLE_NAME", raising=False)
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop/schema.py").write_text(SCHEMA)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    for name in ("shop", "shop.schema"):  # of an earlier test
        sys.modules.pop(name, None)
    with empty_moto():
        client = boto3.client("dynamodb")
        create_declared(client, Table("shop", "id"))
        yield client
