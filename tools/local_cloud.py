"""Starts and stops ministack, the local cloud, on 127.0.0.1: for ``make run``, and for tests on ports of their own."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tools import processes
from tools.venvs import ENVIRONMENTS

if TYPE_CHECKING:
    from pathlib import Path

START_SECONDS = 60
STOP_SECONDS = 60
REGION = "us-east-1"


class CloudError(RuntimeError):
    """The local cloud cannot be started or stopped; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class LocalCloud:
    """One local cloud: its port, the folder of its state and log, and whether it enforces IAM (``auth``).

    With ``persist`` the state is saved on a clean stop and loaded by the next start.
    """

    port: int
    folder: Path
    auth: bool = False
    persist: bool = False

    @property
    def endpoint(self) -> str:
        """The base URL of every AWS service in it."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> Path:
        """Where its output goes."""
        return self.folder / "ministack.log"

    def environment(self) -> dict[str, str]:
        """The shell's environment, with AWS settings for this cloud alone."""
        return _drop_aws() | {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_DEFAULT_REGION": REGION,
        }

    def api_url(self, api_id: str, stage: str) -> str:
        """The base URL of a deployed REST API (by path, as not every resolver knows names under localhost)."""
        return f"{self.endpoint}/_aws/execute-api/{api_id}/{stage}"

    def is_running(self) -> bool:
        """Whether the process that was started from this folder is alive."""
        return self._read_pid() is not None

    def start(self) -> None:
        """Starts it in the background and waits until it answers. Does nothing when it runs already."""
        if self.is_running():
            return
        self.check_port()
        self._discard_scratch()  # of an instance that was killed
        for folder in (self.folder / "state", self._scratch):
            folder.mkdir(parents=True, exist_ok=True)
        with self.log.open("wb") as log:
            process = processes.start(
                [ENVIRONMENTS["ministack"].path / "bin/ministack"],
                log=log,
                environment=self._make_server_environment(),
                cwd=self.folder,
            )
        self._pid_file.write_text(json.dumps({"pid": process.pid, "port": self.port, "auth": self.auth}))
        self._wait_until_healthy(process)

    def check_port(self) -> None:
        """Raises CloudError when another program has the port."""
        if _is_in_use(self.port):
            raise CloudError(
                f"Port {self.port} is in use by another program. Stop that, or choose a free port: make run PORT=4577"
            )

    def stop(self) -> bool:
        """Stops it cleanly, so that its state is saved; False when it was not running."""
        pid = self._read_pid()
        if pid is None:
            self._pid_file.unlink(missing_ok=True)
            return False
        os.kill(pid, signal.SIGTERM)  # it saves its state on this signal; SIGKILL would lose it
        deadline = time.monotonic() + STOP_SECONDS
        while _is_ministack(pid):
            if time.monotonic() > deadline:
                processes.kill_group(pid)
                self._pid_file.unlink(missing_ok=True)
                raise CloudError(
                    f"The local cloud (process {pid}) did not stop within {STOP_SECONDS} s and was killed: what was "
                    f"stored since its start may be lost. Its log is {self.log}."
                )
            _reap(pid)
            time.sleep(0.05)
        processes.kill_group(pid)  # interpreters of functions that it left behind
        self._pid_file.unlink(missing_ok=True)
        self._discard_scratch()
        return True

    @property
    def _pid_file(self) -> Path:
        return self.folder / "ministack.json"

    @property
    def _scratch(self) -> Path:
        """Where each instance of a function gets a copy of its code (50 MB each), which nobody else deletes."""
        return self.folder / "tmp"

    def _discard_scratch(self) -> None:
        shutil.rmtree(self._scratch, ignore_errors=True)

    def _read_pid(self) -> int | None:
        try:
            pid = int(json.loads(self._pid_file.read_text())["pid"])
        except (OSError, ValueError, KeyError):
            return None
        return pid if _is_ministack(pid) else None

    def _make_server_environment(self) -> dict[str, str]:
        state = self.folder / "state"
        return _drop_aws() | {
            "BIND_HOST": "127.0.0.1",
            "GATEWAY_PORT": str(self.port),
            "IOT_MTLS_ENABLED": "0",  # an IoT endpoint that the service does not need
            "TMPDIR": str(self._scratch),
            "AUTH": "true" if self.auth else "false",
            "PERSIST_STATE": "1" if self.persist else "0",
            "STATE_DIR": str(state),
            "S3_PERSIST": "1" if self.persist else "0",
            "S3_DATA_DIR": str(state / "s3"),
        }

    def _wait_until_healthy(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if process.poll() is not None:
                raise CloudError(f"The local cloud ended at once; the reason is in {self.log}.")
            if _answers(f"{self.endpoint}/_ministack/health"):
                return
            time.sleep(0.1)
        self.stop()  # or it would come up later, and keep the port
        raise CloudError(f"The local cloud did not answer within {START_SECONDS} s; its log is {self.log}.")


def find_running(folder: Path) -> LocalCloud | None:
    """The local cloud that was started from that folder and still runs, on whatever port."""
    try:
        settings = json.loads((folder / "ministack.json").read_text())
        cloud = LocalCloud(int(settings["port"]), folder, auth=bool(settings["auth"]), persist=True)
    except (OSError, ValueError, KeyError):
        return None
    return cloud if cloud.is_running() else None


def find_free_port() -> int:
    """A port of 127.0.0.1 that nobody uses at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _drop_aws() -> dict[str, str]:
    """The environment without AWS settings: nothing must reach a developer's real account by accident."""
    return {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}


def _is_in_use(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _is_ministack(pid: int) -> bool:
    """Whether that process is alive and a local cloud: the pid in an old file may be another program's by now."""
    command = ["ps", "-o", "stat=,args=", "-p", str(pid)]
    shown = subprocess.run(command, capture_output=True, text=True, check=False, timeout=processes.PS_SECONDS)
    # A zombie has ended: its parent has not collected it yet.
    return "ministack" in shown.stdout and not shown.stdout.startswith("Z")


def _reap(pid: int) -> None:
    """Collects our own child, so that it does not stay as a zombie."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
