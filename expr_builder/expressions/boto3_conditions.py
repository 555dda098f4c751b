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
    # No recursion: programs join hundreds of conditions in pairs, and pairs of pairs.
    nodes = [value]
    for node in nodes:  # grows while it is walked, so that every condition comes before its parts
        operator, parts = _take_apart(node)
        if operator in ("AND", "OR", "NOT"):
            nodes.extend(parts)
    built: dict[int, Condition] = {}
    for node in reversed(nodes):
        operator, parts = _take_apart(node)
        if operator == "NOT":
            built[id(node)] = ~built[id(parts[0])]
        elif operator in ("AND", "OR"):  # boto3 nests pairs; `of` flattens them
            built[id(node)] = (And if operator == "AND" else Or).of(*[built[id(part)] for part in parts])
        else:
            built[id(node)] = _build_clause(operator, parts)
    return built[id(value)]


def _take_apart(value: Any) -> tuple[str, Any]:
    # An Attr of boto3 has no get_expression; its size() has one, but is a number.
    if not hasattr(value, "get_expression") or value.get_expression()["operator"] == "size":
        raise BuildError(
            f"a boto3 {type(value).__name__} is not a condition",
            rule="condition-operand",
            fix="compare it, as in .eq(1)",
        )
    expression = value.get_expression()
    return expression["operator"], expression["values"]


def _build_clause(operator: str, parts: Any) -> Condition:
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
