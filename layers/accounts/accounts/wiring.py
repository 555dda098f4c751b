"""The one client and the one service of a Lambda container, made when they are first asked for."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, cast

from botocore.config import Config
from botocore.session import get_session

from accounts.service import AccountService
from accounts.settings import settings

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_CONNECT_SECONDS = 1
_READ_SECONDS = 3
_ATTEMPTS = 2

CALL_SECONDS = _ATTEMPTS * _READ_SECONDS + 1
"""The longest that one call can take, botocore's second attempt and its pause included. A transaction is not sent again
with less than this left of the function's time."""


@cache
def make_client() -> DynamoDBClient:
    """A client with short timeouts and two attempts for each call.

    Two, because ``TransactWrite.send`` sends a transaction in progress or in conflict again, with the same token, as
    long as the function's time allows; more attempts below that would only use up that time.

    It is the client that ``boto3.client`` would make, without loading boto3's resources and S3 transfers.
    """
    client = get_session().create_client(
        "dynamodb",
        config=Config(
            connect_timeout=_CONNECT_SECONDS,
            read_timeout=_READ_SECONDS,
            retries={"mode": "standard", "total_max_attempts": _ATTEMPTS},
        ),
    )
    return cast("DynamoDBClient", client)


@cache
def make_service() -> AccountService:
    """The service on the table that the environment names; raises SettingsError when it names none."""
    return AccountService(make_client(), settings().table_name)
