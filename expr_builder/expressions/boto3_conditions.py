"""Turns conditions made with ``boto3.dynamodb.conditions`` into nodes.

See https://docs.aws.amazon.com/boto3/latest/reference/customizations/dynamodb.html
"""

from __future__ import annotations

from expr_builder.errors import BuildError

from .attr import Attr
from .functions import build_condition
from .nodes import And, Condition, Or
from .operands import take_operand
from .predicates import COMPARATORS, between, compare, is_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .nodes import Operand


def from_boto3(value: Any) -> Condition:
    """Turn a boto3 condition into the same condition here, checked by the same rules.

    boto3 reads dots and brackets in names as a path, and so does this.
    """
    # An Attr of boto3 has no get_expression; its size() has one, but is a number.
    if not hasattr(value, "get_expression") or value.get_expression()["operator"] == "size":
        raise BuildError(
            f"a boto3 {type(value).__name__} is not a condition",
            rule="condition-operand",
            fix="compare it, as in .eq(1)",
        )
    expression = value.get_expression()
    operator, parts = expression["operator"], expression["values"]
    if operator in ("AND", "OR"):
        return (And if operator == "AND" else Or).of(*map(from_boto3, parts))  # boto3 nests pairs; `of` flattens them
    if operator == "NOT":
        return ~from_boto3(parts[0])
    if operator == "IN":
        return is_in(_read_operand(parts[0]), parts[1])
    operands = map(_read_operand, parts)
    if operator in COMPARATORS:
        left, right = operands
        return compare(left, operator, right)
    if operator == "BETWEEN":
        return between(*operands)
    return build_condition(operator, *operands)


def _read_operand(part: Any) -> Operand:
    if type(part).__module__ != "boto3.dynamodb.conditions":
        return take_operand(part)
    if hasattr(part, "get_expression"):  # only size() is an operand as well
        (path,) = part.get_expression()["values"]
        return Attr.path(path.name).size()
    return Attr.path(part.name)
