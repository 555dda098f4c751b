"""What can be wrong between records and markers."""

from __future__ import annotations

import dataclasses
import hashlib
import hmac
import json
import secrets
from enum import StrEnum
from typing import TYPE_CHECKING

from expr_builder.attribute_values.json_form import make_typed, read_typed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Self

    from .layout import Layout

_DIGITS = 12  # 48 bits: enough to tell the values of one run apart


class Kind(StrEnum):
    """The kinds of damage. All but the last four can be repaired without asking anybody.

    Attributes:
        meaning: What it is and what it causes, for people.
    """

    meaning: str

    def __new__(cls, value: str, meaning: str = "") -> Self:
        """Make a kind with its meaning, which ``StrEnum`` by itself would take for the encoding of bytes."""
        kind = str.__new__(cls, value)
        kind._value_, kind.meaning = value, meaning
        return kind

    ORPHAN = "orphan", "a marker whose record does not exist: its value is blocked for everybody"
    MISSING = "missing", "a record without the marker of its value: somebody else could take it"
    STOLEN = "stolen", "the marker of a record's value names a holder who does not have that value"
    DOUBLE = "double", "a marker beside the right one: it blocks a value that its holder does not have"
    RESTING = "resting", "the marker of a record's value says from when it is free: others could take the value then"
    PREVIOUS = "previous", "a marker that only a previous rule makes; no audit reports it, and retire deletes it"
    DUPLICATE = "duplicate", "two records have one value: decide which keeps it, then change or delete the other"
    INVALID = "invalid", "a record's value can have no marker: correct the record"
    HELD = "held", "a record has a value that rests for its former owner: wait until it is free, or decide who has it"
    RESERVED = "reserved", "a marker that no record wrote: an operator's, or another program's; it is left alone"


@dataclasses.dataclass(frozen=True, slots=True)
class Finding:
    """One fault.

    Attributes:
        kind: What is wrong.
        field: The unique field.
        record: The owner (as markers name it) of the record at fault; ``None`` for orphans and doubles, whose record,
            if any, is the holder.
        marker: The marker's partition key, which contains the normalised value; ``None`` when there can be none.
        holder: The owner that the marker names.
    """

    kind: Kind
    field: str
    # Keys hold people's data, and reprs end up in logs.
    record: object = dataclasses.field(default=None, repr=False)
    marker: str | None = dataclasses.field(default=None, repr=False)
    holder: object = dataclasses.field(default=None, repr=False)

    def to_json(self) -> dict[str, object]:
        """As JSON data, without what is not known; owners are AttributeValues, so that each comes back as itself."""
        data: dict[str, object] = {"kind": self.kind.value, "field": self.field}
        if self.record is not None:
            data["record"] = make_typed(self.record)
        if self.marker is not None:
            data["marker"] = self.marker
        if self.holder is not None:
            data["holder"] = make_typed(self.holder)
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> Finding:
        """Read what :meth:`to_json` wrote; raises ValueError for anything else."""
        # Strict: what is read here is repaired next.
        unknown = data.keys() - {"kind", "field", "record", "marker", "holder"}
        field, marker = data.get("field"), data.get("marker")
        if unknown or not isinstance(field, str) or not isinstance(marker, str | None):
            raise ValueError("not a finding")
        try:
            record, holder = (
                read_typed(data[name]) if name in data else None  # type: ignore[arg-type]
                for name in ("record", "holder")
            )
        except (TypeError, AttributeError):
            raise ValueError("not a finding") from None
        return cls(Kind(str(data.get("kind"))), field, record, marker, holder)


_FROM_A_RECORD = (Kind.STOLEN, Kind.RESERVED)


def merge_findings(findings: Iterable[Finding]) -> list[Finding]:
    """Reduce to one finding for each fault, in a fixed order.

    A marker that is in a record's way is found twice: from the record whose value it is, and from its own side, as one
    that its owner does not need. The record's side knows more.
    """
    # By text, not by value: a marker damaged by hand may name a list as its owner, which has no hash, and 1 is not "1".
    found = {json.dumps(one.to_json()): one for one in findings}
    blocking = {one.marker for one in found.values() if one.record is not None and one.kind in _FROM_A_RECORD}
    return sorted(
        (one for one in found.values() if not (one.record is None and one.marker in blocking)),
        key=lambda one: (one.kind, one.field, str(one.marker), str(one.record), str(one.holder)),
    )


class Redactor:
    """Hides the values in markers' keys, so that findings can be logged.

    A value becomes ``~`` and twelve hex digits, the same for the same value in one run.
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        # Fresh for each run and never shown: whoever knew it could find the values by trying known addresses.
        self._secret = secrets.token_bytes(32)

    def __call__(self, finding: Finding) -> Finding:
        """The finding without the value."""
        if finding.marker is None:
            return finding
        before, value, after = self._layout.split_key(finding.field, finding.marker)
        digest = hmac.new(self._secret, value.encode(), hashlib.sha256).hexdigest()[:_DIGITS]
        return dataclasses.replace(finding, marker=f"{before}~{digest}{after}")
