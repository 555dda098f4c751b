"""Judges one record or one marker by what is stored at one moment.

Record, marker and the marker's owner are read in one ``TransactGetItems``. All writers change them in transactions, so
what such a read shows as wrong is wrong, however busy the service is.
"""

from __future__ import annotations

import dataclasses
import time
from typing import TYPE_CHECKING, NamedTuple

from expr_builder.requests.transactions import TransactGet
from expr_builder.unique import FREE_AT

from .findings import Finding, Kind
from .layout import Unkeyed, name_holder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mypy_boto3_dynamodb import DynamoDBClient

    from expr_builder.attribute_values.values import Item, StoredItem

    from .layout import Layout

    Seen = Mapping[str, StoredItem | None]

_LOOKS = 20  # an unchanging record takes three: itself, its marker, the marker's holder


class Suspect(NamedTuple):
    """What must be examined: a marker, named by its partition key; with ``owner``, one that this owner's record needs.

    Without ``marker``, the record's value can have none. ``absent`` says that a reading found no such marker.
    """

    field: str
    owner: object = None
    marker: str | None = None
    absent: bool = False


class Unsettled(RuntimeError):
    """A record kept changing while it was examined; the same call again will help."""


@dataclasses.dataclass(frozen=True, slots=True)
class Sight:
    """What one moment shows.

    Attributes:
        finding: What is wrong with it; ``None`` when nothing is.
        record: The record that was asked about.
        partition: The partition key of the marker that was asked about, or that the record needs.
        marker: That marker.
        holder: The record that the marker names as its owner, if it is not ``record``.
    """

    finding: Finding | None
    record: Item | None = dataclasses.field(default=None, repr=False)
    partition: str | None = dataclasses.field(default=None, repr=False)
    marker: Item | None = dataclasses.field(default=None, repr=False)
    holder: Item | None = dataclasses.field(default=None, repr=False)


class Examiner:
    """Looks at single records and markers of a table."""

    def __init__(self, layout: Layout, client: DynamoDBClient) -> None:
        self._layout = layout
        self._client = client

    def examine(self, suspect: Suspect) -> Sight:
        """Look at a record or a marker."""
        if suspect.owner is None and suspect.marker is not None:
            return self.examine_marker(suspect.field, suspect.marker)
        return self.examine_record(suspect.owner, suspect.field, suspect.marker)

    def look_again(self, finding: Finding) -> Sight:
        """Look once more at what a finding is about."""
        return self.examine(Suspect(finding.field, finding.record, finding.marker))

    def examine_field(self, owner: object, field: str) -> list[Sight]:
        """Look at all markers that a record needs for a field; at the record alone if it needs none."""
        first = self.examine_record(owner, field)
        others = self._layout.find_markers(first.record, field)[1:]
        return [first, *(self.examine_record(owner, field, partition) for partition in others)]

    def examine_record(self, owner: object, field: str, partition: str | None = None) -> Sight:
        """Tell whether the record of this owner has the marker: this one if it needs it, or the first that it needs."""
        layout = self._layout
        key = layout.find_record_key(owner)
        if key is None:
            return Sight(None)

        def choose_keys(seen: Seen) -> dict[str, StoredItem]:
            keys = {"record": key}
            if chosen := self._choose(seen.get("record"), field, partition):
                keys["marker"] = layout.make_marker_key(field, chosen)
                holder = name_holder(seen.get("marker"))
                # A transaction may not read an item twice: "1" may lead to the record whose owner is 1.
                holder_key = layout.find_record_key(holder)
                if holder_key is not None and holder_key != key:
                    keys["holder"] = holder_key
            return keys

        seen = self._read_together(choose_keys)
        needed = self._choose(seen["record"], field, partition)
        finding = self._judge_record(owner, field, needed, seen)
        return Sight(finding, seen["record"], needed, seen.get("marker"), seen.get("holder"))

    def examine_marker(self, field: str, partition: str) -> Sight:
        """Tell whether a marker's owner exists and has the value that the marker stands for."""

        def choose_keys(seen: Seen) -> dict[str, StoredItem]:
            keys = {"marker": self._layout.make_marker_key(field, partition)}
            if holder_key := self._layout.find_record_key(name_holder(seen.get("marker"))):
                keys["holder"] = holder_key
            return keys

        seen = self._read_together(choose_keys)
        finding = self._judge_marker(field, partition, seen)
        return Sight(finding, partition=partition, marker=seen["marker"], holder=seen.get("holder"))

    def _choose(self, record: Item | None, field: str, partition: str | None) -> str | None:
        needed = self._layout.find_markers(record, field)
        if partition is None:
            return needed[0] if needed else None
        return partition if partition in needed else None  # the value has changed, and its writer minds the markers

    def _judge_record(self, owner: object, field: str, partition: str | None, seen: Seen) -> Finding | None:
        record, marker = seen["record"], seen.get("marker")
        # Deleted since, when a marker that it left behind is found from the marker's side; or another kind of item.
        if record is None or not self._layout.is_record(record):
            return None
        if partition is None:
            try:
                self._layout.require_markers(record, field)
            except Unkeyed:
                return Finding(Kind.INVALID, field, record=owner)
            return None  # an optional field without a value, or with another by now
        if marker is None:
            return Finding(Kind.MISSING, field, record=owner, marker=partition)
        holder = name_holder(marker)
        resting = self._layout.is_resting(field, marker)
        if holder == owner:
            return Finding(Kind.RESTING, field, record=owner, marker=partition, holder=holder) if resting else None
        kind = Kind.STOLEN
        if partition in self._layout.find_markers(seen.get("holder"), field):
            kind = Kind.DUPLICATE  # handing the marker over would take the value from one of two people
        elif self._layout.find_record_key(holder) == self._layout.pick_key(record):
            pass  # a holder that is written otherwise than the record's own owner, and leads to this very record
        elif not self._layout.is_own(field, marker):
            kind = Kind.RESERVED
        elif resting:
            kind = Kind.HELD if marker[FREE_AT] > time.time() else Kind.STOLEN
        elif seen.get("holder") is None and not self._layout.record_prefix:
            kind = Kind.RESERVED
        return Finding(kind, field, record=owner, marker=partition, holder=holder)

    def _judge_marker(self, field: str, partition: str, seen: Seen) -> Finding | None:
        marker, holder = seen["marker"], seen.get("holder")
        if marker is None or partition in self._layout.find_markers(holder, field):
            return None
        # A stolen marker looks like a double from here; merge_findings drops this view of it.
        kind = Kind.ORPHAN if holder is None else Kind.DOUBLE
        if not self._layout.is_own(field, marker):
            kind = Kind.RESERVED
        elif self._layout.is_resting(field, marker):
            return None
        return Finding(kind, field, marker=partition, holder=name_holder(marker))

    def _read_together(self, choose_keys: Callable[[Seen], dict[str, StoredItem]]) -> Seen:
        """Read until one transaction has read everything: a record leads to its marker, a marker to its owner."""
        keys = choose_keys({})
        for _ in range(_LOOKS):
            reads = (self._layout.table.get(key).named(name) for name, key in keys.items())
            seen = TransactGet(*reads).fetch(self._client)
            chosen = choose_keys(seen)
            if chosen == keys:
                return seen
            keys = chosen
        raise Unsettled("a record kept changing while it was looked at; try again")
