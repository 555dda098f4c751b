"""Update actions: what SET, REMOVE, ADD and DELETE do to which path.

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.UpdateExpressions.html
"""

from __future__ import annotations

from collections.abc import Mapping

from expr_builder.errors import BuildError

from .attr import Attr
from .nodes import Literal, Node, Operand, Path, UpdateValue
from .operands import literal, stored_operand
from .paths import clash, path_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TypeAlias

    Target: TypeAlias = str | Path
    """An attribute's name, taken literally, or a path."""

KEYWORDS = ("SET", "REMOVE", "ADD", "DELETE")
"""The clauses of an update expression, in the order in which they are written."""


class UpdateAction(Node):
    """One action of an update: ``SET path = value``, ``REMOVE path``, ``ADD path value`` or ``DELETE path value``."""

    __slots__ = ("keyword", "path", "value")

    def __init__(self, keyword: str, path: Path, value: Operand | UpdateValue | None) -> None:
        self.keyword = keyword
        self.path = path
        self.value = value


def targets(given: tuple[Any, ...], named: Mapping[str, Any], keyword: str) -> Iterable[tuple[Path, Any]]:
    """Yield ``(path, value)`` for each way of naming what to update: a mapping, pairs, keyword arguments."""
    for argument in given:
        if isinstance(argument, Mapping):
            pairs: Iterable[Any] = argument.items()
        elif isinstance(argument, tuple) and len(argument) == 2 and isinstance(argument[0], (str, Path)):
            pairs = (argument,)
        elif isinstance(argument, (list, tuple)):
            pairs = argument
        else:
            raise _bad_target(argument, keyword)
        for pair in pairs:
            if not (isinstance(pair, tuple) and len(pair) == 2):
                raise _bad_target(pair, keyword)
            yield as_path(pair[0], keyword), pair[1]
    for name, value in named.items():
        yield Attr(name), value


def as_path(target: Any, keyword: str) -> Path:
    """Take a path as it is and a string as the literal name of an attribute."""
    if isinstance(target, Path):
        return target
    if isinstance(target, str):
        return Attr(target)
    raise _bad_target(target, keyword)


def set_actions(pairs: Iterable[tuple[Path, Any]]) -> list[UpdateAction]:
    """``SET path = value`` for each pair; a value may be computed (``Attr("n") + 1``)."""
    actions = []
    for path, value in pairs:
        computed = value if isinstance(value, UpdateValue) else stored_operand(value, of=path)
        actions.append(UpdateAction("SET", path, computed))
    return actions


def remove_actions(paths: tuple[Any, ...]) -> list[UpdateAction]:
    """``REMOVE path`` for each path. Indexes of one list refer to the list as it was before the update."""
    return [UpdateAction("REMOVE", as_path(path, "remove"), None) for path in paths]


def add_actions(keyword: str, pairs: Iterable[tuple[Path, Any]]) -> list[UpdateAction]:
    """``ADD path value`` (a number or a set) or ``DELETE path value`` (a set) for each pair."""
    allowed = ("N", "SS", "NS", "BS") if keyword == "ADD" else ("SS", "NS", "BS")
    actions = []
    for path, value in pairs:
        argument = value if isinstance(value, (Operand, UpdateValue)) else literal(value, of=path)
        if not isinstance(argument, Literal) or argument.type not in allowed:
            what = f"a value of type {argument.type}" if isinstance(argument, Literal) else "something computed"
            raise BuildError(
                f"{keyword} with {what}",
                rule="update-operand",
                place=path_text(path.segments),
                fix="ADD takes a number or a set" if keyword == "ADD" else "DELETE takes the set of elements to remove",
            )
        actions.append(UpdateAction(keyword, path, argument))
    return actions


def checked_actions(actions: Iterable[Any]) -> list[UpdateAction]:
    """Take update actions that were made elsewhere."""
    checked = list(actions)
    if not all(isinstance(action, UpdateAction) for action in checked):
        raise BuildError(
            "something that is not an update action", rule="update-target", fix='parse_update("SET …") reads text'
        )
    return checked


def extended(actions: tuple[UpdateAction, ...], more: list[UpdateAction]) -> tuple[UpdateAction, ...]:
    """Join update actions.

    Raises:
        BuildError: when two of them touch one path, one touches what is inside the other's path, or one takes for a map
            what the other takes for a list.
    """
    joined = (*actions, *more)
    if len({action.path.segments[0] for action in joined}) == len(joined):
        return joined  # each is on an attribute of its own
    for position, action in enumerate(more):
        for other in (*actions, *more[:position]):
            how = clash(other.path.segments, action.path.segments)
            if how:
                raise BuildError(
                    f"two actions of one update {how}: {other.keyword} {path_text(other.path.segments)} "
                    f"and {action.keyword} {path_text(action.path.segments)}",
                    rule="update-overlap",
                    place="UpdateExpression",
                    fix="set the whole value at once, or use two updates",
                )
    return joined


def _bad_target(given: Any, keyword: str) -> BuildError:
    return BuildError(
        f"{keyword.lower()} cannot use a {type(given).__name__} here",
        rule="update-target",
        fix="name attributes by keyword, in a mapping, or as (path, value) pairs; a path is a name or Attr(…)",
    )
