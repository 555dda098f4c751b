"""Where a soak takes place: the deployed API in one local cloud, its DynamoDB in another, the fault proxy in between.

Two clouds, so that the engine can be killed while the API goes on.
"""

from __future__ import annotations

import json
import os
import shutil
import time
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.soak.history import FUNCTION_SECONDS
from tests.support.cloud import dynamodb, local_cloud, running, stored
from tests.support.template import create_table
from tools import stack
from tools.fault_proxy import FaultProxy, fault_proxy
from tools.local_cloud import LocalCloud, find_free_port
from tools.tokens import Signer

if TYPE_CHECKING:
    import signal
    from collections.abc import Iterator
    from pathlib import Path

    from mypy_boto3_dynamodb import DynamoDBClient

__all__ = ["Scene", "scene"]

_QUIET_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Scene:
    """The API and whom it trusts, the engine behind it, a client of the engine that meets no faults, and the proxy."""

    deployment: stack.Deployment
    signer: Signer
    engine: LocalCloud
    client: DynamoDBClient
    proxy: FaultProxy

    @property
    def url(self) -> str:
        """Of the API."""
        return self.deployment.url

    @property
    def table(self) -> str:
        """Its name."""
        return self.deployment.table

    def accounts(self) -> list[dict[str, Any]]:
        """The accounts in the table."""
        return [item for item in stored(self.client, self.table) if item["SK"] == "PROFILE"]

    def settle(self) -> None:
        """Wait until functions that nobody waits for any more have ended."""
        deadline = time.monotonic() + FUNCTION_SECONDS
        before, since = -1, time.monotonic()
        while time.monotonic() < deadline and time.monotonic() - since < _QUIET_SECONDS:
            if (now := self.proxy.requests()) != before:
                before, since = now, time.monotonic()
            time.sleep(0.2)

    def signal_engine(self, number: signal.Signals) -> None:
        """Send a signal to the engine's process."""
        os.kill(json.loads((self.engine.folder / "ministack.json").read_text())["pid"], number)

    def restart_engine(self) -> None:
        """Start the engine again after it was killed. It saves on a clean stop only, so the table is empty."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)  # see tests.support.cloud.running
            self.engine.start()


@contextmanager
def scene(folder: Path, build_dir: Path) -> Iterator[Scene]:
    """Deploy what was built so that it reaches DynamoDB through the proxy only."""
    signer = Signer.generate()
    engine = LocalCloud(find_free_port(), folder / "engine", persist=True)
    (folder / "api").mkdir()
    with (
        local_cloud(folder / "api") as cloud,
        fault_proxy(engine.endpoint, folder) as proxy,
        dynamodb(engine) as client,
    ):
        deployment = stack.deploy(
            cloud,
            jwks=signer.jwks(),
            parameters={"DynamoDBEndpoint": proxy.endpoint},
            build_dir=build_dir,
            quiet=True,
        )
        with running(engine):
            create_table(client, deployment.table)
        # The empty table is saved now, and there whenever the engine starts again.
        with running(engine):
            proxy.warm_up()
            yield Scene(deployment, signer, engine, client, proxy)
    shutil.rmtree(folder / "engine", ignore_errors=True)
