"""boto3's own condition objects, handed in by habit, are the same conditions."""

from __future__ import annotations

from typing import Any

import pytest
from boto3.dynamodb import conditions as boto3_conditions

from expr_builder import Attr, BuildError, Key, Table, any_of
from expr_builder.expressions.joining import take_condition

theirs, their_key = boto3_conditions.Attr, boto3_conditions.Key
table = Table("t", "PK")


@pytest.mark.parametrize(
    ("handed_in", "same"),
    [
        (theirs("a").eq(1), Attr("a") == 1),
        (theirs("a").ne("x"), Attr("a") != "x"),
        (theirs("a").lt(1), Attr("a") < 1),
        (theirs("a").lte(1), Attr("a") <= 1),
        (theirs("a").gt(1), Attr("a") > 1),
        (theirs("a").gte(1), Attr("a") >= 1),
        (theirs("a").is_in([1, 2]), Attr("a").is_in([1, 2])),
        (theirs("a").between(1, 2), Attr("a").between(1, 2)),
        (theirs("a").begins_with("x"), Attr("a").begins_with("x")),
        (theirs("a").contains("x"), Attr("a").contains("x")),
        (theirs("a").exists(), Attr("a").exists()),
        (theirs("a").not_exists(), Attr("a").not_exists()),
        (theirs("a").attribute_type("SS"), Attr("a").attribute_type("SS")),
        (theirs("a").size().lt(3), Attr("a").size() < 3),
        (theirs("a.b[0]").eq(theirs("c")), Attr("a")["b"][0] == Attr("c")),
        (
            (theirs("a").eq(1) & theirs("b").eq(2)) | ~theirs("c").exists(),
            (Attr("a") == 1) & (Attr("b") == 2) | ~Attr("c").exists(),
        ),
        (their_key("PK").eq("x") & their_key("SK").gt(1), Key("PK").eq("x") & Key("SK").gt(1)),
    ],
)
def test_a_boto3_condition_is_turned_into_the_same_condition(handed_in: Any, same: Any) -> None:
    assert table.delete({"PK": "1"}).when(handed_in).condition == same


def test_a_boto3_key_condition_makes_a_query() -> None:
    assert table.query(their_key("PK").eq("x")).to_request()["KeyConditionExpression"] == "PK = :v0"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "handed_in", [theirs("a"), theirs("a").size(), theirs("a").is_in([]), theirs("a").between(2, 1)]
)
def test_what_dynamodb_would_refuse_is_refused_with_its_place(handed_in: Any) -> None:
    with pytest.raises(BuildError) as caught:
        table.delete({"PK": "1"}).named("x").when(handed_in)
    assert caught.value.place.startswith('slot "x", when')


def test_conditions_of_boto3_may_be_joined_in_pairs_without_end() -> None:
    condition: Any = boto3_conditions.Attr("a").eq(0)
    for value in range(1, 3000):
        condition = condition | boto3_conditions.Attr("a").eq(value)
    taken = take_condition(condition, of="filter")
    assert taken == any_of(*(Attr("a") == value for value in range(3000)))
    assert take_condition(~(~condition), of="filter") == taken
