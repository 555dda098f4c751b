"""Types are tested as features: every file of ``tests/typing`` passes mypy and pyright.

The files are read by type checkers alone. Where something must be refused stands a ``type: ignore``, and both checkers
report one that nothing needs.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
CASES = ROOT / "tests" / "typing"


@pytest.mark.parametrize(
    "checker",
    [
        ["mypy", str(CASES)],
        ["pyright", "--pythonpath", sys.executable, "--project", str(CASES)],
    ],
    ids=lambda command: command[0],
)
def test_a_type_checker_finds_what_it_must_and_nothing_else(checker: list[str]) -> None:
    done = subprocess.run([sys.executable, "-m", *checker], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
