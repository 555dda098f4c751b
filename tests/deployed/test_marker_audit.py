"""The deployed audit: invoked as the schedule does, with no more rights than its role has."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from tests.support.damage import DAMAGES
from tests.support.roles import without
from tests.support.store import Store
from tools import markers
from tools.local_cloud import REGION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.deployed.conftest import Service

EVENT = {"source": "aws.events", "detail-type": "Scheduled Event", "detail": {}}


@pytest.fixture
def service(guarded_service: Service) -> Service:
    return guarded_service.emptied()


@pytest.fixture
def invoke(service: Service) -> Iterator[Callable[[], dict[str, Any]]]:
    """Run the function in the local cloud; returns what it answers, or how it failed."""
    client = boto3.client(
        "lambda",
        endpoint_url=service.cloud.endpoint,
        region_name=REGION,
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )
    names = [function["FunctionName"] for function in client.list_functions()["Functions"]]
    (name,) = (name for name in names if "AuditMarkersFunction" in name)

    def call() -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(
            client.invoke(FunctionName=name, Payload=json.dumps(EVENT).encode())["Payload"].read()
        )
        return answer

    yield call
    client.close()


def test_the_audit_is_clean_after_what_the_service_did(service: Service, invoke: Callable[[], dict[str, Any]]) -> None:
    alice = service.caller("alice")
    account_id = alice.sign_up("ada@example.com", "ada").json["account_id"]
    alice.sign_up("bob@example.com", "bob")
    alice.change_email(account_id, "lovelace@example.com")

    assert invoke() == {"complete": True, "records": 2, "markers": 4, "others": 0, "findings": {}}


def test_the_audit_may_read_all_that_it_needs_to_tell_every_kind_of_damage(
    service: Service, invoke: Callable[[], dict[str, Any]]
) -> None:
    store = Store(service.table, service.deployment.table)
    for damage in DAMAGES:
        damage(store)

    assert invoke()["findings"] == {
        "double": 1,
        "duplicate": 1,
        "invalid": 1,
        "missing": 1,
        "orphan": 1,
        "reserved": 1,
        "stolen": 2,
    }


@pytest.mark.parametrize("action", ["dynamodb:Scan", "dynamodb:BatchGetItem", "dynamodb:GetItem"])
def test_without_one_of_its_permissions_the_audit_fails(
    service: Service, invoke: Callable[[], dict[str, Any]], action: str
) -> None:
    store = Store(service.table, service.deployment.table)
    for damage in DAMAGES:
        damage(store)

    with without(service.cloud, action, "AuditMarkersFunction"):
        refused = invoke()

    assert "AccessDenied" in refused["errorMessage"]
    assert "findings" in invoke()


def test_make_markers_works_on_the_running_local_cloud(
    service: Service, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(markers, "FOLDER", service.cloud.folder)
    monkeypatch.delenv("TABLE_NAME", raising=False)
    service.caller("alice").sign_up("ada@example.com", "ada")

    code = markers.main(["audit"])

    assert (code, capfd.readouterr().out) == (0, "1 record and 2 markers read: no findings.\n")


def test_make_markers_says_what_to_do_when_nothing_runs(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(markers, "FOLDER", tmp_path)
    monkeypatch.delenv("TABLE_NAME", raising=False)

    code = markers.main(["audit"])

    assert (code, capfd.readouterr().err) == (
        2,
        (
            "The local cloud is not running: start it with `make run`, or name a table of your AWS account: "
            "make markers ARGS='audit --table NAME'\n"
        ),
    )
