"""Census: which records have which value, of a whole table, with a memory that does not grow with it.

What a scan sees goes into a temporary database on disk, which has no name and is gone when it is closed: it holds keys,
which are people's data.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, replace
from dataclasses import field as hidden
from math import ceil
from typing import TYPE_CHECKING

from expr_builder.attribute_values.capacity import read_units, write_units
from expr_builder.attribute_values.json_form import make_typed, read_typed
from expr_builder.attribute_values.values import item_size, to_item
from expr_builder.limits import MAX_BATCH_GET
from expr_builder.unique import OWNER

from .findings import Finding, Kind
from .layout import Unkeyed, name_holder
from .policies import Candidate, KeepExtreme, read_rank, write_owner
from .scan import scan_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mypy_boto3_dynamodb import DynamoDBClient

    from expr_builder.attribute_values.values import Item, StoredItem

    from .layout import Layout
    from .policies import Policy
    from .scan import ScanOptions

_TABLES = """
CREATE TABLE records (id INTEGER PRIMARY KEY, owner TEXT, units REAL);
CREATE TABLE claims (id INTEGER PRIMARY KEY, record INTEGER, field TEXT, marker TEXT, rank TEXT, units REAL);
CREATE TABLE markers (field TEXT, marker TEXT, holder TEXT, PRIMARY KEY (field, marker));
CREATE TABLE invalid (owner TEXT, field TEXT);
CREATE TABLE additions (record INTEGER, units REAL);
"""
_FINISH = """
CREATE INDEX claimed ON claims (field, marker);
INSERT INTO additions SELECT record, units FROM claims AS one
WHERE NOT EXISTS (SELECT 1 FROM markers WHERE markers.field = one.field AND markers.marker = one.marker)
AND NOT EXISTS (
    SELECT 1 FROM claims AS twin WHERE twin.field = one.field AND twin.marker = one.marker AND twin.id <> one.id
);
"""
_ENDLESS = 2**63
_SHARED = "SELECT field, marker FROM claims GROUP BY field, marker HAVING COUNT(*) > 1 ORDER BY field, marker"


@dataclass(frozen=True, slots=True)
class Group:
    """Records that share a value.

    Attributes:
        field: The unique field.
        marker: The partition key of the value's marker.
        owners: The owner keys of the records, in the order in which the scan met them.
        holder: Whom the marker names already; ``None`` when there is no marker, or it names nobody.
        keep: Who keeps the value by the policy; ``None`` when a person must decide.
        is_held: Whether there is a marker already.
    """

    field: str
    # Keys hold people's data, and reprs end up in logs.
    marker: str = hidden(repr=False)
    owners: tuple[object, ...] = hidden(repr=False)
    holder: object = hidden(default=None, repr=False)
    keep: object = hidden(default=None, repr=False)
    is_held: bool = False

    def to_json(self) -> dict[str, object]:
        """As JSON data; owners are AttributeValues."""
        return {
            "field": self.field,
            "marker": self.marker,
            "owners": [make_typed(owner) for owner in self.owners],
            "holder": None if self.holder is None else make_typed(self.holder),
            "keep": None if self.keep is None else make_typed(self.keep),
        }


class Census:
    """What :func:`take_census` found out."""

    def __init__(self, layout: Layout, policy: Policy) -> None:
        self.layout = layout
        self.policy = policy
        self.tally: Counter[str] = Counter()
        self.read_units = 0.0
        self.reads = 0
        import sqlite3  # here, as an audit on a schedule has no use for it

        self._database = sqlite3.connect("", check_same_thread=False)  # "" is a file without a name
        self._database.executescript(_TABLES)
        self._lock = threading.Lock()

    def add_page(self, items: Sequence[Item]) -> tuple[Counter[str], list[Finding]]:
        """Note what is on a page of a scan."""
        layout = self.layout
        rank = self.policy.attribute if isinstance(self.policy, KeepExtreme) else None
        tally: Counter[str] = Counter()
        with self._lock:
            absent = 0
            on_page = {repr(layout.pick_key(item)) for item in items}
            sizes = [item_size(to_item(item)) for item in items]
            for item, size in zip(items, sizes, strict=True):
                if (named := layout.find_field(item)) is not None:
                    tally["markers"] += 1
                    row = (named, layout.read_partition(item), make_text(name_holder(item)))
                    self._database.execute("INSERT OR REPLACE INTO markers VALUES (?, ?, ?)", row)
                elif layout.is_record(item):
                    tally["records"] += 1
                    absent += self._add_record(item, size, rank, on_page)
                else:
                    tally["others"] += 1
            self._database.commit()
            # The pages of a backfill's own scan, and the markers that it looks up beside them.
            self.reads += 1 + ceil(absent / MAX_BATCH_GET)
            self.read_units += read_units(sum(sizes), consistent=False) + absent * read_units(0, consistent=False)
            self.tally += tally
        return tally, []

    def _add_record(self, item: Item, size: int, rank: str | None, on_page: set[str]) -> int:
        layout, absent = self.layout, 0
        owner = layout.find_owner(item)
        row = (make_text(owner), write_units(size, transactional=True))
        record = self._database.execute("INSERT INTO records (owner, units) VALUES (?, ?)", row).lastrowid
        compared = None if rank is None else read_rank(item.get(rank))
        for name in layout.fields:
            try:
                partitions = layout.require_markers(item, name)
            except Unkeyed:
                self._database.execute("INSERT INTO invalid VALUES (?, ?)", (row[0], name))
                continue
            for partition in partitions:
                key = layout.make_marker_key(name, partition)
                absent += repr(layout.pick_key(key)) not in on_page
                marker: StoredItem = {**key, OWNER: owner}
                units = write_units(item_size(to_item(marker)), transactional=True)
                self._database.execute(
                    "INSERT INTO claims (record, field, marker, rank, units) VALUES (?, ?, ?, ?, ?)",
                    (record, name, partition, None if compared is None else make_text(compared), units),
                )
        return absent

    def finish(self) -> None:
        """Prepare for questions, once everything was added."""
        self._database.executescript(_FINISH)

    def close(self) -> None:
        """Forget everything."""
        self._database.close()

    def list_groups(self) -> Iterator[Group]:
        """The values that several records have, in the order of fields and markers."""
        for name, marker in self._database.cursor().execute(_SHARED):
            group = self.find_group(name, marker)
            if group is not None:
                yield group

    def find_group(self, name: str, marker: str) -> Group | None:
        """Who shares this value; ``None`` when not several records do."""
        query = (
            "SELECT owner, rank FROM claims JOIN records ON records.id = record "
            "WHERE field = ? AND marker = ? ORDER BY claims.id"
        )
        with self._lock:
            rows = self._database.execute(query, (name, marker)).fetchall()
            held = self._database.execute(
                "SELECT holder FROM markers WHERE field = ? AND marker = ?", (name, marker)
            ).fetchone()
        if len(rows) < 2:
            return None
        candidates = [Candidate(owner, None if rank is None else read_text(rank)) for owner, rank in rows]  # type: ignore[arg-type]
        holder = held[0] if held else None
        keep = self.policy.choose(name, marker, candidates, holder)
        return Group(
            name,
            marker,
            tuple(read_text(candidate.owner) for candidate in candidates),
            None if holder is None else read_text(holder),
            None if keep is None else read_text(keep),
            is_held=held is not None,
        )

    def list_invalid(self) -> Iterator[Finding]:
        """The records whose value can have no marker."""
        for owner, name in self._database.cursor().execute("SELECT owner, field FROM invalid ORDER BY field, owner"):
            yield Finding(Kind.INVALID, name, record=read_text(owner))

    def note_addition(self, group: Group) -> None:
        """Count the marker of a shared value as added to the record that keeps it."""
        self._database.execute(
            "INSERT INTO additions SELECT record, claims.units FROM claims JOIN records ON records.id = record "
            "WHERE field = ? AND marker = ? AND owner = ? LIMIT 1",
            (group.field, group.marker, make_text(group.keep)),
        )

    def sum_additions(self) -> tuple[int, int, float]:
        """What a backfill adds: markers, the records that get them, and the write units of both."""
        # One transaction for each record checks the record, and puts all that it lacks.
        markers, units = self._database.execute("SELECT COUNT(*), TOTAL(units) FROM additions").fetchone()
        records, checks = self._database.execute(
            "SELECT COUNT(*), TOTAL(units) FROM records WHERE id IN (SELECT record FROM additions)"
        ).fetchone()
        return markers, records, units + checks


@contextmanager
def take_census(layout: Layout, client: DynamoDBClient, options: ScanOptions, policy: Policy) -> Iterator[Census]:
    """Read the whole table, and find out which records have which value. It reads only."""
    census = Census(layout, policy)
    try:
        # From the start to the end, whatever it finds: half a census would call a shared value one record's own.
        options = replace(options, checkpoint=None, most=_ENDLESS)
        scan_table(layout, client, census.add_page, options, whole=True)
        census.finish()
        yield census
    finally:
        census.close()


def make_text(value: object) -> str | None:
    """As :func:`write_owner`; ``None`` for None."""
    return None if value is None else write_owner(value)


def read_text(text: str) -> object:
    """What :func:`write_owner` wrote."""
    return read_typed(json.loads(text))
