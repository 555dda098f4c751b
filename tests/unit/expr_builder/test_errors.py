"""Errors: what they say, and that they travel."""

from __future__ import annotations

import pickle

from expr_builder import BuildError, Reason, TransactionCanceled, UniqueViolation


def test_a_build_error_says_place_fault_fix_and_rule() -> None:
    error = (
        BuildError("an empty set", rule="set-empty", fix="leave it out").within("[2]").within(".tags").within("Item")
    )
    assert str(error.within('slot "email"')) == 'slot "email", Item.tags[2]: an empty set (leave it out) [set-empty]'
    assert str(BuildError("no", rule="r")) == "no [r]"
    assert isinstance(error, ValueError)


def test_a_build_error_survives_pickling() -> None:
    error = BuildError("an empty set", rule="set-empty", place="Item", fix="leave it out")
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.rule, copy.place, copy.fix, copy.message) == (
        str(error), "set-empty", "Item", "leave it out", "an empty set",
    )  # fmt: skip


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
