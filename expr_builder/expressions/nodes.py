"""The expression tree: small immutable nodes, which other modules build, write, read and evaluate.

Nodes are plain classes with slots, immutable by convention as ``fractions.Fraction`` is: nothing assigns to them
after ``__init__``. Conditions compare by structure (``==``); operands cannot, because their ``==`` builds a condition,
so :meth:`Node._key` gives each node's structure as plain data.
"""

from __future__ import annotations

from expr_builder.attribute_values.copying import copy_value
from expr_builder.attribute_values.values import measure_value
from expr_builder.errors import BuildError

from .paths import write_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator
    from typing import Any, ClassVar, NoReturn, Protocol, TypeAlias

    from expr_builder.attribute_values.values import AttributeValue

    from .paths import Segments

    Structure: TypeAlias = tuple[Hashable, ...]
    Value: TypeAlias = "Operand | UpdateValue"
    """What SET can set an attribute to."""

    class Writer(Protocol):
        """How names, values and functions are written: as placeholders, filled in, or hidden."""

        def path(self, segments: Segments) -> str: ...
        def value(self, literal: Literal) -> str: ...
        def function(self, name: str) -> str: ...


class Node:
    """Anything in the tree."""

    __slots__: tuple[str, ...] = ()

    _fields: ClassVar[tuple[str, ...]] = ()  # apart from __slots__, which is empty in a subclass that adds none
    """The node's attributes, in the order in which they are written."""
    _label: ClassVar[str] = ""
    """What the node is called in its repr."""

    def _key(self) -> Structure:
        """The node's structure as nested tuples: equal for equal trees."""
        return (type(self).__name__, *(_freeze(getattr(self, field)) for field in self._fields))

    def _write(self, to: Writer) -> str:
        """Write the node as expression text, without checking it; what has no text is a question mark."""
        return "?"

    def __repr__(self) -> str:
        try:
            return f"{self._label}({self._write(_Hidden())})"
        except RecursionError:  # a repr is for logs and debuggers, and never fails
            return f"{self._label}(…)"


class _Hidden:
    """Writes the types of values only: values may be personal, and reprs end up in logs."""

    def path(self, segments: Segments) -> str:
        return write_path(segments)

    def value(self, literal: Literal) -> str:
        return repr(literal)

    def function(self, name: str) -> str:
        return name


def _freeze(part: object) -> Hashable:
    if isinstance(part, Node):
        return part._key()
    if isinstance(part, (tuple, list)):
        return tuple(map(_freeze, part))
    if isinstance(part, dict):
        return tuple((name, _freeze(value)) for name, value in part.items())  # maps are serialised in sorted order
    return part


# --- Operands: what conditions compare and updates compute with


class Operand(Node):
    """A path, a literal value, or a function that gives a value to compare."""

    __slots__ = ()
    _label = "Operand"


class Path(Operand):
    """A document path. ``Attr`` and ``Key`` add the methods that build conditions."""

    __slots__ = ("segments",)

    def __init__(self, segments: Segments) -> None:
        self.segments = segments

    def _key(self) -> Structure:
        """The structure, whatever the subclass: ``Attr("a")`` and ``Key("a")`` are one path."""
        return ("Path", *self.segments)

    def _write(self, to: Writer) -> str:
        return to.path(self.segments)

    def __repr__(self) -> str:
        head, *rest = self.segments
        return f"Attr({head!r})" + "".join(f"[{segment!r}]" for segment in rest)


class Literal(Operand):
    """A value, serialised, checked and measured when it was given."""

    __slots__ = ("_size", "_value")
    _fields = ("_value",)

    def __init__(self, value: AttributeValue, size: int | None = None) -> None:
        self._value = value
        self._size = size

    @property
    def value(self) -> AttributeValue:
        """The AttributeValue: a copy, as trees are shared and never change."""
        return copy_value(self._value)

    @property
    def size(self) -> int:
        """The value's size in bytes."""
        return measure_value(self._value) if self._size is None else self._size  # literals in text come unmeasured

    @property
    def type(self) -> str:
        """The AttributeValue's type: ``"S"``, ``"N"`` …"""
        return next(iter(self._value))

    @property
    def content(self) -> Any:
        """The value without its type: text, number text, bytes, elements …"""
        return next(iter(self.value.values()))

    def _write(self, to: Writer) -> str:
        return to.value(self)

    def __repr__(self) -> str:
        return f"<{self.type}>"


# --- What an update may set an attribute to, besides operands


class UpdateValue(Node):
    """A computed value on the right side of SET."""

    __slots__ = ()
    _label = "UpdateValue"

    # Without these, Attr("n") + 1 + 1 would be a bare TypeError.
    def __add__(self, amount: object) -> UpdateValue:
        raise self._refuse_arithmetic()

    __sub__ = __radd__ = __rsub__ = __add__

    def _refuse_arithmetic(self) -> BuildError:
        return BuildError(
            "SET adds or subtracts two operands, not three",
            rule="update-arithmetic",
            fix="add the constants up in Python first",
        )


class _Infix(Node):
    """``left operator right``."""

    _fields = __slots__ = ("left", "operator", "right")

    def __init__(self, left: Value, operator: str, right: Value) -> None:
        self.left = left
        self.operator = operator
        self.right = right

    def _write(self, to: Writer) -> str:
        return f"{self.left._write(to)} {self.operator} {self.right._write(to)}"


class Arithmetic(_Infix, UpdateValue):
    """``left + right`` or ``left - right``."""

    __slots__ = ()


# --- Conditions


class Condition(Node):
    """Something that is true or false of an item: what the methods and operators of ``Attr`` and ``Key`` return.

    Join conditions with ``&``, ``|`` and ``~``, each side in parentheses (``and``, ``or`` and ``not`` raise a
    ``TypeError``). Two conditions are equal (``==``) when they have the same structure.

    Example:
        ``(Attr("n") == 3) & ~Attr("gone").exists()`` renders as ``n = :v0 AND NOT attribute_exists(gone)``.

    See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.ConditionExpressions.html
    """

    __slots__ = ()
    _label = "Condition"

    parts: tuple[Condition, ...] = ()
    """The conditions that AND, OR or NOT joins; none for a single clause."""

    def __and__(self, other: Condition) -> Condition:
        return And.of(self, _check_condition(other, "&"))

    def __or__(self, other: Condition) -> Condition:
        return Or.of(self, _check_condition(other, "|"))

    def __invert__(self) -> Condition:
        return self.parts[0] if isinstance(self, Not) else Not(self)

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "a condition has no truth value in Python: `and`, `or` and `not` would silently drop a side; "
            "write & | ~ with each side in parentheses, and a <= x <= b as Attr(…).between(a, b)"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Condition) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())


class Comparison(_Infix, Condition):
    """``left operator right``, the operator one of ``= <> < <= > >=``."""

    __slots__ = ()


class Between(Condition):
    """``operand BETWEEN low AND high``, both ends included."""

    _fields = __slots__ = ("operand", "low", "high")

    def __init__(self, operand: Operand, low: Operand, high: Operand) -> None:
        self.operand = operand
        self.low = low
        self.high = high

    def _write(self, to: Writer) -> str:
        return f"{self.operand._write(to)} BETWEEN {self.low._write(to)} AND {self.high._write(to)}"


class In(Condition):
    """``operand IN (choice, choice …)``."""

    _fields = __slots__ = ("operand", "choices")

    def __init__(self, operand: Operand, choices: tuple[Operand, ...]) -> None:
        self.operand = operand
        self.choices = choices

    def _write(self, to: Writer) -> str:
        # A list, here and below, not a generator: join makes one anyway, more slowly.
        return f"{self.operand._write(to)} IN ({', '.join([choice._write(to) for choice in self.choices])})"


class _Joined(Condition):
    """Conditions joined by one word. No part is joined by the same word: ``a & (b & c)`` is ``a & b & c``."""

    _fields = __slots__ = ("parts",)

    def __init__(self, parts: tuple[Condition, ...]) -> None:
        self.parts = parts

    @classmethod
    def of(cls, *conditions: Condition) -> Condition:
        """Join conditions; one that is joined by the same word already adds its parts, one alone stays as it is."""
        parts: list[Condition] = []
        for condition in conditions:
            parts += condition.parts if isinstance(condition, cls) else (condition,)
        return parts[0] if len(parts) == 1 else cls(tuple(parts))


class And(_Joined):
    """All parts are true."""

    __slots__ = ()

    def _write(self, to: Writer) -> str:  # only OR binds less tightly than AND, and needs parentheses
        return " AND ".join(
            [f"({part._write(to)})" if isinstance(part, Or) else part._write(to) for part in self.parts]
        )


class Or(_Joined):
    """At least one part is true."""

    __slots__ = ()

    def _write(self, to: Writer) -> str:
        return " OR ".join([part._write(to) for part in self.parts])


class Not(Condition):
    """The part is false."""

    _fields = __slots__ = ("parts",)

    def __init__(self, part: Condition) -> None:
        self.parts = (part,)

    def _write(self, to: Writer) -> str:
        (part,) = self.parts
        return f"NOT ({part._write(to)})" if isinstance(part, _Joined) else f"NOT {part._write(to)}"


def conjuncts(condition: Condition) -> tuple[Condition, ...]:
    """The conditions that AND joins, or the condition itself."""
    return condition.parts if isinstance(condition, And) else (condition,)


def _check_condition(other: object, operator: str) -> Condition:
    if isinstance(other, Condition):
        return other
    raise BuildError(
        f"{operator} joins conditions, not a {type(other).__name__}",
        rule="condition-operand",
        fix='compare first, in parentheses: (Attr("a") == 1) & (Attr("b") == 2)',
    )


# --- Functions. What each of them takes and does is known only in :mod:`.functions`.


class Call(Node):
    """A function with its operands: ``name(operand, …)``."""

    # Nodes are below the table of functions: the name is checked by what builds, writes or evaluates the call.

    _fields = __slots__ = ("name", "operands")

    gives: ClassVar[str] = ""
    """The type of AttributeValue that the function gives, where that is always the same."""

    def __init__(self, name: str, *operands: Value) -> None:
        self.name = name
        self.operands = operands

    def _key(self) -> Structure:
        """The structure, whatever the subclass."""
        return ("Call", self.name, *(operand._key() for operand in self.operands))

    def _write(self, to: Writer) -> str:
        return f"{to.function(self.name)}({', '.join([operand._write(to) for operand in self.operands])})"


class Function(Call, Condition):
    """A function that is itself a condition."""

    __slots__ = ()


class OperandFunction(Call, Operand):
    """A function that gives something to compare."""

    __slots__ = ()


class UpdateFunction(Call, UpdateValue):
    """A function that gives a value to set."""

    __slots__ = ()


def list_children(node: Node) -> Iterator[Node]:
    """The nodes directly below, in the order in which they are written."""
    for field in node._fields:
        part = getattr(node, field)
        if isinstance(part, Node):
            yield part
        elif isinstance(part, tuple):
            yield from part


def find_paths(node: Node) -> Iterator[Path]:
    """Every path in a tree, in written order."""
    nodes = [node]  # still to visit, the next one last; no recursion, as programs can nest conditions without end
    while nodes:
        one = nodes.pop()
        if isinstance(one, Path):
            yield one
        nodes.extend(reversed([*list_children(one)]))
