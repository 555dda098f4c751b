"""The package's face: what it needs, what it exports, what its errors are."""

from __future__ import annotations

import copy
import importlib
import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import expr_builder
from expr_builder import typed
from expr_builder.typed import (
    BatchIncomplete,
    ConditionFailed,
    FieldProblem,
    InvalidQuery,
    ItemTooLarge,
    RawItem,
    TypedTable,
    ValidationFailed,
)
from tests.support.orders import Account

if TYPE_CHECKING:
    from collections.abc import Callable

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


def test_every_error_stands_in_the_one_tree() -> None:
    assert issubclass(InvalidQuery, expr_builder.BuildError)
    assert issubclass(ItemTooLarge, expr_builder.BuildError)
    assert issubclass(ValidationFailed, expr_builder.ExprBuilderError)
    assert issubclass(ValidationFailed, ValueError)
    assert ConditionFailed is expr_builder.ConditionFailed
    assert BatchIncomplete is expr_builder.BatchIncomplete


SECRET = "hunter2"
PROBLEM = FieldProblem("a", "missing", "Field required")
ERRORS: list[tuple[Exception, dict[str, object]]] = [
    (
        ConditionFailed("t", RawItem({"a": SECRET}, [PROBLEM]), explain=lambda: "why", retried=True),
        {"table": "t", "item": {"a": SECRET}, "retried": True},
    ),
    (ConditionFailed("t", Account(account_id="1", email=SECRET)), {"item": Account(account_id="1", email=SECRET)}),
    (ConditionFailed("t", None), {"table": "t", "item": None, "retried": False}),
    (InvalidQuery("m", rule="r", place="p", fix="f"), {"message": "m", "rule": "r", "place": "p", "fix": "f"}),
    (ValidationFailed("Model", [PROBLEM]), {"model": "Model", "problems": [PROBLEM]}),
    (
        ItemTooLarge("m", place="p", fix="f", size=5, limit=4, largest=[("a", 3)]),
        {"rule": "item-size", "size": 5, "limit": 4, "largest": [("a", 3)]},
    ),
    (BatchIncomplete([{"a": SECRET}], attempts=3), {"left": [{"a": SECRET}], "attempts": 3}),
]


def test_every_public_error_is_among_those_that_travel() -> None:
    public = {getattr(typed, name) for name in typed.__all__}
    assert {kind for kind in public if isinstance(kind, type) and issubclass(kind, Exception)} == {
        type(error) for error, _ in ERRORS
    }


@pytest.mark.parametrize(
    "travel",
    [lambda error: pickle.loads(pickle.dumps(error)), copy.copy, copy.deepcopy],
    ids=["pickle", "copy", "deep"],
)
@pytest.mark.parametrize(("error", "values"), ERRORS, ids=[type(error).__name__ for error, _ in ERRORS])
def test_errors_survive_pickle_and_copy_with_their_values_and_show_none(
    error: Exception, values: dict[str, object], travel: Callable[[Exception], Any]
) -> None:
    there = travel(error)
    assert (type(there), str(there), repr(there)) == (type(error), str(error), repr(error))
    assert {name: getattr(there, name) for name in values} == values
    assert SECRET not in f"{error} {error!r} {there!r}"


def test_a_refusal_that_travels_keeps_its_explanation_and_why_its_item_is_raw() -> None:
    error, _ = ERRORS[0]
    there = pickle.loads(pickle.dumps(error))
    assert there.explain() == "why"
    assert (type(there.item), there.item.problems) == (RawItem, [PROBLEM])


def test_public_objects_show_what_they_are_and_no_values() -> None:
    client: Any = object()
    table = TypedTable(Account, expr_builder.Table("t", "PK"), client, partition_key="ACCT#{account_id}")
    assert repr(table) == "<TypedTable of Account in t, coerce reads>"
    assert repr(table.strict()) == "<TypedTable of Account in t, strict reads>"
    assert repr(table.raw().actions) == "<TypedActions of Account in t>"
    assert repr(RawItem({"PK": SECRET, "email": SECRET})) == "<RawItem with PK, email>"
    assert repr(RawItem({"PK": SECRET}, [PROBLEM])) == "<RawItem with PK (a: Field required [missing])>"
    assert repr(PROBLEM) == "FieldProblem('a', 'missing', 'Field required')"
    assert repr(typed.Description("t", [], [])).startswith("Description(table='t', differences=[]")
