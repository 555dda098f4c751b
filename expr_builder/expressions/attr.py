"""The fluent face of conditions and update values: ``Attr`` and ``Key``.

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.OperatorsAndFunctions.html
"""

from __future__ import annotations

from expr_builder.errors import BuildError

from .nodes import Arithmetic, Condition, Function, IfNotExists, ListAppend, Literal, Operand, Path, Size, UpdateValue
from .operands import arithmetic, list_operand, number_operand, operand, stored_operand
from .paths import check_segment, extend, parse_path, path_text
from .predicates import attribute_type, begins_with, between, compare, contains, is_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


class _Comparable(Operand):
    """The comparisons that a path and a size share."""

    __slots__ = ()

    def eq(self, value: Any) -> Condition:
        """``self = value``. False when the attribute is missing."""
        return compare("=", self, operand(value, of=self))

    def ne(self, value: Any) -> Condition:
        """``self <> value``. **True** when the attribute, or the whole item, is missing: see
        :meth:`Attr.exists_and_ne`."""
        return compare("<>", self, operand(value, of=self))

    def lt(self, value: Any) -> Condition:
        """``self < value``."""
        return compare("<", self, operand(value, of=self))

    def lte(self, value: Any) -> Condition:
        """``self <= value``."""
        return compare("<=", self, operand(value, of=self))

    def gt(self, value: Any) -> Condition:
        """``self > value``."""
        return compare(">", self, operand(value, of=self))

    def gte(self, value: Any) -> Condition:
        """``self >= value``."""
        return compare(">=", self, operand(value, of=self))

    def between(self, low: Any, high: Any) -> Condition:
        """``self BETWEEN low AND high``, both ends included."""
        return between(self, operand(low, of=self), operand(high, of=self))

    def is_in(self, choices: Iterable[Any]) -> Condition:
        """``self IN (…)``: one of 1 to 100 values."""
        return is_in(self, choices)

    def __eq__(self, value: object) -> Condition:  # type: ignore[override]
        return self.eq(value)

    def __ne__(self, value: object) -> Condition:  # type: ignore[override]
        return self.ne(value)

    __lt__ = lt
    __le__ = lte
    __gt__ = gt
    __ge__ = gte
    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        raise TypeError(f"{self!r} has no truth value in Python: compare it, or ask .exists()")


class SizeOf(_Comparable, Size):
    """``size(path)``, to be compared with a number or another operand."""

    __slots__ = ()


class Attr(_Comparable, Path):
    """One attribute, to make conditions and update values of.

    Args:
        name: The attribute's name, taken literally: a dot is part of it. Go deeper with brackets:
            ``Attr("address")["city"]``, ``Attr("tags")[0]``; or read path text with :meth:`path`.

    Raises:
        BuildError: for a name that is empty, too long or no string.

    Example:
        ``(Attr("email") == "a@example.com") & Attr("tags").size().lt(5)`` renders as
        ``email = :v0 AND size(tags) < :v1``.

    See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.Attributes.html
    """

    __slots__ = ()

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise BuildError(
                f"an attribute's name is a string, not a {type(name).__name__}",
                rule="attribute-name",
                fix='Attr("tags")[0] is an element of the list "tags"',
            )
        self.segments = (check_segment(name),)

    @classmethod
    def path(cls, text: str) -> Attr:
        """Read document-path text: ``Attr.path("address.city[0]")`` is ``Attr("address")["city"][0]``.

        Raises:
            BuildError: naming the column that cannot be read.
        """
        return cls.at(parse_path(text))

    @classmethod
    def at(cls, segments: tuple[str | int, ...]) -> Attr:
        """The path with these segments, taken as they are."""
        attr = cls.__new__(cls)
        attr.segments = segments
        return attr

    def __getitem__(self, segment: str | int) -> Attr:
        """One step further in: a map's entry by name, a list's element by index."""
        try:
            return self.at(extend(self.segments, segment))
        except BuildError as error:
            raise error.within(path_text(self.segments)) from None

    def __iter__(self) -> Any:
        # Without this, Python would try [0], [1], [2] … for ever.
        raise TypeError(f"{self!r} is a path and cannot be looped over")

    def __contains__(self, value: object) -> bool:
        raise TypeError(f"`in` cannot build a condition; write {self!r}.contains(value) or {self!r}.is_in(values)")

    # --- functions

    def exists(self) -> Condition:
        """``attribute_exists(self)``."""
        return Function("attribute_exists", self)

    def not_exists(self) -> Condition:
        """``attribute_not_exists(self)``."""
        return Function("attribute_not_exists", self)

    def exists_and_ne(self, value: Any) -> Condition:
        """``attribute_exists(self) AND self <> value``: unlike :meth:`ne`, false when the attribute is missing."""
        return self.exists() & self.ne(value)

    def begins_with(self, prefix: Any) -> Condition:
        """``begins_with(self, prefix)``: the prefix a string, bytes, or another path."""
        return begins_with(self, operand(prefix, of=self))

    def contains(self, element: Any) -> Condition:
        """``contains(self, element)``: a part of a string, an element of a set or list."""
        return contains(self, operand(element, of=self))

    def attribute_type(self, name: str) -> Condition:
        """``attribute_type(self, name)``: the name one of S SS N NS B BS BOOL NULL L M."""
        return attribute_type(self, Literal({"S": name}))

    def size(self) -> SizeOf:
        """``size(self)``: a number to compare, not a condition by itself."""
        return SizeOf(self)

    # --- values for an update

    def __add__(self, amount: Any) -> UpdateValue:
        """``self + amount`` in a SET. Fails at run time when the attribute is missing: see :meth:`increment`."""
        return arithmetic("+", self, amount)

    def __sub__(self, amount: Any) -> UpdateValue:
        """``self - amount`` in a SET."""
        return arithmetic("-", self, amount)

    def __radd__(self, amount: Any) -> UpdateValue:
        """``amount + self`` in a SET."""
        return Arithmetic("+", number_operand(amount, self), self)

    def __rsub__(self, amount: Any) -> UpdateValue:
        """``amount - self`` in a SET."""
        return Arithmetic("-", number_operand(amount, self), self)

    def if_not_exists(self, default: Any) -> IfMissing:
        """``if_not_exists(self, default)`` in a SET: the stored value, or the default when there is none."""
        return IfMissing(self, stored_operand(default, of=self))

    def increment(self, by: Any = 1) -> UpdateValue:
        """``if_not_exists(self, 0) + by`` in a SET: a counter that starts by itself."""
        return arithmetic("+", self.if_not_exists(0), by)

    def append(self, items: Any) -> UpdateValue:
        """``list_append(if_not_exists(self, []), items)`` in a SET; anything that is not a list counts as one item."""
        return ListAppend(self.if_not_exists([]), list_operand(items, self))

    def prepend(self, items: Any) -> UpdateValue:
        """``list_append(items, if_not_exists(self, []))`` in a SET; anything that is not a list counts as one item."""
        return ListAppend(list_operand(items, self), self.if_not_exists([]))


class IfMissing(IfNotExists):
    """The fluent face of ``if_not_exists``: it can be added to."""

    __slots__ = ()

    def __add__(self, amount: Any) -> UpdateValue:
        return arithmetic("+", self, amount)

    def __sub__(self, amount: Any) -> UpdateValue:
        return arithmetic("-", self, amount)

    def key(self) -> tuple[Any, ...]:
        """The structure, whatever the subclass."""
        return ("IfNotExists", self.default.key(), self.path.key())


class Key(Path):
    """A key attribute, to make the key condition of a query of.

    Only what DynamoDB allows there: ``eq`` for partition keys; ``eq``, ``lt``, ``lte``, ``gt``, ``gte``, ``between``
    and ``begins_with`` for sort keys; joined by ``&``.

    See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Query.KeyConditionExpressions.html
    """

    __slots__ = ()

    def __init__(self, name: str) -> None:
        self.segments = (check_segment(name),)

    def _attr(self) -> Attr:
        return Attr.at(self.segments)

    def eq(self, value: Any) -> Condition:
        """``key = value``."""
        return self._attr().eq(value)

    def lt(self, value: Any) -> Condition:
        """``key < value``."""
        return self._attr().lt(value)

    def lte(self, value: Any) -> Condition:
        """``key <= value``."""
        return self._attr().lte(value)

    def gt(self, value: Any) -> Condition:
        """``key > value``."""
        return self._attr().gt(value)

    def gte(self, value: Any) -> Condition:
        """``key >= value``."""
        return self._attr().gte(value)

    def between(self, low: Any, high: Any) -> Condition:
        """``key BETWEEN low AND high``, both ends included."""
        return self._attr().between(low, high)

    def begins_with(self, prefix: Any) -> Condition:
        """``begins_with(key, prefix)``."""
        return self._attr().begins_with(prefix)

    def __eq__(self, value: object) -> Condition:  # type: ignore[override]
        return self.eq(value)

    __lt__ = lt
    __le__ = lte
    __gt__ = gt
    __ge__ = gte
    __hash__ = object.__hash__
