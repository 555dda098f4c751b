"""Show: who holds a value, and do the record and its markers agree?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from expr_builder.unique import OWNER

from .examine import Examiner, Sight
from .layout import Unkeyed

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from .findings import Finding
    from .layout import Layout


@dataclass(frozen=True, slots=True)
class Line:
    """One field of a record, beside the marker of its value.

    Attributes:
        field: The unique field.
        value: What the record has.
        marker: The partition key of the marker that belongs to it; ``None`` when there can be none.
        holder: Whom that marker names; ``None`` when the marker does not exist.
        finding: What is wrong; ``None`` when nothing is.
    """

    field: str
    value: Any
    marker: str | None
    holder: Any
    finding: Finding | None

    def to_json(self) -> dict[str, Any]:
        """As JSON data."""
        verdict = "fine" if self.finding is None else self.finding.kind.value
        return {
            "field": self.field,
            "value": self.value,
            "marker": self.marker,
            "holder": self.holder,
            "verdict": verdict,
        }


@dataclass(frozen=True, slots=True)
class Shown:
    """One answer to "who holds this value?".

    Attributes:
        field: As a value of which field; ``None`` for a record that was asked for by its own key.
        marker: The partition key of the value's marker; ``None`` when the value cannot be one of that field.
        holder: The record that the marker names; ``None`` when nobody holds the value.
        finding: What is wrong with that marker.
        lines: The holder's record, field by field, beside its markers; empty when it does not exist.
    """

    field: str | None
    marker: str | None
    holder: Any
    finding: Finding | None
    lines: list[Line]

    @property
    def findings(self) -> list[Finding]:
        """Everything that is wrong here."""
        found = [self.finding, *(line.finding for line in self.lines)]
        return [one for one in found if one is not None]

    def to_json(self) -> dict[str, Any]:
        """As JSON data."""
        return {
            "field": self.field,
            "marker": self.marker,
            "holder": self.holder,
            "finding": None if self.finding is None else self.finding.to_json(),
            "record": [line.to_json() for line in self.lines],
        }


def show(layout: Layout, client: DynamoDBClient, value: str) -> list[Shown]:
    """Tell who holds a value: as each of the unique fields, normalised, and as a record's own key.

    Args:
        layout: Where to look.
        client: A DynamoDB client.
        value: An e-mail address, a username …, or what markers name as their owner.
    """
    examiner = Examiner(layout, client)
    answers = [_held(layout, examiner, field, value) for field in layout.fields]
    lines = _lines(layout, examiner, value)
    return [*answers, Shown(None, None, value, None, lines)] if lines else answers


def _held(layout: Layout, examiner: Examiner, field: str, value: str) -> Shown:
    try:
        partition = layout.keyed(field, value)
    except Unkeyed:
        return Shown(field, None, None, None, [])
    sight = examiner.marker(field, partition)
    holder = _holder(sight)
    return Shown(field, partition, holder, sight.finding, _lines(layout, examiner, holder))


def _lines(layout: Layout, examiner: Examiner, owner: Any) -> list[Line]:
    sights = {field: examiner.record(owner, field) for field in layout.fields}
    return [_line(layout, field, sight) for field, sight in sights.items() if sight.record is not None]


def _line(layout: Layout, field: str, sight: Sight) -> Line:
    record = sight.record or {}
    try:
        partition = layout.wanted(record, field)
    except Unkeyed:
        partition = None
    return Line(field, record.get(field), partition, _holder(sight), sight.finding)


def _holder(sight: Sight) -> Any:
    return None if sight.marker is None else sight.marker.get(OWNER)
