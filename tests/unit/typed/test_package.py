"""The package's face: what it needs, what it exports, what its errors are."""

from __future__ import annotations

import importlib
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import expr_builder
from expr_builder import typed
from expr_builder.typed import (
    BatchIncomplete,
    ConditionFailed,
    FieldProblem,
    InvalidQuery,
    ItemTooLarge,
    ValidationFailed,
)

ROOT = Path(__file__).parents[3]


def run(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=ROOT)
    return done.stdout + done.stderr


def test_every_public_name_is_there_once_and_sorted() -> None:
    assert sorted(typed.__all__) == typed.__all__
    assert all(getattr(typed, name) is not None for name in typed.__all__)


def test_it_loads_pydantic_and_neither_boto3_nor_botocore() -> None:
    loaded = set(json.loads(run("import sys, json, expr_builder.typed; print(json.dumps(list(sys.modules)))")))
    assert "pydantic" in loaded
    assert not loaded & {"boto3", "botocore", "aws_lambda_powertools"}


def test_the_rest_of_the_library_does_not_load_it() -> None:
    program = (
        "import sys, expr_builder; [getattr(expr_builder, name) for name in expr_builder.__all__];"
        "print('expr_builder.typed' in sys.modules)"
    )
    assert run(program) == "False\n"


def without(module: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What a fresh import says where this module is missing."""
    for name in [name for name in sys.modules if name.startswith("expr_builder.typed")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ModuleNotFoundError) as caught:
        importlib.import_module("expr_builder.typed")
    return str(caught.value)


def test_without_pydantic_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    said = without("pydantic", monkeypatch)
    assert said == 'expr_builder.typed needs pydantic: install "expr-builder[typed]"'


def test_another_module_that_is_missing_is_not_mistaken_for_pydantic(monkeypatch: pytest.MonkeyPatch) -> None:
    assert without("expr_builder.requests.batches", monkeypatch).startswith(
        "import of expr_builder.requests.batches halted"
    )


def test_what_is_never_sent_is_a_build_error() -> None:
    assert issubclass(InvalidQuery, expr_builder.BuildError)
    assert issubclass(ItemTooLarge, expr_builder.BuildError)
    assert issubclass(ValidationFailed, ValueError)
    assert BatchIncomplete is expr_builder.BatchIncomplete


@pytest.mark.parametrize(
    "error",
    [
        ConditionFailed("t", {"a": 1}),
        ConditionFailed("t", None),
        InvalidQuery("m", rule="r", place="p", fix="f"),
        ValidationFailed("Model", [FieldProblem("a", "missing", "Field required")]),
        ItemTooLarge("m", place="p", fix="f", size=5, limit=4, largest=[("a", 3)]),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_survive_pickling(error: Exception) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy)) == (type(error), str(error))
    assert [vars(copy).get(name) for name in ("item", "size", "limit", "largest")] == [
        vars(error).get(name) for name in ("item", "size", "limit", "largest")
    ]
