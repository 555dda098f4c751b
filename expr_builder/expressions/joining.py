"""Conditions joined by AND or OR, and whatever people hand in as one."""

from __future__ import annotations

from expr_builder.errors import BuildError

from .functions import FUNCTIONS
from .nodes import And, Condition, OperandFunction, Or


def as_condition(value: object, *, of: str) -> Condition:
    """Take a condition as it is, turn one of ``boto3.dynamodb.conditions`` into its equal, refuse anything else."""
    if isinstance(value, Condition):
        return value
    if type(value).__module__ == "boto3.dynamodb.conditions":
        from .boto3_conditions import from_boto3  # late: hardly any program needs it

        try:
            return from_boto3(value)
        except BuildError as error:
            raise error.within(of) from None
    fix = 'compare it, as in Attr("a") == 1'
    if isinstance(value, OperandFunction):
        fix = f"{value.name}(…) is a number: compare it, as in Attr(…).{FUNCTIONS[value.name].method}() < 5"
    elif isinstance(value, str):
        fix = "parse_condition reads conditions from text"
    raise BuildError(f"a {type(value).__name__} is not a condition", rule="condition-operand", place=of, fix=fix)


def all_of(*conditions: Condition | None) -> Condition:
    """Join conditions with AND, ``None`` skipped: ``all_of(a, None, b)`` is ``a & b``.

    Raises:
        BuildError: when nothing is left to join.
    """
    return And.of(*_check_all("all_of", conditions))


def any_of(*conditions: Condition | None) -> Condition:
    """Join conditions with OR, ``None`` skipped: ``any_of(a, None, b)`` is ``a | b``.

    Raises:
        BuildError: when nothing is left to join.
    """
    return Or.of(*_check_all("any_of", conditions))


def _check_all(name: str, conditions: tuple[Condition | None, ...]) -> list[Condition]:
    given = [as_condition(condition, of=name) for condition in conditions if condition is not None]
    if not given:
        raise BuildError(f"{name} was given no condition", rule="condition-empty", fix="leave the condition out")
    return given
