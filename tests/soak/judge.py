"""The verdict on a soak: which answers cannot be true, and what is stored that nobody asked for."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tests.soak.history import Call, Kind
from tests.soak.holdings import KEYS, Holding, held_by_two, perhaps, surely
from tests.soak.lifeline import Undecided, is_possible

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

__all__ = ["judge"]

_FORESEEN = {
    Kind.SIGN_UP: {201, 409, 422, 503},
    Kind.REPEAT: {201, 422, 503},
    Kind.CHANGE: {200, 404, 409, 412, 422, 503},
    Kind.DELETE: {204, 404, 412, 503},
    Kind.READ: {200, 404, 503},
    Kind.STRANGER: {404, 503},
}

Origin = tuple[str, str, str]


def judge(
    calls: Sequence[Call], stored: Sequence[Mapping[str, Any]], sightings: Sequence[Mapping[str, Any]] = ()
) -> list[str]:
    """Find everything that is wrong.

    Args:
        calls: What was asked and answered.
        stored: The accounts in the table at the end, when nothing is under way any more.
        sightings: Accounts that were seen in the table in between.

    Returns:
        A sentence for each violation.
    """
    accounts: dict[str, Mapping[str, Any]] = {}
    for item in (*sightings, *stored):
        accounts.setdefault(item["account_id"], item)  # the first sight of it shows what it was made with
    lives, unsought = _lives(calls, accounts)
    end = max((call.latest for call in calls), default=0.0) + 1
    last = {item["account_id"]: item for item in stored}
    final = {account: [*life, _looked_up(account, last.get(account), end)] for account, life in lives.items()}
    return [
        *_unforeseen(calls),
        *(f"account {account}: nobody asked for it" for account in unsought),
        *_repeated(calls),
        *_impossible(final),
        *_doubly_held(final),
        *_unfounded_refusals(calls, final),
    ]


def _lives(calls: Sequence[Call], seen: Mapping[str, Mapping[str, Any]]) -> tuple[dict[str, list[Call]], list[str]]:
    """The calls on each account, its sign-up included, and the accounts without one."""
    lives: dict[str, list[Call]] = defaultdict(list)
    unanswered: dict[Origin, list[Call]] = defaultdict(list)
    for call in calls:
        if call.kind is Kind.SIGN_UP and call.perhaps:
            unanswered[call.subject, call.wanted["email"], call.wanted["username"]].append(call)
        elif call.account is not None and call.kind is not Kind.STRANGER:
            lives[call.account].append(call)
    unsought = []
    born = {call.account for call in calls if call.kind is Kind.SIGN_UP and call.done}
    # The oldest account is taken to be the first such sign-up's: the assumption that forbids least.
    for same in unanswered.values():
        same.sort(key=lambda call: call.began)
    nameless = (lives.keys() | seen.keys()) - born
    for account in sorted(nameless, key=lambda account: str(seen.get(account, {}).get("created_at"))):
        item = seen.get(account)
        origin = unanswered.get((item["subject"], item["email"], item["username"])) if item else None
        if origin:
            lives[account].append(replace(origin.pop(0), account=account))
        else:
            unsought.append(account)
    for account in unsought:
        lives.pop(account, None)
    return lives, unsought


def _looked_up(account: str, item: Mapping[str, Any] | None, moment: float) -> Call:
    """What the table shows at the end, as a read."""
    if item is None:
        return Call(Kind.READ, "", moment, moment, 404, account)
    return Call(Kind.READ, item["subject"], moment, moment, 200, account, told=item)


def _unforeseen(calls: Iterable[Call]) -> list[str]:
    found = Counter(
        (call.kind, call.status) for call in calls if call.status and call.status not in _FORESEEN[call.kind]
    )
    return [f"{kind}: answered {status}, {count} times" for (kind, status), count in sorted(found.items())]


def _repeated(calls: Sequence[Call]) -> list[str]:
    """A sign-up's key gives the first answer again, and two sign-ups never one account."""
    first = {call.account: call for call in calls if call.kind is Kind.SIGN_UP and call.done}
    made = Counter(call.account for call in calls if call.kind is Kind.SIGN_UP and call.done)
    twice = [f"account {account}: made by {count} sign-ups" for account, count in made.items() if count > 1]
    other = [
        f"account {call.account}: a repeated sign-up was answered otherwise than the first"
        for call in calls
        if call.kind is Kind.REPEAT and call.done and call.told != first[call.account].told
    ]
    return [*twice, *other]


def _impossible(lives: Mapping[str, Collection[Call]]) -> list[str]:
    found = []
    for account, calls in lives.items():
        try:
            if is_possible(calls):
                continue
            verdict = "no order of its calls makes all answers true"
        except Undecided:
            verdict = "too many unknown outcomes to judge it"
        lines = [f"    {call}" for call in sorted(calls, key=lambda call: call.began)]
        found.append("\n".join([f"account {account}: {verdict}", *lines]))
    return found


def _doubly_held(lives: Mapping[str, Sequence[Call]]) -> list[str]:
    holdings = (holding for account, calls in lives.items() for holding in surely(account, calls))
    return [
        f"accounts {one.account} and {other.account} held one {one.value[0]} at {other.start:.3f}"
        for one, other in held_by_two(holdings)
    ]


def _unfounded_refusals(calls: Iterable[Call], lives: Mapping[str, Sequence[Call]]) -> list[str]:
    """Refusals that call a value taken which nobody can have held, or that leave out one which was held throughout."""
    possible, certain = defaultdict(list), defaultdict(list)
    for account, life in lives.items():
        for holding in perhaps(account, life):
            possible[holding.value].append(holding)
        for holding in surely(account, life):
            certain[holding.value].append(holding)
    for call in calls:
        if call.kind is Kind.SIGN_UP and call.perhaps:
            for holding in perhaps("", [call]):
                possible[holding.value].append(holding)
    found = []
    for call in calls:
        if call.status != 409 or call.perhaps:
            continue
        for field, typed in call.wanted.items():
            value = (field, KEYS[field](typed))
            if field in call.taken:
                if not _others(possible[value], call, lambda h, c: h.meets(c.began, c.ended)):
                    found.append(f"{call.kind} at {call.began:.3f}: {field} was called taken, but nobody had it")
            elif _others(certain[value], call, lambda h, c: h.start < c.began and c.ended < h.end):
                found.append(f"{call.kind} at {call.began:.3f}: {field} was taken too, but not named")
    return found


def _others(holdings: Iterable[Holding], call: Call, fits: Any) -> bool:
    return any(holding.account != (call.account or None) and fits(holding, call) for holding in holdings)
