"""Hypothesis strategies for updates, on the names and values of :mod:`tests.support.trees`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from expr_builder.expressions.paths import find_clash
from expr_builder.expressions.updates import add_actions, join_actions, remove_actions, set_actions
from tests.support.trees import computed, paths, values

if TYPE_CHECKING:
    from expr_builder.expressions.updates import UpdateAction

__all__ = ["updates"]

_numbers = st.integers(-3, 3)
_sets = st.frozensets(st.sampled_from(["a", "b"]), min_size=1)


def _computed() -> st.SearchStrategy[Any]:
    return st.one_of(
        st.builds(lambda path, amount: path + amount, paths(), _numbers | paths()),
        st.builds(lambda path, amount: amount - path, paths(), _numbers),
        st.builds(lambda path: path.increment(2), paths()),
        computed(),
        st.builds(lambda path, items: path.append(items), paths(), st.lists(_numbers, max_size=2) | paths()),
        st.builds(lambda path, items: path.prepend(items), paths(), st.lists(_numbers, max_size=2)),
    )


@st.composite
def _actions(draw: st.DrawFn) -> UpdateAction:
    path = draw(paths())
    keyword = draw(st.sampled_from(["SET", "REMOVE", "ADD", "DELETE"]))
    if keyword == "SET":
        return set_actions([(path, draw(values(depth=1) | paths() | _computed()))])[0]
    if keyword == "REMOVE":
        return remove_actions((path,))[0]
    return add_actions(keyword, [(path, draw(_sets if keyword == "DELETE" else _sets | _numbers))])[0]


def _apart(actions: list[UpdateAction]) -> tuple[UpdateAction, ...]:
    kept: list[UpdateAction] = []
    for action in actions:
        if not any(find_clash(action.path.segments, other.path.segments) for other in kept):
            kept.append(action)
    return join_actions((), kept)


def updates() -> st.SearchStrategy[tuple[UpdateAction, ...]]:
    """Updates of one to five actions, none of which overlap."""
    return st.lists(_actions(), min_size=1, max_size=5).map(_apart)
