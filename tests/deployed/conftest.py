"""The service, deployed for real to local clouds: one that lets every role do everything, one that enforces IAM."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from expr_builder import to_item
from tests.support.cloud import dynamodb, local_cloud, stored
from tests.support.events import reset
from tests.support.http import Api
from tools import stack
from tools.tokens import Signer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mypy_boto3_dynamodb import DynamoDBClient

    from tools.local_cloud import LocalCloud


@dataclass(frozen=True, slots=True)
class Service:
    """A deployment, whom it trusts, and its table."""

    cloud: LocalCloud
    deployment: stack.Deployment
    signer: Signer
    table: DynamoDBClient

    def caller(self, subject: str) -> Api:
        """The API as somebody with a good token calls it."""
        return self.bearing(self.signer.token(subject))

    def bearing(self, token: str | None) -> Api:
        """The API as it is called with this token, or with none."""
        return Api(self.deployment.url, token)

    def emptied(self) -> Service:
        """The same, its table empty. (Tokens of transactions are remembered: use fresh idempotency keys.)"""
        reset(self.table, self.deployment.table)
        return self

    def remove_markers(self) -> None:
        """Delete all markers and nothing else, as damage does."""
        for item in self.stored():
            if item["SK"] == "LOCK":
                key = to_item({"PK": item["PK"], "SK": item["SK"]})
                self.table.delete_item(TableName=self.deployment.table, Key=key)

    def stored(self) -> list[dict[str, Any]]:
        """Everything in the table."""
        return stored(self.table, self.deployment.table)


@contextmanager
def deployed(folder: Path, built: Path, *, auth: bool) -> Iterator[Service]:
    signer = Signer.generate()
    with local_cloud(folder, auth=auth) as cloud, dynamodb(cloud) as client:
        deployment = stack.deploy(cloud, jwks=signer.jwks(), build_dir=built, quiet=True)
        yield Service(cloud, deployment, signer, client)


@pytest.fixture(scope="session")
def open_service(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with deployed(tmp_path_factory.mktemp("open"), built, auth=False) as service:
        yield service


@pytest.fixture(scope="session")
def guarded_service(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Every function may do only what its role allows."""
    with deployed(tmp_path_factory.mktemp("guarded"), built, auth=True) as service:
        yield service


@pytest.fixture(params=["open_service", "guarded_service"])
def service(request: pytest.FixtureRequest) -> Service:
    """Each deployment in turn, its table empty."""
    found: Service = request.getfixturevalue(request.param)
    return found.emptied()
