"""Whether everything that was said about one account can be true.

Each call took effect, if at all, at one moment between its beginning and its end. The answers are true when the calls
can be put in an order, each at such a moment, in which every answer is the right one: linearizability, decided by
search, in the manner of Wing and Gong. Calls with an unknown outcome may take effect at any time after their beginning,
or never.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.soak.history import Call, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["ABSENT", "Alive", "Gone", "Undecided", "is_possible"]

_MOST_STATES = 30_000


class Undecided(RuntimeError):
    """Too many unknown outcomes at the same time to try all orders."""


@dataclass(frozen=True, slots=True)
class Alive:
    """An account as its owner sees it."""

    version: int
    email: str
    username: str

    @classmethod
    def told(cls, account: Mapping[str, Any]) -> Alive:
        """The account that an answer shows, or that is stored."""
        return cls(account["version"], account["email"], account["username"])

    def changed(self, values: Mapping[str, str]) -> Alive:
        """The account after a change."""
        return Alive(self.version + 1, values.get("email", self.email), values.get("username", self.username))

    def has(self, values: Mapping[str, str]) -> bool:
        """Whether it has these values already."""
        return all(getattr(self, field) == value for field, value in values.items())


@dataclass(frozen=True, slots=True)
class Gone:
    """A deleted account, and when its deletion was over at the latest."""

    by: float


ABSENT = None
State = Alive | Gone | None


def is_possible(calls: Iterable[Call]) -> bool:
    """Whether all answers about one account can be true.

    Args:
        calls: All calls on the account, among them the sign-up that made it.

    Raises:
        Undecided: when that would take too long to find out.
    """
    ordered = sorted(calls, key=lambda call: call.began)
    settled = sum(1 << place for place, call in enumerate(ordered) if not call.perhaps)
    waiting: list[tuple[int, State]] = [(0, ABSENT)]
    seen = set(waiting)
    while waiting:
        done, state = waiting.pop()
        if done & settled == settled:
            return True
        for place in _next(ordered, done, settled):
            for after in _effects(ordered[place], state):
                step = (done | 1 << place, after)
                if step not in seen:
                    seen.add(step)
                    waiting.append(step)
        if len(seen) > _MOST_STATES:
            raise Undecided
    return False


def _next(calls: Sequence[Call], done: int, settled: int) -> list[int]:
    """The calls that may take effect next: those that had begun before any other one that is left had ended. Tried
    last to first, so those with a known outcome come at the end, and are tried before the others."""
    left = [place for place in range(len(calls)) if not done >> place & 1]
    first_end = min((calls[place].ended for place in left if settled >> place & 1), default=math.inf)
    may = [place for place in left if calls[place].began <= first_end]
    return sorted(may, key=lambda place: settled >> place & 1)


def _effects(call: Call, state: State) -> list[State]:
    """The states in which a call may leave the account when it meets it in ``state``; none when its answer would be
    wrong then."""
    if call.perhaps:
        return _unknown(call, state)
    match call.kind:
        case Kind.SIGN_UP:
            return [Alive.told(call.told or {})] if state is ABSENT else []
        case Kind.REPEAT:
            fits = isinstance(state, Alive) if call.status == 201 else isinstance(state, Gone)
            return [state] if fits else []
        case Kind.CHANGE if call.status == 200:
            return _changed(call, state)
        case Kind.DELETE if call.status == 204:
            return _deleted(call, state)
        case Kind.READ if call.status == 200:
            return [state] if isinstance(state, Alive) and state == Alive.told(call.told or {}) else []
    return [state] if _is_rightly_refused(call, state) else []


def _unknown(call: Call, state: State) -> list[State]:
    if call.kind is Kind.SIGN_UP:
        return [Alive(1, call.wanted["email"], call.wanted["username"])] if state is ABSENT else []
    if not isinstance(state, Alive) or call.expected not in {None, state.version}:
        return []
    if call.kind is Kind.CHANGE:
        return [] if state.has(call.wanted) else [state.changed(call.wanted)]
    return [Gone(math.inf)] if call.kind is Kind.DELETE else []


def _changed(call: Call, state: State) -> list[State]:
    """A change is done by it, or had been done already."""
    if not isinstance(state, Alive) or call.told is None:
        return []
    told = Alive.told(call.told)
    if not told.has(call.wanted):
        return []
    fits = state == told or (state.changed(call.wanted) == told and call.expected in {None, state.version})
    return [told] if fits else []


def _deleted(call: Call, state: State) -> list[State]:
    """A deletion is done by it, or by somebody else at the same time."""
    if isinstance(state, Alive):
        return [Gone(call.ended)] if call.expected in {None, state.version} else []
    return [state] if isinstance(state, Gone) and state.by >= call.began else []


def _is_rightly_refused(call: Call, state: State) -> bool:
    match call.status:
        case 404:
            return not isinstance(state, Alive)
        case 409 | 422:
            return isinstance(state, Alive)
        case 412:
            return isinstance(state, Alive) and state.version != call.expected
    return False
