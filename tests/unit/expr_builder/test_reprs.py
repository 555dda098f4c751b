"""Every public object shows what it is, and nobody's data."""

from __future__ import annotations

from typing import Any

import pytest

import expr_builder
from expr_builder import (
    Attr,
    BatchGet,
    BatchWrite,
    ExprBuilderError,
    Index,
    Key,
    Marker,
    PredictedError,
    Problem,
    Reason,
    Table,
    TransactGet,
    TransactWrite,
    Unique,
)
from expr_builder.requests.search import Page

table = Table("t", "PK", ("n", "N"), indexes={"by_email": Index("email")})
KEY = {"PK": "secret", "n": 1}
unique = Unique(table, owner="PK", email=Marker("E#{}", optional=True, sort=0), name=Marker("N#{}", sort=0))
guarded = table.put({**KEY, "email": "secret"}).when(Attr("email") == "secret").named("account")

SHOWN: list[tuple[Any, str]] = [
    (Index("user", ["day", "hour"]), "Index(user, day, hour)"),
    (table, "Table('t', PK, n)"),
    (table.key_schema, "PrimaryKey(PK, n)"),
    (guarded, '<Put in t, slot "account">'),
    (table.update(KEY).set(a="secret"), "<Update in t>"),
    (table.delete(KEY), "<Delete in t>"),
    (table.check(KEY), "<ConditionCheck in t>"),
    (table.get(KEY), "<Get in t>"),
    (table.query(Key("PK").eq("secret")).on_index("by_email"), "<Query in t, index by_email>"),
    (table.scan(), "<Scan in t>"),
    (Page({"Items": [{"a": {"S": "secret"}}], "Count": 1}), "<Page of 1 items>"),
    (
        Page({"Items": [], "LastEvaluatedKey": {"PK": {"S": "secret"}}, "Count": 0}),
        "<Page of 0 items, more to read>",
    ),
    (TransactWrite(guarded, table.delete({"PK": "x", "n": 2})), "TransactWrite(account: Put, action1: Delete)"),
    (TransactGet(table.get(KEY).named("account")), "TransactGet(account)"),
    (BatchWrite(table.put(KEY)), "BatchWrite(1 actions)"),
    (BatchGet(table.get(KEY)), "BatchGet(1 reads)"),
    (Marker("E#{}", optional=True), "Marker('E#{}', optional)"),
    (unique, "Unique(Table('t', PK, n), email=Marker('E#{}', optional), name=Marker('N#{}'))"),
    (Reason("ConditionalCheckFailed", "words", {"a": "secret"}), "Reason(code='ConditionalCheckFailed', item=present)"),
]


@pytest.mark.parametrize(("shown", "text"), SHOWN, ids=lambda part: part if isinstance(part, str) else "")
def test_a_public_object_says_what_it_is_without_values(shown: Any, text: str) -> None:
    assert repr(shown) == text


def test_each_public_class_is_shown_here_or_is_an_error() -> None:
    public = {name: getattr(expr_builder, name) for name in expr_builder.__all__}
    classes = {name for name, value in public.items() if isinstance(value, type)}
    errors = {name for name in classes if issubclass(public[name], ExprBuilderError)}  # see test_errors
    # Expressions have a test of their own, and lint's problems and answers hold no more than lint says.
    elsewhere = {"Attr", "Condition", "Key", Problem.__name__, PredictedError.__name__, "UniqueWrite"}
    seen = {base.__name__ for shown, _ in SHOWN for base in type(shown).__mro__}
    assert classes - errors - elsewhere <= seen
