"""Show: who holds a value, and do its record and markers match?"""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import TYPE_CHECKING

from expr_builder.attribute_values.json_form import make_typed
from expr_builder.unique import FREE_AT

from .examine import Examiner, Sight
from .layout import Unkeyed, name_holder
from .scan import scan_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mypy_boto3_dynamodb import DynamoDBClient

    from expr_builder.attribute_values.values import Item

    from .findings import Finding
    from .layout import Layout
    from .scan import ScanOptions


@dataclasses.dataclass(frozen=True, slots=True)
class Line:
    """One field of a record, beside the marker of its value.

    Attributes:
        field: The unique field.
        value: The record's value; several by the names of their attributes.
        marker: The partition key of the marker that belongs to it; ``None`` when there can be none.
        holder: The owner that this marker names; ``None`` when the marker does not exist.
        finding: What is wrong; ``None`` when nothing is.
    """

    field: str
    value: object = dataclasses.field(repr=False)
    marker: str | None = dataclasses.field(repr=False)
    holder: object = dataclasses.field(repr=False)
    finding: Finding | None

    @property
    def verdict(self) -> str:
        """What is wrong, in a word; ``"fine"`` when nothing is."""
        return "fine" if self.finding is None else self.finding.kind.value

    def to_json(self) -> dict[str, object]:
        """As JSON data."""
        value, holder = _make_typed(self.value), _make_typed(self.holder)
        return {
            "field": self.field,
            "value": value,
            "marker": self.marker,
            "holder": holder,
            "verdict": self.verdict,
        }


@dataclasses.dataclass(frozen=True, slots=True)
class Answer:
    """One answer to "who holds this value?".

    Attributes:
        field: The field whose value it was taken for; ``None`` for a record that was asked for by its own key.
        marker: The partition key of the value's marker; ``None`` when the field cannot have this value.
        holder: The owner that the marker names; ``None`` when nobody holds the value.
        free_at: From when, in seconds since 1970, anybody may claim a value that rests; ``None`` when it does not.
        finding: What is wrong with that marker.
        lines: The holder's record, field by field, beside its markers; empty when there is no such record.
        records: The owner keys of all records that have the value; ``None`` when nobody has looked for them.
        others: What is wrong with those that do not hold the marker, each that has no right to the value or no marker.
    """

    field: str | None
    marker: str | None = dataclasses.field(default=None, repr=False)
    holder: object = dataclasses.field(default=None, repr=False)
    free_at: int | None = None
    finding: Finding | None = None
    lines: tuple[Line, ...] = ()
    records: tuple[object, ...] | None = dataclasses.field(default=None, repr=False)
    others: tuple[Finding, ...] = ()

    @property
    def findings(self) -> list[Finding]:
        """Everything that is wrong here."""
        found = [self.finding, *(line.finding for line in self.lines), *self.others]
        return [one for one in found if one is not None]

    def to_json(self) -> dict[str, object]:
        """As JSON data."""
        searched = self.records is not None
        return {
            "field": self.field,
            "marker": self.marker,
            "holder": _make_typed(self.holder),
            **({} if self.free_at is None else {"free_at": self.free_at}),
            "finding": None if self.finding is None else self.finding.to_json(),
            "record": [line.to_json() for line in self.lines],
            **({"records": [*map(_make_typed, self.records or ())]} if searched else {}),
            **({"others": [finding.to_json() for finding in self.others]} if searched else {}),
        }


def _make_typed(value: object) -> object:
    return None if value is None else make_typed(value)


def show(layout: Layout, client: DynamoDBClient, value: str, *, scan: ScanOptions | None = None) -> list[Answer]:
    """Tell who holds a value: as a value of each unique field, normalised, and as a record's owner key.

    Args:
        layout: Which items are records, and which are markers.
        client: ``boto3.client("dynamodb")``, or :func:`make_scan_client` for a scan in several threads.
        value: A unique value as a person writes it, several as they stand in the marker's key (``7#SLUG#home``), or the
            owner that a record's markers name.
        scan: How to scan the whole table for the records that have the value: without an index, nothing else finds a
            record that has no marker. Left out, nobody looks for them.

    Returns:
        An answer for each unique field and each rule by which the value has a marker of its own, and one more when the
        value is the owner key of a record.

    Raises:
        Unsettled: when a record kept changing while it was read.
    """
    examiner = Examiner(layout, client)
    answers = [answer for field in layout.fields for answer in _find_holders(layout, examiner, field, value)]
    if scan is not None:
        owners = _find_owners(layout, client, [(str(one.field), one.marker) for one in answers if one.marker], scan)
        answers = [
            _add_records(examiner, one, owners[str(one.field), one.marker]) if one.marker else one for one in answers
        ]
    # The caller does not say which of these the value is: it is a record's key if it leads to a record.
    lines = _compare(layout, examiner, value)
    return [*answers, Answer(None, holder=value, lines=lines)] if lines else answers


def _find_holders(layout: Layout, examiner: Examiner, field: str, value: str) -> Iterator[Answer]:
    try:
        partitions = layout.derive_markers(field, value)
    except Unkeyed:
        yield Answer(field)
        return
    for partition in partitions:
        sight = examiner.examine_marker(field, partition)
        holder, free_at = name_holder(sight.marker), None
        if sight.marker is not None and layout.is_resting(field, sight.marker):
            free_at = int(sight.marker[FREE_AT])
        yield Answer(field, partition, holder, free_at, sight.finding, _compare(layout, examiner, holder))


def _find_owners(
    layout: Layout, client: DynamoDBClient, wanted: Sequence[tuple[str, str]], options: ScanOptions
) -> dict[tuple[str, str], list[object]]:
    """For each field and marker, the owner keys of the records whose value has it."""
    owners: dict[tuple[str, str], list[object]] = {one: [] for one in wanted}

    def search_page(items: Sequence[Item]) -> tuple[Counter[str], list[Finding]]:
        for record in filter(layout.is_record, items):
            for field, marker in wanted:
                if marker in layout.find_markers(record, field):
                    owners[field, marker].append(layout.find_owner(record))
        return Counter(read=len(items)), []

    scan_table(layout, client, search_page, options)
    return {one: sorted(found, key=str) for one, found in owners.items()}


def _add_records(examiner: Examiner, answer: Answer, owners: Sequence[object]) -> Answer:
    """Add the records that the scan found, each judged by what is stored now; the holder's is judged already."""
    others = [owner for owner in owners if owner != answer.holder]
    findings = [examiner.examine_record(owner, str(answer.field), answer.marker).finding for owner in others]
    return dataclasses.replace(
        answer, records=tuple(owners), others=tuple(finding for finding in findings if finding is not None)
    )


def _compare(layout: Layout, examiner: Examiner, owner: object) -> tuple[Line, ...]:
    """An owner's record beside its markers, field by field; nothing when there is no such record."""
    sights = ((field, sight) for field in layout.fields for sight in examiner.examine_field(owner, field))
    return tuple(_make_line(layout, field, sight) for field, sight in sights if sight.record is not None)


def _make_line(layout: Layout, field: str, sight: Sight) -> Line:
    values = layout.unique.read_values(field, sight.record or {})
    value = next(iter(values.values())) if len(values) == 1 else values
    return Line(field, value, sight.partition, name_holder(sight.marker), sight.finding)
