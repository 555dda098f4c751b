"""Scaling on paper: the same numbers everywhere."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bench.scaling import Prices, Traffic, Usage, cost_of_a_million, simulate, write_units

QUIET = Traffic(rate=100, seconds=10, names=1_000_000, skew=0, twice=0)


def test_a_sign_up_takes_two_write_units_for_each_of_its_three_items() -> None:
    assert write_units() == 6


def test_a_million_sign_ups_are_paid_for_by_what_they_use() -> None:
    prices = Prices(
        million_write_units=1, million_function_calls=1, gigabyte_second_arm=1, million_api_calls=1, gigabyte_of_logs=1
    )
    usage = Usage(
        write_units=6,
        function_milliseconds=10,
        function_megabytes=512,
        authorizations_per_call=0.5,
        authorizer_milliseconds=2,
        log_bytes=2_000,
    )

    assert cost_of_a_million(prices, usage) == pytest.approx(
        {"DynamoDB writes": 6, "API Gateway (REST)": 1, "Lambda calls": 1.5, "Lambda time": 5_500, "logs": 2}
    )


def test_people_who_want_different_names_hardly_meet() -> None:
    found = simulate(QUIET)

    assert (found.conflicts, found.unfinished, found.attempts) == (0, 0, 1)
    assert found.taken < 0.001


def test_one_name_for_everybody_is_taken_but_once_and_met_in_flight() -> None:
    found = simulate(replace(QUIET, names=1))

    assert found.conflicts > 0.3
    assert 0.99 < found.taken + found.unfinished < 1
    assert found.hottest >= 90


def test_a_sign_up_that_is_sent_twice_never_makes_two_accounts() -> None:
    found = simulate(replace(QUIET, twice=1))

    assert found.taken == pytest.approx(0.5, abs=0.01)


def test_a_simulation_is_the_same_each_time() -> None:
    assert simulate(QUIET) == simulate(QUIET)
