"""What can be wrong between records and markers."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .layout import Layout

_DIGITS = 12


class Kind(StrEnum):
    """The kinds of damage. All but the last two can be mended without asking anybody."""

    ORPHAN = "orphan"
    """A marker whose owner's record does not exist (or that names no owner): its value is blocked for everybody."""
    MISSING = "missing"
    """A record without the marker of its value: somebody else could take the value."""
    STOLEN = "stolen"
    """The marker of a record's value names another owner, who does not have that value."""
    DOUBLE = "double"
    """A marker beside the right one: its owner's record has another value, so it blocks a value that nobody has."""
    DUPLICATE = "duplicate"
    """Two records have one value; the marker is the other one's. Which of them keeps it, a person must decide."""
    INVALID = "invalid"
    """A record whose value cannot have a marker: missing, or against the field's rules."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault.

    Attributes:
        kind: See :class:`Kind`.
        field: The unique field.
        record: The owner (as markers name it) of the record that is at fault; ``None`` for orphans and doubles, whose
            record, if any, is the holder.
        marker: The marker's partition key, which contains the normalised value; ``None`` when there can be none.
        holder: Whom the marker names as its owner.
    """

    kind: Kind
    field: str
    record: Any = None
    marker: str | None = None
    holder: Any = None

    def to_json(self) -> dict[str, Any]:
        """As JSON data, without what is not known."""
        parts = {
            "kind": self.kind.value,
            "field": self.field,
            "record": self.record,
            "marker": self.marker,
            "holder": self.holder,
        }
        return {name: value for name, value in parts.items() if value is not None}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Finding:
        """Read what :meth:`to_json` wrote.

        Raises:
            ValueError: when it is something else.
        """
        unknown = data.keys() - {"kind", "field", "record", "marker", "holder"}
        field, marker = data.get("field"), data.get("marker")
        if unknown or not isinstance(field, str) or not isinstance(marker, str | None):
            raise ValueError("not a finding")
        return cls(Kind(str(data.get("kind"))), field, data.get("record"), marker, data.get("holder"))


def distinct(findings: Iterable[Finding]) -> list[Finding]:
    """One finding for each fault, in a fixed order.

    A stolen marker is met twice: from the record whose value it is, and from its own side, as a marker that its owner
    has no use for. The record's side knows more.
    """
    found = set(findings)
    stolen = {finding.marker for finding in found if finding.kind is Kind.STOLEN}
    seen_from_the_marker = {Kind.ORPHAN, Kind.DOUBLE}
    kept = (one for one in found if not (one.kind in seen_from_the_marker and one.marker in stolen))
    return sorted(kept, key=lambda one: (one.kind, one.field, str(one.marker), str(one.record), str(one.holder)))


class Redactor:
    """Hides the values in markers' keys, so that findings can be logged.

    A value becomes ``~`` and twelve hex digits, the same for the same value in one run. The key of that hash is made
    anew for each run and never shown: with it, a list of known addresses could be tried.
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._secret = secrets.token_bytes(32)

    def __call__(self, finding: Finding) -> Finding:
        """The finding without the value."""
        if finding.marker is None:
            return finding
        value = self._layout.value_in(finding.field, finding.marker)
        digest = hmac.new(self._secret, value.encode(), hashlib.sha256).hexdigest()[:_DIGITS]
        template = self._layout.unique.markers[finding.field].template
        return replace(finding, marker=template.replace("{}", f"~{digest}"))
