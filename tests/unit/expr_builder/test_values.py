"""Python values <-> AttributeValue: whole outputs, sizes, and every refusal with its place."""

from __future__ import annotations

import enum
import math
import subprocess
import sys
from collections import OrderedDict, UserDict
from datetime import date, datetime, timezone
from decimal import Decimal
from fractions import Fraction
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from expr_builder.attribute_values.numbers import parse_number, to_number
from expr_builder.attribute_values.serializing import serialize, serialize_item
from expr_builder.attribute_values.values import (
    from_attribute_value,
    from_item,
    item_size,
    measure_value,
    to_attribute_value,
    to_item,
)
from expr_builder.errors import BuildError


class Colour(enum.IntEnum):
    RED = 1


class Shade(enum.StrEnum):
    DARK = "dark"


class Binary:
    """Has the shape of boto3's wrapper for binary values."""

    def __init__(self, value: bytes) -> None:
        self.value = value


@pytest.mark.parametrize(
    ("value", "typed", "size"),
    [
        ("text", {"S": "text"}, 4),
        ("", {"S": ""}, 0),
        ("héé", {"S": "héé"}, 5),
        (True, {"BOOL": True}, 1),
        (None, {"NULL": True}, 1),
        (0, {"N": "0"}, 1),
        (7, {"N": "7"}, 2),
        (-123, {"N": "-123"}, 4),
        (1.5, {"N": "1.5"}, 3),
        (100.0, {"N": "100"}, 2),
        (Decimal("1.50"), {"N": "1.5"}, 3),
        (b"\x00\xff", {"B": b"\x00\xff"}, 2),
        (bytearray(b"ab"), {"B": b"ab"}, 2),
        (memoryview(b"ab"), {"B": b"ab"}, 2),
        ([], {"L": []}, 3),
        (["a", 1], {"L": [{"S": "a"}, {"N": "1"}]}, 3 + 2 + 3),
        (("a",), {"L": [{"S": "a"}]}, 5),
        ({}, {"M": {}}, 3),
        ({"k": "v"}, {"M": {"k": {"S": "v"}}}, 3 + 1 + 2),
        (OrderedDict(k=1), {"M": {"k": {"N": "1"}}}, 3 + 1 + 1 + 2),
        (UserDict(k=1), {"M": {"k": {"N": "1"}}}, 7),
        ({"b", "a"}, {"SS": ["a", "b"]}, 2),
        (frozenset({10, 9}), {"NS": ["9", "10"]}, 4),
        ({b"b", b"a"}, {"BS": [b"a", b"b"]}, 2),
        ({Shade.DARK}, {"SS": ["dark"]}, 4),
        ({Decimal("0.5")}, {"NS": ["0.5"]}, 2),
        (Colour.RED, {"N": "1"}, 2),
        (Shade.DARK, {"S": "dark"}, 4),
        (Binary(b"x"), {"B": b"x"}, 1),
    ],
)
def test_each_python_type_has_its_attribute_value_and_size(value: object, typed: dict[str, object], size: int) -> None:
    assert serialize(value) == (typed, size)
    assert measure_value(typed) == size


class _Float(float):
    pass


class _List(list):  # type: ignore[type-arg]
    pass


class _Bytes(bytes):
    pass


class _Set(set):  # type: ignore[type-arg]
    pass


def test_subclasses_count_as_their_base() -> None:
    assert to_attribute_value(_Float(2.5)) == {"N": "2.5"}
    assert to_attribute_value(_List([1])) == {"L": [{"N": "1"}]}
    assert to_attribute_value(_Bytes(b"x")) == {"B": b"x"}
    assert to_attribute_value({_Bytes(b"x")}) == {"BS": [b"x"]}
    assert to_attribute_value(_Set({1})) == {"NS": ["1"]}


def test_a_bool_is_never_a_number_and_an_int_enum_is() -> None:
    assert to_attribute_value(True) == {"BOOL": True}
    assert to_attribute_value([False, Colour.RED]) == {"L": [{"BOOL": False}, {"N": "1"}]}
    with pytest.raises(BuildError, match="a set of bool"):
        to_attribute_value({True})


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("00042", "42"),
        ("-0", "0"),
        ("1.5E2", "150"),
        ("1.0", "1"),
        ("1e-7", "0.0000001"),
        ("-0.050", "-0.05"),
        ("12.340", "12.34"),
        ("1E125", "1E+125"),
        ("1E-130", "1E-130"),
        ("9.99E+125", "9.99E+125"),
        ("-1.2E-100", "-1.2E-100"),
        ("+5", "5"),
        (".5", "0.5"),
        ("0E999999", "0"),
    ],
)
def test_numbers_are_written_in_one_canonical_form(written: str, stored: str) -> None:
    assert parse_number(written) == stored
    assert to_number(Decimal(written)) == stored


@pytest.mark.parametrize("number", [10**38, 110111111111111110000000000000000000000, -(10**38), 10**125])
def test_trailing_zeros_do_not_count_as_digits(number: int) -> None:
    typed = to_attribute_value(number)
    assert from_attribute_value(typed) == number
    assert to_attribute_value(Decimal(number)) == typed


def test_reading_does_not_depend_on_the_decimal_context() -> None:
    digits = "1." + "2" * 37
    assert from_attribute_value({"N": digits}) == Decimal(digits)
    assert str(from_attribute_value({"N": digits})) == digits


@pytest.mark.parametrize(
    ("number", "rule"),
    [
        (math.nan, "number-finite"),
        (math.inf, "number-finite"),
        (Decimal("NaN"), "number-finite"),
        (Decimal("-Infinity"), "number-finite"),
        (Decimal("1E126"), "number-range"),
        (Decimal("-1E-131"), "number-range"),
        (Decimal("1E9999999"), "number-range"),
        (10**126, "number-range"),
        pytest.param(10**5000, "number-range", id="longer than Python writes"),
        (int("1" * 39), "number-precision"),
        (Decimal("0." + "1" * 39), "number-precision"),
        (1e300, "number-range"),
    ],
)
def test_numbers_that_dynamodb_cannot_hold_are_refused(number: object, rule: str) -> None:
    with pytest.raises(BuildError) as caught:
        to_attribute_value(number)
    assert caught.value.rule == rule


@pytest.mark.parametrize("text", ["", "-", "1e", "1e+", "--1", "+-1", "0x1", "1_000", "½", "1.2.3", " 1", "e5"])
def test_text_that_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(BuildError) as caught:
        parse_number(text)
    assert caught.value.rule == "number-finite"


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-(10**20), max_value=10**20))
def test_a_number_survives_the_round_trip_and_has_one_form(number: Decimal) -> None:
    text = to_number(number)
    assert Decimal(text) == number
    assert parse_number(text) == text
    assert from_attribute_value({"N": text}) == number


@pytest.mark.parametrize(
    ("number", "size"),
    [
        ("0", 1),
        ("1", 2),
        ("12", 2),
        ("123", 3),
        ("100", 2),
        ("1001", 3),
        ("-1", 3),
        ("1.5", 3),
        ("-1.5", 4),
        ("12.34", 3),
        ("123.456", 5),
        ("100.5", 4),
        ("100.05", 4),
        ("0.5", 2),
        ("0.05", 2),
        ("0.0000001", 2),
        ("0.123", 3),
        ("-0.0012", 3),
        ("1E+100", 2),
        ("1.234E+100", 3),
        ("1.2345E-100", 4),
        ("12345678901234567890123456789012345678", 20),
        ("0.12345678901234567890123456789012345678", 20),
        ("1.2345678901234567890123456789012345678", 21),
    ],
)
def test_the_digits_before_and_behind_the_point_are_counted_apart(number: str, size: int) -> None:
    assert measure_value({"N": number}) == size
    assert serialize(Decimal(number)) == ({"N": number}, size)
    assert serialize({Decimal(number)})[1] == size
    assert item_size({"ab": {"NS": [number]}}) == size + 2


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e100, max_value=1e100))
def test_a_float_is_stored_by_its_shortest_repr(number: float) -> None:
    if number and abs(number) < 1e-130:
        with pytest.raises(BuildError):
            to_number(number)
    else:
        assert Decimal(to_number(number)) == Decimal(repr(number))


def test_an_empty_set_is_refused_never_stored_as_null() -> None:
    with pytest.raises(BuildError) as caught:
        to_item({"ids": set()})
    assert str(caught.value) == (
        ".ids: an empty set, which DynamoDB cannot store "
        "(leave the attribute out, or remove it in an update) [set-empty]"
    )


def test_empty_text_and_bytes_are_kept() -> None:
    assert to_item({"bio": "", "raw": b"", "tags": {""}}) == {"bio": {"S": ""}, "raw": {"B": b""}, "tags": {"SS": [""]}}


@pytest.mark.parametrize(
    ("item", "place", "rule"),
    [
        ({"a": {1, "a"}}, ".a", "set-mixed"),
        ({"a": [0, {"b": {(1,)}}]}, ".a[1].b", "set-mixed"),
        ({"a": [{1: "x"}]}, ".a[0]", "attribute-name"),
        ({"a": {1: "x", "b": 2}}, ".a", "attribute-name"),
        ({"a": {"": 1}}, ".a", "attribute-name"),
        ({"a": ["x", ["y", float("nan")]]}, ".a[1][1]", "number-finite"),
        ({"a": object()}, ".a", "value-type"),
        ({"a": {"b": "\ud800"}}, ".a.b", "text-utf8"),
    ],
)
def test_a_bad_value_is_named_by_its_path(item: dict[str, object], place: str, rule: str) -> None:
    with pytest.raises(BuildError) as caught:
        to_item(item)
    assert (caught.value.place, caught.value.rule) == (place, rule)


def test_numbers_equal_to_dynamodb_are_one_element_of_a_set() -> None:
    assert to_attribute_value({0.1, Decimal("0.1"), 1, Decimal("1.0")}) == {"NS": ["0.1", "1"]}


@pytest.mark.parametrize("item", [{"": 1}, {1: 1}, {1: 1, "a": 2}, {"x" * 65536: 1}, ["a"], None, 5])
def test_what_cannot_be_an_item_is_refused(item: object) -> None:
    with pytest.raises(BuildError) as caught:
        to_item(item)  # type: ignore[arg-type]
    assert caught.value.rule == "attribute-name"


@pytest.mark.parametrize(
    ("value", "fix"),
    [
        (datetime(2026, 1, 1, tzinfo=timezone.utc), "astimezone(UTC)"),  # noqa: UP017  # the library runs on 3.11 too
        (date(2026, 1, 1), "isoformat"),
        (UUID(int=1), "str"),
        (Fraction(1, 3), "Decimal"),
        (1j, "two numbers"),
        (iter(()), "convert it"),
        ((n for n in range(1)), "list"),
        (object(), "convert it"),
    ],
)
def test_a_type_that_dynamodb_lacks_is_refused_with_a_way_out(value: object, fix: str) -> None:
    with pytest.raises(BuildError) as caught:
        to_attribute_value(value)
    assert caught.value.rule == "value-type"
    assert fix in caught.value.fix


def test_nesting_ends_at_32_levels_even_for_a_list_that_holds_itself() -> None:
    deep: object = "leaf"
    for _ in range(32):
        deep = [deep]
    assert measure_value(to_attribute_value(deep)) == 4 + 32 * 4
    with pytest.raises(BuildError) as caught:
        to_attribute_value({"k": deep})
    assert caught.value.rule == "value-depth"
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(BuildError, match="does it contain itself"):
        to_attribute_value(loop)
    maze: dict[str, object] = {}
    maze["inside"] = maze
    with pytest.raises(BuildError) as caught:
        to_attribute_value(maze)
    assert caught.value.rule == "value-depth"
    assert caught.value.place.startswith(".inside.inside")


def test_long_names_count_by_their_bytes() -> None:
    assert item_size(to_item({"x" * 40_000: "", "y" * 65_535: ""})) == 105_535
    with pytest.raises(BuildError, match="an attribute name of 65536 bytes"):
        to_item({"é" * 32_768: ""})


_scalars = (
    st.text(st.characters(codec="utf-8"), max_size=8)
    | st.integers(-(10**30), 10**30)
    | st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**9), max_value=10**9)
    | st.binary(max_size=8)
    | st.booleans()
    | st.none()
)
_names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=5)
_values = st.recursive(
    _scalars
    | st.sets(_names, min_size=1, max_size=4)
    | st.sets(st.integers(-(10**30), 10**30), min_size=1, max_size=4)
    | st.sets(st.binary(max_size=4), min_size=1, max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_names, inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(_names, _values, max_size=4))
def test_an_item_survives_the_round_trip_with_its_size_counted_once_or_twice(item: dict[str, object]) -> None:
    typed, size = serialize_item(item)
    assert from_item(typed) == item
    assert item_size(typed) == size
    assert list(typed) == sorted(item)


@pytest.mark.parametrize("value", [{}, {"S": "a", "N": "1"}, {"X": 1}, "S", None, {"N": "abc"}, {"L": 5}, {"M": [1]}])
def test_what_is_no_attribute_value_cannot_be_read(value: object) -> None:
    with pytest.raises(BuildError) as caught:
        from_attribute_value(value)  # type: ignore[arg-type]
    assert caught.value.rule == "attribute-value"


@pytest.mark.parametrize("item", [{"a": {}}, {"a": {"X": 1}}, {"a": {"M": {"b": {"N": "x"}}}}, {"a": 5}])
def test_an_item_with_what_is_no_attribute_value_cannot_be_read(item: object) -> None:
    with pytest.raises(BuildError) as caught:
        from_item(item)  # type: ignore[arg-type]
    assert caught.value.rule == "attribute-value"


def test_reading_gives_python_types() -> None:
    assert from_item(
        {
            "a": {"N": "1E+2"},
            "b": {"NULL": True},
            "c": {"NS": ["1", "2.5"]},
            "d": {"BS": [bytearray(b"x")]},
            "e": {"SS": ["x"]},
            "f": {"B": bytearray(b"y")},
        }
    ) == {"a": 100, "b": None, "c": {1, Decimal("2.5")}, "d": {b"x"}, "e": {"x"}, "f": b"y"}


def test_output_is_the_same_in_processes_with_other_hash_seeds() -> None:
    program = (
        "import json; from expr_builder.attribute_values.values import to_item;"
        "print(json.dumps(to_item({'z': {'b','a','c','d'}, 'a': {'y': {1, 2.5, 10}, 'x': 1}})))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert outputs == {
        '{"a": {"M": {"x": {"N": "1"}, "y": {"NS": ["1", "2.5", "10"]}}}, "z": {"SS": ["a", "b", "c", "d"]}}\n'
    }
    assert list(to_item({"b": 1, "a": 2})) == list(to_item({"a": 2, "b": 1}))
