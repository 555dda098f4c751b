"""What was stored is there again after a stop and a start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.cloud import local_cloud, running
from tests.support.http import Api
from tools import stack
from tools.tokens import Signer

if TYPE_CHECKING:
    from pathlib import Path


def test_accounts_outlive_the_local_cloud_and_a_second_deployment(built: Path, tmp_path: Path) -> None:
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

    assert (read.status, read.json) == (200, account)
    assert (again.status, [error["field"] for error in again.json["errors"]]) == (409, ["email"])
