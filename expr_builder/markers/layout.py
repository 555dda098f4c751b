"""Which items of a table are records, which are markers, and how one leads to the other."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from expr_builder.requests.key_schema import serialize_key
from expr_builder.unique import FREE_AT, OWNER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
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
        record_prefix: What every record's partition key starts with. With it, an owner can be told from other text: a
            repair frees the values of records that are gone.
        record_key: Makes a record's whole key from the owner that its markers name. When left out, the owner is the
            record's partition key.
        reserved: Whether markers that belong to no record are expected, such as names that operators keep back: an
            audit then counts them and does not report them.

    Example:
        ``Layout(unique, record_sort="PROFILE", record_prefix="ACCT#")``
    """

    unique: Unique
    record_sort: str | float | Decimal | bytes | None = None
    record_prefix: str = ""
    record_key: Callable[[Any], Item] | None = None
    reserved: bool = False

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
        rests = any(marker.hold_seconds for marker in self.unique.markers.values())
        own = (*self.table.key_schema.types, OWNER, *((FREE_AT,) if rests else ()), self.unique.owner)
        return tuple(dict.fromkeys((*own, *self.unique.attributes)))

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
        return owner is not None and self.find_record_key(owner) == self.pick_key(item)

    def find_record_key(self, owner: object) -> StoredItem | None:
        """The key of the record that a marker names as its owner; ``None`` when no record can have it."""
        if owner is None:
            return None
        try:
            if self.record_key is not None:
                key = dict(self.record_key(owner))
            else:  # zip drops the sort key where the table has none
                key = dict(zip(self.table.key_schema.types, (owner, self.record_sort), strict=False))
            serialize_key(self.table.key_schema, key)
        except Exception:  # noqa: BLE001  # whatever record_key makes of a number, or a map, that somebody wrote there
            return None
        partition = key[self.table.partition_key]
        begins = isinstance(partition, str) and partition.startswith(self.record_prefix)
        if (self.record_prefix and not begins) or self.find_field(key) is not None:  # another item's, or a marker's
            return None
        return key

    # --- markers

    def find_field(self, item: Item) -> str | None:
        """The field of which an item is a marker, told by its key alone; ``None`` when it is no marker."""
        partition = self.read_partition(item)
        for field in self.fields:
            if self.fits(field, partition) and self.make_marker_key(field, partition) == self.pick_key(item):
                return field
        return None

    def read_partition(self, item: Item) -> str:
        """An item's partition key as the text that a marker's would be; no marker's for other contents."""
        partition = item[self.table.partition_key]
        if isinstance(partition, bytes):
            partition = partition.decode(errors="replace")  # a marker's own is text in UTF-8
        return partition if isinstance(partition, str) else ""

    def fits(self, field: str, partition: object) -> bool:
        """Whether this can be the partition key of a marker of this field: the field's template makes it."""
        if field not in self.unique.markers or not isinstance(partition, str):
            return False
        return any(rule.fits(partition) for rule in self.unique.markers[field].rules)

    def is_previous(self, field: str, partition: str) -> bool:
        """Whether a previous rule of the field can make this key, whatever today's rule makes."""
        return any(rule.fits(partition) for rule in self.unique.markers[field].previous)

    def is_own(self, field: str, marker: Item) -> bool:
        """Whether a marker is one that :class:`Unique` writes: a record's key as its owner, and nothing else."""
        names = {*self.table.key_schema.types, OWNER, *((FREE_AT,) if self.is_resting(field, marker) else ())}
        return marker.keys() == names and self.find_record_key(marker[OWNER]) is not None

    def is_resting(self, field: str, marker: Item) -> bool:
        """Whether a marker keeps a value for the record that gave it up."""
        return self.unique.markers[field].hold_seconds > 0 and isinstance(marker.get(FREE_AT), int | Decimal)

    def is_marker(self, item: Item) -> bool:
        """Whether an item at the key of a marker is a marker, if not of ours: no record, nor anything else."""
        attributes = item.keys() - self.table.key_schema.types.keys()
        of_records = {*self.unique.attributes, self.unique.owner} - {OWNER}
        return not attributes or (OWNER in attributes and attributes.isdisjoint(of_records))

    def make_marker_key(self, field: str, partition: str) -> StoredItem:
        """The whole key of a field's marker, from its partition key."""
        return self.unique.complete_key(field, partition)

    def split_key(self, field: str, partition: str) -> tuple[str, str, str]:
        """A marker's partition key as what is before the normalised values or their digest, they, and what follows."""
        for rule in self.unique.markers[field].rules:
            if value := rule.extract(partition):
                return rule.prefix, value, partition[len(rule.prefix) + len(value) :]
        return "", partition, ""

    # --- from a record to its markers, which are named by their partition keys

    def derive_markers(self, field: str, text: str) -> tuple[str, ...]:
        """The markers of a value that a person writes; of several values as they stand in the key (``7#SLUG#home``).

        Raises:
            Unkeyed: for a value that can have none.
        """

        def make_keys() -> Iterator[str]:
            for rule in self.unique.markers[field].rules:
                values = (text,) if len(rule.names) == 1 else rule.split(text)
                if values is not None:
                    yield rule.make_key(*values)

        return self._check_keys(field, make_keys)

    def require_markers(self, record: Item, field: str) -> tuple[str, ...]:
        """The partition keys of the markers that a record needs for a field; none when it needs none.

        Raises:
            Unkeyed: for a value that can have no marker.
        """
        return self._check_keys(field, lambda: self.unique.list_keys(field, record), optional=True)

    def find_markers(self, record: Item | None, field: str) -> tuple[str, ...]:
        """As :meth:`require_markers`; none also without a record, or for an impossible value."""
        try:
            return () if record is None else self.require_markers(record, field)
        except Unkeyed:
            return ()

    def find_current_markers(self, record: Item, field: str) -> tuple[str, ...]:
        """Those of :meth:`find_markers` that today's rule makes."""
        return self.unique.list_current_keys(field, record) if self.find_markers(record, field) else ()

    def _check_keys(
        self, field: str, make_keys: Callable[[], Iterable[str]], *, optional: bool = False
    ) -> tuple[str, ...]:
        try:
            keys = tuple(dict.fromkeys(make_keys()))
            for key in keys:
                serialize_key(self.table.key_schema, self.make_marker_key(field, key))
        except Exception:  # noqa: BLE001  # DynamoDB's rules for keys, or whatever a normaliser makes of old values
            raise Unkeyed(f"not a value that {field} can have") from None
        if not keys and not optional:
            raise Unkeyed(f"not a value that {field} can have")
        return keys


def name_holder(marker: Item | None) -> object:
    """Whom a marker names as its owner; ``None`` when it names nobody, or does not exist."""
    return None if marker is None else marker.get(OWNER)
