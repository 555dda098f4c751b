"""Children are stopped by the signal that is meant for them, or by SIGKILL, and leave nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tools import processes
from tools.venvs import ROOT

if TYPE_CHECKING:
    from pathlib import Path

# Says that it is ready, and by which signal it was stopped.
SERVER = """
import pathlib, signal, sys, time
def stop(number, frame):
    pathlib.Path("stopped").write_text(signal.Signals(number).name)
    sys.exit(7)
signal.signal(signal.SIGTERM, stop)
if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
    signal.signal(signal.SIGINT, stop)
pathlib.Path("ready").touch()
time.sleep(1000)
"""
# Has a child of its own, and is stopped by nothing but SIGKILL.
STUBBORN = """
import pathlib, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"], start_new_session=True)
pathlib.Path("child").write_text(str(child.pid))
pathlib.Path("ready").touch()
time.sleep(1000)
"""


def ready(folder: Path) -> None:
    deadline = time.monotonic() + 30
    while not (folder / "ready").exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT])
def test_a_server_runs_inside_the_block_and_is_stopped_by_its_signal(tmp_path: Path, by: signal.Signals) -> None:
    with processes.running([sys.executable, "-c", SERVER], log=tmp_path / "log", cwd=tmp_path, by=by) as process:
        ready(tmp_path)
        assert process.poll() is None

    assert process.returncode == 7
    assert (tmp_path / "stopped").read_text() == by.name


def test_a_server_that_does_not_stop_is_killed_with_its_children(tmp_path: Path) -> None:
    with processes.running(
        [sys.executable, "-c", STUBBORN], log=tmp_path / "log", cwd=tmp_path, seconds=0.2
    ) as process:
        ready(tmp_path)

    assert process.returncode == -signal.SIGKILL
    assert processes.wait_for([int((tmp_path / "child").read_text())], seconds=5)


def test_a_server_is_stopped_when_the_block_fails(tmp_path: Path) -> None:
    server = processes.running([sys.executable, "-c", SERVER], log=tmp_path / "log", cwd=tmp_path)
    process = server.__enter__()
    ready(tmp_path)

    server.__exit__(ZeroDivisionError, None, None)

    assert process.returncode == 7


def test_a_parent_that_ignores_interrupts_can_still_send_one(tmp_path: Path) -> None:
    parent = f"""
import pathlib, signal, sys, time
from tools import processes
assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
here = pathlib.Path.cwd()
with processes.running([sys.executable, "-c", {SERVER!r}], log=here / "log", by=signal.SIGINT, seconds=20) as process:
    while not (here / "ready").exists():
        time.sleep(0.02)
sys.exit(process.returncode)
"""
    command = ["sh", "-c", 'trap "" INT; exec "$0" -c "$1"', sys.executable, parent]

    done = subprocess.run(command, cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, check=False, timeout=60)

    assert done.returncode == 7
    assert (tmp_path / "stopped").read_text() == "SIGINT"


@pytest.mark.parametrize(
    ("shown", "seconds"), [("00:07", 7), ("59:59", 3599), ("01:00:01", 3601), ("2-00:00:03", 172803)]
)
def test_an_age_is_read_as_ps_writes_it(shown: str, seconds: int) -> None:
    assert processes._seconds(shown) == seconds


def test_only_what_is_young_is_found_when_that_is_asked_for() -> None:
    with subprocess.Popen(["sleep", "1000"]) as child:
        try:
            time.sleep(2.1)
            assert child.pid in processes.find_descendants(os.getpid())
            assert child.pid in processes.find_descendants(os.getpid(), younger_than=60)
            assert child.pid not in processes.find_descendants(os.getpid(), younger_than=0)
        finally:
            child.kill()
