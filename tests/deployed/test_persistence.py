"""What was stored is there again after a stop and a start, and goes with its stack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.cloud import dynamodb, local_cloud, running
from tests.support.http import Api
from tools import stack
from tools.tokens import Signer

if TYPE_CHECKING:
    from pathlib import Path


def test_accounts_outlive_the_local_cloud_until_one_command_takes_the_stack_away(built: Path, tmp_path: Path) -> None:
    signer = Signer.generate()

    def deploy() -> Api:
        deployment = stack.deploy(cloud, jwks=signer.jwks(), build_dir=built, quiet=True)
        return Api(deployment.url, signer.token("alice"))

    with local_cloud(tmp_path, persist=True) as cloud:
        account = deploy().sign_up("ada@example.com", "ada").json
    assert not cloud.is_running()
    assert {path.name for path in tmp_path.iterdir()} == {"accounts-parameters.yaml", "ministack.log", "state"}

    with running(cloud):
        alice = deploy()
        read, again = alice.read(account["account_id"]), alice.sign_up("ada@example.com", "ada2")
        with dynamodb(cloud) as client:
            before = client.list_tables()["TableNames"]
            stack.sam(
                "delete", "--stack-name", stack.STACK, "--no-prompts", environment=cloud.environment(), quiet=True
            )
            after = client.list_tables()["TableNames"]

    assert (read.status, read.json) == (200, account)
    assert (len(before), after) == (1, [])
    assert (again.status, [error["field"] for error in again.json["errors"]]) == (409, ["email"])
