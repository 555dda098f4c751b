"""The builder and lint agree about keys and indexes, whatever the table declares and whatever is asked of it.

The builder is never looser: what it accepts, lint accepts. And never stricter about keys: what it refuses because of a
key or an index, lint refuses by the same rule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from expr_builder import BatchWrite, BuildError, TransactWrite, lint, to_item
from expr_builder.rules import RULES
from tests.support.declared_tables import declared_tables, keys, searches, whole_items, writable_updates, write_update
from tests.support.trees import paths

if TYPE_CHECKING:
    from collections.abc import Callable

    from expr_builder import Table

KEY_RULES = {
    "filter-key", "index-consistent", "index-key-empty", "index-key-length", "index-key-type", "index-projection",
    "index-unknown", "key-condition", "key-empty", "key-length", "key-path", "key-schema", "key-type", "select-value",
    "start-key", "start-key-range", "update-key",
}  # fmt: skip
"""The rules about keys and indexes."""


def agree(build: Callable[[], Any], write: Callable[[], Any], operation: str, table: Table) -> None:
    """Check that the builder and lint come to the same about one request."""
    try:
        written = write()
    except BuildError:  # nobody can write this: two paths that overlap, say
        return
    problems = lint(written, operation, [table])
    try:
        request = build()
    except BuildError as refused:
        rule = refused.rule
    else:
        assert request == written
        assert problems == []
        return
    rules = {problem.rule for problem in problems}
    assert rules
    if rule in KEY_RULES and rule not in rules:
        # A key with too much in it is refused as a whole, and its values are not looked at.
        assert "key-schema" in rules
        assert rule in ("key-empty", "key-length", "key-type")


@st.composite
def tables_with(draw: st.DrawFn, *make: Callable[[Table], st.SearchStrategy[Any]]) -> tuple[Any, ...]:
    table = draw(declared_tables())
    return (table, *(draw(one(table)) for one in make))


@settings(max_examples=150)
@given(tables_with(whole_items))
def test_of_puts(given_: tuple[Table, dict[str, Any]]) -> None:
    table, item = given_

    def write() -> dict[str, Any]:
        return {"TableName": "t", "Item": to_item(item)}

    agree(lambda: table.put(item).to_request(), write, "PutItem", table)
    agree(
        lambda: TransactWrite(table.put(item), token="t").to_request(),
        lambda: {"TransactItems": [{"Put": write()}], "ClientRequestToken": "t"},
        "TransactWriteItems",
        table,
    )
    agree(
        lambda: BatchWrite(table.put(item)).to_requests()[0],
        lambda: {"RequestItems": {"t": [{"PutRequest": {"Item": to_item(item)}}]}},
        "BatchWriteItem",
        table,
    )


@settings(max_examples=150)
@given(tables_with(keys, writable_updates))
def test_of_updates(given_: tuple[Table, dict[str, Any], list[Any]]) -> None:
    table, key, actions = given_

    def write() -> dict[str, Any]:
        return write_update(table, key, actions)

    agree(lambda: table.update(key).apply(actions).to_request(), write, "UpdateItem", table)
    agree(
        lambda: TransactWrite(table.update(key).apply(actions), token="t").to_request(),
        lambda: {"TransactItems": [{"Update": write()}], "ClientRequestToken": "t"},
        "TransactWriteItems",
        table,
    )


@settings(max_examples=100)
@given(tables_with(keys, lambda _: st.lists(paths(), max_size=2)))
def test_of_gets_and_deletes(given_: tuple[Table, dict[str, Any], list[Any]]) -> None:
    table, key, projected = given_
    agree(lambda: table.delete(key).to_request(), lambda: {"TableName": "t", "Key": to_item(key)}, "DeleteItem", table)
    try:
        request = table.get(key, projected).to_request()
    except BuildError:
        return
    assert lint(request, "GetItem", [table]) == []


@settings(max_examples=300)
@given(tables_with(searches))
def test_of_queries_and_scans(given_: tuple[Table, Any]) -> None:
    table, search = given_
    agree(search.build, search.write, search.operation, table)


@pytest.mark.parametrize("rule", sorted(KEY_RULES))
def test_the_rules_about_keys_are_registered(rule: str) -> None:
    assert RULES[rule].operation
