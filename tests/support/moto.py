"""An empty moto, DynamoDB in this process, for each test anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moto import mock_aws

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

__all__ = ["empty_moto"]


def empty_moto() -> AbstractContextManager[object]:
    """Inside the block every client talks to an empty moto.

    boto3's session stays what it is: in a new one the first client reads DynamoDB's whole description again, and that
    takes longer than most tests.
    """
    return mock_aws(config={"core": {"reset_boto3_session": False}})
