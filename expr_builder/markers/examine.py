"""The verdict on one record or one marker, from what one moment shows of it.

Record, marker and the marker's owner are read in one ``TransactGetItems``. All writers change them in transactions, so
whatever is wrong in such a reading is wrong, however busy the service is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from expr_builder import TransactGet
from expr_builder.unique import OWNER

from .findings import Finding, Kind
from .layout import Unkeyed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mypy_boto3_dynamodb import DynamoDBClient

    from .layout import Item, Key, Layout

    Seen = dict[str, Item | None]

_LOOKS = 20


class Unsettled(RuntimeError):
    """A record changed between every two looks at it."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What one moment shows.

    Attributes:
        finding: What is wrong with it; ``None`` when nothing is.
        record: The record that was asked about.
        marker: The marker that was asked about, or that belongs to the record's value.
        holder: The record that the marker names as its owner, if it is another one than ``record``.
    """

    finding: Finding | None
    record: Item | None = None
    marker: Item | None = None
    holder: Item | None = None


class Examiner:
    """Looks at single records and markers of a table."""

    def __init__(self, layout: Layout, client: DynamoDBClient) -> None:
        self._layout = layout
        self._client = client

    def again(self, finding: Finding) -> Sight:
        """Look once more at what a finding is about."""
        if finding.kind in (Kind.ORPHAN, Kind.DOUBLE) and finding.marker is not None:
            return self.marker(finding.field, finding.marker)
        return self.record(finding.record, finding.field)

    def record(self, owner: Any, field: str) -> Sight:
        """Whether a record has the marker of its value.

        Args:
            owner: What the record's markers name as their owner.
            field: The unique field.
        """
        key = self._layout.key_of_owner(owner)
        if key is None:
            return Sight(None)

        def needed(seen: Seen) -> dict[str, Key]:
            keys = {"record": key}
            if marker_key := self._marker_key(seen.get("record"), field):
                keys["marker"] = marker_key
                holder = _owner_in(seen.get("marker"))
                if holder != owner and (holder_key := self._layout.key_of_owner(holder)):
                    keys["holder"] = holder_key
            return keys

        seen = self._settled(needed)
        return Sight(self._of_record(owner, field, seen), seen.get("record"), seen.get("marker"), seen.get("holder"))

    def marker(self, field: str, partition: str) -> Sight:
        """Whether a marker's owner exists and has the value that the marker stands for."""

        def needed(seen: Seen) -> dict[str, Key]:
            keys = {"marker": self._layout.marker_key(field, partition)}
            if holder_key := self._layout.key_of_owner(_owner_in(seen.get("marker"))):
                keys["holder"] = holder_key
            return keys

        seen = self._settled(needed)
        return Sight(self._of_marker(field, partition, seen), None, seen["marker"], seen.get("holder"))

    def _of_record(self, owner: Any, field: str, seen: Seen) -> Finding | None:
        record, marker = seen["record"], seen.get("marker")
        if record is None:
            return None
        try:
            partition = self._layout.wanted(record, field)
        except Unkeyed:
            return Finding(Kind.INVALID, field, record=owner)
        if partition is None:
            return None
        if marker is None:
            return Finding(Kind.MISSING, field, record=owner, marker=partition)
        holder = _owner_in(marker)
        if holder == owner:
            return None
        both = self._layout.claims(seen.get("holder"), field, partition)
        return Finding(Kind.DUPLICATE if both else Kind.STOLEN, field, record=owner, marker=partition, holder=holder)

    def _of_marker(self, field: str, partition: str, seen: Seen) -> Finding | None:
        marker, holder = seen["marker"], seen.get("holder")
        if marker is None or self._layout.claims(holder, field, partition):
            return None
        kind = Kind.ORPHAN if holder is None else Kind.DOUBLE
        return Finding(kind, field, marker=partition, holder=_owner_in(marker))

    def _marker_key(self, record: Item | None, field: str) -> Key | None:
        try:
            partition = None if record is None else self._layout.wanted(record, field)
        except Unkeyed:
            return None
        return None if partition is None else self._layout.marker_key(field, partition)

    def _settled(self, needed: Callable[[Seen], dict[str, Key]]) -> Seen:
        """Read what is needed until what was read asks for nothing else.

        Raises:
            Unsettled: when it kept changing.
        """
        keys = needed({})
        for _ in range(_LOOKS):
            seen = self._read(keys)
            now = needed(seen)
            if now == keys:
                return seen
            keys = now
        raise Unsettled("a record kept changing while it was looked at; try again")

    def _read(self, keys: Mapping[str, Key]) -> Seen:
        table = self._layout.table
        read = TransactGet(*(table.get(key).named(name) for name, key in keys.items())).fetch(self._client)
        return dict(read)


def _owner_in(marker: Item | None) -> Any:
    return None if marker is None else marker.get(OWNER)
