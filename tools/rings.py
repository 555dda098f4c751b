"""``make test`` and ``make coverage``: the test rings, from the fastest to the most realistic.

All of them run in two lanes side by side: what keeps a processor busy, and what often waits for builds and containers.
With ``REQUIRE_ALL_RINGS=1`` (as .ci/run sets it) a ring or a test that is skipped counts as failed.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from tools import docker, processes, venvs
from tools.venvs import LOCAL, ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

MINUTE = 60


@dataclass(frozen=True, slots=True)
class Ring:
    """What the tests of a folder need, and how long they may take.

    Attributes:
        needs: The environments (tools/venvs.py) that are made before its tests run.
        test_seconds: The limit for one test, fixtures included; a test may have a mark ``timeout`` of its own.
        seconds: The limit for the whole ring.
    """

    needs: tuple[str, ...]
    test_seconds: int
    seconds: int


RINGS = {
    "unit": Ring(("dev",), 2 * MINUTE, 20 * MINUTE),
    "integration": Ring(("dev", "ministack", "awscli"), 3 * MINUTE, 30 * MINUTE),
    # The first test that asks for it waits for `sam build`, and on the deployed ring for two deployments.
    "template": Ring(("dev", "sam"), 10 * MINUTE, 30 * MINUTE),
    "sam": Ring(("dev", "sam", "ministack"), 10 * MINUTE, 45 * MINUTE),
    "deployed": Ring(("dev", "sam", "ministack", "microburst", "schemathesis"), 10 * MINUTE, 45 * MINUTE),
}
# About equally long. No ring uses a port, a container or a folder of another's.
LANES = ("unit", "integration"), ("template", "sam", "deployed")
LIBRARY = "expr_builder"
LIBRARY_TESTS = "tests/unit/expr_builder"
OLDER_PYTHONS = ("py311", "py312")
COVERED = ("unit", "integration")
COVERAGE_FILE = LOCAL / "coverage"
BESIDE_LOG = LOCAL / "reports/beside.log"

# Ctrl-C reaches pytest too, which then stops its servers: that takes a while.
END_SECONDS = MINUTE


@dataclass(frozen=True, slots=True)
class Outcome:
    """How many tests of a run passed, failed and were skipped."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: Outcome) -> Outcome:
        return Outcome(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def __str__(self) -> str:
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.passed} passed, {self.failed} failed{skipped}"


def run_all(pytest_arguments: Sequence[str]) -> Outcome:
    """Runs all rings: the first lane here, shown as it goes, and the second in a process whose output follows."""
    here, beside = LANES
    names = ", ".join(beside)
    print(f"\n== rings {names}: run beside the others, shown at the end (meanwhile in {BESIDE_LOG})", flush=True)
    _compile(venvs.ENVIRONMENTS["dev"].interpreter, LIBRARY, "layers/accounts/accounts", "functions")
    BESIDE_LOG.parent.mkdir(parents=True, exist_ok=True)
    with BESIDE_LOG.open("wb") as output:
        command = [sys.executable, "-m", "tools.rings", " ".join(beside), "--", *pytest_arguments]
        process = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT)
    try:
        total = run(here, pytest_arguments)
        code = _wait(process, sum(ring.seconds for ring in RINGS.values()))  # each ring has its own limit there
    finally:
        processes.stop(process, seconds=2 * END_SECONDS)  # it stops its own pytest first
        said = BESIDE_LOG.read_text(encoding="utf-8", errors="replace").rstrip()
        print(f"\n{said}", flush=True)
    outcome = _read_sum(said)
    if code != 0 and outcome.failed == 0:  # it ended before it had a sum
        outcome += Outcome(failed=1)
    return total + outcome


def run(rings: Iterable[str], pytest_arguments: Sequence[str]) -> Outcome:
    """Runs the rings in order, all of them even when one fails."""
    total = Outcome()
    for name in rings:
        if name == "sam" and not docker.is_available():
            total += _report_missing_docker()
            continue
        _prepare([name])
        total += _pytest(f"ring {name}", [f"tests/{name}", *pytest_arguments], seconds=RINGS[name].seconds)
        if name == "unit":
            total += _run_on_older_pythons(pytest_arguments)
    return total


def run_chosen(pytest_arguments: Sequence[str]) -> Outcome:
    """Runs the tests that the arguments name, with what their rings need."""
    rings = find_rings(pytest_arguments)
    _prepare(rings)
    return _pytest("chosen tests", pytest_arguments, seconds=sum(RINGS[name].seconds for name in rings))


def find_rings(pytest_arguments: Iterable[str]) -> list[str]:
    """The rings of the files, folders and tests that pytest's arguments name; none when they name none."""
    tests = ROOT / "tests"
    places = [(ROOT / argument.partition("::")[0]).resolve() for argument in pytest_arguments if argument[:1] != "-"]
    places = [place for place in places if place.exists() and place.is_relative_to(tests)]
    return [
        name
        for name in RINGS
        if any(place.is_relative_to(tests / name) or (tests / name).is_relative_to(place) for place in places)
    ]


def cover(rings: Iterable[str], pytest_arguments: Sequence[str]) -> Outcome:
    """Runs the rings and reports the lines and branches of library and accounts domain that they did not reach."""
    COVERAGE_FILE.unlink(missing_ok=True)
    total = Outcome()
    for name in rings:
        _prepare([name])
        arguments = [f"tests/{name}", *pytest_arguments]
        # Measuring slows tests down, hence twice the time.
        total += _pytest(f"coverage {name}", arguments, seconds=2 * RINGS[name].seconds, covered=True)
    report: list[str | Path] = [venvs.ENVIRONMENTS["dev"].interpreter, "-m", "coverage", "report"]
    subprocess.run(report, cwd=ROOT, env=_wrap_in_coverage(), check=False, timeout=10 * MINUTE)
    return total


def strict() -> bool:
    """Whether every ring must run."""
    return os.environ.get("REQUIRE_ALL_RINGS", "") not in {"", "0"}


def _prepare(rings: Iterable[str]) -> None:
    for environment in dict.fromkeys(need for name in rings for need in RINGS[name].needs):
        if environment != "dev":  # this runs in it, so it cannot be made again now
            venvs.ensure(environment)


def _wrap_in_coverage() -> dict[str, str]:
    """The shell's environment; coverage finds both packages before a test has imported them."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "layers/accounts")])
    return dict(os.environ) | {"COVERAGE_FILE": str(COVERAGE_FILE), "PYTHONPATH": path}


def _report_missing_docker() -> Outcome:
    print(f"\n== ring sam: {'failed' if strict() else 'skipped'}. {docker.HOW_TO_GET}", flush=True)
    return Outcome(failed=1) if strict() else Outcome(skipped=1)


def _run_on_older_pythons(pytest_arguments: Sequence[str]) -> Outcome:
    total = Outcome()
    for name in OLDER_PYTHONS:
        version = venvs.ENVIRONMENTS[name].python
        interpreter = venvs.ensure(name)
        if interpreter is None:
            print(f"\n== library on Python {version}: this machine has no Python {version}.", flush=True)
            continue
        _compile(interpreter, LIBRARY)
        title, seconds = f"library on Python {version}", RINGS["unit"].seconds
        total += _pytest(title, [LIBRARY_TESTS, *pytest_arguments], seconds=seconds, interpreter=interpreter)
    return total


def _compile(interpreter: Path, *folders: str) -> None:
    """Writes the byte code that the tests would write, while nothing is built.

    `sam build` copies these folders, and fails when a file that it has listed is renamed before it is copied.
    """
    command: list[str | Path] = [interpreter, "-m", "compileall", "-q", *folders]
    with venvs.locked("build"):
        subprocess.run(command, cwd=ROOT, check=False, timeout=MINUTE)


def _pytest(
    title: str, arguments: Sequence[str], *, seconds: float, interpreter: Path | None = None, covered: bool = False
) -> Outcome:
    print(f"\n== {title}", flush=True)
    report = LOCAL / "reports" / f"{title.replace(' ', '-')}.xml"
    report.parent.mkdir(parents=True, exist_ok=True)
    report.unlink(missing_ok=True)  # a run that dies must not be judged by the last one's figures
    started = time.monotonic()
    program = ["-m", "coverage", "run", "--append", "-m", "pytest"] if covered else ["-m", "pytest"]
    code = _wait(
        subprocess.Popen(
            [
                interpreter or venvs.ENVIRONMENTS["dev"].interpreter,
                *program,
                *(f"--junitxml={report}", "-q", *arguments),
            ],
            cwd=ROOT,
            env=_wrap_in_coverage() if covered else None,
        ),
        seconds,
    )
    outcome = _read(report)
    if code != 0 and outcome.failed == 0:  # no test ran, or pytest itself failed
        outcome += Outcome(failed=1)
    print(f"== {title}: {outcome} in {time.monotonic() - started:.0f} s", flush=True)
    return outcome


def _wait(process: subprocess.Popen[bytes], seconds: float, end_seconds: float = END_SECONDS) -> int:
    """Waits and returns the exit code; nothing of the process is left, however the wait ends."""
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        print(f"\nNot done within {seconds:.0f} s: ended.", flush=True)
        return 1
    except KeyboardInterrupt:
        with suppress(subprocess.TimeoutExpired):
            process.wait(end_seconds)
        raise
    finally:
        processes.stop(process, seconds=end_seconds)


def _read_sum(output: str) -> Outcome:
    """The sum that main() has written as the last line, if it came to that."""
    last = output.rpartition("\n")[2]
    if not re.fullmatch(r"\d+ passed, \d+ failed(, \d+ skipped)?", last):
        return Outcome()
    return Outcome(*map(int, re.findall(r"\d+", last)))


def _read(report: Path) -> Outcome:
    if not report.exists():
        return Outcome()
    # Safe to parse: pytest wrote that file a moment ago.
    counts = ET.parse(report).getroot().find("testsuite")
    if counts is None:
        return Outcome()
    tests, failed, errors, skipped = (int(counts.get(name, 0)) for name in ("tests", "failures", "errors", "skipped"))
    return Outcome(tests - failed - errors - skipped, failed + errors, skipped)


def main() -> int:
    """Runs one ring, some tests or all rings, and ends with the sum."""
    parser = argparse.ArgumentParser(prog="make test", description="Run the test rings.")
    parser.add_argument("ring", nargs="?", default="", help=f"of {', '.join(RINGS)}, one or several")
    parser.add_argument("pytest", nargs="*", help="further arguments for pytest; files and tests that are run alone")
    parser.add_argument("--coverage", action="store_true", help="report what the tests leave out")
    arguments = parser.parse_args()
    chosen = arguments.ring.split()
    for name in chosen:
        if name not in RINGS:
            print(f"There is no ring {name!r}: RING is one of {', '.join(RINGS)}.", file=sys.stderr)
            return 2
    signal.signal(signal.SIGTERM, _end)
    try:
        if arguments.coverage:
            total = cover(chosen or COVERED, arguments.pytest)
        elif not chosen and find_rings(arguments.pytest):
            total = run_chosen(arguments.pytest)
        elif chosen:
            total = run(chosen, arguments.pytest)
        else:
            total = run_all(arguments.pytest)
    except venvs.VenvError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted.", file=sys.stderr)
        return 130
    print(f"\n{total}")
    return 1 if total.failed else 0


def _end(*_: object) -> NoReturn:
    sys.exit(128 + signal.SIGTERM)  # an exception, so that _wait still stops pytest


if __name__ == "__main__":
    sys.exit(main())
