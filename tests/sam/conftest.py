"""The application as SAM built it, in SAM's own containers, on a local cloud's table."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from tests.support.cloud import dynamodb, local_cloud
from tests.support.template import create_table
from tools import docker
from tools.tokens import Signer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mypy_boto3_dynamodb import DynamoDBClient

    from tools.local_cloud import LocalCloud


@pytest.fixture(scope="session", autouse=True)
def _needs_docker() -> None:
    if not docker.is_available():
        pytest.skip(docker.HOW_TO_GET)


@pytest.fixture(scope="session")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCloud]:
    with local_cloud(tmp_path_factory.mktemp("cloud")) as cloud:
        yield cloud


@pytest.fixture(scope="session")
def client(cloud: LocalCloud) -> Iterator[DynamoDBClient]:
    with dynamodb(cloud) as client:
        yield client


@pytest.fixture(scope="session")
def signer() -> Signer:
    """Whom the authorizer trusts."""
    return Signer.generate()


@pytest.fixture
def table(client: DynamoDBClient) -> str:
    """The name of an empty table of this test alone."""
    name = f"accounts-{uuid4()}"
    create_table(client, name)
    return name
