"""Hypothesis strategies for declared tables, and for what is asked of them: mostly right, often wrong in one place."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import strategies as st

from expr_builder import Attr, Index, Key, Table, to_item
from expr_builder.expressions.render import Placeholders, render, render_projection, render_update
from expr_builder.expressions.updates import add_actions, join_actions, set_actions
from tests.support.trees import NAMES, conditions, items, paths
from tests.support.update_trees import updates

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from expr_builder import Condition
    from expr_builder.expressions.nodes import Path
    from expr_builder.expressions.updates import UpdateAction

__all__ = ["Reading", "declared_tables", "keys", "searches", "whole_items", "writable_updates", "write_update"]

_EXAMPLES: dict[str, list[Any]] = {
    "S": ["a", "ab", "b", "é"],
    "N": [0, 1, 2.5, -3, 10**20],
    "B": [b"a", b"ab", b"\xff"],
}
_ODD = st.sampled_from(["", b"", None, True, "a", 1, b"a", {"a"}, ["a"], {"S": "a"}, "x" * 1025, "x" * 2049])


def _fitting(kind: str) -> st.SearchStrategy[Any]:
    """Values for a key of this type: nine of ten fit."""
    good = st.sampled_from(_EXAMPLES[kind])
    return st.integers(0, 9).flatmap(lambda dice: good if dice else _ODD)


@st.composite
def declared_tables(draw: st.DrawFn) -> Table:
    """Tables with one or two key attributes, and indexes of all shapes, or none, or none declared."""
    types = {name: draw(st.sampled_from("SSNB")) for name in NAMES}
    partition, *others = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=2, unique=True))
    sort = (others[0], types[others[0]]) if others else None

    def parts(most: int) -> st.SearchStrategy[list[Any]]:
        return st.lists(st.sampled_from(NAMES), min_size=1, max_size=most, unique=True)

    def make_index() -> Index:
        projection = draw(st.sampled_from([None, "ALL", "KEYS_ONLY", ["a"], ["a", "tags"]]))
        if sort is not None and draw(st.integers(0, 3)) == 0:
            name = draw(st.sampled_from([name for name in NAMES if name != partition]))
            return Index((partition, types[partition]), (name, types[name]), projection=projection, local=True)
        names: list[Any] = [(name, types[name]) for name in draw(parts(4))]
        cut = draw(st.integers(1, len(names)))
        return Index(names[:cut], names[cut:] or None, projection=projection)

    indexes: dict[str, Index] | None = None
    if draw(st.integers(0, 4)):
        indexes = {name: make_index() for name in draw(st.sets(st.sampled_from(["ByA", "ByB", "ByC"])))}
    return Table(
        "t", (partition, types[partition]), sort, alias=draw(st.sampled_from(["auto", "always"])), indexes=indexes
    )


def _key_types(table: Table) -> dict[str, str]:
    """Every attribute that is a key somewhere, with its type."""
    types = dict(table.key_schema.types)
    for index in (table.indexes or {}).values():
        types |= index.types
    return types


@st.composite
def keys(draw: st.DrawFn, table: Table) -> dict[str, Any]:
    """Keys of the table's items, of which one in ten lacks something or has too much."""
    key = {name: draw(_fitting(kind)) for name, kind in table.key_schema.types.items()}
    if draw(st.integers(0, 19)) == 0:
        key.pop(draw(st.sampled_from(sorted(key))))
    if draw(st.integers(0, 19)) == 0:
        key[draw(st.sampled_from(NAMES))] = "a"
    return key


@st.composite
def whole_items(draw: st.DrawFn, table: Table) -> dict[str, Any]:
    """Items, in which the keys of indexes are missing, right, or wrong."""
    item = draw(items())
    for name, kind in _key_types(table).items():
        if name in item or draw(st.booleans()):
            item[name] = draw(_fitting(kind))
    return {**item, **draw(keys(table))}


@st.composite
def writable_updates(draw: st.DrawFn, table: Table) -> list[UpdateAction]:
    """Updates that often set keys of indexes, seldom those of the table."""
    actions = [action for action in draw(updates()) if action.path.segments[0] not in table.key_schema.types]
    for name, kind in _key_types(table).items():
        if draw(st.integers(0, 2)) == 0 and all(action.path.segments[0] != name for action in actions):
            value: Any = draw(
                _fitting(kind) | st.sampled_from([Attr("a"), Attr(name) + 1, Attr(name).if_not_exists(1)])
            )
            how = draw(st.sampled_from(["SET", "SET", "SET", "ADD"]))
            more = set_actions([(Attr(name), value)]) if how == "SET" else add_actions("ADD", [(Attr(name), 1)])
            if name not in table.key_schema.types or draw(st.integers(0, 19)) == 0:
                actions = list(join_actions(tuple(actions), more))
    return actions or set_actions([(Attr("z"), 1)])


class Reading(NamedTuple):
    """The parts of a query, or of a scan when there is no key condition."""

    table: Table
    index_name: str | None
    key_condition: Condition | None
    filter: Condition | None
    paths: list[Path]
    start: Mapping[str, Any] | None
    select: str | None
    consistent: bool

    @property
    def operation(self) -> str:
        return "Scan" if self.key_condition is None else "Query"

    def build(self) -> Any:
        """The request by the builder."""
        search: Any = self.table.scan() if self.key_condition is None else self.table.query(self.key_condition)
        steps: list[tuple[bool, Callable[[], Any]]] = [
            (self.index_name is not None, lambda: search.on_index(self.index_name)),
            (self.filter is not None, lambda: search.filter(self.filter)),
            (bool(self.paths), lambda: search.project(*self.paths)),
            (self.start is not None, lambda: search.start_from(self.start)),
            (self.select is not None, lambda: search.select(self.select)),
            (self.consistent, lambda: search.consistent()),
        ]
        for wanted, step in steps:
            search = step() if wanted else search
        return search.to_request()

    def write(self) -> dict[str, Any]:
        """The request by hand, unchecked."""
        placeholders = Placeholders(always=self.table._always_alias)
        request: dict[str, Any] = {"TableName": self.table.name}
        if self.index_name is not None:
            request["IndexName"] = self.index_name
        if self.key_condition is not None:
            request["KeyConditionExpression"] = render(self.key_condition, placeholders)
        if self.filter is not None:
            request["FilterExpression"] = render(self.filter, placeholders)
        if self.paths:
            request["ProjectionExpression"] = render_projection(tuple(self.paths), placeholders)
        placeholders.into(request)
        if self.select is not None:
            request["Select"] = self.select
        if self.consistent:
            request["ConsistentRead"] = True
        if self.start is not None:
            request["ExclusiveStartKey"] = to_item(self.start)
        return request


@st.composite
def searches(draw: st.DrawFn, table: Table) -> Reading:
    """Queries and scans of a table, or of one of its indexes, or of one that it may not have."""
    known: list[str | None] = [None, *(table.indexes if table.indexes is not None else ["ByA"])]
    index = draw(st.sampled_from([*known, *known, *known, "ByX"]))
    schema: Any = table.key_schema if index is None else (table.indexes or {}).get(index)
    types: dict[str, str] = dict(schema.types) if schema else {"a": "S", "b": "N"}
    condition = draw(st.none() | _key_conditions(types, len(schema.partition_keys) if schema else 1))
    start = None
    if draw(st.booleans()):
        start = {name: draw(_fitting(kind)) for name, kind in {**table.key_schema.types, **types}.items()}
        start = draw(st.sampled_from([start, start, start, dict(list(start.items())[1:]), {**start, "z": "a"}]))
    filters = st.none() | st.none() | st.none() | conditions()
    projections: st.SearchStrategy[list[Any]] = st.just([]) | st.lists(
        paths() | st.sampled_from(sorted(types)).map(Attr), max_size=2
    )
    selects = st.sampled_from([None, None, None, None, None, "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "COUNT"])
    consistent = draw(st.integers(0, 9)) == 0
    return Reading(table, index, condition, draw(filters), draw(projections), start, draw(selects), consistent)


@st.composite
def _key_conditions(draw: st.DrawFn, types: dict[str, str], partitions: int) -> Condition:
    names = list(types)
    used = names[: draw(st.integers(partitions, len(names)))]
    if draw(st.integers(0, 9)) == 0:
        used = draw(st.lists(st.sampled_from([*names, "map"]), min_size=1, max_size=3, unique=True))
    whole: Any = None
    for name in used:
        value = draw(_fitting(types.get(name, "S")).filter(lambda value: not isinstance(value, dict)))
        test: Any = Key(name).eq(value)
        if name == used[-1] and len(used) > 1 and isinstance(value, (str, int, float, bytes)) and value is not True:
            ways: list[Any] = [Key(name).eq, Key(name).lt, Key(name).gte, partial(Key(name).between, value)]
            if isinstance(value, (str, bytes)):
                ways.append(Key(name).begins_with)
            test = draw(st.sampled_from(ways))(value)
        whole = test if whole is None else whole & test
    return whole  # type: ignore[no-any-return]


def write_update(table: Table, key: Mapping[str, Any], actions: list[UpdateAction]) -> dict[str, Any]:
    """An update's request by hand, unchecked."""
    placeholders = Placeholders(always=table._always_alias)
    request: dict[str, Any] = {"TableName": table.name, "Key": to_item(key)}
    request["UpdateExpression"] = render_update(tuple(actions), placeholders)
    placeholders.into(request)
    return request
