"""Errors whose fix is followed here, word for word: what it says works."""

from __future__ import annotations

import enum
import itertools
import uuid
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from boto3.dynamodb.types import Binary

from expr_builder import (
    Attr,
    BuildError,
    Key,
    Table,
    all_of,
    any_of,
    parse_condition,
    parse_update,
    to_attribute_value,
    to_item,
)
from expr_builder.expressions.parse import parse_projection
from expr_builder.typed.stored_forms import to_stored_form

if TYPE_CHECKING:
    from collections.abc import Callable

table = Table("t", "PK")
KEY = {"PK": "1"}
a, b = Attr("a"), Attr("b")


class Plan(enum.Enum):
    GOLD = "gold"


class Right(enum.Flag):
    READ = 1


def refusal(make: Callable[[], Any]) -> BuildError:
    with pytest.raises(BuildError) as caught:
        make()
    return caught.value


def text_of(condition: Any) -> str:
    return table.scan().filter(condition).to_request()["FilterExpression"]


# --- Conditions


@pytest.mark.parametrize("join", [all_of, any_of])
@pytest.mark.parametrize("collect", [list, tuple, iter], ids=lambda kind: kind.__name__)
def test_conditions_in_a_list_are_to_be_passed_one_by_one(join: Any, collect: Any) -> None:
    conditions = [a == 1, b == 2]
    error = refusal(lambda: join(collect(conditions)))
    assert (error.rule, error.fix) == ("condition-operand", f"{join.__name__}(*conditions) joins several")
    assert join(*conditions) in (all_of(a == 1, b == 2), any_of(a == 1, b == 2))


def test_a_list_given_as_a_condition_is_to_be_joined() -> None:
    for make in (
        lambda: table.put(KEY).when([a == 1]),  # type: ignore[arg-type]
        lambda: table.scan().filter([a == 1]),  # type: ignore[arg-type]
    ):
        assert refusal(make).fix == "all_of(*conditions) joins several"


@pytest.mark.parametrize("choices", [{"x": 1, "y": 2}, {}], ids=str)
def test_is_in_of_a_mapping_asks_what_of_it_is_meant(choices: Any) -> None:
    error = refusal(lambda: a.is_in(choices))
    assert error.rule == "in-choices"
    assert error.fix == "is_in(list(mapping)) compares with its keys, is_in(mapping.values()) with its values"


def test_is_in_takes_the_keys_and_the_values_of_a_mapping() -> None:
    mapping = {"y": 2, "x": 1}
    assert a.is_in(list(mapping)) == a.is_in(["y", "x"])
    assert a.is_in(mapping.values()) == a.is_in([2, 1])


@pytest.mark.parametrize("choices", ["abc", b"abc", bytearray(b"abc"), memoryview(b"abc"), 5, None, Plan.GOLD])
def test_is_in_of_what_is_no_collection_offers_a_list(choices: Any) -> None:
    error = refusal(lambda: a.is_in(choices))
    assert (error.rule, error.fix) == ("in-choices", "is_in([value, …]), or eq(value) for a single one")


def test_is_in_of_a_stored_list_is_contains() -> None:
    assert "contains" in refusal(lambda: a.is_in(b)).fix


def test_equal_sets_of_choices_make_equal_requests() -> None:
    numbers = [*range(50), *map(str, range(49))]
    shuffled = [*reversed(numbers)]
    expected = a.is_in(set(numbers))
    for make in (set, frozenset, lambda given: dict.fromkeys(given).keys()):
        assert a.is_in(make(shuffled)) == expected
        assert a.is_in(make(numbers)) == expected


def test_choices_may_come_from_anything_that_can_be_looped_over_even_without_end() -> None:
    assert a.is_in(n for n in (2, 1)) == a.is_in([2, 1])
    assert refusal(lambda: a.is_in(itertools.count())).rule == "in-choices"
    assert refusal(lambda: a.is_in(n for n in range(101))).rule == "in-choices"
    assert text_of(a.is_in(n for n in range(100))).count(":v") == 100


# --- Updates and projections


@pytest.mark.parametrize("paths", [["a", "b"], ("a", "b"), {"a"}, {"a": 1}], ids=lambda value: type(value).__name__)
def test_names_in_a_list_are_to_be_passed_one_by_one(paths: Any) -> None:
    for name, take in (("project", table.scan().project), ("remove", table.update(KEY).remove)):
        error = refusal(lambda take=take: take(paths))  # type: ignore[misc]
        assert (error.rule, error.fix) == ("update-target", f"pass paths one by one: {name}(*paths)")
        assert take(*paths).to_request()


def test_what_is_no_path_is_named() -> None:
    assert refusal(lambda: table.scan().project(5)).fix == "a path is a name or Attr(…)"  # type: ignore[arg-type]
    assert "pairs" in refusal(lambda: table.update(KEY).set(5)).fix


@pytest.mark.parametrize(
    "make", [lambda v: v + 1, lambda v: v - 1, lambda v: 1 + v, lambda v: 1 - v], ids=["v+1", "v-1", "1+v", "1-v"]
)
def test_nothing_is_added_to_a_list_or_to_a_sum(make: Any) -> None:
    error = refusal(lambda: make(a.append([1])))
    assert (error.rule, error.fix) == ("update-arithmetic", "append([…]) takes all new items at once")
    assert "list_append gives a list" in error.message
    error = refusal(lambda: make(a + 1))
    assert (error.rule, error.fix) == ("update-arithmetic", "add the constants up in Python first")


def test_a_counter_may_stand_on_either_side() -> None:
    for value, text in (
        (a.if_not_exists(0) + 1, "SET a = if_not_exists(a, :v0) + :v1"),
        (1 + a.if_not_exists(0), "SET a = :v0 + if_not_exists(a, :v1)"),
        (10 - a.if_not_exists(0), "SET a = :v0 - if_not_exists(a, :v1)"),
    ):
        assert table.update(KEY).set(a=value).to_request()["UpdateExpression"] == text


# --- Values


@pytest.mark.parametrize("zone", [UTC, timezone(timedelta(hours=5, minutes=30)), timezone(-timedelta(hours=11))])
@pytest.mark.parametrize("micro", [0, 1, 500_000])
def test_the_text_advised_for_a_datetime_compares_right_with_what_the_typed_table_stores(zone: Any, micro: int) -> None:
    moment = datetime(2026, 3, 1, 12, 30, 0, micro, tzinfo=zone)
    places = (
        lambda: a > moment,
        lambda: a.between(moment, moment),
        lambda: a.is_in([moment]),
        lambda: to_attribute_value(moment),
        lambda: to_item({"at": [moment]}),
        lambda: to_attribute_value({moment}),
        lambda: parse_condition("a = :v", values={":v": moment}),
    )
    for make in places:
        fix = refusal(make).fix
        advised = fix.partition("such as ")[2].partition(", or")[0]
        assert eval(advised, {"value": moment, "UTC": UTC}) == to_stored_form(moment)
    assert to_attribute_value(int(moment.timestamp()))["N"].isdigit()


@pytest.mark.parametrize(
    ("value", "fix", "stored"),
    [
        (Plan.GOLD, "store .value", "gold"),
        (Right.READ, "store .value", 1),
        (uuid.UUID(int=1), "store str(…)", "00000000-0000-0000-0000-000000000001"),
        (date(2026, 1, 2), "store .isoformat()", "2026-01-02"),
        (time(1, 2), "store .isoformat()", "01:02:00"),
        (timedelta(seconds=5), "store .total_seconds()", 5.0),
        (range(3), "store list(…)", [0, 1, 2]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_to_store_instead_is_said_for_a_value_and_inside_a_set(value: Any, fix: str, stored: Any) -> None:
    for make in (lambda: to_attribute_value(value), lambda: a == value, lambda: table.put({"PK": "1", "x": [value]})):
        assert (refusal(make).rule, refusal(make).fix) == ("value-type", fix)
    for make in (lambda: to_attribute_value({value}), lambda: to_attribute_value({value, "x"}), lambda: a == {value}):
        assert (refusal(make).rule, refusal(make).fix) == ("set-mixed", f"of each element, {fix}")
    method = fix.removeprefix("store ").replace("(…)", "(value)")
    followed = eval(method if "(value)" in method else f"value{method}", {"value": value})
    assert followed == stored
    assert to_attribute_value(followed)


def test_a_subclass_of_a_usual_type_has_its_fix() -> None:
    class Moment(datetime):
        pass

    assert "astimezone" in refusal(lambda: to_attribute_value(Moment(2026, 1, 1))).fix


def test_a_set_of_what_a_list_can_hold_offers_a_list() -> None:
    for elements in ({True}, {None}, {("a",)}, {"a", 1}, {frozenset({"a"})}, {b"a", "a"}):
        assert refusal(lambda elements=elements: to_attribute_value(elements)).fix.endswith(  # type: ignore[misc]
            "use a list for anything else"
        )
        assert to_attribute_value([*elements])


def test_binary_values_of_boto3_may_stand_in_sets() -> None:
    assert to_attribute_value({Binary(b"b"), Binary(b"a"), b"a"}) == {"BS": [b"a", b"b"]}
    assert to_attribute_value(Binary(bytearray(b"x"))) == {"B": b"x"}
    assert to_attribute_value([Binary(b"x")]) == {"L": [{"B": b"x"}]}


def test_a_number_out_of_range_inside_a_set_is_named_as_such() -> None:
    assert refusal(lambda: to_attribute_value({Decimal("1E500"), 1})).rule == "number-range"


# --- Paths, names and placeholders


@pytest.mark.parametrize("name", [0, True, None, b"PK", 1.5, ["PK"]], ids=str)
def test_a_name_is_text_everywhere(name: Any) -> None:
    for make in (lambda: Attr(name), lambda: Key(name), lambda: parse_condition("#a = 1", names={"#a": name})):
        error = refusal(make)
        assert (error.rule, error.message) == (
            "attribute-name",
            f"an attribute's name is a string, not a {type(name).__name__}",
        )


@pytest.mark.parametrize("index", [10**10, 10**6000], ids=["11 digits", "6001 digits"])
def test_an_index_that_no_list_has_is_refused_in_paths_and_text(index: int) -> None:
    digits = "1" + "0" * (10 if index < 10**50 else 6000)
    for make in (
        lambda: a[index],
        lambda: Attr.path(f"a[{digits}]"),
        lambda: parse_condition(f"a[{digits}] = 1"),
        lambda: parse_projection(f"a[{digits}]"),
    ):
        error = refusal(make)
        assert (error.rule, error.fix) == ("path-index", "no list is that long")
    assert a[4_294_967_294].segments == ("a", 4_294_967_294)


def test_path_text_is_text() -> None:
    for text in (5, None, b"a", ["a"]):
        assert refusal(lambda text=text: Attr.path(text)).rule == "path-syntax"  # type: ignore[misc]


@pytest.mark.parametrize("given", [["#a"], "#a", 5, {1: "a"}, {None: "a"}, [("#a", "a")]], ids=str)
def test_placeholders_come_in_mappings(given: Any) -> None:
    for make in (
        lambda: parse_condition("a = 1", names=given),
        lambda: parse_condition("a = 1", values=given),
        lambda: parse_update("SET a = 1", names=given),
        lambda: parse_projection("a", names=given),
    ):
        error = refusal(make)
        assert error.rule == "expression-type"
        assert error.fix.startswith("a mapping of placeholders")


@pytest.mark.parametrize("name", ["S", "NS", "BOOL"])
def test_a_type_is_asked_for_by_its_name_alone(name: str) -> None:
    assert text_of(a.attribute_type(name)) == "attribute_type(a, :v0)"
    for wrong in (b, 5, None, ["S"], "string", Plan.GOLD):
        assert refusal(lambda wrong=wrong: a.attribute_type(wrong)).rule in ("attribute-type", "value-type")  # type: ignore[misc]
