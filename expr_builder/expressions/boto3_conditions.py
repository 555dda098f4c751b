"""Conditions made with ``boto3.dynamodb.conditions``, handed in by people who know those: turned into nodes.

See https://docs.aws.amazon.com/boto3/latest/reference/customizations/dynamodb.html
"""

from __future__ import annotations

from expr_builder.errors import BuildError

from .attr import Attr
from .operands import operand
from .predicates import all_of, any_of, attribute_type, begins_with, between, compare, contains, is_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .nodes import Condition, Operand

_COMPARATORS = ("=", "<>", "<", "<=", ">", ">=")


def from_boto3(value: Any) -> Condition:
    """Turn a boto3 condition into the same condition here, checked by the same rules.

    boto3 reads dots and brackets in names as a path, and so does this.

    Raises:
        BuildError: for an attribute alone, or a size alone, neither of which is a condition.
    """
    if not hasattr(value, "get_expression") or value.get_expression()["operator"] == "size":
        raise BuildError(
            f"a boto3 {type(value).__name__} is not a condition",
            rule="condition-operand",
            fix="compare it, as in .eq(1)",
        )
    expression = value.get_expression()
    operator, parts = expression["operator"], expression["values"]
    if operator in ("AND", "OR"):
        return (all_of if operator == "AND" else any_of)(*map(from_boto3, parts))
    if operator == "NOT":
        return ~from_boto3(parts[0])
    subject, *arguments = (_operand(part) for part in parts if operator != "IN" or part is parts[0])
    if operator in _COMPARATORS:
        return compare(operator, subject, arguments[0])
    if operator == "IN":
        return is_in(subject, parts[1])
    if operator == "BETWEEN":
        return between(subject, *arguments)
    return _function(operator, subject, parts[1:])


def _function(name: str, subject: Any, arguments: tuple[Any, ...]) -> Condition:
    if name == "attribute_exists":
        return Attr.at(subject.segments).exists()
    if name == "attribute_not_exists":
        return Attr.at(subject.segments).not_exists()
    build = {"attribute_type": attribute_type, "begins_with": begins_with, "contains": contains}[name]
    return build(subject, _operand(arguments[0]))


def _operand(part: Any) -> Operand:
    if type(part).__module__ != "boto3.dynamodb.conditions":
        return operand(part)
    if hasattr(part, "get_expression"):  # only size() is an operand as well
        (path,) = part.get_expression()["values"]
        return Attr.path(path.name).size()
    return Attr.path(part.name)
