"""The local cloud's start and stop, as far as they need no engine."""

from __future__ import annotations

import json
import os
import socket
from typing import TYPE_CHECKING

import pytest

from tools.local_cloud import CloudError, LocalCloud, find_free_port, find_running

if TYPE_CHECKING:
    from pathlib import Path


def test_a_port_that_another_program_has_is_named_with_the_way_out(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]

        with pytest.raises(CloudError, match=rf"^Port {port} is in use by another program.* make run PORT=\d+$"):
            LocalCloud(port, tmp_path).start()


def test_nothing_runs_in_a_fresh_folder(tmp_path: Path) -> None:
    assert find_running(tmp_path) is None
    assert LocalCloud(find_free_port(), tmp_path).stop() is False


def test_a_stale_record_of_somebody_elses_process_is_not_believed(tmp_path: Path) -> None:
    record = tmp_path / "ministack.json"
    record.write_text(json.dumps({"pid": os.getppid(), "port": find_free_port(), "auth": False}))

    assert find_running(tmp_path) is None
    assert LocalCloud(find_free_port(), tmp_path).stop() is False
    assert not record.exists()


def test_the_shells_aws_settings_never_reach_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "production")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "real")
    cloud = LocalCloud(4599, tmp_path)

    aws = {name: value for name, value in cloud.environment().items() if name.startswith("AWS_")}

    assert aws == {
        "AWS_ENDPOINT_URL": "http://127.0.0.1:4599",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
