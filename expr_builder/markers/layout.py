"""Which items of a table are records, which are markers, and how one leads to the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from expr_builder.errors import BuildError
from expr_builder.requests.key_schema import serialize_key
from expr_builder.unique import OWNER

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from expr_builder.attribute_values.values import Item, StoredItem
    from expr_builder.requests.table import Table
    from expr_builder.unique import Unique


class Unkeyed(ValueError):
    """A record's value from which no marker can be made. The message does not contain it."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How records and markers are stored in one table.

    Attributes:
        unique: The unique fields, with the table.
        record_sort: The sort key that every record has; ``None`` in a table without sort keys.
        record_prefix: What every record's partition key starts with.
        record_key: Makes a record's whole key from the owner that its markers name. When left out, the owner is the
            record's partition key.

    Example:
        ``Layout(unique, record_sort="PROFILE", record_prefix="ACCT#")``
    """

    unique: Unique
    record_sort: str | None = None
    record_prefix: str = ""
    record_key: Callable[[Any], Item] | None = None

    @property
    def table(self) -> Table:
        """The table."""
        return self.unique.table

    @property
    def fields(self) -> tuple[str, ...]:
        """The unique fields."""
        return tuple(self.unique.markers)

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that an audit needs: keys, owners, unique fields; each once, as a projection demands."""
        return tuple(dict.fromkeys((*self.table.key_schema.types, OWNER, self.unique.owner, *self.fields)))

    def pick_key(self, item: Item) -> StoredItem:
        """An item's own key."""
        return {name: item[name] for name in self.table.key_schema.types}

    # --- records

    def find_owner(self, record: Item) -> object:
        """What the markers of a record name as their owner."""
        return record.get(self.unique.owner)

    def is_record(self, item: Item) -> bool:
        """Whether an item is a record: its key is the one that its markers' owner leads to."""
        owner = self.find_owner(item)
        # Where the partition key is the owner, a marker has one too, and its key may lead to itself.
        if owner is None or self.find_field(item) is not None:
            return False
        return str(item[self.table.partition_key]).startswith(self.record_prefix) and (
            self.find_record_key(owner) == self.pick_key(item)
        )

    def find_record_key(self, owner: object) -> StoredItem | None:
        """The key of the record that a marker names as its owner; ``None`` when no record can have it."""
        if owner is None:
            return None
        if self.record_key is not None:
            key = dict(self.record_key(owner))
        else:  # zip drops the sort key where the table has none
            key = dict(zip(self.table.key_schema.types, (owner, self.record_sort), strict=False))
        try:
            serialize_key(self.table.key_schema, key)
        except BuildError:  # somebody wrote a number, or a map, into the marker
            return None
        return key

    # --- markers

    def find_field(self, item: Item) -> str | None:
        """The field of which an item is a marker, told by its key alone; ``None`` when it is no marker."""
        partition = item[self.table.partition_key]
        for field, marker in self.unique.markers.items():
            beginning, _, end = marker.template.partition("{}")
            fits = isinstance(partition, str) and partition.startswith(beginning) and partition.endswith(end)
            if fits and self.make_marker_key(field, partition) == self.pick_key(item):
                return field
        return None

    def make_marker_key(self, field: str, partition: str) -> StoredItem:
        """The whole key of a field's marker, from its partition key."""
        return dict(zip(self.table.key_schema.types, (partition, self.unique.markers[field].sort), strict=False))

    def extract_value(self, field: str, partition: str) -> str:
        """The normalised value that a marker stands for."""
        beginning, _, end = self.unique.markers[field].template.partition("{}")
        return partition[len(beginning) : len(partition) - len(end)]

    # --- from a record to its marker, which is named by its partition key

    def derive_marker(self, field: str, value: object) -> str:
        """The marker of a value; raises :class:`Unkeyed` for a value that can have none."""
        try:
            key = self.unique.make_marker_key(field, value)
            serialize_key(self.table.key_schema, key)
        except ValueError:  # the field's own rules, or DynamoDB's for keys
            raise Unkeyed(f"not a value that {field} can have") from None
        return str(key[self.table.partition_key])

    def require_marker(self, record: Item, field: str) -> str | None:
        """As :meth:`derive_marker`, of a record's value; ``None`` when the record needs no marker for the field."""
        value = record.get(field)
        if value is None and self.unique.markers[field].optional:
            return None
        return self.derive_marker(field, value)

    def find_marker(self, record: Item | None, field: str) -> str | None:
        """The marker that a record can have for a field; ``None`` also without a record, or for an impossible value."""
        try:
            return None if record is None else self.require_marker(record, field)
        except Unkeyed:
            return None


def name_holder(marker: Item | None) -> object:
    """Whom a marker names as its owner; ``None`` when it names nobody, or does not exist."""
    return None if marker is None else marker.get(OWNER)
