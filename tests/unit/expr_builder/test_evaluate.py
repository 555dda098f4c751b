"""Conditions run by DynamoDB's rules, without DynamoDB. The integration ring compares them with a real engine."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from typing import Any

import pytest

from expr_builder import Attr, BuildError, all_of, evaluate
from expr_builder.expressions.evaluate import judge
from expr_builder.expressions.nodes import Function, In, Not
from expr_builder.expressions.operands import make_literal
from expr_builder.expressions.predicates import between, compare

ITEM: dict[str, Any] = {
    "PK": "ACCT#1",
    "text": "hello",
    "wide": "é𝄞",
    "number": 10,
    "small": Decimal("1.5"),
    "binary": b"\x00\xffab",
    "yes": True,
    "nothing": None,
    "texts": {"a", "b"},
    "numbers": {1, 2, 10},
    "binaries": {b"a", b"b"},
    "list": ["x", 1, [2], {"a"}, {"k": "v"}],
    "map": {"city": "London", "lines": ["first", "second"], "na.me": 1},
    "empty": "",
}
absent = Attr("absent")


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        (Attr("number") == 10, True),
        (Attr("number") == Decimal("10.0"), True),
        (Attr("number") == "10", False),
        (Attr("number") != "10", True),
        (Attr("number") != 10, False),
        (Attr("number") > 9, True),  # as numbers: as text, "10" is less than "9"
        (Attr("number") >= 10, True),
        (Attr("number") <= 10, True),
        (Attr("number") < 10, False),
        (Attr("number") > 10, False),
        (Attr("number") > "1", False),
        (Attr("number") < "1", False),
        (Attr("small") < Attr("number"), True),
        (Attr("text") < "help", True),
        (Attr("text") == "hello", True),
        (Attr("empty") == "", True),
        (Attr("binary") > b"\x00\xfe", True),
        (Attr("yes") == True, True),  # noqa: E712  # the operator is what is tested
        (Attr("yes") == 1, False),
        (Attr("nothing") == None, True),  # noqa: E711  # the operator is what is tested
        (Attr("texts") == {"b", "a"}, True),
        (Attr("numbers") == {10, Decimal("2.0"), 1}, True),
        (Attr("numbers") == {"1", "2", "10"}, False),
        (Attr("binaries") == {b"b", b"a"}, True),
        (Attr("list")[2] == [2], True),
        (Attr("list")[2] == [Decimal("2.00")], True),
        (Attr("list")[2] == [3], False),
        (Attr("list")[4] == {"k": "v"}, True),
        (Attr("map") == {"lines": ["first", "second"], "na.me": 1, "city": "London"}, True),
        (Attr("map") == {"city": "London"}, False),
        # What has no order is neither less nor greater, though it may be equal.
        (compare(Attr("list"), "<=", Attr("other")), False),
        (compare(Attr("map"), "<", Attr("text")), False),
        (compare(Attr("yes"), "<=", Attr("yes2")), False),
    ],
)
def test_comparisons(condition: Any, holds: bool) -> None:
    assert evaluate(condition, {**ITEM, "other": ITEM["list"], "yes2": True}) is holds


def test_text_is_ordered_by_its_utf_8_bytes() -> None:
    # By UTF-16 code units, as some languages compare, the character outside the basic plane would come first.
    assert evaluate(Attr("text") < "𝄞", {"text": "\uffee"})


@pytest.mark.parametrize("item", [ITEM, {}, None])
def test_a_missing_attribute_differs_from_everything_and_equals_nothing(item: Any) -> None:
    assert evaluate(absent != "deleted", item)
    assert evaluate(absent != Attr("missing too"), item)
    assert not evaluate(absent.exists_and_ne("deleted"), item)
    for condition in (
        absent == "x",
        absent == Attr("missing too"),
        absent < 1,
        absent <= Attr("missing too"),
        absent > 1,
        absent >= 1,
        absent.between(1, 2),
        absent.is_in(["x", Attr("missing too")]),
        absent.exists(),
        absent.begins_with(""),
        absent.contains("x"),
        absent.attribute_type("S"),
        absent.size() >= 0,
        absent["deeper"][0].exists(),
    ):
        assert not evaluate(condition, item), condition
        assert evaluate(~condition, item), condition
    assert evaluate(absent.not_exists(), item)
    assert evaluate(absent.size() != 0, item)


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        (Attr("number").between(10, 11), True),
        (Attr("number").between(9, 10), True),
        (Attr("number").between(11, 12), False),
        (Attr("number").between("0", "9"), False),
        (Attr("text").between("hello", "hello"), True),
        (Attr("binary").between(b"\x00", b"\x01"), True),
        (Attr("number").between(Attr("small"), 20), True),
        (Attr("number").between(20, Attr("small")), False),
        (Attr("number").between(1, absent), False),
        (Attr("texts").between(Attr("texts2"), Attr("texts3")), False),
        (between(make_literal(5), Attr("small"), Attr("number")), True),
        (Attr("list").size().between(5, 5), True),
        (Attr("number").is_in([1, "10", 10]), True),
        (Attr("number").is_in(["10"]), False),
        (Attr("text").is_in([absent, Attr("map")["city"]]), False),
        (Attr("texts").is_in([{"b", "a"}]), True),
        (In(make_literal("London"), (Attr("text"), Attr("map")["city"])), True),
    ],
)
def test_between_and_in(condition: Any, holds: bool) -> None:
    assert evaluate(condition, {**ITEM, "texts2": {"a", "b"}, "texts3": {"a", "b"}}) is holds


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        (Attr("text").begins_with("hell"), True),
        (Attr("text").begins_with("ello"), False),
        (Attr("text").begins_with(""), True),
        (Attr("text").begins_with(b"hell"), False),
        (Attr("binary").begins_with(b"\x00"), True),
        (Attr("text").begins_with(Attr("empty")), True),
        (Attr("text").begins_with(Attr("number")), False),
        (Attr("number").begins_with("1"), False),
        (Attr("texts").begins_with("a"), False),
        (Function("begins_with", make_literal("hello world"), Attr("text")), True),
        (Attr("text").contains("ell"), True),
        (Attr("text").contains("elo"), False),
        (Attr("text").contains(1), False),
        (Attr("binary").contains(b"\xffa"), True),
        (Attr("binary").contains("ab"), False),
        (Attr("texts").contains("a"), True),
        (Attr("texts").contains("c"), False),
        (Attr("texts").contains(b"a"), False),
        (Attr("numbers").contains(Decimal("2.0")), True),
        (Attr("numbers").contains("2"), False),
        (Attr("binaries").contains(b"b"), True),
        (Attr("list").contains("x"), True),
        (Attr("list").contains([2]), True),
        (Attr("list").contains({"k": "v"}), True),
        (Function("contains", Attr("list"), make_literal({"a"})), True),
        (Attr("list").contains(2), False),
        (Attr("map").contains("city"), False),
        (Attr("number").contains(1), False),
        (Attr("text").contains(Attr("empty")), True),
        (Attr("text").contains(absent), False),
    ],
)
def test_begins_with_and_contains(condition: Any, holds: bool) -> None:
    assert evaluate(condition, ITEM) is holds


@pytest.mark.parametrize(
    ("name", "size"),
    [("text", 5), ("wide", 3), ("binary", 4), ("empty", 0), ("texts", 2), ("numbers", 3), ("list", 5), ("map", 3)],
)
def test_size_counts_utf_16_units_bytes_or_elements(name: str, size: int) -> None:
    assert evaluate(Attr(name).size() == size, ITEM)
    assert not evaluate(Attr(name).size() == size + 1, ITEM)


@pytest.mark.parametrize("name", ["number", "yes", "nothing"])
def test_what_has_no_size_compares_like_a_missing_attribute(name: str) -> None:
    assert not evaluate(Attr(name).size() >= 0, ITEM)
    assert not evaluate(Attr(name).size() <= 99, ITEM)
    assert evaluate(Attr(name).size() != 1, ITEM)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("text", "S"), ("number", "N"), ("binary", "B"), ("yes", "BOOL"), ("nothing", "NULL"), ("texts", "SS"),
        ("numbers", "NS"), ("binaries", "BS"), ("list", "L"), ("map", "M"),
    ],
)  # fmt: skip
def test_attribute_type_is_true_for_the_stored_type_alone(name: str, kind: str) -> None:
    assert evaluate(Attr(name).attribute_type(kind), ITEM)
    assert not evaluate(Attr(name).attribute_type("N" if kind != "N" else "S"), ITEM)


def test_a_stored_null_exists() -> None:
    assert evaluate(Attr("nothing").exists(), ITEM)
    assert not evaluate(Attr("nothing").not_exists(), ITEM)


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (Attr("map")["city"], True),
        (Attr("map")["lines"][1], True),
        (Attr("map")["lines"][2], False),
        (Attr("map")["na.me"], True),
        (Attr("map")["na"]["me"], False),
        (Attr("map")[0], False),
        (Attr("list")[4]["k"], True),
        (Attr("list")["k"], False),
        (Attr("text")[0], False),
        (Attr("text")["S"], False),
        (Attr("map.city"), False),
    ],
)
def test_paths_lead_through_maps_by_name_and_through_lists_by_index(path: Attr, found: bool) -> None:
    assert evaluate(path.exists(), ITEM) is found


def test_and_or_and_not() -> None:
    true, false = Attr("number") == 10, Attr("number") == 11
    assert [evaluate(one, ITEM) for one in (true & true, true & false, false & true, false & false)] == [
        True, False, False, False,
    ]  # fmt: skip
    assert [evaluate(one, ITEM) for one in (true | true, true | false, false | true, false | false)] == [
        True, True, True, False,
    ]  # fmt: skip
    assert [evaluate(one, ITEM) for one in (~true, ~false, Not(Not(true)), ~(true & false))] == [
        False, True, True, True,
    ]  # fmt: skip


def test_every_part_has_its_own_verdict() -> None:
    left, right = Attr("number") == 10, Attr("text") == "other"
    whole = left & ~right
    known = judge(whole, {"number": {"N": "10"}, "text": {"S": "hello"}})
    assert (known[id(whole)], known[id(left)], known[id(right)]) == (True, True, False)


def test_numbers_that_an_engine_wrote_in_another_way_are_the_same_numbers() -> None:
    stored: dict[str, Any] = {"n": {"N": "1.50"}, "s": {"NS": ["1.0", "2E+0"]}}
    assert all(judge(condition, stored)[id(condition)] for condition in (
        Attr("n") == Decimal("1.5"), Attr("s") == {1, 2}, Attr("s").contains(2), Attr("n").between(1, 2),
    ))  # fmt: skip


def test_numbers_of_38_digits_are_compared_to_the_last_one() -> None:
    digits = 10**37 + 1
    assert evaluate(Attr("n") > digits - 1, {"n": digits})
    assert not evaluate(Attr("n") == digits + 1, {"n": digits})


def test_a_condition_deeper_than_pythons_stack_is_evaluated() -> None:
    condition: Any = Attr("number") == 10
    for _ in range(5000):
        condition = Not(condition)
    assert evaluate(condition, ITEM)


def test_evaluating_changes_nothing() -> None:
    item = {"tags": ["a"], "n": 1}
    condition = all_of(Attr("tags").contains("b"), Attr("n") == 2)
    before = condition._key()
    evaluate(condition, item)
    assert (item, condition._key()) == ({"tags": ["a"], "n": 1}, before)


def test_an_item_that_could_not_be_stored_is_refused_with_its_place() -> None:
    with pytest.raises(BuildError) as refused:
        evaluate(Attr("a") == 1, {"tags": [1, float("nan")]})
    assert (refused.value.rule, refused.value.place) == ("number-finite", ".tags[1]")


def test_programs_that_only_build_do_not_load_it() -> None:
    program = (
        "import sys; from expr_builder import Attr, Table, TransactWrite, Unique;"
        "Table('t', 'PK').put({'PK': '1'}).when(Attr('a') == 1).to_request();"
        "unwanted = {'expr_builder.expressions.evaluate', 'expr_builder.requests.explain', 'decimal'};"
        "assert not unwanted & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("condition", ["a = 1", None, 5, Attr("a"), Attr("a").size(), [Attr("a") == 1]], ids=repr)
def test_only_a_condition_is_evaluated(condition: Any) -> None:
    with pytest.raises(BuildError) as caught:
        evaluate(condition, {"a": 1})
    assert (caught.value.rule, caught.value.place) == ("condition-operand", "evaluate")


@pytest.mark.parametrize("item", ["a", 5, [], 0, {"a": object()}], ids=repr)
def test_a_condition_is_evaluated_for_items_alone(item: Any) -> None:
    with pytest.raises(BuildError):
        evaluate(Attr("a") == 1, item)
