"""The expression tree: small immutable nodes, which everything else builds, writes, reads, runs or inspects.

Nodes are plain classes with slots, immutable by convention as ``fractions.Fraction`` is: nothing assigns to them
after ``__init__``. Conditions compare by structure (``==``); operands cannot, because their ``==`` builds a condition,
so :meth:`Node.key` gives each node's structure as plain data.
"""

from __future__ import annotations

from expr_builder.attribute_values.values import size_of
from expr_builder.errors import BuildError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from expr_builder.attribute_values.values import AttributeValue

    from .paths import Segments


class Node:
    """Anything in the tree."""

    __slots__: tuple[str, ...] = ()

    def key(self) -> tuple[Any, ...]:
        """The node's structure as nested tuples: equal for equal trees."""
        return (type(self).__name__, *(_plain(getattr(self, slot)) for slot in self.__slots__))

    def children(self) -> Iterator[Node]:
        """The nodes directly below."""
        for kind in type(self).__mro__:
            for slot in getattr(kind, "__slots__", ()):
                part = getattr(self, slot)
                for child in part if isinstance(part, tuple) else (part,):
                    if isinstance(child, Node):
                        yield child

    def __repr__(self) -> str:
        # Values are left out: they may be personal, and reprs end up in logs.
        parts = ", ".join(repr(getattr(self, slot)) for slot in self.__slots__)
        return f"{type(self).__name__}({parts})"


def _plain(part: Any) -> Any:
    if isinstance(part, Node):
        return part.key()
    if isinstance(part, tuple):
        return tuple(map(_plain, part))
    if isinstance(part, dict):
        return tuple((name, _plain(value)) for name, value in part.items())
    return tuple(map(_plain, part)) if isinstance(part, list) else part


# --- Operands: what conditions compare and updates compute with


class Operand(Node):
    """A path, a size or a literal value."""

    __slots__ = ()


class Path(Operand):
    """A document path. ``Attr`` is the fluent face of it."""

    __slots__ = ("segments",)

    def __init__(self, segments: Segments) -> None:
        self.segments = segments

    def key(self) -> tuple[Any, ...]:
        """The structure, whatever the subclass."""
        return ("Path", *self.segments)  # Attr("a") and Key("a") are one path

    def __repr__(self) -> str:
        head, *rest = self.segments
        return f"Attr({head!r})" + "".join(f"[{segment!r}]" for segment in rest)


class Size(Operand):
    """``size(path)``: characters of a string, bytes of a binary value, elements of a set, list or map."""

    __slots__ = ("path",)

    def __init__(self, path: Path) -> None:
        self.path = path

    def key(self) -> tuple[Any, ...]:
        """The structure, whatever the subclass."""
        return ("Size", self.path.key())

    def __repr__(self) -> str:
        return f"{self.path!r}.size()"


class Literal(Operand):
    """A value, serialised, checked and measured when it was given."""

    __slots__ = ("_size", "value")

    def __init__(self, value: AttributeValue, size: int | None = None) -> None:
        self.value = value
        self._size = size

    @property
    def size(self) -> int:
        """The value's size in bytes."""
        return size_of(self.value) if self._size is None else self._size

    def key(self) -> tuple[Any, ...]:
        """The structure: the value alone."""
        return ("Literal", _plain(self.value))

    @property
    def type(self) -> str:
        """The AttributeValue's type: ``"S"``, ``"N"`` …"""
        return next(iter(self.value))

    @property
    def content(self) -> Any:
        """What stands behind the type: text, number text, bytes, elements …"""
        return next(iter(self.value.values()))

    def __repr__(self) -> str:
        return f"<{self.type}>"


# --- What an update may set an attribute to, besides operands


class UpdateValue(Node):
    """A computed value on the right side of SET."""

    __slots__ = ()

    def __add__(self, amount: Any) -> UpdateValue:
        raise _finished(self)

    def __sub__(self, amount: Any) -> UpdateValue:
        raise _finished(self)


def _finished(value: UpdateValue) -> BuildError:
    return BuildError(
        f"nothing can be added to or subtracted from a {type(value).__name__}",
        rule="update-arithmetic",
        fix="SET computes with two operands: add constants up in Python first",
    )


class IfNotExists(UpdateValue):
    """``if_not_exists(path, default)``. ``+`` and ``-`` on it make a counter that starts by itself."""

    __slots__ = ("default", "path")

    def __init__(self, path: Path, default: Operand) -> None:
        self.path = path
        self.default = default


class Arithmetic(UpdateValue):
    """``left + right`` or ``left - right``."""

    __slots__ = ("left", "operator", "right")

    def __init__(self, operator: str, left: Operand | IfNotExists, right: Operand | IfNotExists) -> None:
        self.operator = operator
        self.left = left
        self.right = right


class ListAppend(UpdateValue):
    """``list_append(first, second)``."""

    __slots__ = ("first", "second")

    def __init__(self, first: Operand | IfNotExists, second: Operand | IfNotExists) -> None:
        self.first = first
        self.second = second


# --- Conditions


class Condition(Node):
    """Something that is true or false of an item. Combine with ``&``, ``|`` and ``~``; compare with ``==``."""

    __slots__ = ()

    def __and__(self, other: Condition) -> Condition:
        return And((*_flat(And, self), *_flat(And, _condition(other, "&"))))

    def __or__(self, other: Condition) -> Condition:
        return Or((*_flat(Or, self), *_flat(Or, _condition(other, "|"))))

    def __invert__(self) -> Condition:
        return self.part if isinstance(self, Not) else Not(self)

    def evaluate(self, item: Mapping[str, Any] | None) -> bool:
        """Tell whether the condition holds for ``item``, by DynamoDB's rules and without DynamoDB.

        Args:
            item: The stored item as Python values; ``None`` when there is none.
        """
        # Nodes are below everything that works on them. Imported when asked for, so that no circle arises and
        # programs that only build requests do not load it.
        from .evaluate import evaluate

        return evaluate(self, item)

    def explain(self, item: Mapping[str, Any] | None) -> str:
        """Say of each clause whether it holds for ``item``, and what is stored; see :func:`.explain.explain`.

        Args:
            item: The stored item as Python values; ``None`` when there is none.

        Returns:
            Text that shows stored values: for people at a terminal, not for logs.
        """
        from expr_builder.requests.explain import explain

        return explain(self, item)

    def __bool__(self) -> bool:
        raise TypeError(
            "a condition has no truth value in Python: `and`, `or` and `not` would silently drop a side; "
            "write & | ~ with each side in parentheses, and a <= x <= b as Attr(…).between(a, b)"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Condition) and self.key() == other.key()

    def __hash__(self) -> int:
        return hash(self.key())


class Comparison(Condition):
    """``left operator right``, the operator one of ``= <> < <= > >=``."""

    __slots__ = ("left", "operator", "right")

    def __init__(self, operator: str, left: Operand, right: Operand) -> None:
        self.operator = operator
        self.left = left
        self.right = right


class Between(Condition):
    """``operand BETWEEN low AND high``, both ends included."""

    __slots__ = ("high", "low", "operand")

    def __init__(self, operand: Operand, low: Operand, high: Operand) -> None:
        self.operand = operand
        self.low = low
        self.high = high


class In(Condition):
    """``operand IN (choice, choice …)``."""

    __slots__ = ("choices", "operand")

    def __init__(self, operand: Operand, choices: tuple[Operand, ...]) -> None:
        self.operand = operand
        self.choices = choices


class Function(Condition):
    """``name(path)`` or ``name(path, argument)``: attribute_exists, attribute_not_exists, attribute_type, begins_with,
    contains."""

    __slots__ = ("argument", "name", "path")

    def __init__(self, name: str, path: Operand, argument: Operand | None = None) -> None:
        self.name = name
        self.path = path
        self.argument = argument


class And(Condition):
    """All parts are true. Parts are never And themselves: ``a & (b & c)`` is ``a & b & c``."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Condition, ...]) -> None:
        self.parts = parts


class Or(Condition):
    """At least one part is true. Parts are never Or themselves."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Condition, ...]) -> None:
        self.parts = parts


class Not(Condition):
    """The part is false."""

    __slots__ = ("part",)

    def __init__(self, part: Condition) -> None:
        self.part = part


def _flat(kind: type[And | Or], condition: Condition) -> tuple[Condition, ...]:
    return condition.parts if isinstance(condition, kind) else (condition,)


def _condition(other: Any, operator: str) -> Condition:
    if isinstance(other, Condition):
        return other
    raise BuildError(
        f"{operator} joins conditions, not a {type(other).__name__}",
        rule="condition-operand",
        fix='compare first, in parentheses: (Attr("a") == 1) & (Attr("b") == 2)',
    )


def find_paths(node: Node) -> Iterator[Path]:
    """Every path in a tree, in written order."""
    if isinstance(node, Path):
        yield node
    for child in node.children():
        yield from find_paths(child)
