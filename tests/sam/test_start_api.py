"""``sam local start-api``, driven by HTTP: the authorizer and the functions together, each in its container."""

from __future__ import annotations

import signal
import socket
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.support.cloud import stored
from tests.support.http import Api
from tools import processes
from tools.invoke import open_local_sam
from tools.local_cloud import find_free_port
from tools.tokens import make_named_token
from tools.venvs import ROOT

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

    from mypy_boto3_dynamodb import DynamoDBClient

    from tools.local_cloud import LocalCloud
    from tools.tokens import Signer

START_SECONDS = 60


@contextmanager
def started(built: Path, cloud: LocalCloud, table: str, signer: Signer, log: Path) -> Iterator[str]:
    """The URL of the API that SAM serves inside the block; each container is kept for the next call."""
    port = find_free_port()
    with open_local_sam(endpoint=cloud.endpoint, table=table, signer=signer, build_dir=built) as local:
        command = ["sam", "local", "start-api", "--port", str(port), "--warm-containers", "LAZY", *local.arguments]
        # By SIGINT: SAM then removes its containers.
        with processes.running(
            command, log=log, environment=local.environment, cwd=ROOT, by=signal.SIGINT, seconds=60
        ) as process:
            wait_for(port, process, log)
            yield f"http://127.0.0.1:{port}"


def wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, log.read_text()
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise AssertionError(f"no answer within {START_SECONDS} s: {log.read_text()}")


def test_an_account_lives_and_goes_over_http(
    built: Path, cloud: LocalCloud, client: DynamoDBClient, table: str, signer: Signer, tmp_path: Path
) -> None:
    with started(built, cloud, table, signer, tmp_path / "start-api.log") as url:
        alice, bob = Api(url, signer.token("alice")), Api(url, signer.token("bob"))

        made = alice.sign_up("ada@example.com", "ada")
        account_id = made.json["account_id"]
        assert (made.status, made.headers["etag"]) == (201, '"1"')
        assert made.headers["location"].endswith(f"/accounts/{account_id}")

        taken = bob.sign_up("ada@example.com", "ada")
        assert (taken.status, [error["field"] for error in taken.json["errors"]]) == (409, ["email", "username"])

        assert Api(url).read(account_id).status == 401
        # An authorizer that raises is 401 on AWS; SAM's own server makes it a 502. Refused it is, either way.
        assert Api(url, make_named_token("expired", signer)).read(account_id).status in {401, 502}

        read = alice.read(account_id)
        assert (read.status, read.json) == (200, made.json)
        assert bob.read(account_id).status == 404

        changed = alice.change_email(account_id, "lovelace@example.com", If_Match='"1"')
        assert (changed.status, changed.json["email"], changed.headers["etag"]) == (200, "lovelace@example.com", '"2"')

        gone = alice.delete(account_id)
        assert (gone.status, gone.text) == (204, "")
        assert alice.read(account_id).status == 404
        assert stored(client, table) == []
