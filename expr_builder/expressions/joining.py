"""Joins conditions with AND or OR, and turns what callers pass as a condition into one."""

from __future__ import annotations

from expr_builder.errors import BuildError

from .functions import FUNCTIONS
from .nodes import And, Condition, OperandFunction, Or, Path


def take_condition(value: object, *, of: str) -> Condition:
    """Take a condition as it is, convert one of ``boto3.dynamodb.conditions``, refuse anything else."""
    if isinstance(value, Condition):
        return value
    # By name, as boto3 may not be installed.
    if type(value).__module__ == "boto3.dynamodb.conditions":
        from .boto3_conditions import from_boto3  # late: hardly any program needs it

        try:
            return from_boto3(value)
        except BuildError as error:
            raise error.within(of) from None
    fix = 'compare it, as in Attr("a") == 1'
    if isinstance(value, Path):
        fix = f"compare it, as in {value!r} == 1, or ask {value!r}.exists()"
    elif isinstance(value, OperandFunction):
        fix = f"{value.name}(…) is a number: compare it, as in Attr(…).{FUNCTIONS[value.name].method}() < 5"
    elif isinstance(value, str):
        fix = "parse_condition reads conditions from text"
    elif hasattr(value, "__iter__"):
        joins = of if of in ("all_of", "any_of") else "all_of"
        fix = f"{joins}(*conditions) joins several"
    raise BuildError(f"a {type(value).__name__} is not a condition", rule="condition-operand", place=of, fix=fix)


def all_of(*conditions: Condition | None) -> Condition:
    """Join conditions with AND; ``None`` is skipped, so that a condition can be optional.

    Raises:
        BuildError: when nothing is left to join, or something is not a condition.

    Example:
        ``all_of(Attr("a").exists(), None, Attr("b") == 1)`` renders as ``attribute_exists(a) AND b = :v0``.
    """
    return And.of(*_check_all("all_of", conditions))


def any_of(*conditions: Condition | None) -> Condition:
    """Join conditions with OR, otherwise as :func:`all_of` does: ``any_of(a, None, b)`` is ``a | b``."""
    return Or.of(*_check_all("any_of", conditions))


def _check_all(name: str, conditions: tuple[Condition | None, ...]) -> list[Condition]:
    given = [take_condition(condition, of=name) for condition in conditions if condition is not None]
    if not given:
        raise BuildError(f"{name} was given no condition", rule="condition-empty", fix="leave the condition out")
    return given
