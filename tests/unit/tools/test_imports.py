"""What tools import: they work where no tests are."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from tools.venvs import ROOT

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("path", sorted((ROOT / "tools").rglob("*.py")), ids=lambda path: path.stem)
def test_tools_never_import_tests(path: Path) -> None:
    imported = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add("." * node.level + (node.module or ""))
    assert {name for name in imported if name.partition(".")[0] == "tests"} == set()
