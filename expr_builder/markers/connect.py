"""Makes a DynamoDB client for reading a whole table."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_ATTEMPTS = 8


def make_scan_client(segments: int) -> DynamoDBClient:
    """Make a client with connections for ``segments`` threads, which waits patiently when it is throttled.

    The Region, credentials and endpoint are those of boto3: https://docs.aws.amazon.com/boto3/latest/guide/clients.html
    """
    import boto3  # here, as whoever brings a client of their own need not have it
    from botocore.config import Config

    # A scan takes capacity that the service may need more urgently: better slow than failing, or in the way.
    config = Config(max_pool_connections=2 * segments, retries={"mode": "standard", "total_max_attempts": _ATTEMPTS})
    return boto3.client("dynamodb", config=config)
