"""One soak: clients, faults, a verdict."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from accounts.schema import declare_layout
from expr_builder.markers import audit
from tests.soak.clients import Crowd, Wallet, warm_up
from tests.soak.faults import rules
from tests.soak.judge import judge

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.soak.history import History
    from tests.soak.scene import Scene

__all__ = ["Soak", "soak"]

_LOOK_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Soak:
    """What happened, and what was wrong about it."""

    history: History
    seconds: float
    faults: dict[str, int]
    requests: int
    accounts: int
    violations: list[str]

    @property
    def missed(self) -> list[str]:
        """The kinds of fault that never happened, so that nothing was proved about them."""
        return [name for name, count in self.faults.items() if not count]


def soak(place: Scene, *, seconds: float, clients: int, seed: int) -> Soak:
    """Let clients loose for a while, with faults, and judge.

    Args:
        place: Where.
        seconds: For how long.
        clients: How many.
        seed: See :class:`Crowd`.
    """
    crowd = Crowd(place.url, place.signer, size=clients, seed=seed)
    warm_up(place.url, place.signer, copies=max(1, clients // 4))
    names = place.proxy.inject(rules(outage_at=time.time() + seconds / 3, outage_size=3 * clients))
    before = place.proxy.requests()
    start = time.monotonic()
    with _finder(place, crowd.wallets) as sightings, crowd.at_work():
        time.sleep(seconds)
    took = time.monotonic() - start
    faults, requests = place.proxy.fired(names), place.proxy.requests() - before
    place.proxy.inject({})
    place.settle()
    found = place.accounts()
    violations = judge(crowd.history.calls, found, sightings)
    report = audit(declare_layout(place.table), place.client)
    violations += [f"audit: {finding.kind} {finding.field}" for finding in report.findings]
    return Soak(crowd.history, took, faults, requests, len(found), violations)


@contextmanager
def _finder(place: Scene, wallets: list[Wallet]) -> Iterator[list[dict[str, Any]]]:
    """Meanwhile look for accounts whose sign-up was never answered, and tell their owners of them. Otherwise these
    would keep their values for ever, and everybody would be refused in the end."""
    owners = {wallet.subject: wallet for wallet in wallets}
    found: list[dict[str, Any]] = []
    over = threading.Event()

    def look() -> None:
        while not over.wait(_LOOK_SECONDS):
            found.extend(item for item in place.accounts() if owners[item["subject"]].adopt(item["account_id"]))

    with ThreadPoolExecutor(1) as pool:
        looking = pool.submit(look)
        try:
            yield found
        finally:
            over.set()
            looking.result()
