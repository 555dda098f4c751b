"""What each ring needs, which rings some tests belong to, and that a ring ends."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tools import rings
from tools.processes import is_alive, wait_for
from tools.venvs import ENVIRONMENTS, ROOT

if TYPE_CHECKING:
    from pathlib import Path

ALONE = "tests/unit/tools/test_rings.py::test_the_unit_ring_needs_the_development_environment_alone"


def test_a_ring_is_a_folder_of_tests_with_limits_and_environments_that_there_are() -> None:
    assert all((ROOT / "tests" / name).is_dir() for name in rings.RINGS)
    for ring in rings.RINGS.values():
        assert set(ring.needs) <= set(ENVIRONMENTS)
        assert 0 < ring.test_seconds < ring.seconds


def test_the_unit_ring_needs_the_development_environment_alone() -> None:
    assert rings.RINGS["unit"].needs == ("dev",)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ([], []),
        (["-k", "unit or sam"], []),
        (["tests/unit/tools/test_rings.py"], ["unit"]),
        (["-x", "tests/unit/tools/test_rings.py::test_x[a/b]", "--lf"], ["unit"]),
        (["tests/sam", "tests/unit"], ["unit", "sam"]),
        (["tests"], list(rings.RINGS)),
        (["tests/nowhere"], []),
        (["docs"], []),
        ([str(ROOT / "tests/deployed/soak")], ["deployed"]),
    ],
)
def test_the_tests_that_are_named_lead_to_their_rings(arguments: list[str], found: list[str]) -> None:
    assert rings.find_rings(arguments) == found


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tools.rings", *arguments],
        cwd=ROOT,
        env=os.environ | {"REQUIRE_ALL_RINGS": ""},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_one_test_runs_alone_and_is_summed_up() -> None:
    done = run("", "--", ALONE, "-q")

    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "1 passed, 0 failed"), done.stdout


def test_an_unknown_ring_is_named_with_those_that_there_are() -> None:
    done = run("units")

    assert done.returncode == 2
    assert done.stderr == "There is no ring 'units': RING is one of unit, integration, template, sam, deployed.\n"


def test_every_ring_is_in_one_lane() -> None:
    assert [name for lane in rings.LANES for name in lane] == list(rings.RINGS)


def test_several_rings_are_named_in_one_argument() -> None:
    done = run("unit sams")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "There is no ring 'sams': RING is one of unit, integration, template, sam, deployed.\n"


@pytest.mark.parametrize(
    ("lane", "name", "outcome", "shown"),
    [
        ((), ALONE, rings.Outcome(passed=1), "\n1 passed, 0 failed\n"),
        ((), "tests/unit/tools/test_rings.py::test_nowhere", rings.Outcome(failed=1), "\n0 passed, 1 failed\n"),
        (("sams",), ALONE, rings.Outcome(failed=1), "\nThere is no ring 'sams'"),
    ],
    ids=["passes", "fails", "ends without a sum"],
)
def test_what_runs_beside_is_shown_and_summed_up(
    lane: tuple[str, ...],
    name: str,
    outcome: rings.Outcome,
    shown: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(rings, "LANES", ((), lane))
    monkeypatch.setattr(rings, "BESIDE_LOG", tmp_path / "beside.log")
    monkeypatch.setattr(rings, "_compile", lambda *_: None)  # it would wait for a build of the ring beside this one

    assert rings.run_all([name, "-p", "no:cacheprovider"]) == outcome
    assert shown in capfd.readouterr().out


def test_a_run_that_takes_too_long_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    sleeping = "import os, pathlib, time; pathlib.Path('pids', str(os.getpid())).touch(); time.sleep(1000)"
    stubborn = (
        "import signal, subprocess, sys; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        f"subprocess.run([sys.executable, '-c', {sleeping!r}])"
    )
    (tmp_path / "pids").mkdir()
    process = subprocess.Popen([sys.executable, "-c", stubborn], cwd=tmp_path)
    deadline = time.monotonic() + 30
    while not list((tmp_path / "pids").iterdir()) and time.monotonic() < deadline:
        time.sleep(0.05)

    code = rings._wait(process, seconds=0.1, end_seconds=0.1)

    started = [int(path.name) for path in (tmp_path / "pids").iterdir()]
    assert code == 1
    assert len(started) == 1
    assert wait_for([process.pid, *started], seconds=5)


def test_a_run_that_ends_by_itself_gives_its_exit_code() -> None:
    process = subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"])

    assert rings._wait(process, seconds=30) == 3
    assert not is_alive(process.pid)
