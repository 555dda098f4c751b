"""Explains why a condition holds for an item or not, and which slot of a refused transaction is to blame.

The text shows stored values: it is for people at a terminal, not for logs.
"""

from __future__ import annotations

from expr_builder.attribute_values.values import to_item
from expr_builder.errors import Reason
from expr_builder.expressions.describe import describe, describe_item, describe_value
from expr_builder.expressions.evaluate import find_value, judge
from expr_builder.expressions.nodes import And, Call, Or, Path, list_children

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from expr_builder.attribute_values.values import Item, TypedItem
    from expr_builder.expressions.nodes import Condition, Node

    from .writes import WriteAction

_ASK = "ask for the stored item with return_old_on_failure() to see which clause"
_JOINTS: dict[type, str] = {And: "all of these:", Or: "one of these:"}


def explain(condition: Condition, item: Item | None) -> str:
    """Say whether each clause holds, and what is stored.

    Args:
        condition: Any condition.
        item: The stored item as Python values; ``None`` or ``{}`` when there is none.

    Returns:
        One line for each clause, those that AND, OR or NOT joins indented below it::

            FALSE  all of these:
            true     attribute_exists(PK)  (PK is 'ACCT#1')
            FALSE    version = 3  (version is 4)

    Raises:
        BuildError: for a value in ``item`` that DynamoDB could not have stored.
    """
    return "\n".join(_explain_clauses(condition, to_item(item or {})))


def explain_canceled(actions: Mapping[str, WriteAction], reasons: Mapping[str, Reason]) -> str:
    """Say, slot by slot, which clause of which condition was false.

    Args:
        actions: The transaction's actions by slot name.
        reasons: For each slot name why it was, or was not, to blame.
    """
    lines: list[str] = []
    for slot, action in actions.items():
        lines.append(f'slot "{slot}" ({_name_address(action)}): {_blame(reasons[slot])}')
        lines += _show_condition(action, reasons[slot])
    return "\n".join(lines)


def explain_refusal(action: WriteAction, item: Item | None) -> str:
    """Say which clause of the condition of a single write was false.

    Args:
        action: The write.
        item: The stored item as Python values; ``None`` when there is none.
    """
    reason = Reason("ConditionalCheckFailed", item=dict(item) if item is not None else None)
    asking = action.return_old_on_failure()  # as send() does for every single write
    return "\n".join([f"{_name_address(action)}: {_blame(reason)}", *_show_condition(asking, reason)])


def _show_condition(action: WriteAction, reason: Reason) -> list[str]:
    if reason.code != "ConditionalCheckFailed" or action.condition is None:
        return []
    return [f"  {line}" for line in _explain_failure(action, action.condition, reason)]


def _name_address(action: WriteAction) -> str:
    return f"{action.operation} in {action.table.name}, {describe_item(action.key)}"


def _blame(reason: Reason) -> str:
    if reason.code == "None":
        return "not to blame"
    if reason.code == "ConditionalCheckFailed":
        return "its condition was false"
    return f"{reason.code}: {reason.message}" if reason.message else reason.code


def _explain_failure(action: WriteAction, condition: Condition, reason: Reason) -> Iterator[str]:
    if reason.item is None and not action.returns_old:
        yield f"{describe(condition)}  ({_ASK})"
        return
    item = to_item(reason.item or {})
    if reason.item is None and judge(condition, item)[id(condition)]:
        # The reasons came only in the message: an item must exist, as without one the condition holds.
        yield f"{describe(condition)}  (the answer did not carry the stored item)"
        return
    yield from _explain_clauses(condition, item)


def _explain_clauses(condition: Condition, item: TypedItem) -> Iterator[str]:
    if not item:
        yield "no item was stored"
    known = judge(condition, item)
    waiting: list[tuple[int, Condition]] = [(0, condition)]  # no recursion, as in judge
    while waiting:
        depth, node = waiting.pop()
        waiting += [(depth + 1, part) for part in reversed(node.parts)]
        text = _JOINTS.get(type(node), "not:") if node.parts else f"{describe(node)}{_show_stored(node, item)}"
        yield f"{'true ' if known[id(node)] else 'FALSE'}  {'  ' * depth}{text}"


def _show_stored(clause: Condition, item: TypedItem) -> str:
    """What the clause found in the item, each operand once."""
    if not item:
        return ""
    found: dict[str, None] = {}  # a set that keeps its order
    for operand in list_children(clause):
        if isinstance(operand, Path):
            found[f"{describe(operand)} is {_show(operand, item)}"] = None
        elif isinstance(operand, Call):
            result = find_value(operand, item)
            inner = "".join(f", {describe(path)} is {_show(path, item)}" for path in list_children(operand))
            found[f"{describe(operand)} is {describe_value(result) if result else f'undefined{inner}'}"] = None
    return f"  ({', '.join(found)})" if found else ""


def _show(operand: Node, item: TypedItem) -> str:
    value = find_value(operand, item)
    return "missing" if value is None else describe_value(value)
