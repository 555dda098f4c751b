"""AttributeValues -> Python values: exactly what a client returns, and a word about everything else."""

from __future__ import annotations

import base64
import json
import math
import time
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from expr_builder import BuildError, from_attribute_value, from_item, to_attribute_value
from expr_builder.attribute_values.numbers import read_number
from expr_builder.attribute_values.values import TYPES

SECRET = "hunter2"


class Binary:
    """Has the shape of boto3's wrapper for binary values."""

    def __init__(self, value: bytes) -> None:
        self.value = value


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ({"S": ""}, ""),
        ({"N": "1.50"}, Decimal("1.5")),
        ({"N": "1E+2"}, 100),
        ({"N": "1e2"}, 100),
        ({"N": "-0"}, 0),
        ({"N": "007"}, 7),
        ({"N": "-12"}, -12),
        ({"N": "2.00"}, 2),
        ({"N": "1E-130"}, Decimal("1E-130")),
        ({"N": "9.99E+125"}, 999 * 10**123),
        ({"N": "12345678901234567890123456789012345678"}, 12345678901234567890123456789012345678),
        ({"N": "0.12345678901234567890123456789012345678"}, Decimal("0.12345678901234567890123456789012345678")),
        ({"N": "1E-2"}, Decimal("0.01")),
        ({"N": "100E-2"}, 1),
        ({"B": b"\x00"}, b"\x00"),
        ({"B": bytearray(b"\x00")}, b"\x00"),
        ({"B": memoryview(b"\x00")}, b"\x00"),
        ({"B": Binary(b"\x00")}, b"\x00"),
        ({"BOOL": False}, False),
        ({"BOOL": True}, True),
        ({"NULL": True}, None),
        ({"L": []}, []),
        ({"L": ({"S": "a"}, {"NULL": True})}, ["a", None]),
        ({"M": {"a": {"M": {}}}}, {"a": {}}),
        ({"SS": ["a", "b"]}, {"a", "b"}),
        ({"SS": {"a", "b"}}, {"a", "b"}),
        ({"NS": ["1", "2.5"]}, {1, Decimal("2.5")}),
        ({"BS": [b"a", bytearray(b"b"), Binary(b"c")]}, {b"a", b"b", b"c"}),
    ],
)
def test_what_a_client_returns_is_read(typed: Any, value: Any) -> None:
    read = from_attribute_value(typed)
    assert (read, type(read)) == (value, type(value))
    assert from_item({"a": typed}) == {"a": value}
    assert from_attribute_value({"L": [typed]}) == [value]


FAULTS: list[tuple[Any, str, str]] = [
    ({"BOOL": "false"}, "", "BOOL is true or false, not a str"),
    ({"BOOL": 0}, "", "BOOL is true or false, not a int"),
    ({"BOOL": None}, "", "BOOL is true or false, not a NoneType"),
    ({"SS": SECRET}, "", "SS is a list of texts, not a str"),
    ({"SS": {"a": 1}}, "", "SS is a list of texts, not a dict"),
    ({"SS": ["a", 5]}, "[1]", "S is text, not a int"),
    ({"SS": ["a", ["b"]]}, "[1]", "S is text, not a list"),
    ({"SS": ["a", "b", "a"]}, "[2]", "SS with an element twice"),
    ({"SS": []}, "", "SS without elements"),
    ({"NS": ["1", "1.0"]}, "[1]", "NS with an element twice"),
    ({"NS": ["1", "x"]}, "[1]", "N is not a number as DynamoDB writes it"),
    ({"NS": ["1", 2]}, "[1]", 'N is a number as text, such as "1.5", not a int'),
    ({"NS": "12"}, "", "NS is a list of numbers as text, not a str"),
    ({"BS": ["AAEC"]}, "[0]", "B is bytes, not a str"),
    ({"BS": b"abc"}, "", "BS is a list of bytes, not a bytes"),
    ({"BS": [b"a", bytearray(b"a")]}, "[1]", "BS with an element twice"),
    ({"N": "1E+999999999"}, "", "N is a number outside DynamoDB's range, 1E-130 to 9.99E+125 in size"),
    ({"N": "1E-999999999"}, "", "N is a number outside DynamoDB's range, 1E-130 to 9.99E+125 in size"),
    ({"N": "9" * 5000}, "", "N is a number of 5000 significant digits, 38 are allowed"),
    ({"N": "1_0"}, "", "N is not a number as DynamoDB writes it"),
    ({"N": "NaN"}, "", "N is not a finite number"),
    ({"N": "Infinity"}, "", "N is not a finite number"),
    ({"N": "²"}, "", "N is not a number as DynamoDB writes it"),
    ({"N": "٣"}, "", "N is not a number as DynamoDB writes it"),
    ({"N": " 5 "}, "", "N is not a number as DynamoDB writes it"),
    ({"N": ""}, "", "N is not a number as DynamoDB writes it"),
    ({"N": 5}, "", 'N is a number as text, such as "1.5", not a int'),
    ({"N": b"5"}, "", 'N is a number as text, such as "1.5", not a bytes'),
    ({"N": None}, "", 'N is a number as text, such as "1.5", not a NoneType'),
    ({"N": True}, "", 'N is a number as text, such as "1.5", not a bool'),
    ({"B": "AAEC"}, "", "B is bytes, not a str"),
    ({"B": 5}, "", "B is bytes, not a int"),
    ({"B": [1, 2]}, "", "B is bytes, not a list"),
    ({"S": 5}, "", "S is text, not a int"),
    ({"S": b"x"}, "", "S is text, not a bytes"),
    ({"S": None}, "", "S is text, not a NoneType"),
    ({"NULL": False}, "", "NULL is true, not false"),
    ({"NULL": "true"}, "", "NULL is true, not a str"),
    ({"NULL": None}, "", "NULL is true, not a NoneType"),
    ({"L": "abc"}, "", "L is a list of AttributeValues, not a str"),
    ({"L": {"S": "a"}}, "", "L is a list of AttributeValues, not a dict"),
    ({"L": [{"S": "a"}, "b"]}, "[1]", "a str is not an AttributeValue"),
    ({"M": []}, "", "M is a mapping of names to AttributeValues, not a list"),
    ({"M": {"a": {"L": [{"S": "x"}, {"M": {"b": {"S": 5}}}]}}}, ".a[1].b", "S is text, not a int"),
    ({"M": {"a": {}}}, ".a", "not an AttributeValue: it has 0 types"),
    ({"M": {"a": {"S": "x", "N": "1"}}}, ".a", "not an AttributeValue: it has 2 types"),
    ({"M": {"a": {SECRET: 1}}}, ".a", "not an AttributeValue: its type is unknown"),
    ({"M": {"a": SECRET}}, ".a", "a str is not an AttributeValue"),
    ({"M": {1: {"S": "x"}}}, ".(int)", "attribute names are strings, not int"),
    ({"M": {None: None}}, ".(NoneType)", "a NoneType is not an AttributeValue"),
    ({"M": {b"a": 2}}, ".(bytes)", "a int is not an AttributeValue"),
    ({"M": {"a": "S"}}, ".a", "a str is not an AttributeValue"),
    ({}, "", "not an AttributeValue: it has 0 types"),
    ({5: 5}, "", "not an AttributeValue: its type is unknown"),
    ("S", "", "a str is not an AttributeValue"),
    (["S"], "", "a list is not an AttributeValue"),
    (None, "", "a NoneType is not an AttributeValue"),
]


@pytest.mark.parametrize(("value", "place", "message"), FAULTS, ids=[str(value)[:30] for value, _, _ in FAULTS])
def test_what_no_client_returns_is_refused_with_its_place_and_type(value: Any, place: str, message: str) -> None:
    for read, where in (
        (lambda: from_attribute_value(value), place),
        (lambda: from_item({"tags": value}), f".tags{place}"),
        (lambda: from_attribute_value({"L": [{"S": "x"}, value]}), f"[1]{place}"),
    ):
        with pytest.raises(BuildError) as caught:
            read()
        error = caught.value
        assert (error.rule, error.place, error.message) == ("attribute-value", where, message)
        assert SECRET not in str(error)


@pytest.mark.parametrize("item", [None, 5, "S", [], [("a", {"S": "x"})]])
def test_an_item_is_a_mapping(item: Any) -> None:
    with pytest.raises(BuildError, match="an item is a mapping of names to AttributeValues, not a"):
        from_item(item)


def test_a_place_can_be_shown_whatever_the_name() -> None:
    with pytest.raises(BuildError) as caught:
        from_item({"\ud800é": {"M": {"\udfff": {"N": "x"}}}})
    assert caught.value.place == ".\\ud800é.\\udfff"


def test_the_fix_for_an_export_is_right() -> None:
    exported = json.loads('{"B": "AAEC"}')
    with pytest.raises(BuildError) as caught:
        from_attribute_value(exported)
    assert caught.value.fix.endswith("give base64.b64decode(text)")
    assert from_attribute_value({"B": base64.b64decode(exported["B"])}) == b"\x00\x01\x02"


def test_values_nested_deeper_than_dynamodb_stores_are_refused_however_deep() -> None:
    for tag, levels in (("L", 33), ("M", 33), ("L", 50_000), ("M", 50_000)):
        deep: Any = {"S": "x"}
        for _ in range(levels):
            deep = {"L": [deep]} if tag == "L" else {"M": {"a": deep}}
        for read in (lambda deep=deep: from_attribute_value(deep), lambda deep=deep: from_item({"a": deep})):
            with pytest.raises(BuildError) as caught:
                read()
            assert caught.value.rule == "value-depth"
    fits: Any = {"S": "x"}
    for _ in range(32):
        fits = {"L": [fits]}
    assert to_attribute_value(from_attribute_value(fits)) == fits
    assert from_item({"a": fits})["a"] == from_attribute_value(fits)


_texts = st.text(st.characters(codec="utf-8"), max_size=5)
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | _texts | st.sampled_from(["1", "1E5", "a"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(_texts.filter(bool), inner, max_size=3)
        | st.dictionaries(st.sampled_from(TYPES), inner, min_size=1, max_size=2)
        | st.builds(lambda tag, content: {tag: content}, st.sampled_from(TYPES), inner)
    ),
    max_leaves=20,
)


@given(_json)
def test_any_json_is_read_or_refused(value: Any) -> None:
    for read in (from_attribute_value, from_item):
        try:
            found = read(value)
        except BuildError:
            continue
        assert from_attribute_value(to_attribute_value(found)) == found


@given(st.from_regex(r"[-+]?[0-9]{0,45}\.?[0-9]{0,45}([eE][-+]?[0-9]{1,12})?", fullmatch=True) | st.text(max_size=6))
def test_number_text_is_read_exactly_or_refused_at_once(text: str) -> None:
    start = time.process_time()
    try:
        number = read_number(text)
    except BuildError:
        pass
    else:
        assert Decimal(number) == Decimal(text)
        assert not math.isnan(number)
        assert type(number) is (int if Decimal(number) == Decimal(number).to_integral_value() else Decimal)
    assert time.process_time() - start < 1
