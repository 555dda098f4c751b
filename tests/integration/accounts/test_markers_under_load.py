"""Audit and repair while the service is busy: no false findings, and no harm done."""

from __future__ import annotations

import contextlib
import random
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from accounts.errors import DomainError
from accounts.schema import declare_layout as accounts
from expr_builder.markers import Kind, Mend, Mender, Outcome, ScanOptions, audit, backfill
from tests.support.cloud import dynamodb
from tests.support.damage import DAMAGES, account, remove
from tests.support.faults import counted
from tests.support.store import Store, changing, signing_up
from tests.support.template import create_table
from tests.support.threads import at_once

if TYPE_CHECKING:
    from collections.abc import Iterator

    from accounts.model import Account
    from tools.local_cloud import LocalCloud

CLIENTS = 8
SECONDS = 5
NAMES = [f"name{number}" for number in range(12)]  # few, so that the clients meet


@pytest.fixture
def store(cloud: LocalCloud) -> Iterator[Store]:
    """An empty table on the engine with threads."""
    with dynamodb(cloud, threads=2 * CLIENTS) as client:
        table = f"accounts-{uuid4()}"
        create_table(client, table)
        yield Store(client, table)


@dataclass
class Traffic:
    """Clients that sign up, change and delete at random."""

    store: Store
    stopping: threading.Event = field(default_factory=threading.Event)
    done: Counter[str] = field(default_factory=Counter)

    def client(self, number: int) -> dict[str, Account]:
        """One client, until the traffic stops. Returns its accounts: each as the last answer showed it."""
        service, chance, mine = self.store.service(), random.Random(number), dict[str, "Account"]()
        subject = f"client-{number}"

        def sign_up() -> None:
            request = signing_up(f"{chance.choice(NAMES)}@example.com", chance.choice(NAMES))
            made = service.sign_up(request, subject=subject)
            mine[made.account_id] = made

        def change() -> None:
            account_id = chance.choice([*mine])
            request = changing(f"{chance.choice(NAMES)}@example.com")
            mine[account_id] = service.change(account_id, request, subject=subject)

        def delete() -> None:
            account_id = chance.choice([*mine])
            service.delete(account_id, subject=subject)
            del mine[account_id]

        while not self.stopping.is_set():
            step = chance.choice([sign_up, change, delete] if mine else [sign_up])
            with contextlib.suppress(DomainError):
                step()
                self.done[step.__name__] += 1
        return mine

    @contextlib.contextmanager
    def flowing(self) -> Iterator[None]:
        """Inside the block the clients are at work; at its end every answer that they got is still true."""
        with ThreadPoolExecutor(CLIENTS) as pool:
            clients = [pool.submit(self.client, number) for number in range(CLIENTS)]
            try:
                yield
            finally:
                self.stopping.set()
        for number, ended in enumerate(clients):
            for account_id, last in ended.result().items():
                assert self.store.service().get(account_id, subject=f"client-{number}") == last


def test_audits_of_a_busy_table_have_no_findings(store: Store) -> None:
    layout, traffic, audits, until = accounts(store.table), Traffic(store), 0, time.monotonic() + SECONDS

    with traffic.flowing(), counted(store.client, "TransactGetItems") as second_looks:
        while time.monotonic() < until:
            assert audit(layout, store.client, ScanOptions(2, page_items=3)).findings == []
            audits += 1

    assert audits >= 3
    assert len(second_looks) > 0, "nothing ever looked wrong at first sight, so nothing is proven"
    assert min(traffic.done[step] for step in ("sign_up", "change", "delete")) > 10
    assert audit(layout, store.client).findings == []
    store.check()


def test_every_kind_of_damage_is_found_and_mended_under_load(store: Store) -> None:
    layout, mender = accounts(store.table), Mender(accounts(store.table), store.client)
    wanted = {damage(store) for damage in DAMAGES}
    traffic = Traffic(store)

    with traffic.flowing():
        found = audit(layout, store.client, ScanOptions(2, page_items=3)).findings
        mends = [mender.mend(finding) for finding in found]
        after = audit(layout, store.client, ScanOptions(2, page_items=3)).findings

    assert set(found) == wanted
    assert {mend.outcome for mend in mends} == {Outcome.MENDED, Outcome.LEFT}
    left = {finding for finding in wanted if finding.kind in (Kind.DUPLICATE, Kind.INVALID, Kind.RESERVED)}
    assert set(after) == left
    assert set(audit(layout, store.client).findings) == left


def test_three_repairs_of_the_same_findings_at_once_do_no_harm(store: Store) -> None:
    layout, mender = accounts(store.table), Mender(accounts(store.table), store.client)
    keys = [account(store, f"settled{number}") for number in range(4)]
    outcomes: Counter[str] = Counter()
    chance = random.Random(7)
    until = time.monotonic() + SECONDS

    with Traffic(store).flowing():
        while time.monotonic() < until:
            lost = chance.randrange(len(keys))
            remove(store, f"UNIQ#EMAIL#settled{lost}@example.com")
            found = audit(layout, store.client, ScanOptions(2, page_items=5)).findings
            assert [finding.record for finding in found] == [keys[lost]]
            mends = at_once([partial(mender.mend, found[0])] * 3)
            outcomes.update(mend.outcome if isinstance(mend, Mend) else repr(mend) for mend in mends)

    assert set(outcomes) == {Outcome.MENDED, Outcome.GONE}
    assert outcomes[Outcome.MENDED] * 2 == outcomes[Outcome.GONE]  # one of each three did it
    assert audit(layout, store.client).findings == []
    store.check()


def test_h23_a_backfill_while_writers_keep_markers_ends_complete(store: Store) -> None:
    layout = accounts(store.table)
    for number in range(20):
        account(store, f"settled{number}")
        remove(store, f"UNIQ#EMAIL#settled{number}@example.com")
        remove(store, f"UNIQ#HANDLE#settled{number}")

    with Traffic(store).flowing():
        report = backfill(layout, store.client, ScanOptions(4, page_items=3))

    assert (report.findings, report.tally["added"]) == ([], 40)
    assert audit(layout, store.client).findings == []
    store.check()
