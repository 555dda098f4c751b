"""``make test``: the test rings, from the fastest to the most real, and one line that sums them up.

With ``REQUIRE_ALL_RINGS=1`` (as .ci/run sets it) a ring or a test that is skipped counts as failed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tools import docker, venvs
from tools.venvs import LOCAL, ROOT

if TYPE_CHECKING:
    from pathlib import Path

RINGS = ("unit", "integration", "template", "sam", "deployed")
LIBRARY_TESTS = "tests/unit/expr_builder"
OLDER_PYTHONS = ("py311", "py312")


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


def run(rings: list[str], pytest_arguments: list[str]) -> Outcome:
    """Runs the rings in order, all of them even when one fails."""
    total = Outcome()
    for ring in rings:
        if ring == "sam" and not docker.is_available():
            total += _without_docker()
            continue
        total += _pytest(f"ring {ring}", venvs.ENVIRONMENTS["dev"].interpreter, f"tests/{ring}", pytest_arguments)
        if ring == "unit":
            total += _library_on_older_pythons(pytest_arguments)
    return total


def strict() -> bool:
    """Whether every ring must run."""
    return os.environ.get("REQUIRE_ALL_RINGS", "") not in {"", "0"}


def _without_docker() -> Outcome:
    print(f"\n== ring sam: {'failed' if strict() else 'skipped'}. {docker.HOW_TO_GET}", flush=True)
    return Outcome(failed=1) if strict() else Outcome(skipped=1)


def _library_on_older_pythons(pytest_arguments: list[str]) -> Outcome:
    total = Outcome()
    for name in OLDER_PYTHONS:
        version = venvs.ENVIRONMENTS[name].python
        interpreter = venvs.ensure(name)
        if interpreter is None:
            print(f"\n== library on Python {version}: this machine has no Python {version}.", flush=True)
            continue
        total += _pytest(f"library on Python {version}", interpreter, LIBRARY_TESTS, pytest_arguments)
    return total


def _pytest(title: str, interpreter: Path, tests: str, arguments: list[str]) -> Outcome:
    print(f"\n== {title}", flush=True)
    report = LOCAL / "reports" / f"{title.replace(' ', '-')}.xml"
    report.parent.mkdir(parents=True, exist_ok=True)
    report.unlink(missing_ok=True)
    started = time.monotonic()
    done = subprocess.run(
        [interpreter, "-m", "pytest", tests, f"--junitxml={report}", "-q", *arguments], cwd=ROOT, check=False
    )
    outcome = _read(report)
    if done.returncode != 0 and outcome.failed == 0:  # no test ran, or pytest itself failed
        outcome += Outcome(failed=1)
    print(f"== {title}: {outcome} in {time.monotonic() - started:.0f} s", flush=True)
    return outcome


def _read(report: Path) -> Outcome:
    if not report.exists():
        return Outcome()
    # pytest wrote that file a moment ago
    counts = ET.parse(report).getroot().find("testsuite")
    if counts is None:
        return Outcome()
    tests, failed, errors, skipped = (int(counts.get(name, 0)) for name in ("tests", "failures", "errors", "skipped"))
    return Outcome(tests - failed - errors - skipped, failed + errors, skipped)


def main() -> int:
    """Runs one ring or all, and ends with the sum."""
    parser = argparse.ArgumentParser(prog="make test", description="Run the test rings.")
    parser.add_argument("ring", nargs="?", default="", help=f"one of {', '.join(RINGS)} (all when not given)")
    parser.add_argument("pytest", nargs="*", help="further arguments for pytest")
    arguments = parser.parse_args()
    if arguments.ring and arguments.ring not in RINGS:
        print(f"There is no ring {arguments.ring!r}: RING is one of {', '.join(RINGS)}.", file=sys.stderr)
        return 2
    total = run([arguments.ring] if arguments.ring else list(RINGS), arguments.pytest)
    print(f"\n{total}")
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
