"""A DynamoDB client for going through a whole table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import boto3
from botocore.config import Config

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_ATTEMPTS = 8


def scanning_client(segments: int) -> DynamoDBClient:
    """A client with connections for so many threads that waits patiently when it is throttled: a scan takes capacity
    that the service may need more urgently."""
    return boto3.client(
        "dynamodb",
        config=Config(
            max_pool_connections=2 * segments,
            retries={"mode": "standard", "total_max_attempts": _ATTEMPTS},
        ),
    )
