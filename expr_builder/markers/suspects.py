"""What does not fit together at first sight.

A scan is not one moment in time: it only finds suspects, which are then examined one by one.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from expr_builder import BatchGet
from expr_builder.unique import OWNER

from .layout import Unkeyed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mypy_boto3_dynamodb import DynamoDBClient

    from .layout import Item, Key, Layout

    Identity = tuple[Any, ...]


class Suspect(NamedTuple):
    """What must be examined: a record's field, by its owner, or a marker, by its partition key."""

    field: str
    owner: Any = None
    marker: str | None = None


def suspects(
    layout: Layout, client: DynamoDBClient, items: Sequence[Item], *, markers: bool = True
) -> tuple[Counter[str], list[Suspect]]:
    """What does not fit together at first sight.

    Args:
        layout: What the items are.
        client: To read the counterparts that are not on the page, 100 at a time.
        items: A page.
        markers: Whether to look at markers too, or at records alone.

    Returns:
        How many records, markers and others there are, and the suspects.
    """
    fields = [layout.field_of(item) for item in items]
    records = [item for item in items if layout.is_record(item)]
    marked = [(field, item) for field, item in zip(fields, items, strict=True) if field is not None]
    tally = Counter(records=len(records), markers=len(marked), others=len(items) - len(records) - len(marked))

    claims = list(_claims(layout, records))
    owned = [_owned(layout, field, item) for field, item in marked] if markers else []
    known = _counterparts(layout, client, items, [key for _, key in (*claims, *owned) if key is not None])

    def counterpart(key: Key | None) -> Item | None:
        return None if key is None else known[_identity(layout, key)]

    found = [suspect for suspect, key in claims if (counterpart(key) or {}).get(OWNER) != suspect.owner]
    found += [
        suspect for suspect, key in owned if not layout.claims(counterpart(key), suspect.field, str(suspect.marker))
    ]
    return tally, found


def _claims(layout: Layout, records: Iterable[Item]) -> Iterator[tuple[Suspect, Key | None]]:
    """For each value that a record must have a marker for, that marker's key; ``None`` for an impossible value."""
    for record in records:
        for field in layout.fields:
            suspect = Suspect(field, owner=layout.owner_of(record))
            try:
                partition = layout.wanted(record, field)
            except Unkeyed:
                yield suspect, None
            else:
                if partition is not None:
                    yield suspect, layout.marker_key(field, partition)


def _owned(layout: Layout, field: str, marker: Item) -> tuple[Suspect, Key | None]:
    """A marker, and the key of the record that it names as its owner."""
    suspect = Suspect(field, marker=str(marker[layout.table.partition_key]))
    return suspect, layout.key_of_owner(marker.get(OWNER))


def _counterparts(
    layout: Layout, client: DynamoDBClient, items: Sequence[Item], keys: Iterable[Key]
) -> dict[Identity, Item | None]:
    known: dict[Identity, Item | None] = {_identity(layout, item): item for item in items}
    wanted = {identity: key for key in keys if (identity := _identity(layout, key)) not in known}
    reads = [layout.table.get(key, project=layout.attributes) for key in wanted.values()]
    known.update(zip(wanted, BatchGet(*reads).fetch(client), strict=True))
    return known


def _identity(layout: Layout, item: Mapping[str, Any]) -> Identity:
    return tuple(item[name] for name in layout.table.key_schema.types)
