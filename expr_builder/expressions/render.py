"""Writes the tree as expression text, with placeholders for names and values.

One :class:`Placeholders` serves all expressions of one action, so that its condition and its update share names and
never define a placeholder twice.
"""

from __future__ import annotations

from expr_builder.attribute_values.text import measure_text
from expr_builder.errors import BuildError
from expr_builder.limits import MAX_EXPRESSION_BYTES, MAX_OPERATORS, MAX_SUBSTITUTION_BYTES

from .functions import FUNCTIONS, refuse_name
from .nodes import And, Literal, Or, Path, list_children
from .paths import find_first_clash, is_bare, write_path
from .updates import KEYWORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, MutableMapping

    from expr_builder.attribute_values.values import AttributeValue

    from .nodes import Condition, Node
    from .paths import Segments
    from .updates import UpdateAction

# An operator with its operands takes three characters or more: shorter text cannot hold too many. It cannot be too long
# either: 900 characters are at most 3,600 bytes.
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
        self._aliases: dict[str, str] = {}  # by name: that is how each one is asked for
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
        if len(segments) == 1:  # nearly always
            return self.name(segments[0])  # type: ignore[arg-type]  # the first segment is always a name
        text = ""
        for segment in segments:
            if isinstance(segment, int):
                text += f"[{segment}]"
            else:
                text += f".{self.name(segment)}" if text else self.name(segment)
        return text

    def function(self, name: str) -> str:
        """How to write a function's name; an unknown one is refused here, before the service does it."""
        if name not in FUNCTIONS:
            raise refuse_name(name)
        return name

    def into(self, request: MutableMapping[str, object]) -> None:
        """Add the two maps to a request. An empty map is left out: DynamoDB refuses it."""
        size = self._size + measure_text("".join(self._aliases))
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
    """Write a condition with the fewest parentheses that keep its meaning."""
    try:
        return _check(node._write(placeholders), (node,))
    except RecursionError:
        raise make_depth_error() from None


def make_depth_error() -> BuildError:
    """The error for a condition that is nested deeper than Python's stack, which has far too many operators."""
    return BuildError(
        "conditions nested too deep to be written",
        rule="condition-depth",
        fix="all_of(…) and any_of(…) join many without nesting them",
    )


def render_update(actions: tuple[UpdateAction, ...], placeholders: Placeholders) -> str:
    """Write an update expression: each clause once, in the order SET, REMOVE, ADD, DELETE; refuse an empty one."""
    text = write_update(actions, placeholders)
    if not text:
        raise BuildError(
            "an update that changes nothing",
            rule="update-empty",
            place="UpdateExpression",
            fix="add set, remove, add or delete; to only test a condition, use check",
        )
    return _check(text, tuple(action.value for action in actions if action.value is not None))


def write_update(actions: tuple[UpdateAction, ...], placeholders: Placeholders) -> str:
    """Write an update expression without checking it: ``""`` for one that changes nothing."""
    clauses = []
    for keyword in KEYWORDS:  # one order for all, so that equal updates are equal text
        written = [action.write_bare(placeholders) for action in actions if action.keyword == keyword]
        if written:
            clauses.append(f"{keyword} {', '.join(written)}")
    return " ".join(clauses)


def render_projection(paths: Iterable[Path], placeholders: Placeholders) -> str:
    """Write a projection expression: ``email, address.city``."""
    segments = [path.segments for path in paths]
    refuse_clash(segments)
    return _check(", ".join(map(placeholders.path, segments)), ())


def refuse_clash(paths: Iterable[Segments]) -> None:
    """Refuse a projection of two paths that cannot stand in one expression."""
    clash = find_first_clash(paths)
    if clash is not None:
        one, other, how = clash
        raise BuildError(
            f"two paths of one projection {how}: {write_path(one)} and {write_path(other)}",
            rule="projection-overlap",
            place="ProjectionExpression",
            fix="the outer path brings everything inside it",
        )


def count_operators(node: Node) -> int:
    """Count the operators and functions in a tree, as the limit of 300 counts them."""
    count = 0
    nodes = [node]
    for one in nodes:  # grows while it is walked: conditions made by programs can be deeper than Python's stack
        # Three parts are joined by two operators; the = and the commas of an update do not count.
        count += len(one.parts) - 1 if isinstance(one, (And, Or)) else 0 if isinstance(one, (Path, Literal)) else 1
        nodes.extend(list_children(one))
    return count


def _check(text: str, nodes: tuple[Node, ...]) -> str:
    """Refuse text that is too long or has too many operators."""
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
