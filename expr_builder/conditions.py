"""The fluent face of conditions: ``Attr``, ``Key``, ``all_of``, ``any_of``.

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.OperatorsAndFunctions.html
"""

from __future__ import annotations

from .errors import BuildError
from .limits import MAX_IN_OPERANDS
from .nodes import (
    And,
    Arithmetic,
    Between,
    Comparison,
    Condition,
    Function,
    IfNotExists,
    In,
    ListAppend,
    Literal,
    Operand,
    Or,
    Path,
    Size,
    UpdateValue,
)
from .paths import check_segment, extend, parse_path, path_text
from .values import sized

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

__all__ = [
    "ATTRIBUTE_TYPES",
    "Attr",
    "Key",
    "SizeOf",
    "all_of",
    "any_of",
    "as_condition",
    "attribute_type",
    "begins_with",
    "between",
    "compare",
    "compute",
    "contains",
    "is_in",
    "literal",
    "operand",
    "stored_operand",
]

ATTRIBUTE_TYPES = ("S", "SS", "N", "NS", "B", "BS", "BOOL", "NULL", "L", "M")
"""What ``attribute_type`` can ask for."""

_ORDERED_TYPES = ("S", "N", "B")
_ORDERING = ("<", "<=", ">", ">=")


def literal(value: Any, *, of: str = "") -> Literal:
    """Serialise ``value`` as an operand; ``of`` names the place for an error."""
    try:
        return Literal(sized(value)[0])
    except BuildError as error:
        raise error.within(of) if of else error from None


def operand(value: Any, *, of: str = "") -> Operand:
    """Take an operand as it is, and anything else as a literal value."""
    if isinstance(value, Operand):
        return value
    if isinstance(value, (Condition, UpdateValue)):
        what = "a condition" if isinstance(value, Condition) else "a computed update value"
        raise BuildError(
            f"{what} is not a value to compare with",
            rule="condition-operand",
            place=of,
            fix="join conditions with & and |, each side in parentheses",
        )
    return literal(value, of=of)


def as_condition(value: Any, *, of: str) -> Condition:
    """Take a condition as it is.

    Raises:
        BuildError: for anything else, except a ``boto3.dynamodb.conditions`` object, which is turned into its equal.
    """
    if isinstance(value, Condition):
        return value
    if type(value).__module__ == "boto3.dynamodb.conditions":
        from .foreign import from_boto3  # late: that module needs this one, and hardly any program needs that

        try:
            return from_boto3(value)
        except BuildError as error:
            raise error.within(of) from None
    fix = 'compare it, as in Attr("a") == 1'
    if isinstance(value, Size):
        fix = "size(…) is a number: compare it, as in Attr(…).size() < 5"
    elif isinstance(value, str):
        fix = "parse_condition reads conditions from text"
    raise BuildError(f"a {type(value).__name__} is not a condition", rule="condition-operand", place=of, fix=fix)


def compare(operator: str, left: Operand, right: Operand) -> Comparison:
    """Build ``left operator right``.

    Raises:
        BuildError: for equal operands, an order asked of a type that has none, or a size compared with something
            that is not a number.
    """
    place = _place(left)
    if left.key() == right.key():
        raise BuildError(
            f"both sides of {operator} are the same",
            rule="operand-distinct",
            place=place,
            fix="compare with another path or a value",
        )
    for side, other in ((left, right), (right, left)):
        if not isinstance(side, Literal):
            continue
        if operator in _ORDERING and side.type not in _ORDERED_TYPES:
            raise BuildError(
                f"{operator} has no meaning for a value of type {side.type}",
                rule="operand-type",
                place=place,
                fix="only strings, numbers and binary values have an order",
            )
        if isinstance(other, Size) and side.type != "N":
            raise BuildError(
                f"size() is a number and is compared with a value of type {side.type}",
                rule="operand-type",
                place=place,
                fix="compare it with a number",
            )
    return Comparison(operator, left, right)


def between(subject: Operand, low: Operand, high: Operand) -> Between:
    """Build ``subject BETWEEN low AND high``.

    Raises:
        BuildError: for bounds without an order, of two types, or in the wrong order.
    """
    place = _place(subject)
    for bound in (low, high):
        if isinstance(bound, Literal) and bound.type not in _ORDERED_TYPES:
            raise BuildError(
                f"BETWEEN has no meaning for a value of type {bound.type}",
                rule="operand-type",
                place=place,
                fix="only strings, numbers and binary values have an order",
            )
    if isinstance(low, Literal) and isinstance(high, Literal):
        if low.type != high.type:
            raise BuildError(
                f"BETWEEN with bounds of two types, {low.type} and {high.type}",
                rule="between-types",
                place=place,
                fix="give both bounds one type",
            )
        if _order(low) > _order(high):
            raise BuildError(
                "BETWEEN with its bounds swapped: the first is greater than the second",
                rule="between-order",
                place=place,
                fix="put the lower bound first; both ends are included",
            )
    return Between(subject, low, high)


def is_in(subject: Operand, choices: Iterable[Any]) -> In:
    """Build ``subject IN (…)``.

    Raises:
        BuildError: for a string (its characters are hardly meant), no choice at all, or more than 100.
    """
    place = _place(subject)
    if isinstance(choices, (str, bytes)) or not hasattr(choices, "__iter__"):
        raise BuildError(
            f"IN takes a collection of values, not a {type(choices).__name__}",
            rule="in-choices",
            place=place,
            fix="is_in([value, …]), or eq(value) for a single one",
        )
    operands = tuple(operand(choice, of=place) for choice in choices)
    if isinstance(choices, (set, frozenset)):  # a set has another order in each process
        operands = tuple(sorted(operands, key=lambda choice: repr(choice.key())))
    if not operands:
        raise BuildError(
            "IN without a single value", rule="in-choices", place=place, fix="an empty choice is never true"
        )
    if len(operands) > MAX_IN_OPERANDS:
        raise BuildError(
            f"IN with {len(operands)} values, {MAX_IN_OPERANDS} are allowed",
            rule="in-choices",
            place=place,
            fix="join several with any_of(…), or keep the list elsewhere",
        )
    return In(subject, operands)


def begins_with(subject: Operand, prefix: Operand) -> Function:
    """Build ``begins_with(subject, prefix)``.

    Raises:
        BuildError: for a value that is neither a string nor bytes, or one path given twice.
    """
    for side in (subject, prefix):
        if isinstance(side, Literal) and side.type not in ("S", "B"):
            raise BuildError(
                f"begins_with has no meaning for a value of type {side.type}",
                rule="operand-type",
                place=_place(subject),
                fix="the prefix is a string or bytes",
            )
    _refuse_equal("begins_with", subject, prefix)
    return Function("begins_with", subject, prefix)


def contains(subject: Operand, element: Operand) -> Function:
    """Build ``contains(subject, element)``.

    Raises:
        BuildError: for a set to look for, or one path given twice.
    """
    if isinstance(element, Literal) and element.type in ("SS", "NS", "BS"):
        raise BuildError(
            "contains looks for one element, not for a set",
            rule="operand-type",
            place=_place(subject),
            fix="all_of(*(attr.contains(element) for element in elements))",
        )
    _refuse_equal("contains", subject, element)
    return Function("contains", subject, element)


def attribute_type(subject: Operand, name: Operand) -> Function:
    """Build ``attribute_type(subject, name)``.

    Raises:
        BuildError: when the name is not one of :data:`ATTRIBUTE_TYPES`.
    """
    if not isinstance(name, Literal) or name.type != "S" or name.content not in ATTRIBUTE_TYPES:
        raise BuildError(
            "attribute_type with an unknown type",
            rule="attribute-type",
            place=_place(subject),
            fix=f"one of {' '.join(ATTRIBUTE_TYPES)}",
        )
    return Function("attribute_type", subject, name)


def _refuse_equal(name: str, subject: Operand, argument: Operand) -> None:
    if argument.key() == subject.key():
        raise BuildError(
            f"{name} with one path twice",
            rule="operand-distinct",
            place=_place(subject),
            fix="look for a value or another path",
        )


class _Comparable(Operand):
    """The comparisons that a path and a size share."""

    __slots__ = ()

    def eq(self, value: Any) -> Condition:
        """``self = value``. False when the attribute is missing."""
        return compare("=", self, operand(value, of=_place(self)))

    def ne(self, value: Any) -> Condition:
        """``self <> value``. **True** when the attribute, or the whole item, is missing: see
        :meth:`Attr.exists_and_ne`."""
        return compare("<>", self, operand(value, of=_place(self)))

    def lt(self, value: Any) -> Condition:
        """``self < value``."""
        return compare("<", self, operand(value, of=_place(self)))

    def lte(self, value: Any) -> Condition:
        """``self <= value``."""
        return compare("<=", self, operand(value, of=_place(self)))

    def gt(self, value: Any) -> Condition:
        """``self > value``."""
        return compare(">", self, operand(value, of=_place(self)))

    def gte(self, value: Any) -> Condition:
        """``self >= value``."""
        return compare(">=", self, operand(value, of=_place(self)))

    def between(self, low: Any, high: Any) -> Condition:
        """``self BETWEEN low AND high``, both ends included."""
        place = _place(self)
        return between(self, operand(low, of=place), operand(high, of=place))

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
        super().__init__((check_segment(name),))

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
        return begins_with(self, operand(prefix, of=_place(self)))

    def contains(self, element: Any) -> Condition:
        """``contains(self, element)``: a part of a string, an element of a set or list."""
        return contains(self, operand(element, of=_place(self)))

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
        return Arithmetic("+", _number_operand(amount, self), self)

    def __rsub__(self, amount: Any) -> UpdateValue:
        """``amount - self`` in a SET."""
        return Arithmetic("-", _number_operand(amount, self), self)

    def if_not_exists(self, default: Any) -> IfMissing:
        """``if_not_exists(self, default)`` in a SET: the stored value, or the default when there is none."""
        return IfMissing(self, stored_operand(default, of=_place(self)))

    def increment(self, by: Any = 1) -> UpdateValue:
        """``if_not_exists(self, 0) + by`` in a SET: a counter that starts by itself."""
        return arithmetic("+", self.if_not_exists(0), by)

    def append(self, items: Any) -> UpdateValue:
        """``list_append(if_not_exists(self, []), items)`` in a SET; anything that is not a list counts as one item."""
        return ListAppend(self.if_not_exists([]), _list_operand(items, self))

    def prepend(self, items: Any) -> UpdateValue:
        """``list_append(items, if_not_exists(self, []))`` in a SET; anything that is not a list counts as one item."""
        return ListAppend(_list_operand(items, self), self.if_not_exists([]))


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
        super().__init__((check_segment(name),))

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


def all_of(*conditions: Condition | None) -> Condition:
    """Join conditions with AND, ``None`` skipped: ``all_of(a, None, b)`` is ``a & b``.

    Raises:
        BuildError: when nothing is left to join.
    """
    return _joined(And, "all_of", conditions)


def any_of(*conditions: Condition | None) -> Condition:
    """Join conditions with OR, ``None`` skipped: ``any_of(a, None, b)`` is ``a | b``.

    Raises:
        BuildError: when nothing is left to join.
    """
    return _joined(Or, "any_of", conditions)


def _joined(kind: type[And | Or], name: str, conditions: tuple[Condition | None, ...]) -> Condition:
    parts: list[Condition] = []
    for condition in conditions:
        if condition is not None:
            checked = as_condition(condition, of=name)
            parts += checked.parts if isinstance(checked, kind) else (checked,)
    if not parts:
        raise BuildError(f"{name} was given no condition", rule="condition-empty", fix="leave the condition out")
    return parts[0] if len(parts) == 1 else kind(tuple(parts))


def arithmetic(operator: str, left: Attr | IfNotExists, amount: Any) -> Arithmetic:
    """Build ``left operator amount`` for a SET."""
    path = left if isinstance(left, Path) else left.path
    return Arithmetic(operator, left, _number_operand(amount, path))


def compute(operator: str, left: Operand | UpdateValue, right: Operand | UpdateValue) -> Arithmetic:
    """Build ``left operator right`` for a SET, whichever side is a value.

    Raises:
        BuildError: for anything that is not a number, a path or ``if_not_exists``.
    """
    path = next((side for side in (left, right) if isinstance(side, Path)), None)
    return Arithmetic(operator, _number_operand(left, path), _number_operand(right, path))


def _number_operand(amount: Any, path: Path | None) -> Operand | IfNotExists:
    if isinstance(amount, IfNotExists):
        return amount
    place = _place(path) if path is not None else ""
    if isinstance(amount, Arithmetic):
        raise BuildError(
            "SET adds or subtracts two operands, not three",
            rule="update-arithmetic",
            place=place,
            fix="add the constants up in Python first",
        )
    value = stored_operand(amount, of=place)
    if isinstance(value, Literal) and value.type != "N":
        raise BuildError(
            f"+ and - compute with numbers, not with a value of type {value.type}",
            rule="update-arithmetic",
            place=place,
            fix="append(…) extends a list, .add(…) a set",
        )
    return value


def stored_operand(value: Any, *, of: str = "") -> Operand:
    """Take an operand of an update: like :func:`operand`, but ``size()`` is refused, which only conditions know."""
    taken = operand(value, of=of)
    if isinstance(taken, Size):
        raise BuildError(
            "size() in an update, which only conditions can use",
            rule="update-value",
            place=of,
            fix="count in Python, or keep a counter attribute",
        )
    return taken


def _list_operand(items: Any, path: Path) -> Operand | IfNotExists:
    if isinstance(items, (Path, IfNotExists)):
        return items
    return literal(list(items) if isinstance(items, (list, tuple)) else [items], of=_place(path))


def _place(subject: Operand) -> str:
    if isinstance(subject, Path):
        return path_text(subject.segments)
    return f"size({path_text(subject.path.segments)})" if isinstance(subject, Size) else ""


def _order(bound: Literal) -> Any:
    if bound.type == "N":
        from decimal import Decimal

        return Decimal(bound.content)
    return bound.content.encode() if bound.type == "S" else bound.content
