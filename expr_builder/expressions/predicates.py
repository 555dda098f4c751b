"""Conditions, built from operands and checked against DynamoDB's rules for them.

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.OperatorsAndFunctions.html
"""

from __future__ import annotations

from expr_builder.errors import BuildError
from expr_builder.limits import MAX_IN_OPERANDS

from .nodes import And, Between, Comparison, Condition, Function, In, Literal, Operand, Or, Size
from .operands import operand, place_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

ATTRIBUTE_TYPES = ("S", "SS", "N", "NS", "B", "BS", "BOOL", "NULL", "L", "M")
"""What ``attribute_type`` can ask for."""

_ORDERED_TYPES = ("S", "N", "B")
_ORDERING = ("<", "<=", ">", ">=")


def as_condition(value: Any, *, of: str) -> Condition:
    """Take a condition as it is.

    Raises:
        BuildError: for anything else, except a ``boto3.dynamodb.conditions`` object, which is turned into its equal.
    """
    if isinstance(value, Condition):
        return value
    if type(value).__module__ == "boto3.dynamodb.conditions":
        from .boto3_conditions import from_boto3  # late: that module needs this one, and hardly any program needs that

        try:
            return from_boto3(value)
        except BuildError as error:
            raise error.within(of) from None
    fix = 'compare it, as in Attr("a") == 1'
    if isinstance(value, Size):
        fix = "size(…) is a number: compare it, as in Attr(…).size() < 5"
    elif isinstance(value, str):
        fix = "parse_condition reads conditions from text"
    raise BuildError(f"a {type(value).__name__} is not a condition", rule="condition-operand", place=of, fix=fix)


def compare(operator: str, left: Operand, right: Operand) -> Comparison:
    """Build ``left operator right``.

    Raises:
        BuildError: for equal operands, an order asked of a type that has none, or a size compared with something
            that is not a number.
    """
    if isinstance(right, Literal) is isinstance(left, Literal) and left.key() == right.key():
        raise BuildError(
            f"both sides of {operator} are the same",
            rule="operand-distinct",
            place=place_of(left),
            fix="compare with another path or a value",
        )
    if isinstance(right, Literal):
        _check_compared(operator, right, left, left)
    if isinstance(left, Literal):
        _check_compared(operator, left, right, left)
    return Comparison(operator, left, right)


def _check_compared(operator: str, value: Literal, other: Operand, left: Operand) -> None:
    if operator in _ORDERING and value.type not in _ORDERED_TYPES:
        raise BuildError(
            f"{operator} has no meaning for a value of type {value.type}",
            rule="operand-type",
            place=place_of(left),
            fix="only strings, numbers and binary values have an order",
        )
    if isinstance(other, Size) and value.type != "N":
        raise BuildError(
            f"size() is a number and is compared with a value of type {value.type}",
            rule="operand-type",
            place=place_of(left),
            fix="compare it with a number",
        )


def between(subject: Operand, low: Operand, high: Operand) -> Between:
    """Build ``subject BETWEEN low AND high``.

    Raises:
        BuildError: for bounds without an order, of two types, or in the wrong order.
    """
    for bound in (low, high):
        if isinstance(bound, Literal) and bound.type not in _ORDERED_TYPES:
            raise BuildError(
                f"BETWEEN has no meaning for a value of type {bound.type}",
                rule="operand-type",
                place=place_of(subject),
                fix="only strings, numbers and binary values have an order",
            )
    if isinstance(low, Literal) and isinstance(high, Literal):
        if low.type != high.type:
            raise BuildError(
                f"BETWEEN with bounds of two types, {low.type} and {high.type}",
                rule="between-types",
                place=place_of(subject),
                fix="give both bounds one type",
            )
        if _order(low) > _order(high):
            raise BuildError(
                "BETWEEN with its bounds swapped: the first is greater than the second",
                rule="between-order",
                place=place_of(subject),
                fix="put the lower bound first; both ends are included",
            )
    return Between(subject, low, high)


def is_in(subject: Operand, choices: Iterable[Any]) -> In:
    """Build ``subject IN (…)``.

    Raises:
        BuildError: for a string (its characters are hardly meant), no choice at all, or more than 100.
    """
    if isinstance(choices, (str, bytes)) or not hasattr(choices, "__iter__"):
        raise BuildError(
            f"IN takes a collection of values, not a {type(choices).__name__}",
            rule="in-choices",
            place=place_of(subject),
            fix="is_in([value, …]), or eq(value) for a single one",
        )
    operands = tuple(operand(choice, of=subject) for choice in choices)
    if isinstance(choices, (set, frozenset)):  # a set has another order in each process
        operands = tuple(sorted(operands, key=lambda choice: repr(choice.key())))
    if not operands:
        raise BuildError(
            "IN without a single value", rule="in-choices", place=place_of(subject), fix="an empty choice is never true"
        )
    if len(operands) > MAX_IN_OPERANDS:
        raise BuildError(
            f"IN with {len(operands)} values, {MAX_IN_OPERANDS} are allowed",
            rule="in-choices",
            place=place_of(subject),
            fix="join several with any_of(…), or keep the list elsewhere",
        )
    return In(subject, operands)


def begins_with(subject: Operand, prefix: Operand) -> Function:
    """Build ``begins_with(subject, prefix)``.

    Raises:
        BuildError: for a value that is neither a string nor bytes, or one path given twice.
    """
    for side in (subject, prefix):
        if isinstance(side, Literal) and side.type not in ("S", "B"):
            raise BuildError(
                f"begins_with has no meaning for a value of type {side.type}",
                rule="operand-type",
                place=place_of(subject),
                fix="the prefix is a string or bytes",
            )
    _refuse_equal("begins_with", subject, prefix)
    return Function("begins_with", subject, prefix)


def contains(subject: Operand, element: Operand) -> Function:
    """Build ``contains(subject, element)``.

    Raises:
        BuildError: for a set to look for, or one path given twice.
    """
    if isinstance(element, Literal) and element.type in ("SS", "NS", "BS"):
        raise BuildError(
            "contains looks for one element, not for a set",
            rule="operand-type",
            place=place_of(subject),
            fix="all_of(*(attr.contains(element) for element in elements))",
        )
    _refuse_equal("contains", subject, element)
    return Function("contains", subject, element)


def attribute_type(subject: Operand, name: Operand) -> Function:
    """Build ``attribute_type(subject, name)``.

    Raises:
        BuildError: when the name is not one of :data:`ATTRIBUTE_TYPES`.
    """
    if not isinstance(name, Literal) or name.type != "S" or name.content not in ATTRIBUTE_TYPES:
        raise BuildError(
            "attribute_type with an unknown type",
            rule="attribute-type",
            place=place_of(subject),
            fix=f"one of {' '.join(ATTRIBUTE_TYPES)}",
        )
    return Function("attribute_type", subject, name)


def _refuse_equal(name: str, subject: Operand, argument: Operand) -> None:
    if argument.key() == subject.key():
        raise BuildError(
            f"{name} with one path twice",
            rule="operand-distinct",
            place=place_of(subject),
            fix="look for a value or another path",
        )


def all_of(*conditions: Condition | None) -> Condition:
    """Join conditions with AND, ``None`` skipped: ``all_of(a, None, b)`` is ``a & b``.

    Raises:
        BuildError: when nothing is left to join.
    """
    return _joined(And, "all_of", conditions)


def any_of(*conditions: Condition | None) -> Condition:
    """Join conditions with OR, ``None`` skipped: ``any_of(a, None, b)`` is ``a | b``.

    Raises:
        BuildError: when nothing is left to join.
    """
    return _joined(Or, "any_of", conditions)


def _joined(kind: type[And | Or], name: str, conditions: tuple[Condition | None, ...]) -> Condition:
    parts: list[Condition] = []
    for condition in conditions:
        if condition is not None:
            checked = as_condition(condition, of=name)
            parts += checked.parts if isinstance(checked, kind) else (checked,)
    if not parts:
        raise BuildError(f"{name} was given no condition", rule="condition-empty", fix="leave the condition out")
    return parts[0] if len(parts) == 1 else kind(tuple(parts))


def _order(bound: Literal) -> Any:
    if bound.type == "N":
        from decimal import Decimal

        return Decimal(bound.content)
    return bound.content.encode() if bound.type == "S" else bound.content
