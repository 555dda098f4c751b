"""The API reference is made from the docstrings, and every public name has one that says what it is."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import expr_builder

ROOT = Path(__file__).parents[3]
NAMES = [name for name in expr_builder.__all__ if name != "__version__"]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("reference")
    made = subprocess.run(
        [sys.executable, "-W", "error", "-m", "pdoc", "-d", "google", "-o", folder, "expr_builder"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Warn" not in made.stderr
    return (folder / "expr_builder.html").read_text(encoding="utf-8")


def test_the_reference_has_every_public_name(page: str) -> None:
    assert [name for name in NAMES if f'id="{name}"' not in page] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_and_its_public_methods_say_what_they_do(name: str) -> None:
    documented = getattr(expr_builder, name)
    assert inspect.getdoc(documented)
    if inspect.isclass(documented):
        methods = [
            member
            for member, value in vars(documented).items()
            if not member.startswith("_") and (callable(value) or isinstance(value, property))
        ]
        assert [member for member in methods if not inspect.getdoc(getattr(documented, member))] == []
