"""Keys: of the right schema, of the right types, and no item twice in one request."""

from __future__ import annotations

from expr_builder.attribute_values.values import size_of
from expr_builder.limits import MAX_PARTITION_KEY_BYTES, MAX_SORT_KEY_BYTES

from .problems import ACTION, TABLE, is_mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TypeAlias

    from expr_builder.attribute_values.values import AttributeValue
    from expr_builder.requests.table import Table

    from .problems import Place

    Read: TypeAlias = dict[str, AttributeValue | None]
    """An item or key as it was read: ``None`` for a faulty value."""

_INVALID = "One or more parameter values were invalid: "
_MAX_KEY_ATTRIBUTES = 2


def table_id(name: Any) -> Any:
    """A table's name, also when it is given by ARN."""
    return name.rpartition("/")[2] if isinstance(name, str) else None


class Schemas:
    """What is known of the tables' keys: what was declared, else the names in the keys of the request itself."""

    def __init__(self, tables: Iterable[Table]) -> None:
        self._declared = {table_id(table.name): table for table in tables}
        self._seen: dict[Any, tuple[str, ...]] = {}

    def declared(self, table: Any) -> Table | None:
        """The declaration of a table."""
        return self._declared.get(table_id(table))

    def learn(self, table: Any, key: Any) -> None:
        """Take the names of a table's keys from a key in the request."""
        if is_mapping(key) and 0 < len(key) <= _MAX_KEY_ATTRIBUTES:
            self._seen.setdefault(table_id(table), tuple(sorted(key)))

    def names(self, table: Any) -> tuple[str, ...]:
        """The names of a table's key attributes; none when nothing is known."""
        declared = self.declared(table)
        return tuple(declared.key_schema.types) if declared else self._seen.get(table_id(table), ())

    def target(self, table: Any, item: Read) -> tuple[Any, ...] | None:
        """What tells one item from all others; ``None`` when its key is unknown or faulty."""
        names = self.names(table) or tuple(sorted(item))
        values = [item.get(name) for name in names]
        if not values or any(value is None for value in values):
            return None
        return (table_id(table), *((name, _plain(value)) for name, value in zip(names, values, strict=True)))


def _plain(value: Any) -> Any:
    """An AttributeValue as something that can be put into a set."""
    if isinstance(value, dict):
        return tuple(sorted((name, _plain(part)) for name, part in value.items()))
    return tuple(map(_plain, value)) if isinstance(value, list) else value


def check_key(key: Read, place: Place, table: Table | None) -> None:
    """Check a key by which an item is addressed: it has exactly the key attributes."""
    if table is not None and set(key) != set(table.key_schema.types):
        place.problem(TABLE, "key-schema", "The provided key element does not match the schema")
        return
    if not 0 < len(key) <= _MAX_KEY_ATTRIBUTES:
        place.problem(TABLE, "key-schema", "The provided key element does not match the schema")
    names = list(table.key_schema.types) if table else list(key)
    for position, name in enumerate(names):
        value = key[name]
        if value is None:
            continue
        (tag,) = value
        if tag not in ("S", "N", "B") if table is None else tag != table.key_schema.types[name]:
            place.at(name).problem(TABLE, "key-type", "The provided key element does not match the schema")
        else:
            _check_content(name, value, place.at(name), position if table else 0)


def check_item_key(item: Read, place: Place, table: Table) -> None:
    """Check the key attributes among an item's attributes."""
    for position, (name, wanted) in enumerate(table.key_schema.types.items()):
        if name not in item:
            place.problem(TABLE, "key-schema", f"{_INVALID}Missing the key {name} in the item")
            continue
        value = item[name]
        if value is None:
            continue
        (tag,) = value
        if tag != wanted:
            place.at(name).problem(
                TABLE, "key-type", f"{_INVALID}Type mismatch for key {name} expected: {wanted} actual: {tag}"
            )
        else:
            _check_content(name, value, place.at(name), position)


def _check_content(name: str, value: AttributeValue, place: Place, position: int) -> None:
    ((tag, content),) = value.items()
    if not content:
        kind = "string" if tag == "S" else "binary"
        place.problem(
            ACTION,
            "key-empty",
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an "
            f"empty {kind} value. Key: {name}",
        )
    elif tag != "N" and size_of(value) > (MAX_SORT_KEY_BYTES if position else MAX_PARTITION_KEY_BYTES):
        words = (
            f"Aggregated size of all range keys has exceeded the size limit of {MAX_SORT_KEY_BYTES} bytes"
            if position
            else f"Size of hashkey has exceeded the maximum size limit of{MAX_PARTITION_KEY_BYTES} bytes"
        )
        place.problem(TABLE, "key-length", f"{_INVALID}{words}")
