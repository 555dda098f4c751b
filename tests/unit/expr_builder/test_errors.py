"""Errors: what they say, and that they travel."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import pytest

import expr_builder
from expr_builder import (
    Attr,
    BatchIncomplete,
    BuildError,
    ConditionFailed,
    ExprBuilderError,
    IdempotentParameterMismatch,
    Reason,
    RequestConflict,
    RequestInProgress,
    RequestThrottled,
    RequestUnavailable,
    Table,
    TransactionCanceled,
    UniqueViolation,
    parse_condition,
)

SLOTS = {"a": Reason("None"), "b": Reason("ConditionalCheckFailed", "words", {"secret": "x"})}


def catch(failing: Any) -> Exception:
    try:
        failing()
    except ExprBuilderError as error:
        return error
    raise AssertionError


EXAMPLES = [
    BuildError("an empty set", rule="set-empty", place="Item", fix="leave it out"),
    catch(lambda: parse_condition("a = = 1")),
    ConditionFailed("t", {"secret": "x"}, explain=lambda: "because of x", retried=True),
    TransactionCanceled(SLOTS, explain=lambda: "because of x", retried=True),
    UniqueViolation(SLOTS, holders={"b": "x"}),
    IdempotentParameterMismatch("the token was used for another transaction"),
    BatchIncomplete([Table("t", "PK").delete({"PK": "x"}).when(Attr("secret") == "x")], attempts=8),
    *(
        kind("no answer", attempts=3, outcome_unknown=True, token="t-1")
        for kind in (RequestConflict, RequestThrottled, RequestInProgress, RequestUnavailable)
    ),
]


def show(error: Exception) -> dict[str, Any]:
    """Everything that an error says, to compare."""
    said = {name: getattr(error, name) for name in dir(error) if not name.startswith("_") and name != "with_traceback"}
    return {
        name: value() if name in {"explain", "point"} else repr(value)
        for name, value in said.items()
        if name in {"explain", "point"} or not callable(value)
    }


def fail_with(position: int) -> None:
    raise EXAMPLES[position]


def test_there_is_an_example_of_every_error_that_is_raised() -> None:
    bases = {"ExprBuilderError", "RequestError", "RequestUnfinished"}
    public = {name for name in expr_builder.__all__ if isinstance(getattr(expr_builder, name), type)}
    errors = {name for name in public if issubclass(getattr(expr_builder, name), ExprBuilderError)}
    assert errors - bases == {type(error).__name__ for error in EXAMPLES}


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("travel", [lambda e: pickle.loads(pickle.dumps(e)), copy.copy, copy.deepcopy])
def test_every_error_survives_pickle_and_copy(error: Exception, travel: Any) -> None:
    arrived = travel(error)
    assert type(arrived) is type(error)
    assert str(arrived) == str(error)
    assert show(arrived) == show(error)


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_no_error_shows_a_value_in_its_repr_or_message(error: Exception) -> None:
    assert "secret" not in repr(error) + str(error)


def test_errors_come_back_from_a_process_pool() -> None:
    with ProcessPoolExecutor(1) as pool:
        for position, error in enumerate(EXAMPLES):
            with pytest.raises(type(error)) as caught:
                pool.submit(fail_with, position).result(timeout=60)
            assert str(caught.value) == str(error)


def test_a_build_error_says_place_fault_fix_and_rule() -> None:
    error = (
        BuildError("an empty set", rule="set-empty", fix="leave it out").within("[2]").within(".tags").within("Item")
    )
    assert str(error.within('slot "email"')) == 'slot "email", Item.tags[2]: an empty set (leave it out) [set-empty]'
    assert str(BuildError("no", rule="r")) == "no [r]"
    assert isinstance(error, ValueError)


def test_refusals_sum_up_without_values() -> None:
    slots = {"a": Reason("None"), "b": Reason("ConditionalCheckFailed", "words", {"secret": "x"})}
    assert str(TransactionCanceled(slots)) == "the condition of b failed"
    assert str(TransactionCanceled({})) == "the transaction was cancelled by no known action"
    assert str(TransactionCanceled({"a": Reason("ValidationError")})) == (
        "the transaction was cancelled by a (ValidationError)"
    )
    violation = UniqueViolation(slots, holders={"b": "x"})
    assert str(violation) == violation.explain() == "b already taken"
    assert "secret" not in repr(violation) + repr(slots)
