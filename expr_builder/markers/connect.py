"""A DynamoDB client for going through a whole table."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_ATTEMPTS = 8


def make_scan_client(segments: int) -> DynamoDBClient:
    """Make a client with enough connections for this many threads, which waits patiently when it is throttled."""
    import boto3
    from botocore.config import Config

    # A scan takes capacity that the service may need more urgently: better slow than failing, or in the way.
    config = Config(max_pool_connections=2 * segments, retries={"mode": "standard", "total_max_attempts": _ATTEMPTS})
    return boto3.client("dynamodb", config=config)
