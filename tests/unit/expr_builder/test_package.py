"""The package's face: complete, lazy, and free of dependencies."""

from __future__ import annotations

import ast
import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

import expr_builder
from tools import architecture

PACKAGE = Path(expr_builder.__file__).parent
ROOT = Path(__file__).parents[3]


def run(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT).stdout


def test_every_public_name_is_there_once_and_sorted() -> None:
    assert sorted(expr_builder.__all__) == expr_builder.__all__
    assert len(set(expr_builder.__all__)) == len(expr_builder.__all__)
    for name in expr_builder.__all__:
        assert getattr(expr_builder, name) is not None
    assert dir(expr_builder) == expr_builder.__all__


def test_the_names_for_the_type_checker_are_the_names_at_run_time() -> None:
    tree = ast.parse((PACKAGE / "__init__.py").read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    declared = {
        alias.name
        for node in block.body
        if isinstance(node, ast.ImportFrom) and node.level == 1
        for alias in node.names
    }
    assert declared == set(expr_builder.__all__) - {"__version__"}


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Atr'"):
        expr_builder.Atr  # noqa: B018


def test_importing_everything_loads_neither_boto3_nor_pydantic_nor_anything_installed() -> None:
    loaded = json.loads(
        run(
            "import sys, json; import expr_builder; [getattr(expr_builder, n) for n in expr_builder.__all__];"
            "print(json.dumps(sorted(sys.modules)))"
        )
    )
    roots = {name.partition(".")[0] for name in loaded}
    assert not roots & {"boto3", "botocore", "pydantic", "aws_lambda_powertools"}
    foreign = roots - set(sys.stdlib_module_names) - {"expr_builder", "__main__", "__mp_main__"}
    assert not {name for name in foreign if not name.startswith(("_", "sitecustomize", "usercustomize"))}


def test_importing_the_package_loads_no_module_of_it() -> None:
    loaded = run("import sys, expr_builder; print([n for n in sys.modules if n.startswith('expr_builder.')])")
    assert loaded == "[]\n"


def test_what_a_cold_start_needs_is_light() -> None:
    heavy = run(
        "import sys; before = set(sys.modules); from expr_builder import Attr, Table, TransactWrite, Unique;"
        "Table('t', 'PK').put({'PK': 'x', 'n': 1}).if_not_exists().to_request();"
        "print(sorted({'dataclasses', 'decimal', 'enum', 'inspect', 'json', 'random', 're', 'typing'}"
        " & (set(sys.modules) - before)))"
    )
    assert heavy == "[]\n"


def test_modules_import_only_downwards_and_in_no_circle() -> None:
    tree = architecture.read(PACKAGE)

    assert [str(one) for one in architecture.find_upward(tree)] == []
    assert architecture.find_circles(tree) == []


@pytest.mark.parametrize("module", sorted(expr_builder._HOMES))
def test_what_is_public_is_defined_in_the_module_that_it_is_loaded_from(module: str) -> None:
    for name in expr_builder._HOMES[module]:
        home = getattr(importlib.import_module(f"expr_builder.{module}"), name).__module__
        assert home == f"expr_builder.{module}" or module == "linting"
