"""Where Python asks a condition for its truth. Read by mypy and pyright alone; never run.

Neither checker sees all such places by itself, and mypy reads nothing behind one: each place has a function of its own.
"""

from __future__ import annotations

from expr_builder import Attr, Condition


def choose(one: Condition, other: Condition) -> object:
    chosen = other if one else one  # type: ignore[var-annotated]
    return chosen  # noqa: RET504


def negate(one: Condition) -> object:
    return not one  # pyright: ignore[reportGeneralTypeIssues]


def branch(one: Condition) -> None:
    if one:  # pyright: ignore[reportGeneralTypeIssues]
        raise ValueError


def claim(one: Condition) -> None:
    assert one  # pyright: ignore[reportGeneralTypeIssues]


def claim_attribute() -> None:
    assert Attr("a")  # pyright: ignore[reportGeneralTypeIssues]
