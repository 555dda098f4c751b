"""Update actions: what SET, REMOVE, ADD and DELETE do to which path.

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.UpdateExpressions.html
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from expr_builder.attribute_values.values import SET_TYPES
from expr_builder.errors import BuildError

from .attr import Attr
from .nodes import Literal, Node, Operand, Path, UpdateValue
from .operands import make_literal, take_stored
from .paths import find_clash, find_clashing, write_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from .nodes import Value, Writer

    Target: TypeAlias = str | Path
    """An attribute's name, taken literally, or a path."""

KEYWORDS = ("SET", "REMOVE", "ADD", "DELETE")
"""The clauses of an update expression, in the order in which they are written."""
OPERAND_TYPES = {"ADD": ("N", *SET_TYPES), "DELETE": SET_TYPES}
"""The types of values that ADD and DELETE take."""


class UpdateAction(Node):
    """One action of an update: ``SET path = value``, ``REMOVE path``, ``ADD path value`` or ``DELETE path value``."""

    _fields = __slots__ = ("keyword", "path", "value")
    _label = "UpdateAction"

    def __init__(self, keyword: str, path: Path, value: Value | None) -> None:
        self.keyword = keyword
        self.path = path
        self.value = value

    def _write(self, to: Writer) -> str:
        """Write the action with its keyword."""
        return f"{self.keyword} {self.write_bare(to)}"

    def write_bare(self, to: Writer) -> str:
        """Write the action without its keyword, as one of several in a clause."""
        path = self.path._write(to)
        if self.value is None:
            return path
        return f"{path}{' = ' if self.keyword == 'SET' else ' '}{self.value._write(to)}"


def read_targets(given: Iterable[object], named: Mapping[str, object], keyword: str) -> Iterator[tuple[Path, object]]:
    """Yield ``(path, value)`` for all that is given: mappings, pairs, keyword arguments."""
    for argument in given:
        if isinstance(argument, Mapping):
            pairs: Iterable[object] = argument.items()
        # ("a", 1) is a pair, but (("a", 1), ("b", 2)) holds two.
        elif isinstance(argument, tuple) and len(argument) == 2 and isinstance(argument[0], (str, Path)):
            pairs = (argument,)
        elif isinstance(argument, (list, tuple)):
            pairs = argument
        else:
            raise _make_target_error(argument, keyword)
        for pair in pairs:
            if not (isinstance(pair, tuple) and len(pair) == 2):
                raise _make_target_error(pair, keyword)
            yield take_path(pair[0], keyword), pair[1]
    for name, value in named.items():
        yield Attr(name), value


def take_path(target: object, keyword: str) -> Path:
    """Take a path as it is and a string as the literal name of an attribute."""
    if isinstance(target, Path):
        return target
    if isinstance(target, str):
        return Attr(target)
    raise _make_target_error(target, keyword)


def set_actions(pairs: Iterable[tuple[Path, object]]) -> list[UpdateAction]:
    """``SET path = value`` for each pair; a value may be computed (``Attr("n") + 1``)."""
    actions = []
    for path, value in pairs:
        computed = value if isinstance(value, UpdateValue) else take_stored(value, of=path)
        actions.append(UpdateAction("SET", path, computed))
    return actions


def remove_actions(paths: Iterable[object]) -> list[UpdateAction]:
    """``REMOVE path`` for each path. Indexes of one list refer to the list as it was before the update."""
    return [UpdateAction("REMOVE", take_path(path, "remove"), None) for path in paths]


def add_actions(keyword: str, pairs: Iterable[tuple[Path, object]]) -> list[UpdateAction]:
    """``ADD path value`` (a number or a set) or ``DELETE path value`` (a set) for each pair."""
    actions = []
    for path, value in pairs:
        argument = value if isinstance(value, (Operand, UpdateValue)) else make_literal(value, of=path)
        if not isinstance(argument, Literal) or argument.type not in OPERAND_TYPES[keyword]:
            what = f"a value of type {argument.type}" if isinstance(argument, Literal) else "something computed"
            raise BuildError(
                f"{keyword} with {what}",
                rule="update-operand",
                place=write_path(path.segments),
                fix="ADD takes a number or a set" if keyword == "ADD" else "DELETE takes the set of elements to remove",
            )
        actions.append(UpdateAction(keyword, path, argument))
    return actions


def check_actions(actions: Iterable[object]) -> list[UpdateAction]:
    """Check that everything is an update action, such as :func:`.parse_update` returns."""
    given = list(actions)
    checked = [action for action in given if isinstance(action, UpdateAction)]
    if len(checked) < len(given):
        raise BuildError(
            "something that is not an update action", rule="update-target", fix='parse_update("SET …") reads text'
        )
    return checked


def join_actions(actions: tuple[UpdateAction, ...], more: list[UpdateAction]) -> tuple[UpdateAction, ...]:
    """Join update actions; refuse two whose paths clash, see :func:`.find_clash`."""
    joined = (*actions, *more)
    clash = find_clashing([action.path.segments for action in joined])
    if clash is not None:
        one, other = (joined[position] for position in clash)
        how = find_clash(one.path.segments, other.path.segments)
        raise BuildError(
            f"two actions of one update {how}: {one.keyword} {write_path(one.path.segments)} "
            f"and {other.keyword} {write_path(other.path.segments)}",
            rule="update-overlap",
            place="UpdateExpression",
            fix="set the whole value at once, or use two updates",
        )
    return joined


def _make_target_error(given: object, keyword: str) -> BuildError:
    if keyword not in ("remove", "project"):
        fix = "name attributes by keyword, in a mapping, or as (path, value) pairs; a path is a name or Attr(…)"
    elif isinstance(given, Iterable):
        fix = f"pass paths one by one: {keyword}(*paths)"
    else:
        fix = "a path is a name or Attr(…)"
    return BuildError(f"{keyword.lower()} cannot use a {type(given).__name__} here", rule="update-target", fix=fix)
