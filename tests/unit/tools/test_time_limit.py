"""A test that hangs is ended at its limit, with all that it started, and the tests after it run."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from tools.processes import is_alive, wait_for
from tools.venvs import ROOT

if TYPE_CHECKING:
    from pathlib import Path

CONFTEST = """
from tests.support import time_limit

pytest_plugins = ["tests.support.time_limit"]
time_limit.AGAIN_SECONDS = 3  # on a busy machine pytest needs more than one to write its report
time_limit.EXIT_SECONDS = 1
"""
LIMIT = 3
# Each is the body of a test that does not end by itself.
HANGING = {
    "sleeps": "time.sleep(1000)",
    "handles every exception": """
    try:
        time.sleep(1000)
    except Exception:
        time.sleep(1000)
    """,
    "tries its examples": """
    from hypothesis import given, settings, strategies

    @settings(deadline=None, database=None)
    @given(strategies.integers())
    def check(number):
        time.sleep(1000)

    check()
    """,
    "waits for a child that ignores signals": """
    with subprocess.Popen([*PYTHON, START + "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(1000)"]):
        time.sleep(1000)
    """,
    "waits for a child's output": """
    subprocess.run([*PYTHON, START + "time.sleep(1000)"], capture_output=True)
    """,
    "leaves a server in a session of its own": """
    subprocess.Popen([*PYTHON, START + "time.sleep(1000)"], start_new_session=True)
    time.sleep(1000)
    """,
    "leaves a child's child": """
    program = f"import subprocess; subprocess.run({[*PYTHON, START + 'time.sleep(1000)']!r})"
    subprocess.run([*PYTHON, program])
    """,
    "waits for its threads": """
    with ThreadPoolExecutor(1) as pool:
        pool.submit(threading.Event().wait)
    """,
    "waits while it cleans up": """
    try:
        time.sleep(1000)
    finally:
        threading.Event().wait()
    """,
}
MODULE = """
import os, signal, subprocess, sys, threading, time
from concurrent.futures import ThreadPoolExecutor

PYTHON = [sys.executable, "-c"]
START = "import os, pathlib, signal, time; pathlib.Path('pids', str(os.getpid())).touch(); "

def test_that_hangs():
    {body}

def test_after_it():
    pass
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments, folder],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


Ended = tuple[subprocess.CompletedProcess[str], list[int]]


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ended]:
    """How the run of each test that hangs ended, and what it had started. Side by side, as each takes seconds."""

    def hang(name: str) -> Ended:
        folder = folders[name]
        (folder / "pids").mkdir()
        (folder / "conftest.py").write_text(CONFTEST)
        (folder / "test_hanging.py").write_text(MODULE.format(body=HANGING[name]))
        done = run(folder, f"--timeout={LIMIT}")
        return done, [int(path.name) for path in (folder / "pids").iterdir()]

    folders = {name: tmp_path_factory.mktemp("hanging") for name in HANGING}
    with ThreadPoolExecutor() as pool:
        return dict(zip(HANGING, pool.map(hang, HANGING), strict=True))


@pytest.mark.parametrize("name", HANGING)
def test_a_test_that_hangs_is_ended_with_what_it_started_and_the_next_one_runs(
    name: str, ended: dict[str, Ended]
) -> None:
    done, started = ended[name]

    assert f"The test took longer than its limit of {LIMIT} s." in done.stdout
    assert "1 failed, 1 passed" in done.stdout
    assert done.returncode == 1
    assert bool(started) == ("START" in HANGING[name])
    assert wait_for(started, seconds=10), "a process that the test started still runs"


def test_a_fixture_that_does_not_come_to_its_end_is_ended_too(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_hanging.py").write_text(
        """
import subprocess, pytest

@pytest.fixture
def server():
    with subprocess.Popen(["sleep", "1000"]) as process:
        yield process

def test_with_a_server(server):
    pass

def test_after_it():
    pass
"""
    )

    done = run(tmp_path, "--timeout=2")

    assert done.stdout.splitlines()[-1].startswith("2 passed, ")
    assert "1 error" in done.stdout.splitlines()[-1]


def test_a_test_that_cannot_be_ended_ends_the_run(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST + "time_limit.AGAIN_SECONDS, time_limit.STRIKES = 0.2, 3\n")
    (tmp_path / "test_hanging.py").write_text(
        """
import time

def test_stubborn():
    while True:
        try:
            time.sleep(1000)
        except BaseException:
            pass
"""
    )

    done = run(tmp_path, "--timeout=1")

    assert "test_stubborn cannot be ended: the whole run is." in done.stdout
    assert done.returncode == 1


def test_a_mark_on_a_test_gives_it_another_limit(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_hanging.py").write_text(
        "import time, pytest\n\n@pytest.mark.timeout(1)\ndef test_marked():\n    time.sleep(1000)\n"
    )

    assert "longer than its limit of 1 s" in run(tmp_path).stdout


def test_every_test_of_this_project_has_a_limit(request: pytest.FixtureRequest) -> None:
    marker = request.node.get_closest_marker("timeout")

    assert marker is not None or request.config.getoption("timeout") is not None
    assert float(request.config.getini("timeout")) > 0


def test_a_run_that_is_told_to_end_stops_its_servers(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_serving.py").write_text(
        """
import pathlib, time, pytest
from tools import processes

@pytest.fixture(scope="session")
def server():
    with processes.running(["sleep", "1000"], log=pathlib.Path("log")) as process:
        pathlib.Path("pid.new").write_text(str(process.pid))
        pathlib.Path("pid.new").rename("pid")
        yield

def test_with_a_server(server):
    time.sleep(1000)
"""
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    with subprocess.Popen(command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}) as run:
        try:
            deadline = time.monotonic() + 30
            while not (tmp_path / "pid").exists():
                assert time.monotonic() < deadline
                time.sleep(0.05)
            server = int((tmp_path / "pid").read_text())
            assert is_alive(server)

            run.terminate()

            assert run.wait(30) == 143
        finally:
            run.kill()
    assert wait_for([server], seconds=5)
