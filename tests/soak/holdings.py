"""Who held which e-mail or username when, as far as the answers tell.

Nobody can say at which moment of a call it took effect, so there are two views of the same history. An account *surely*
held a value from the end of an answer that shows it with the value until the beginning of the next call that could have
taken it away. It *perhaps* held the value from the beginning of a call that asked for it until the end of one that took
it away beyond doubt.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from accounts.identity import normalize_email, normalize_username
from tests.soak.history import Call, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["KEYS", "Holding", "held_by_two", "perhaps", "surely"]

KEYS = {"email": normalize_email, "username": normalize_username}


@dataclass(frozen=True, slots=True)
class Holding:
    """An account holds a value for a while."""

    value: tuple[str, str]
    """The field, and the value in its unique form."""
    account: str
    start: float
    end: float

    def meets(self, start: float, end: float) -> bool:
        """Whether it has a moment in common with that time."""
        return self.start <= end and start <= self.end


def surely(account: str, calls: Sequence[Call]) -> list[Holding]:
    """When the account held a value beyond doubt."""
    found = []
    for call in calls:
        if call.told is None or call.kind is Kind.REPEAT:  # that tells of the past
            continue
        for value in _values(call.told):
            end = min(
                (other.began for other in calls if other.latest >= call.began and _may_release(other, value)),
                default=math.inf,
            )
            if end > call.ended:
                found.append(Holding(value, account, call.ended, end))
    return found


def perhaps(account: str, calls: Sequence[Call]) -> list[Holding]:
    """When the account may have held a value."""
    found = []
    for call in calls:
        if call.kind not in {Kind.SIGN_UP, Kind.CHANGE} or not (call.done or call.perhaps):
            continue
        for value in _values(call.wanted):
            end = min(
                (other.ended for other in calls if _surely_releases(other, call, value)),
                default=math.inf,
            )
            found.append(Holding(value, account, call.began, end))
    return found


def held_by_two(holdings: Iterable[Holding]) -> list[tuple[Holding, Holding]]:
    """Pairs of accounts that surely held one value at the same time."""
    found = []
    longest: dict[tuple[str, str], Holding] = {}
    for holding in sorted(holdings, key=lambda holding: holding.start):
        before = longest.get(holding.value)
        if before is not None and before.account != holding.account and before.end > holding.start:
            found.append((before, holding))
        if before is None or holding.end >= before.end:
            longest[holding.value] = holding
    return found


def _values(typed: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(field, key(typed[field])) for field, key in KEYS.items() if field in typed]


def _may_release(call: Call, value: tuple[str, str]) -> bool:
    return (call.done or call.perhaps) and _takes_away(call, value)


def _surely_releases(call: Call, claim: Call, value: tuple[str, str]) -> bool:
    """Whether the value is not the account's any more when ``call`` has ended. A deleted account holds nothing and gets
    nothing; a change counts when it came after the claim."""
    in_order = call.kind is Kind.DELETE or call.began > claim.latest
    return call.done and in_order and _takes_away(call, value)


def _takes_away(call: Call, value: tuple[str, str]) -> bool:
    if call.kind is Kind.DELETE:
        return True
    field, key = value
    return call.kind is Kind.CHANGE and field in call.wanted and KEYS[field](call.wanted[field]) != key
