"""Operands: what conditions compare and updates compute with, checked when they are given."""

from __future__ import annotations

from expr_builder.attribute_values.values import sized
from expr_builder.errors import BuildError

from .nodes import Arithmetic, Condition, IfNotExists, Literal, Operand, Path, Size, UpdateValue
from .paths import path_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def literal(value: Any, *, of: Operand | str = "") -> Literal:
    """Serialise ``value`` as an operand; ``of`` names the place for an error, or is what stands there."""
    try:
        return Literal(*sized(value))
    except BuildError as error:
        place = place_of(of)
        raise error.within(place) if place else error from None


def operand(value: Any, *, of: Operand | str = "") -> Operand:
    """Take an operand as it is, and anything else as a literal value."""
    if isinstance(value, Operand):
        return value
    if isinstance(value, (Condition, UpdateValue)):
        what = "a condition" if isinstance(value, Condition) else "a computed update value"
        raise BuildError(
            f"{what} is not a value to compare with",
            rule="condition-operand",
            place=place_of(of),
            fix="join conditions with & and |, each side in parentheses",
        )
    return literal(value, of=of)


def stored_operand(value: Any, *, of: Operand | str = "") -> Operand:
    """Take an operand of an update: like :func:`operand`, but ``size()`` is refused, which only conditions know."""
    taken = operand(value, of=of)
    if isinstance(taken, Size):
        raise BuildError(
            "size() in an update, which only conditions can use",
            rule="update-value",
            place=place_of(of),
            fix="count in Python, or keep a counter attribute",
        )
    return taken


def arithmetic(operator: str, left: Path | IfNotExists, amount: Any) -> Arithmetic:
    """Build ``left operator amount`` for a SET."""
    path = left if isinstance(left, Path) else left.path
    return Arithmetic(operator, left, number_operand(amount, path))


def compute(operator: str, left: Operand | UpdateValue, right: Operand | UpdateValue) -> Arithmetic:
    """Build ``left operator right`` for a SET, whichever side is a value.

    Raises:
        BuildError: for anything that is not a number, a path or ``if_not_exists``.
    """
    path = next((side for side in (left, right) if isinstance(side, Path)), None)
    return Arithmetic(operator, number_operand(left, path), number_operand(right, path))


def number_operand(amount: Any, path: Path | None) -> Operand | IfNotExists:
    """Take what ``+`` and ``-`` compute with: a number, a path or ``if_not_exists``; ``path`` names the place."""
    if isinstance(amount, IfNotExists):
        return amount
    of = path if path is not None else ""
    if isinstance(amount, Arithmetic):
        raise BuildError(
            "SET adds or subtracts two operands, not three",
            rule="update-arithmetic",
            place=place_of(of),
            fix="add the constants up in Python first",
        )
    value = stored_operand(amount, of=of)
    if isinstance(value, Literal) and value.type != "N":
        raise BuildError(
            f"+ and - compute with numbers, not with a value of type {value.type}",
            rule="update-arithmetic",
            place=place_of(of),
            fix="append(…) extends a list, .add(…) a set",
        )
    return value


def list_operand(items: Any, path: Path) -> Operand | IfNotExists:
    """Take what ``list_append`` joins: anything that is not a list counts as one item."""
    if isinstance(items, (Path, IfNotExists)):
        return items
    return literal(list(items) if isinstance(items, (list, tuple)) else [items], of=path)


def place_of(subject: Operand | str) -> str:
    """Name an operand for an error: ``address.city``, ``size(tags)``; nothing for a value. Text stands as it is."""
    if isinstance(subject, str):
        return subject
    if isinstance(subject, Path):
        return path_text(subject.segments)
    return f"size({path_text(subject.path.segments)})" if isinstance(subject, Size) else ""
