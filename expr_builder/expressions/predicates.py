"""Comparisons, ``BETWEEN`` and ``IN``: how they are built and checked, and the methods that build them."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from itertools import islice

from expr_builder.attribute_values.comparing import is_true
from expr_builder.attribute_values.values import ORDERED_TYPES
from expr_builder.limits import MAX_IN_OPERANDS

from .nodes import Between, Comparison, Condition, In, Literal, Node, Operand, OperandFunction, Path
from .operands import make_refusal, take_operand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import NoReturn

COMPARATORS = ("=", "<>", "<", "<=", ">", ">=")
_ORDERING = ("<", "<=", ">", ">=")


def compare(left: Operand, operator: str, right: Operand) -> Comparison:
    """Build ``left operator right``; refuse equal operands, ``<`` of unordered types, a size beside no number."""
    # A path never equals a value. Keys are costly, so they are compared only between two of a kind.
    if isinstance(right, Literal) is isinstance(left, Literal) and left._key() == right._key():
        raise make_refusal(
            left,
            f"both sides of {operator} are the same",
            rule="operand-distinct",
            fix="compare with another path or a value",
        )
    if isinstance(right, Literal):
        _check_compared(operator, right, left, left)
    if isinstance(left, Literal):
        _check_compared(operator, left, right, left)
    return Comparison(left, operator, right)


def _check_compared(operator: str, value: Literal, other: Operand, left: Operand) -> None:
    if operator in _ORDERING:
        _check_order(operator, value, left)
    if isinstance(other, OperandFunction) and value.type != other.gives:
        raise make_refusal(
            left,
            f"{other.name}() is a number and is compared with a value of type {value.type}",
            rule="operand-type",
            fix="compare it with a number",
        )


def _check_order(operator: str, value: Literal, subject: Operand) -> None:
    if value.type not in ORDERED_TYPES:
        raise make_refusal(
            subject,
            f"{operator} has no meaning for a value of type {value.type}",
            rule="operand-type",
            fix="only strings, numbers and binary values have an order",
        )


def between(subject: Operand, low: Operand, high: Operand) -> Between:
    """Build ``subject BETWEEN low AND high``; refuse bounds without an order, of two types, or swapped."""
    for bound in (low, high):
        if isinstance(bound, Literal):
            _check_order("BETWEEN", bound, subject)
    if isinstance(low, Literal) and isinstance(high, Literal):
        if low.type != high.type:
            raise make_refusal(
                subject,
                f"BETWEEN with bounds of two types, {low.type} and {high.type}",
                rule="between-types",
                fix="give both bounds one type",
            )
        if is_true(low.value, ">", high.value):
            raise make_refusal(
                subject,
                "BETWEEN with its bounds swapped: the first is greater than the second",
                rule="between-order",
                fix="put the lower bound first; both ends are included",
            )
    return Between(subject, low, high)


def is_in(subject: Operand, choices: Iterable[object]) -> In:
    """Build ``subject IN (…)`` with 1 to 100 choices."""
    if type(choices) is not list:
        choices = _list_choices(subject, choices)
    operands = tuple([take_operand(choice, of=subject) for choice in choices])
    if not operands:
        raise make_refusal(subject, "IN without a single value", rule="in-choices", fix="an empty choice is never true")
    if len(operands) > MAX_IN_OPERANDS:
        raise make_refusal(
            subject,
            f"IN with more than {MAX_IN_OPERANDS} values",
            rule="in-choices",
            fix="join several with any_of(…), or keep the list elsewhere",
        )
    return In(subject, operands)


def _list_choices(subject: Operand, choices: Iterable[object]) -> Iterable[object]:
    # Text, bytes and mappings can be looped over, too, but nobody means their characters, numbers and keys.
    if isinstance(choices, (str, bytes, bytearray, memoryview, Mapping, Node)) or not hasattr(choices, "__iter__"):
        raise make_refusal(
            subject,
            f"IN takes a collection of values, not a {type(choices).__name__}",
            rule="in-choices",
            fix=_find_choices_fix(choices),
        )
    if isinstance(choices, AbstractSet):  # its order differs between processes; repr, as types may be mixed
        operands = [take_operand(choice, of=subject) for choice in choices]
        return sorted(operands, key=lambda choice: repr(choice._key()))
    return islice(choices, MAX_IN_OPERANDS + 1)  # a generator may have no end


def _find_choices_fix(choices: object) -> str:
    if isinstance(choices, Mapping):
        return "is_in(list(mapping)) compares with its keys, is_in(mapping.values()) with its values"
    if isinstance(choices, Path):
        return "IN has no place for a stored list: Attr(…).contains(…) asks whether a list or set has an element"
    return "is_in([value, …]), or eq(value) for a single one"


class Ordered(Operand):
    """The comparisons that key attributes have as well."""

    __slots__ = ()

    def eq(self, value: object) -> Condition:
        """``self = value``. False when the attribute is missing."""
        return compare(self, "=", take_operand(value, of=self))

    def lt(self, value: object) -> Condition:
        """``self < value``."""
        return compare(self, "<", take_operand(value, of=self))

    def lte(self, value: object) -> Condition:
        """``self <= value``."""
        return compare(self, "<=", take_operand(value, of=self))

    def gt(self, value: object) -> Condition:
        """``self > value``."""
        return compare(self, ">", take_operand(value, of=self))

    def gte(self, value: object) -> Condition:
        """``self >= value``."""
        return compare(self, ">=", take_operand(value, of=self))

    def between(self, low: object, high: object) -> Condition:
        """``self BETWEEN low AND high``, both ends included."""
        return between(self, take_operand(low, of=self), take_operand(high, of=self))

    def __eq__(self, value: object) -> Condition:  # type: ignore[override]
        return self.eq(value)

    # For 5 < attr Python calls attr > 5: no reflected methods are needed.
    __lt__ = lt
    __le__ = lte
    __gt__ = gt
    __ge__ = gte
    __hash__ = object.__hash__  # __eq__ takes it away; attributes are keys of the mappings that set() takes


class Comparable(Ordered):
    """All comparisons."""

    __slots__ = ()

    def ne(self, value: object) -> Condition:
        """``self <> value``. **True** when the attribute or the item is missing: see :meth:`Attr.exists_and_ne`."""
        return compare(self, "<>", take_operand(value, of=self))

    def is_in(self, choices: Iterable[object]) -> Condition:
        """``self IN (…)``: one of 1 to 100 values, in a list, a set, a generator …"""
        return is_in(self, choices)

    def __ne__(self, value: object) -> Condition:  # type: ignore[override]
        return self.ne(value)

    def __bool__(self) -> NoReturn:
        raise TypeError(f"{self!r} has no truth value in Python: compare it, or ask .exists()")
