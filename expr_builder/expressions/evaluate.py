"""A condition and an item -> true or false, by DynamoDB's rules.

The rules that are easily got wrong, each with where it is known from:

* A missing attribute (or a missing item) makes ``<>`` true and every other comparison false, also against another
  missing attribute. [Alternator's tests, which pass on the service]
* Values of different types are unequal and have no order; numbers compare as numbers (``1`` = ``1.0``), strings by
  their UTF-8 bytes, sets whatever their order. [HowItWorks.NamingRulesDataTypes]
* ``size`` of a string counts UTF-16 code units, so that a character outside the basic plane counts two. [measured on
  the service: extenddb pull request 67] Numbers, booleans and nulls have no size: the comparison sees nothing, as if
  the attribute were missing.
* ``contains`` looks for a part of a string or binary value, or for an element of a set or list; ``begins_with`` works
  on strings and binary values; an attribute of another type makes both false, never an error. [Alternator's tests]

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.OperatorsAndFunctions.html
"""

from __future__ import annotations

from decimal import Decimal

from expr_builder.attribute_values.values import to_item

from .nodes import And, Between, Comparison, Function, In, Literal, Not, Or, Path, Size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from expr_builder.attribute_values.values import AttributeValue

    from .nodes import Condition, Operand

    TypedItem = Mapping[str, AttributeValue]
    """Attribute names to AttributeValues."""


def evaluate(condition: Condition, item: Mapping[str, Any] | None) -> bool:
    """Tell whether ``condition`` holds for ``item``.

    Args:
        condition: Any condition.
        item: The stored item as Python values; ``None`` or ``{}`` when there is none.

    Raises:
        BuildError: for a value in ``item`` that DynamoDB could not have stored.
    """
    return verdicts(condition, to_item(item or {}))[id(condition)]


def verdicts(condition: Condition, item: TypedItem) -> dict[int, bool]:
    """Whether each condition in the tree holds, by its ``id``: the whole one, its parts, their parts.

    Args:
        condition: Any condition.
        item: The stored item as AttributeValues; empty when there is none.
    """
    nodes = [condition]
    for node in nodes:  # grows while it is walked, so that every condition comes before its parts, however deep
        nodes.extend(parts_of(node))
    known: dict[int, bool] = {}
    for node in reversed(nodes):
        if isinstance(node, And):
            known[id(node)] = all(known[id(part)] for part in node.parts)
        elif isinstance(node, Or):
            known[id(node)] = any(known[id(part)] for part in node.parts)
        elif isinstance(node, Not):
            known[id(node)] = not known[id(node.part)]
        else:
            known[id(node)] = _CLAUSES[type(node)](node, item)
    return known


def parts_of(condition: Condition) -> tuple[Condition, ...]:
    """What AND, OR or NOT joins; nothing for a single clause."""
    if isinstance(condition, (And, Or)):
        return condition.parts
    return (condition.part,) if isinstance(condition, Not) else ()


def operand_value(operand: Operand, item: TypedItem) -> AttributeValue | None:
    """What an operand stands for: a literal's value, the stored value, a size; ``None`` when there is none."""
    if isinstance(operand, Literal):
        return operand.value
    if isinstance(operand, Size):
        return _size(operand_value(operand.path, item))
    return _stored(operand, item) if isinstance(operand, Path) else None


def _stored(path: Path, item: TypedItem) -> AttributeValue | None:
    name, *deeper = path.segments
    value = item.get(str(name))
    for segment in deeper:
        if value is None:
            return None
        if isinstance(segment, int):
            elements = value.get("L", ())
            value = elements[segment] if segment < len(elements) else None
        else:
            value = value.get("M", {}).get(segment)
    return value


def _size(value: AttributeValue | None) -> AttributeValue | None:
    if value is None:
        return None
    ((tag, content),) = value.items()
    if tag in ("N", "BOOL", "NULL"):
        return None
    size = len(content.encode("utf-16-le")) // 2 if tag == "S" else len(content)
    return {"N": str(size)}


# --- Clauses: conditions without parts


def _comparison(node: Comparison, item: TypedItem) -> bool:
    return _compare(node.operator, operand_value(node.left, item), operand_value(node.right, item))


def _between(node: Between, item: TypedItem) -> bool:
    value = operand_value(node.operand, item)
    low, high = operand_value(node.low, item), operand_value(node.high, item)
    return _compare("<=", low, value) and _compare("<=", value, high)


def _in(node: In, item: TypedItem) -> bool:
    value = operand_value(node.operand, item)
    return any(_compare("=", value, operand_value(choice, item)) for choice in node.choices)


def _function(node: Function, item: TypedItem) -> bool:
    value = operand_value(node.path, item)
    if node.argument is None:
        return (value is None) == (node.name == "attribute_not_exists")
    argument = operand_value(node.argument, item)
    if value is None or argument is None:
        return False
    if node.name == "attribute_type":
        return argument == {"S": next(iter(value))}
    return (_begins_with if node.name == "begins_with" else _contains)(value, argument)


_CLAUSES: dict[type, Callable[[Any, TypedItem], bool]] = {
    Between: _between,
    Comparison: _comparison,
    Function: _function,
    In: _in,
}


# --- AttributeValues


def _compare(operator: str, left: AttributeValue | None, right: AttributeValue | None) -> bool:
    if left is None or right is None:
        return operator == "<>"
    left_type, left_content = _comparable(left)
    right_type, right_content = _comparable(right)
    if operator in ("=", "<>"):
        equal = left_type == right_type and left_content == right_content
        return equal == (operator == "=")
    if left_type != right_type or left_type not in ("S", "N", "B"):
        return False
    if operator[0] == ">":
        left_content, right_content = right_content, left_content
    return bool(left_content < right_content or (len(operator) == 2 and left_content == right_content))


def _begins_with(value: AttributeValue, prefix: AttributeValue) -> bool:
    tag, content = _comparable(value)
    prefix_tag, prefix_content = _comparable(prefix)
    return tag == prefix_tag and tag in ("S", "B") and content.startswith(prefix_content)


def _contains(value: AttributeValue, element: AttributeValue) -> bool:
    tag, content = _comparable(value)
    element_tag, element_content = _comparable(element)
    if tag == "L":
        return (element_tag, element_content) in content
    if tag in ("S", "B"):
        return tag == element_tag and element_content in content
    return tag == f"{element_tag}S" and element_content in content  # SS holds S, NS holds N, BS holds B


def _comparable(value: AttributeValue) -> tuple[str, Any]:
    """The type, and the content in a form that Python compares as DynamoDB does.

    Text compares by code points in Python, which is the order of its UTF-8 bytes.
    """
    ((tag, content),) = value.items()
    if tag == "N":
        return tag, Decimal(content)
    if tag == "NS":
        return tag, frozenset(map(Decimal, content))
    if tag in ("SS", "BS"):
        return tag, frozenset(content)
    if tag == "L":
        return tag, list(map(_comparable, content))
    if tag == "M":
        return tag, {name: _comparable(entry) for name, entry in content.items()}
    return tag, content
