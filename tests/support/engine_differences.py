"""Where the local cloud's engine is known to differ from the service, whose rule is the one that decides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from expr_builder.expressions.evaluate import find_value
from expr_builder.expressions.nodes import Comparison, Function, In, OperandFunction, list_children

if TYPE_CHECKING:
    from collections.abc import Callable

    from expr_builder import Condition
    from expr_builder.attribute_values.values import TypedItem

__all__ = ["engine_errs", "engine_refuses"]

_PREFIXED = {("S", "S"), ("B", "B")}


def engine_refuses(condition: Condition, item: TypedItem) -> bool:
    """Whether the engine refuses a request for which the service judges the condition."""
    return _any_clause(_refuses, condition, item)


def engine_errs(condition: Condition, item: TypedItem) -> bool:
    """Whether the engine may judge the condition otherwise than the service."""
    return _any_clause(_errs, condition, item)


def _any_clause(differs: Callable[[Condition, TypedItem], bool], condition: Condition, item: TypedItem) -> bool:
    parts = condition.parts
    return any(_any_clause(differs, part, item) for part in parts) if parts else differs(condition, item)


def _refuses(clause: Condition, item: TypedItem) -> bool:
    """The service: begins_with is false for stored values of other types. The engine: the request is refused."""
    if not (isinstance(clause, Function) and clause.name == "begins_with"):
        return False
    kinds = tuple(_kind(operand, item) for operand in clause.operands)
    return None not in kinds and kinds not in _PREFIXED


def _errs(clause: Condition, item: TypedItem) -> bool:
    sizes = [operand for operand in list_children(clause) if isinstance(operand, OperandFunction)]
    # The service: a number, boolean or null has no size, and the comparison sees nothing. The engine: its size is 0.
    if any(_kind(size.operands[0], item) in ("N", "BOOL", "NULL") for size in sizes):
        return True
    # The service: a missing attribute equals nothing, not even another missing one. The engine: two of them are equal.
    if isinstance(clause, Comparison):
        return clause.operator in ("=", "<>") and _kind(clause.left, item) is _kind(clause.right, item) is None
    if isinstance(clause, In):
        return None in (_kind(choice, item) for choice in clause.choices) and _kind(clause.operand, item) is None
    # The service: contains finds a part of a binary value. The engine: never.
    if isinstance(clause, Function) and clause.name == "contains":
        return {_kind(operand, item) for operand in clause.operands} == {"B"}
    return False


def _kind(operand: Any, item: TypedItem) -> str | None:
    value = find_value(operand, item)
    return next(iter(value)) if value is not None else None
