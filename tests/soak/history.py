"""What clients asked for and what they were told: the record that is judged when a soak is over."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FUNCTION_SECONDS", "NO_ANSWER", "UNSETTLED", "Call", "History", "Kind"]

NO_ANSWER = 0
"""Stands for the status when the client lost patience, or the connection broke."""

UNSETTLED = frozenset({NO_ANSWER, 429, 500, 502, 503, 504})
"""Statuses after which a client does not know whether it was done."""


FUNCTION_SECONDS = 20
"""How long a function may run (the template's ``Timeout``), and a little more."""


class Kind(StrEnum):
    """What can be asked for."""

    SIGN_UP = "sign up"
    REPEAT = "sign up, key repeated"
    CHANGE = "change"
    DELETE = "delete"
    READ = "read"
    STRANGER = "somebody else's account"


@dataclass(frozen=True, slots=True)
class Call:
    """One thing that a client wanted, and the last answer to it.

    A request that was sent again with its ``Idempotency-Key`` is one call. Without a key, each sending is a call of its
    own: each may be carried out.

    Attributes:
        kind: What was asked for.
        subject: Who asked.
        began: When it was first sent.
        ended: When the last answer came, or the client gave up.
        status: The last answer.
        account: The account's id, when the client knew it or was told.
        wanted: The values asked for, as typed.
        key: The idempotency key.
        expected: The version in ``If-Match``.
        told: The account as the answer showed it.
        taken: The fields that were called taken.
        tries: How often it was sent.
        again: Whether it repeats a call without a key.
        unsettled: Whether any of the tries had no settling answer, so that it may be carried out whatever came last.
    """

    kind: Kind
    subject: str
    began: float
    ended: float
    status: int
    account: str | None = None
    wanted: Mapping[str, str] = field(default_factory=dict)
    key: str | None = None
    expected: int | None = None
    told: Mapping[str, Any] | None = None
    taken: tuple[str, ...] = ()
    tries: int = 1
    again: bool = False
    unsettled: bool = False

    @property
    def done(self) -> bool:
        """Whether the client was told that it is done."""
        return self.status in {200, 201, 204}

    @property
    def perhaps(self) -> bool:
        """Whether it may have been done, or may still be, though nobody was told so."""
        return not self.done and (self.unsettled or self.status in UNSETTLED)

    @property
    def latest(self) -> float:
        """When it took effect at the latest. A function works on after its client has given up, until its time is
        over."""
        return self.ended + FUNCTION_SECONDS if self.perhaps else self.ended

    def __str__(self) -> str:
        """Without the values: these lines end up in reports."""
        told = f" version {self.told['version']}" if self.told else ""
        expected = "" if self.expected is None else f" If-Match {self.expected}"
        doubt = ", may have been done all the same" if self.perhaps else ""
        status = self.status or "no answer"
        return f"{self.began:9.3f} to {self.ended:9.3f}  {self.kind}{expected} -> {status}{told} ({self.tries}x{doubt})"


class History:
    """All calls, from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.calls: list[Call] = []

    def record(self, call: Call) -> None:
        """Add a finished call."""
        with self._lock:
            self.calls.append(call)

    def statuses(self) -> dict[Kind, Counter[int]]:
        """For each kind of call, how often which answer came."""
        found: dict[Kind, Counter[int]] = {}
        for call in self.calls:
            found.setdefault(call.kind, Counter())[call.status] += 1
        return found

    def retries(self) -> int:
        """How many requests were sent because an earlier one had no settling answer."""
        return sum(call.tries - 1 + call.again for call in self.calls)
