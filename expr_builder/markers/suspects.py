"""What does not fit together at first sight.

A scan is not one moment in time: it only finds suspects, which are then examined one by one.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from expr_builder import BatchGet

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
    """Find what does not fit together on a page of items; without ``markers``, only records are looked at.

    Returns:
        How many records, markers and others there are, and the suspects.
    """
    fields = [layout.field_of(item) for item in items]
    records = [item for item in items if layout.is_record(item)]
    marked = [(field, item) for field, item in zip(fields, items, strict=True) if field is not None]
    tally = Counter(records=len(records), markers=len(marked), others=len(items) - len(records) - len(marked))

    claims = list(_list_claims(layout, records))
    owned = [_find_owner(layout, field, item) for field, item in marked] if markers else []
    known = _read_counterparts(layout, client, items, [key for _, key in (*claims, *owned) if key is not None])

    def counterpart_of(key: StoredItem | None) -> Item | None:
        return None if key is None else known[_identify(layout, key)]

    found = [suspect for suspect, key in claims if name_holder(counterpart_of(key)) != suspect.owner]
    found += [
        suspect for suspect, key in owned if layout.find_marker(counterpart_of(key), suspect.field) != suspect.marker
    ]
    return tally, found


def _list_claims(layout: Layout, records: Iterable[Item]) -> Iterator[tuple[Suspect, StoredItem | None]]:
    """For each value that a record must have a marker for, that marker's key; ``None`` for an impossible value."""
    for record in records:
        for field in layout.fields:
            suspect = Suspect(field, owner=layout.owner_of(record))
            try:
                partition = layout.require_marker(record, field)
            except Unkeyed:
                yield suspect, None
            else:
                if partition is not None:
                    yield suspect, layout.marker_key(field, partition)


def _find_owner(layout: Layout, field: str, marker: Item) -> tuple[Suspect, StoredItem | None]:
    """A marker, and the key of the record that it names as its owner."""
    suspect = Suspect(field, marker=str(marker[layout.table.partition_key]))
    return suspect, layout.key_of_owner(name_holder(marker))


def _read_counterparts(
    layout: Layout, client: DynamoDBClient, items: Sequence[Item], keys: Iterable[StoredItem]
) -> dict[Identity, Item | None]:
    # Records and markers lie far apart, but in a small table most counterparts are on the page itself.
    known: dict[Identity, Item | None] = {_identify(layout, item): item for item in items}
    absent = {identity: key for key in keys if (identity := _identify(layout, key)) not in known}
    reads = [layout.table.get(key, project=layout.attributes) for key in absent.values()]
    known.update(zip(absent, BatchGet(*reads).fetch(client), strict=True))
    return known


def _identify(layout: Layout, item: Item) -> Identity:
    return tuple(item[name] for name in layout.table.key_types)
