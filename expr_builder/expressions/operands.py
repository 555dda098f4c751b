"""Operands: what conditions compare and updates compute with, checked when they are given."""

from __future__ import annotations

from expr_builder.attribute_values.serializing import serialize
from expr_builder.errors import BuildError

from .nodes import Arithmetic, Call, Condition, Literal, Operand, OperandFunction, Path, UpdateFunction, UpdateValue
from .paths import write_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .nodes import Value


def make_literal(value: object, *, of: Value | str = "") -> Literal:
    """Serialise ``value`` as an operand; ``of`` is the place for an error, as text or as the operand there."""
    try:
        return Literal(*serialize(value))
    except BuildError as error:
        place = name_place(of)  # only now: for every operand, it would be much of the cost of a condition
        raise error.within(place) if place else error from None


def take_operand(value: object, *, of: Value | str = "") -> Operand:
    """Take an operand as it is, and anything else as a literal value."""
    if isinstance(value, Operand):
        return value
    if isinstance(value, (Condition, UpdateValue)):
        what = "a condition" if isinstance(value, Condition) else "a computed update value"
        raise make_refusal(
            of,
            f"{what} is not a value to compare with",
            rule="condition-operand",
            fix="join conditions with & and |, each side in parentheses",
        )
    return make_literal(value, of=of)


def take_stored(value: object, *, of: Value | str = "") -> Operand:
    """Take an operand of an update: as :func:`take_operand`, but refuse what only conditions can use."""
    taken = take_operand(value, of=of)
    if isinstance(taken, OperandFunction):
        raise make_refusal(
            of,
            f"{taken.name}() in an update, which only conditions can use",
            rule="update-value",
            fix="count in Python, or keep a counter attribute",
        )
    return taken


def take_number(amount: object, path: Path | None) -> Value:
    """Take an operand of ``+`` or ``-``: a number, a path or ``if_not_exists``; ``path`` is the place for an error."""
    if isinstance(amount, UpdateFunction) and not amount.gives:  # list_append always gives a list
        return amount
    of = path if path is not None else ""
    if isinstance(amount, Arithmetic):
        raise make_refusal(
            of,
            "SET adds or subtracts two operands, not three",
            rule="update-arithmetic",
            fix="add the constants up in Python first",
        )
    value = take_stored(amount, of=of)
    if isinstance(value, Literal) and value.type != "N":
        raise make_refusal(
            of,
            f"+ and - compute with numbers, not with a value of type {value.type}",
            rule="update-arithmetic",
            fix="append(…) extends a list, .add(…) a set",
        )
    return value


def take_list(items: object, path: Path) -> Value:
    """Take one side of ``list_append``: anything that is not a list counts as one item."""
    if isinstance(items, Path) or (isinstance(items, UpdateFunction) and not items.gives):
        return items
    return make_literal(items if isinstance(items, (list, tuple)) else [items], of=path)


def compute(left: object, operator: str, right: object) -> Arithmetic:
    """Build ``left operator right`` for a SET, whichever side is a value."""
    path = next((side for side in (left, right) if isinstance(side, Path)), None)
    return Arithmetic(take_number(left, path), operator, take_number(right, path))


def make_refusal(subject: Value | str, message: str, *, rule: str, fix: str) -> BuildError:
    """The error for an operand that is wrong, or has a wrong neighbour; see :func:`name_place`."""
    return BuildError(message, rule=rule, place=name_place(subject), fix=fix)


def name_place(subject: Value | str) -> str:
    """Name an operand for an error: ``address.city``, ``size(tags)``; nothing for a value. Text stands as it is."""
    if isinstance(subject, str):
        return subject
    if isinstance(subject, Path):
        return write_path(subject.segments)
    if isinstance(subject, Call):
        return f"{subject.name}({', '.join(map(name_place, subject.operands))})"
    return ""
