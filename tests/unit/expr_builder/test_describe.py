"""Values, names, conditions and updates as people read them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given

from expr_builder import Attr, Table, to_attribute_value, to_item
from expr_builder.expressions.describe import describe, describe_item, describe_update, describe_value
from expr_builder.expressions.nodes import Literal, list_children
from expr_builder.expressions.parse import parse_condition
from tests.support.trees import conditions


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain", "'plain'"),
        ("", "''"),
        ("O'Hara", "'O''Hara'"),
        ("two\nlines\x1b[2J", r"'two\nlines\x1b[2J'"),
        ("größe 𝄞", "'größe 𝄞'"),
        (42, "42"),
        (Decimal("1.50"), "1.5"),
        (True, "true"),
        (False, "false"),
        (None, "null"),
        (b"\x00\xff", "<2 bytes>"),
        (b"a", "<1 byte>"),
        ({"b", "a"}, "{'a', 'b'}"),
        ({2, 10}, "{2, 10}"),
        ({b"ab"}, "{<2 bytes>}"),
        ([1, ["x"]], "[1, ['x']]"),
        ({"city": "London", "zip code": None}, "{city: 'London', `zip code`: null}"),
        ("x" * 200, f"'{'x' * 98}…"),
    ],
)
def test_a_value_is_one_line(value: Any, text: str) -> None:
    assert describe_value(to_attribute_value(value)) == text


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (Attr("status"), "status"),
        (Attr("_id"), "_id"),
        (Attr("na.me"), "`na.me`"),
        (Attr("größe"), "`größe`"),
        (Attr("tick`"), "`tick```"),
        (Attr("and"), "`and`"),
        (Attr("True"), "`True`"),
        (Attr("two words")["city"][0], "`two words`.city[0]"),
    ],
)
def test_a_name_is_bare_where_it_can_be_read_so_and_in_backquotes_elsewhere(path: Attr, text: str) -> None:
    assert describe(path) == text


def test_a_condition_has_its_values_filled_in() -> None:
    condition = (Attr("status") == "open") & (Attr("tags").size() < 5) & (Attr("a").exists() | ~Attr("b").is_in([1, 2]))
    text = "status = 'open' AND size(tags) < 5 AND (attribute_exists(a) OR NOT b IN (1, 2))"
    assert describe(condition) == text
    assert parse_condition(text) == condition


def test_an_update_has_its_values_filled_in() -> None:
    update = (
        Table("accounts", "PK")
        .update({"PK": "A#1"})
        .set(email="a@example.com", version=Attr("version") + 1)
        .set(roles=Attr("roles").append("admin"), views=Attr("views").increment())
        .remove("pending", Attr("list")[0])
        .add(tags={"x"})
    )
    assert describe_update(update.actions) == (
        "SET email = 'a@example.com', version = version + 1, roles = list_append(if_not_exists(roles, []), ['admin']),"
        " views = if_not_exists(views, 0) + 1 REMOVE pending, list[0] ADD tags {'x'}"
    )
    assert describe_update(()) == ""


def test_a_key_is_its_attributes() -> None:
    assert describe_item(to_item({"PK": "A#1", "sort key": 7})) == "PK = 'A#1', `sort key` = 7"


@given(condition=conditions())
def test_what_is_described_in_literals_reads_as_the_same_condition(condition: Any) -> None:
    nodes = [condition]
    for node in nodes:
        nodes.extend(list_children(node))
    literals = [node for node in nodes if isinstance(node, Literal)]
    # Binary values, sets, lists and maps have no literal form; control characters are shown as escapes.
    readable = ("S", "N", "BOOL", "NULL")
    if all(one.type in readable and (one.type != "S" or one.content.isprintable()) for one in literals):
        assert parse_condition(describe(condition)) == condition
