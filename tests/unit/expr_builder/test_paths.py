"""Document paths, as segments and as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from expr_builder import Attr, BuildError, Table, lint, parse_update
from expr_builder.expressions.paths import find_clash, find_first_clash, is_bare, parse_path, write_path

table = Table("t", "PK")


@pytest.mark.parametrize(
    ("text", "segments"),
    [
        ("email", ("email",)),
        ("address.city[0]", ("address", "city", 0)),
        ("a[0][1].b", ("a", 0, 1, "b")),
        ("with-dash.and space", ("with-dash", "and space")),
    ],
)
def test_path_text_is_read(text: str, segments: tuple[str | int, ...]) -> None:
    assert parse_path(text) == segments
    assert Attr.path(text).segments == segments


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("", 1), (".a", 1), ("a.", 3), ("a..b", 3), ("a[", 2), ("a[x]", 2), ("a[-1]", 2), ("a[1.5]", 2), ("a]", 2),
        ("[0]", 1), ("a[0]b", 5),
    ],
)  # fmt: skip
def test_path_text_that_cannot_be_read_is_named_by_column(text: str, column: int) -> None:
    with pytest.raises(BuildError, match=f"^column {column} of the path") as caught:
        parse_path(text)
    assert caught.value.rule == "path-syntax"


def test_a_dot_in_a_plain_name_is_part_of_the_name() -> None:
    request = table.update({"PK": "1"}).set({Attr("Safety.Warning"): "hot"}).to_request()
    assert request["UpdateExpression"] == "SET #n0 = :v0"
    assert request["ExpressionAttributeNames"] == {"#n0": "Safety.Warning"}
    assert Attr.path("Safety.Warning").segments == ("Safety", "Warning")


def test_an_index_is_written_outside_the_alias() -> None:
    request = table.update({"PK": "1"}).remove(Attr("items")[3]).to_request()
    assert request["UpdateExpression"] == "REMOVE #n0[3]"
    assert request["ExpressionAttributeNames"] == {"#n0": "items"}


@pytest.mark.parametrize("index", [-1, 1.5, True, None, b"x"])
def test_only_whole_numbers_from_zero_are_indexes(index: object) -> None:
    with pytest.raises(BuildError) as caught:
        Attr("items")[index]  # type: ignore[index]
    assert caught.value.rule == "path-index"
    assert caught.value.place == "items"


def test_an_index_is_at_most_what_the_service_takes() -> None:
    last = table.update({"PK": "1"}).remove(Attr("a")[4_294_967_294])
    assert last.to_request()["UpdateExpression"] == "REMOVE a[4294967294]"
    assert parse_update("REMOVE a[4294967294]")[0].path.segments == ("a", 4_294_967_294)
    for make in (
        lambda: Attr("a")[4_294_967_295],
        lambda: Attr.path("a[4294967295]"),
        lambda: parse_update("REMOVE a[4294967295]"),
    ):
        with pytest.raises(BuildError) as caught:
            make()
        assert caught.value.rule == "path-index"
    for make, rule in ((lambda: Attr.path("a[00]"), "path-syntax"), (lambda: parse_update("REMOVE a[01]"), "syntax")):
        with pytest.raises(BuildError) as caught:
            make()
        assert caught.value.rule == rule


@pytest.mark.parametrize("name", ["remove", "Remove", "REMOVE"])
def test_the_one_keyword_that_is_not_reserved_gets_a_placeholder(name: str) -> None:
    update = table.update({"PK": "1"}).set({name: 1}).remove(Attr("m")[name]).when(Attr(name).exists())
    request = update.to_request()
    assert request["UpdateExpression"] == "SET #n0 = :v0 REMOVE m.#n0"
    assert request["ConditionExpression"] == "attribute_exists(#n0)"
    assert request["ExpressionAttributeNames"] == {"#n0": name}
    assert lint(request, "UpdateItem") == []


@pytest.mark.parametrize("name", ["", "x" * 65536, "é" * 40000])
def test_names_have_a_length(name: str) -> None:
    with pytest.raises(BuildError) as caught:
        Attr(name)
    assert caught.value.rule == "attribute-name"


def test_a_name_is_a_string() -> None:
    with pytest.raises(BuildError, match="not a int"):
        Attr(5)  # type: ignore[arg-type]


def test_paths_end_at_32_steps() -> None:
    path = Attr("a")
    for _ in range(32):
        path = path[0]
    with pytest.raises(BuildError) as caught:
        path[0]
    assert caught.value.rule == "path-depth"


@pytest.mark.parametrize(
    ("name", "bare"),
    [
        ("email", True), ("a1_b", True), ("_a", False), ("1a", False), ("a-b", False), ("a.b", False), ("é", False),
        ("status", False), ("StAtUs", False), ("ttl", False), ("owner", False), ("version", True), ("PK", True),
    ],
)  # fmt: skip
def test_what_may_be_written_bare(name: str, bare: bool) -> None:
    assert is_bare(name) is bare


def test_paths_overlap_when_one_leads_through_the_other() -> None:
    assert find_clash(("a",), ("a", "b")) == "overlap"
    assert find_clash(("a", 0), ("a", 0)) == "overlap"
    assert find_clash(("a", 0), ("a", 1)) == ""
    assert find_clash(("a",), ("b",)) == ""


def test_paths_conflict_when_one_takes_for_a_map_what_the_other_takes_for_a_list() -> None:
    assert find_clash(("a", "b", "x"), ("a", 0)) == "conflict"
    assert find_clash(("a", 0), ("a", "b")) == "conflict"


def test_the_first_two_paths_that_clash_are_found() -> None:
    assert find_first_clash([("a",), ("b", 0), ("c",), ("b", "x"), ("a",)]) == (("b", 0), ("b", "x"), "conflict")
    assert find_first_clash([("a",), ("b",)]) is None


def test_paths_are_shown_with_odd_names_in_backquotes() -> None:
    assert write_path(("a", 0, "b.c", "d")) == "a[0].`b.c`.d"
    assert repr(Attr("a")[0]["b"]) == "Attr('a')[0]['b']"


@given(st.lists(st.text("abc-_ :#é", min_size=1, max_size=4) | st.integers(0, 99), max_size=6))
def test_path_text_without_odd_names_reads_back(rest: list[str | int]) -> None:
    segments = ("top", *rest)
    assert parse_path("".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in segments)[1:]) == segments
