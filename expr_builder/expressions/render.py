"""The tree as expression text, with its placeholders for names and values.

One :class:`Placeholders` serves all expressions of one action, so that its condition and its update share names and
can never define one placeholder twice.
"""

from __future__ import annotations

from expr_builder.errors import BuildError
from expr_builder.limits import MAX_EXPRESSION_BYTES, MAX_OPERATORS, MAX_SUBSTITUTION_BYTES

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
    Node,
    Not,
    Or,
    Path,
    Size,
)
from .paths import first_clash, is_bare, path_text
from .updates import KEYWORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from expr_builder.attribute_values.values import AttributeValue

    from .paths import Segments
    from .updates import UpdateAction

# Each operator takes three characters or more, with its operands: shorter text cannot hold too many.
_SHORTEST_WITH_TOO_MANY = MAX_OPERATORS * 3


class Placeholders:
    """Hands out ``#n0``, ``#n1`` … for names, each distinct name once, and ``:v0``, ``:v1`` … for values.

    Args:
        always: Alias every name, also those that could be written bare.
    """

    __slots__ = ("_aliases", "_size", "always", "values")

    def __init__(self, *, always: bool = False) -> None:
        self.always = always
        self.values: dict[str, AttributeValue] = {}
        self._aliases: dict[str, str] = {}
        self._size = 0

    @property
    def names(self) -> dict[str, str]:
        """ExpressionAttributeNames: placeholder to name."""
        return {alias: name for name, alias in self._aliases.items()}

    def name(self, name: str) -> str:
        """How to write one attribute's name."""
        alias = self._aliases.get(name)
        if alias is None:
            if not self.always and is_bare(name):
                return name
            alias = self._aliases[name] = f"#n{len(self._aliases)}"
        return alias

    def value(self, literal: Literal) -> str:
        """How to write one value."""
        placeholder = f":v{len(self.values)}"
        self.values[placeholder] = literal.value
        self._size += literal.size
        return placeholder

    def path(self, segments: Segments) -> str:
        """How to write a document path: ``#n0.city[0]``."""
        if len(segments) == 1:
            return self.name(segments[0])  # type: ignore[arg-type]  # the first segment is always a name
        text = ""
        for segment in segments:
            if isinstance(segment, int):
                text += f"[{segment}]"
            else:
                text += f".{self.name(segment)}" if text else self.name(segment)
        return text

    def into(self, request: dict[str, Any]) -> None:
        """Add the two maps to a request. An empty map is left out: DynamoDB refuses it.

        Raises:
            BuildError: when names and values together are larger than 2 MB.
        """
        size = self._size + sum(map(len, self._aliases))
        if size > MAX_SUBSTITUTION_BYTES:
            raise BuildError(
                f"names and values of {size} bytes, {MAX_SUBSTITUTION_BYTES} are allowed",
                rule="substitution-size",
                place="ExpressionAttributeValues",
                fix="compare with something shorter, such as a hash",
            )
        if self._aliases:
            request["ExpressionAttributeNames"] = self.names
        if self.values:
            request["ExpressionAttributeValues"] = self.values


def render(node: Condition, placeholders: Placeholders) -> str:
    """Write a condition with the fewest parentheses that keep its meaning.

    Raises:
        BuildError: when the text is longer than 4,096 bytes or has more than 300 operators.
    """
    return _checked(_RENDERERS[type(node)](node, placeholders), (node,))


def render_update(actions: tuple[UpdateAction, ...], placeholders: Placeholders) -> str:
    """Write an update expression: each clause once, in the order SET, REMOVE, ADD, DELETE.

    Raises:
        BuildError: when there is nothing to do, or the text is too long or has too many operators.
    """
    text = write_update(actions, placeholders)
    if not text:
        raise BuildError(
            "an update that changes nothing",
            rule="update-empty",
            place="UpdateExpression",
            fix="add set, remove, add or delete; to only test a condition, use check",
        )
    return _checked(text, tuple(action.value for action in actions if action.value is not None))


def write_update(actions: tuple[UpdateAction, ...], placeholders: Placeholders) -> str:
    """Write an update expression without checking it: ``""`` for one that changes nothing."""
    clauses = []
    for keyword in KEYWORDS:
        written = [_update_action(action, placeholders) for action in actions if action.keyword == keyword]
        if written:
            clauses.append(f"{keyword} {', '.join(written)}")
    return " ".join(clauses)


def render_projection(paths: Iterable[Path], placeholders: Placeholders) -> str:
    """Write a projection expression: ``email, address.city``.

    Raises:
        BuildError: when two paths overlap, or the text is too long.
    """
    segments = [path.segments for path in paths]
    refuse_clash(segments)
    return _checked(", ".join(map(placeholders.path, segments)), ())


def refuse_clash(paths: Iterable[Segments]) -> None:
    """Refuse a projection of two paths that get in each other's way."""
    clash = first_clash(paths)
    if clash is not None:
        one, other, how = clash
        raise BuildError(
            f"two paths of one projection {how}: {path_text(one)} and {path_text(other)}",
            rule="projection-overlap",
            place="ProjectionExpression",
            fix="the outer path brings everything inside it",
        )


def count_operators(node: Node) -> int:
    """Count the operators and functions in a tree, as the limit of 300 counts them."""
    own = len(node.parts) - 1 if isinstance(node, (And, Or)) else 0 if isinstance(node, (Path, Literal)) else 1
    return own + sum(map(count_operators, node.children()))


def _checked(text: str, nodes: tuple[Node, ...]) -> str:
    if len(text) < _SHORTEST_WITH_TOO_MANY:
        return text
    size = len(text.encode())
    if size > MAX_EXPRESSION_BYTES:
        raise BuildError(
            f"an expression of {size} bytes, {MAX_EXPRESSION_BYTES} are allowed",
            rule="expression-length",
            fix="split the request, or shorten long names by alias",
        )
    operators = sum(map(count_operators, nodes))
    if operators > MAX_OPERATORS:
        raise BuildError(
            f"an expression of {operators} operators and functions, {MAX_OPERATORS} are allowed",
            rule="expression-operators",
            fix="split the request",
        )
    return text


# --- One function per kind of node


def _path(node: Path, placeholders: Placeholders) -> str:
    return placeholders.path(node.segments)


def _literal(node: Literal, placeholders: Placeholders) -> str:
    return placeholders.value(node)


def _size(node: Size, placeholders: Placeholders) -> str:
    return f"size({placeholders.path(node.path.segments)})"


def _comparison(node: Comparison, placeholders: Placeholders) -> str:
    return f"{write(node.left, placeholders)} {node.operator} {write(node.right, placeholders)}"


def _between(node: Between, placeholders: Placeholders) -> str:
    subject, low = write(node.operand, placeholders), write(node.low, placeholders)
    return f"{subject} BETWEEN {low} AND {write(node.high, placeholders)}"


def _in(node: In, placeholders: Placeholders) -> str:
    subject = write(node.operand, placeholders)
    return f"{subject} IN ({', '.join(write(choice, placeholders) for choice in node.choices)})"


def _function(node: Function, placeholders: Placeholders) -> str:
    path = write(node.path, placeholders)
    return (
        f"{node.name}({path})"
        if node.argument is None
        else f"{node.name}({path}, {write(node.argument, placeholders)})"
    )


def _and(node: And, placeholders: Placeholders) -> str:
    return " AND ".join(
        f"({write(part, placeholders)})" if isinstance(part, Or) else write(part, placeholders) for part in node.parts
    )


def _or(node: Or, placeholders: Placeholders) -> str:
    return " OR ".join(write(part, placeholders) for part in node.parts)


def _not(node: Not, placeholders: Placeholders) -> str:
    part = write(node.part, placeholders)
    return f"NOT ({part})" if isinstance(node.part, (And, Or)) else f"NOT {part}"


def _if_not_exists(node: IfNotExists, placeholders: Placeholders) -> str:
    return f"if_not_exists({_path(node.path, placeholders)}, {write(node.default, placeholders)})"


def _arithmetic(node: Arithmetic, placeholders: Placeholders) -> str:
    return f"{write(node.left, placeholders)} {node.operator} {write(node.right, placeholders)}"


def _list_append(node: ListAppend, placeholders: Placeholders) -> str:
    return f"list_append({write(node.first, placeholders)}, {write(node.second, placeholders)})"


def _update_action(action: UpdateAction, placeholders: Placeholders) -> str:
    path = placeholders.path(action.path.segments)
    if action.value is None:
        return path
    joint = " = " if action.keyword == "SET" else " "
    return f"{path}{joint}{write(action.value, placeholders)}"


_RENDERERS: dict[type, Callable[[Any, Placeholders], str]] = {
    And: _and,
    Arithmetic: _arithmetic,
    Between: _between,
    Comparison: _comparison,
    Function: _function,
    IfNotExists: _if_not_exists,
    In: _in,
    ListAppend: _list_append,
    Literal: _literal,
    Not: _not,
    Or: _or,
    Path: _path,
    Size: _size,
}


def write(node: Node, placeholders: Placeholders) -> str:
    """Write any part of a tree without checking it."""
    renderer = _RENDERERS.get(type(node))
    if renderer is None:  # a fluent subclass (Attr, SizeOf …) is written like the node that it is
        renderer = next(_RENDERERS[base] for base in type(node).__mro__ if base in _RENDERERS)
        _RENDERERS[type(node)] = renderer
    return renderer(node, placeholders)
