"""Who keeps a shared value: whatever order the records come in, and only if it can be told."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from expr_builder.markers import KeepChosen, KeepExtreme, KeepFirst, write_owner
from expr_builder.markers.policies import Candidate, read_rank

OLDEST, NEWEST = KeepExtreme("at"), KeepExtreme("at", newest=True)


def choose(policy: Any, *candidates: tuple[str, Any], holder: str | None = None) -> str | None:
    chosen: str | None = policy.choose("f", "M", [Candidate(*one) for one in candidates], holder)
    return chosen


@pytest.mark.parametrize(
    ("candidates", "oldest", "newest"),
    [
        ([("a", "2024"), ("b", "2023"), ("c", "2025")], "b", "c"),
        ([("a", 2), ("b", Decimal("1.5")), ("c", 10)], "b", "c"),
        ([("a", "2024"), ("b", None)], "a", "a"),  # one without the attribute does not win
        ([("a", "2024"), ("b", "2024"), ("c", "2025")], None, "c"),
        ([("a", "2024"), ("b", 2023)], None, None),  # text and numbers have no order
        ([("a", None), ("b", None)], None, None),
    ],
)
def test_the_extreme_wins_if_it_is_one(candidates: Any, oldest: str | None, newest: str | None) -> None:
    assert choose(OLDEST, *candidates, holder="c") == oldest
    assert choose(NEWEST, *candidates, holder="c") == newest


def test_the_first_is_the_one_that_holds_the_marker_or_that_was_met_first() -> None:
    assert choose(KeepFirst(), ("a", None), ("b", None)) == "a"
    assert choose(KeepFirst(), ("a", None), ("b", None), holder="b") == "b"
    assert choose(KeepFirst(), ("a", None), ("b", None), holder="somebody") == "a"


def test_the_chosen_one_must_have_the_value() -> None:
    policy = KeepChosen({("f", "M"): "b", ("f", "N"): "a"})
    assert choose(policy, ("a", None), ("b", None)) == "b"
    assert choose(policy, ("a", None), ("c", None)) is None
    assert choose(KeepChosen({}), ("a", None), ("b", None), holder="a") is None


_RANKS = st.one_of(st.none(), st.integers(0, 4), st.decimals(0, 4, places=1), st.text("ab", max_size=2))


@given(st.lists(_RANKS, min_size=2, max_size=5), st.randoms())
def test_the_order_of_records_does_not_matter(ranks: list[Any], random: Any) -> None:
    candidates = [(str(number), read_rank(rank)) for number, rank in enumerate(ranks)]
    shuffled = candidates.copy()
    random.shuffle(shuffled)
    for policy in (OLDEST, NEWEST, KeepChosen({("f", "M"): "1"})):
        assert choose(policy, *candidates) == choose(policy, *shuffled)


@pytest.mark.parametrize("value", [True, "", None, b"x", [1], {"a"}, 1.5])
def test_what_has_no_order_is_no_rank(value: Any) -> None:
    assert read_rank(value) is None


def test_owners_are_told_apart_by_their_types() -> None:
    assert write_owner("1") == '{"S": "1"}'
    assert write_owner(1) == write_owner(Decimal("1.0")) == '{"N": "1"}'
    assert write_owner(b"1") == '{"B": "MQ=="}'


def test_nothing_that_could_be_logged_by_its_repr_shows_keys() -> None:
    assert repr(KeepChosen({("email", "MAIL#ada@example.com"): write_owner("P#1")})) == "KeepChosen()"
    assert repr(Candidate(write_owner("P#1"), "ada")) == "Candidate()"
