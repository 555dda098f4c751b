"""The verdict on one record or one marker, from what one moment shows of it.

Record, marker and the marker's owner are read in one ``TransactGetItems``. All writers change them in transactions, so
whatever is wrong in such a reading is wrong, however busy the service is.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, NamedTuple

from expr_builder.requests.transactions import TransactGet

from .findings import Finding, Kind
from .layout import Unkeyed, name_holder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mypy_boto3_dynamodb import DynamoDBClient

    from expr_builder.attribute_values.values import Item, StoredItem

    from .layout import Layout

    Seen = Mapping[str, StoredItem | None]

_LOOKS = 20


class Suspect(NamedTuple):
    """What must be examined: a record's field, by its owner, or a marker, by its partition key."""

    field: str
    owner: object = None
    marker: str | None = None


class Unsettled(RuntimeError):
    """A record kept changing while it was looked at."""


@dataclasses.dataclass(frozen=True, slots=True)
class Sight:
    """What one moment shows.

    Attributes:
        finding: What is wrong with it; ``None`` when nothing is.
        record: The record that was asked about.
        marker: The marker that was asked about, or that belongs to the record's value.
        holder: The record that the marker names as its owner, if it is another one than ``record``.
    """

    finding: Finding | None
    record: Item | None = dataclasses.field(default=None, repr=False)
    marker: Item | None = dataclasses.field(default=None, repr=False)
    holder: Item | None = dataclasses.field(default=None, repr=False)


class Examiner:
    """Looks at single records and markers of a table."""

    def __init__(self, layout: Layout, client: DynamoDBClient) -> None:
        self._layout = layout
        self._client = client

    def examine(self, suspect: Suspect) -> Sight:
        """Look at a record or a marker."""
        if suspect.marker is None:
            return self.examine_record(suspect.owner, suspect.field)
        return self.examine_marker(suspect.field, suspect.marker)

    def look_again(self, finding: Finding) -> Sight:
        """Look once more at what a finding is about."""
        from_the_marker = finding.kind in (Kind.ORPHAN, Kind.DOUBLE)
        return self.examine(Suspect(finding.field, finding.record, finding.marker if from_the_marker else None))

    def examine_record(self, owner: object, field: str) -> Sight:
        """Tell whether the record of this owner has the marker of its value."""
        layout = self._layout
        key = layout.key_of_owner(owner)
        if key is None:
            return Sight(None)

        def choose_keys(seen: Seen) -> dict[str, StoredItem]:
            keys = {"record": key}
            partition = layout.find_marker(seen.get("record"), field)
            if partition is not None:
                keys["marker"] = layout.marker_key(field, partition)
                holder = name_holder(seen.get("marker"))
                # One transaction may not read an item twice.
                if holder != owner and (holder_key := layout.key_of_owner(holder)):
                    keys["holder"] = holder_key
            return keys

        seen = self._read_together(choose_keys)
        finding = self._judge_record(owner, field, seen)
        return Sight(finding, seen.get("record"), seen.get("marker"), seen.get("holder"))

    def examine_marker(self, field: str, partition: str) -> Sight:
        """Tell whether a marker's owner exists and has the value that the marker stands for."""

        def choose_keys(seen: Seen) -> dict[str, StoredItem]:
            keys = {"marker": self._layout.marker_key(field, partition)}
            if holder_key := self._layout.key_of_owner(name_holder(seen.get("marker"))):
                keys["holder"] = holder_key
            return keys

        seen = self._read_together(choose_keys)
        finding = self._judge_marker(field, partition, seen)
        return Sight(finding, marker=seen["marker"], holder=seen.get("holder"))

    def _judge_record(self, owner: object, field: str, seen: Seen) -> Finding | None:
        record, marker = seen["record"], seen.get("marker")
        if record is None:
            return None
        try:
            partition = self._layout.require_marker(record, field)
        except Unkeyed:
            return Finding(Kind.INVALID, field, record=owner)
        if partition is None:
            return None
        if marker is None:
            return Finding(Kind.MISSING, field, record=owner, marker=partition)
        holder = name_holder(marker)
        if holder == owner:
            return None
        both = self._layout.find_marker(seen.get("holder"), field) == partition
        return Finding(Kind.DUPLICATE if both else Kind.STOLEN, field, record=owner, marker=partition, holder=holder)

    def _judge_marker(self, field: str, partition: str, seen: Seen) -> Finding | None:
        marker, holder = seen["marker"], seen.get("holder")
        if marker is None or self._layout.find_marker(holder, field) == partition:
            return None
        kind = Kind.ORPHAN if holder is None else Kind.DOUBLE
        return Finding(kind, field, marker=partition, holder=name_holder(marker))

    def _read_together(self, choose_keys: Callable[[Seen], dict[str, StoredItem]]) -> Seen:
        """Read until what was read asks for no other keys: a record leads to its marker, a marker to its owner.

        Raises:
            Unsettled: when it kept changing.
        """
        keys = choose_keys({})
        for _ in range(_LOOKS):
            reads = (self._layout.table.get(key).named(name) for name, key in keys.items())
            seen = TransactGet(*reads).fetch(self._client)
            chosen = choose_keys(seen)
            if chosen == keys:
                return seen
            keys = chosen
        raise Unsettled("a record kept changing while it was looked at; try again")
