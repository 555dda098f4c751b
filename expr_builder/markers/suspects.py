"""Finds what looks wrong on one page of a scan.

A scan does not show one moment in time: it only finds suspects, which are then examined one by one.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from expr_builder.requests.batches import BatchGet

from .examine import Suspect
from .layout import Unkeyed, name_holder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mypy_boto3_dynamodb import DynamoDBClient

    from expr_builder.attribute_values.values import Item, StoredItem

    from .layout import Layout

    Identity = tuple[object, ...]


def find_suspects(
    layout: Layout, client: DynamoDBClient, items: Sequence[Item], *, markers: bool = True
) -> tuple[Counter[str], list[Suspect]]:
    """Count the records, markers and other items on a page, and find the suspects; without ``markers`` only records."""
    tally: Counter[str] = Counter()
    pairs: list[tuple[Suspect, StoredItem | None]] = []
    for item in items:
        if (field := layout.find_field(item)) is not None:
            tally["markers"] += 1
            # Its owner may have the value again: then it is found from the record's side.
            if layout.is_resting(field, item) and layout.find_record_key(name_holder(item)) is not None:
                tally["resting"] += 1
            elif markers:
                suspect = Suspect(field, marker=layout.read_partition(item))
                pairs.append((suspect, layout.find_record_key(name_holder(item))))
        elif layout.is_record(item):
            tally["records"] += 1
            pairs += _list_claims(layout, item)
        else:
            tally["others"] += 1
    known = _read_counterparts(layout, client, items, [key for _, key in pairs if key is not None])

    def fits(suspect: Suspect, key: StoredItem | None) -> bool:
        # An owner, or a value, that cannot be a key has no counterpart: always a suspect.
        counterpart = None if key is None else known[_identify(layout, key)]
        if suspect.owner is None:
            return suspect.marker in layout.find_markers(counterpart, suspect.field)
        held = counterpart is not None and not layout.is_resting(suspect.field, counterpart)
        return held and name_holder(counterpart) == suspect.owner

    return tally, [
        suspect._replace(absent=suspect.owner is not None and key is not None and not known[_identify(layout, key)])
        for suspect, key in pairs
        if not fits(suspect, key)
    ]


def _list_claims(layout: Layout, record: Item) -> Iterator[tuple[Suspect, StoredItem | None]]:
    """For each marker that a record needs, its key; ``None`` for an impossible value."""
    for field in layout.fields:
        suspect = Suspect(field, owner=layout.find_owner(record))
        try:
            partitions = layout.require_markers(record, field)
        except Unkeyed:
            yield suspect, None
        else:
            for partition in partitions:
                yield suspect._replace(marker=partition), layout.make_marker_key(field, partition)


def _read_counterparts(
    layout: Layout, client: DynamoDBClient, items: Sequence[Item], keys: Iterable[StoredItem]
) -> dict[Identity, Item | None]:
    # Records and markers lie far apart, but in a small table most counterparts are on the page itself.
    known: dict[Identity, Item | None] = {_identify(layout, item): item for item in items}
    absent = {identity: key for key in keys if (identity := _identify(layout, key)) not in known}
    # Eventually consistent, at half the price: a stale read makes a suspect, which is then read again.
    reads = [layout.table.get(key, project=layout.attributes) for key in absent.values()]
    known.update(zip(absent, BatchGet(*reads).fetch(client), strict=True))
    return known


def _identify(layout: Layout, item: Item) -> Identity:
    return tuple(item[name] for name in layout.table.key_schema.types)
