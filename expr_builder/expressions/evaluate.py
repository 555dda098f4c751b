"""Tells whether a condition holds for an item, by DynamoDB's rules.

:mod:`~expr_builder.attribute_values.comparing` compares values; :mod:`.functions` says what functions give.
"""

from __future__ import annotations

from expr_builder.attribute_values.comparing import is_true
from expr_builder.attribute_values.values import to_item

from .functions import find_function
from .joining import take_condition
from .nodes import And, Between, Call, Comparison, Function, In, Literal, Not, Or, Path, list_children

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from expr_builder.attribute_values.values import AttributeValue, Item

    from .functions import Found
    from .nodes import Condition, Node


def evaluate(condition: Condition, item: Item | None) -> bool:
    """Tell whether ``condition`` holds for ``item``, without DynamoDB.

    Args:
        condition: Any condition.
        item: The stored item as Python values; ``None`` or ``{}`` when there is none.

    Raises:
        BuildError: for a value in ``item`` that DynamoDB could not have stored, or something that is no condition.

    Example:
        ``evaluate(Attr("n").lt(5), {"n": 3})`` is true; ``evaluate(Attr("n").ne(5), None)`` is true as well.

    See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.ConditionExpressions.html
    """
    taken = take_condition(condition, of="evaluate")
    return judge(taken, to_item({} if item is None else item))[id(taken)]


def judge(condition: Condition, item: Mapping[str, AttributeValue]) -> dict[int, bool]:
    """Tell whether each condition in the tree holds, by its ``id``: the whole one, its parts, their parts."""
    nodes = [condition]
    for node in nodes:  # grows while it is walked, so that every condition comes before its parts
        nodes.extend(node.parts)
    known: dict[int, bool] = {}  # by id: hashing a node would walk all that is below it
    # No recursion: conditions made by programs can be deeper than Python's stack.
    for node in reversed(nodes):
        parts = [known[id(part)] for part in node.parts]
        if isinstance(node, And):
            known[id(node)] = all(parts)
        elif isinstance(node, Or):
            known[id(node)] = any(parts)
        elif isinstance(node, Not):
            known[id(node)] = not parts[0]
        else:
            known[id(node)] = _judge_clause(node, item)
    return known


def _judge_clause(clause: Condition, item: Mapping[str, AttributeValue]) -> bool:
    values = [find_value(operand, item) for operand in list_children(clause)]
    if isinstance(clause, Comparison):
        left, right = values
        return is_true(left, clause.operator, right)
    if isinstance(clause, Between):
        value, low, high = values
        return is_true(low, "<=", value) and is_true(value, "<=", high)
    if isinstance(clause, In):
        return any(is_true(values[0], "=", choice) for choice in values[1:])
    if isinstance(clause, Function):
        return bool(_call(clause, values))
    raise TypeError(f"a {type(clause).__name__} cannot be evaluated")


def find_value(operand: Node, item: Mapping[str, AttributeValue]) -> Found:
    """Find an operand's value: its own, the stored one, or a function's result; ``None`` when it is missing."""
    if isinstance(operand, Literal):
        return operand.value
    if isinstance(operand, Path):
        return _find_stored(operand, item)
    if isinstance(operand, Call):
        result = _call(operand, [find_value(inner, item) for inner in operand.operands])
        return result if isinstance(result, dict) else None  # true and false of a condition are no values to compare
    raise TypeError(f"a {type(operand).__name__} has no value")


def _call(call: Call, values: list[Found]) -> bool | Found:
    return find_function(call.name, len(values)).evaluate(*values)


def _find_stored(path: Path, item: Mapping[str, AttributeValue]) -> Found:
    name, *deeper = path.segments
    value = item.get(str(name))
    for segment in deeper:
        if value is None:
            return None
        # A step that does not fit what is stored finds nothing: in a condition that is not an error.
        if isinstance(segment, int):
            elements = value.get("L", ())
            value = elements[segment] if segment < len(elements) else None
        else:
            value = value.get("M", {}).get(segment)
    return value
