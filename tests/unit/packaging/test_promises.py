"""The page of promises names tests that there are."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_every_promise_names_a_test_that_exists() -> None:
    rows = [line for line in (ROOT / "docs/promises.md").read_text("utf-8").splitlines() if "`tests/" in line]
    assert len(rows) > 10
    for row in rows:
        path = ""
        for reference in re.findall(r"`((?:tests/[\w/]+\.py)?::\w+)`", row):
            file, _, name = reference.partition("::")
            path = file or path
            tree = ast.parse((ROOT / path).read_text("utf-8"))
            assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, reference
        assert path, row
