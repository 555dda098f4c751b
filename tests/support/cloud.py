"""Local clouds for tests, each on a free port with a folder of its own; and what is stored in one."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config

from expr_builder import from_item
from tools.local_cloud import REGION, LocalCloud, find_free_port
from tools.venvs import ensure

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mypy_boto3_dynamodb import DynamoDBClient

__all__ = ["dynamodb", "local_cloud", "running", "stored"]


@contextmanager
def local_cloud(folder: Path, *, auth: bool = False, persist: bool = False) -> Iterator[LocalCloud]:
    """A local cloud that runs inside the block."""
    ensure("ministack")
    with running(LocalCloud(find_free_port(), folder, auth=auth, persist=persist)) as cloud:
        yield cloud


@contextmanager
def running(cloud: LocalCloud) -> Iterator[LocalCloud]:
    """Start it, and stop it cleanly at the end of the block."""
    with warnings.catch_warnings():
        # Its process is meant to go on running, and is stopped by its id.
        warnings.simplefilter("ignore", ResourceWarning)
        cloud.start()
    try:
        yield cloud
    finally:
        cloud.stop()


@contextmanager
def dynamodb(cloud: LocalCloud, *, threads: int = 10) -> Iterator[DynamoDBClient]:
    """A DynamoDB client of it. One attempt a call, so that only what is tested sends anything again."""
    client = boto3.client(
        "dynamodb",
        endpoint_url=cloud.endpoint,
        region_name=REGION,
        aws_access_key_id="test",
        aws_secret_access_key="test",
        config=Config(max_pool_connections=threads, retries={"total_max_attempts": 1}),
    )
    try:
        yield client
    finally:
        client.close()


def stored(client: DynamoDBClient, table: str) -> list[dict[str, Any]]:
    """Every item of the table as Python values, sorted by key."""
    pages = client.get_paginator("scan").paginate(TableName=table, ConsistentRead=True)
    return sorted(
        (from_item(item) for page in pages for item in page["Items"]), key=lambda item: (item["PK"], item.get("SK", ""))
    )
