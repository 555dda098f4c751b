"""Adding markers to a table that has data and writers: the order of steps that docs/markers.md gives, with writers."""

from __future__ import annotations

import random
import threading
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from expr_builder import ConditionFailed, RequestUnfinished, TransactionCanceled, Unique, UniqueViolation
from expr_builder.markers import Kind, Layout, Mender, Outcome, ScanOptions, audit, backfill
from tests.support.cloud import stored

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

WRITERS = 4
MOST_STEPS = 2_000  # of one writer, in case the tools never come to an end
OPTIONS = ScanOptions(segments=2, page_items=20)


class Writers:
    """Threads that create, change and delete records: as people did before there were markers, and then with them."""

    def __init__(self, unique: Unique, client: DynamoDBClient) -> None:
        self.switched, self.stopped = threading.Event(), threading.Event()
        self.claimed: set[tuple[str, str]] = set()  # records and values that were claimed by a marker
        self._unique, self._client = unique, client

    def work(self, number: int) -> dict[str, dict[str, Any]]:
        """One writer, which knows its own records alone. Returns them as it left them."""
        chance, mine = random.Random(number), dict[str, dict[str, Any]]()
        for step in range(MOST_STEPS):
            if self.stopped.is_set():
                break
            with_markers = self.switched.is_set()
            value = {name: f"{name}{chance.randrange(60)}@example.com" for name in ("email", "username")}
            what = chance.choice(["create", "change", "delete"]) if len(mine) > 4 else "create"
            record = {"PK": f"ACCT#{number}-{step}", "SK": "PROFILE", **value}
            old = chance.choice([*mine.values()]) if mine else record
            with suppress(UniqueViolation, TransactionCanceled, ConditionFailed, RequestUnfinished):
                if what == "create":
                    self._create(record, with_markers=with_markers)
                    mine[record["PK"]] = record
                elif what == "change":
                    self._change(old, value["email"], with_markers=with_markers)
                    mine[old["PK"]] = {**old, "email": value["email"]}
                else:
                    self._delete(old, with_markers=with_markers)
                    del mine[old["PK"]]
        return mine

    def _create(self, record: dict[str, Any], *, with_markers: bool) -> None:
        if with_markers:
            self._unique.create(record).send(self._client)
            self.claimed |= {(record["PK"], record["email"]), (record["PK"], record["username"])}
        else:
            self._unique.table.put(record).if_not_exists().send(self._client)

    def _change(self, old: dict[str, Any], email: str, *, with_markers: bool) -> None:
        if with_markers:
            self._unique.change(old, email=email).send(self._client)
            self.claimed.add((old["PK"], email))
        else:
            key = {"PK": old["PK"], "SK": old["SK"]}
            self._unique.table.update(key).set(email=email).if_exists().send(self._client)

    def _delete(self, old: dict[str, Any], *, with_markers: bool) -> None:
        if with_markers:
            self._unique.delete(old).send(self._client)
        else:
            self._unique.table.delete({"PK": old["PK"], "SK": old["SK"]}).send(self._client)


def test_backfill_switch_backfill_again_repair_audit(unique: Unique, client: DynamoDBClient) -> None:
    layout = Layout(unique, record_sort="PROFILE", record_prefix="ACCT#")
    mender = Mender(layout, client)
    writers = Writers(unique, client)
    with ThreadPoolExecutor(WRITERS) as pool:
        running = [pool.submit(writers.work, number) for number in range(WRITERS)]
        try:
            early = backfill(layout, client, OPTIONS)
            assert early.tally["added"] > 0
            writers.switched.set()
            backfill(layout, client, OPTIONS)  # what was written without markers between the two
            for finding in audit(layout, client, OPTIONS).findings:  # what changed after the first had passed
                mender.mend(finding)
            during = audit(layout, client, OPTIONS)
            # A writer that was in the middle of its last write without markers may have finished after the second.
            assert {one.kind for one in during.findings} <= {Kind.DUPLICATE, Kind.MISSING, Kind.DOUBLE, Kind.ORPHAN}
        finally:
            writers.switched.set()
            writers.stopped.set()
        left = [one.result(timeout=60) for one in running]

    records = {item["PK"]: item for item in stored(client, unique.table.name) if item["SK"] == "PROFILE"}
    assert records == {key: record for mine in left for key, record in mine.items()}, "no write of anybody is lost"
    for finding in audit(layout, client, OPTIONS).findings:
        assert mender.mend(finding).outcome in (Outcome.MENDED, Outcome.GONE, Outcome.LEFT)
    remaining = audit(layout, client, OPTIONS).findings
    assert {one.kind for one in remaining} <= {Kind.DUPLICATE}

    # The window that no order of steps closes: values that were written twice before both had markers.
    holders = defaultdict(set)
    for key, record in records.items():
        for field in ("email", "username"):
            holders[field, record[field]].add(key)
    assert writers.claimed
    for (field, value), keys in holders.items():
        claimed = [key for key in keys if (key, value) in writers.claimed]
        assert len(claimed) <= 1, f"two records were both given one {field} by its marker"

    # Each loser can be changed: then nothing is left to decide.
    for number, finding in enumerate(remaining):
        record = records[str(finding.record)]
        record[finding.field] = value = f"fresh{number}@example.com"
        current = {**record, finding.field: _stored_value(client, unique, record, finding.field)}
        unique.change(current, {finding.field: value}).send(client)
    assert audit(layout, client, OPTIONS).findings == []


def _stored_value(client: DynamoDBClient, unique: Unique, record: dict[str, Any], field: str) -> object:
    item = unique.table.get({"PK": record["PK"], "SK": record["SK"]}, consistent=True).fetch(client)
    assert item is not None
    return item[field]
