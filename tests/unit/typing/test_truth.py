"""``and`` and ``or`` between conditions, which mypy sees where it is asked to warn of unreachable code.

It takes the truth of a comparison that stands in place for known, so that of ``Attr("a") == 1 and …`` and
``1 < Attr("a") < 5`` no checker says anything: there it is the TypeError at run time that helps.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
START = """
from expr_builder import Attr, Condition, Table

one: Condition = Attr("a") == 1
other: Condition = Attr("b") == 2
attribute = Attr("n")
"""
WRONG = {
    "table_and": 'Table("t", "PK").scan().filter(one and other)',
    "table_or": 'Table("t", "PK").scan().filter(one or other)',
    "called": "attribute.exists() and one",
    "assigned_and": "joined = one and other",
    "assigned_or": "joined = one or other",
}
RIGHT = {
    "joined": 'Table("t", "PK").scan().filter((one & other) | ~one)',
    "between": "attribute.between(1, 5)",
}


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What mypy says of each snippet, by its name."""
    folder = tmp_path_factory.mktemp("truth")
    for name, line in {**WRONG, **RIGHT}.items():
        (folder / f"{name}.py").write_text(f"{START}{line}\n")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--warn-unreachable", "--cache-dir", str(folder / "cache"), folder],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    said = dict.fromkeys([*WRONG, *RIGHT], "")
    for name, words in re.findall(r"(\w+)\.py:\d+: error: (.*)", done.stdout):
        if name in said:  # of the library it says that some code is unreachable, which is for the snippets to say
            said[name] += words
    return said


@pytest.mark.parametrize("name", WRONG)
def test_a_side_that_python_would_drop_is_reported(reported: dict[str, str], name: str) -> None:
    assert "is never evaluated  [unreachable]" in reported[name]


@pytest.mark.parametrize("name", RIGHT)
def test_what_joins_conditions_is_not(reported: dict[str, str], name: str) -> None:
    assert reported[name] == ""
