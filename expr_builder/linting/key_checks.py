"""Checks keys: the right schema, the right types, and no item twice in one request.

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.CoreComponents.html
"""

from __future__ import annotations

from expr_builder.attribute_values.values import measure_value
from expr_builder.limits import MAX_PARTITION_KEY_BYTES, MAX_SORT_KEY_BYTES, MAX_TABLE_KEYS
from expr_builder.requests.key_schema import KEY_TYPES, UNSUPPORTED, find_misfit, read_operators

from .problems import TABLE, VALUES, is_mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import TypeAlias

    from expr_builder.attribute_values.values import AttributeValue
    from expr_builder.expressions.nodes import Condition
    from expr_builder.expressions.paths import Segments
    from expr_builder.requests.key_schema import KeySchema
    from expr_builder.requests.table import Table

    from .problems import Place

    Read: TypeAlias = Mapping[str, AttributeValue | None]
    """An item or key as it was read: ``None`` for a faulty value."""

_INVALID = "One or more parameter values were invalid: "
_MISMATCH = "The provided key element does not match the schema"


def strip_arn(table: object) -> str | None:
    """The name of a table that is given by name or ARN; ``None`` when it is not text."""
    return table.rpartition("/")[2] if isinstance(table, str) else None


class Schemas:
    """What is known about the keys of tables: what was declared, else the names in the request's own keys."""

    def __init__(self, tables: Iterable[Table]) -> None:
        self._declared = {strip_arn(table.name): table for table in tables}
        self._seen: dict[str | None, tuple[str, ...]] = {}

    def find(self, table: object) -> Table | None:
        """The declaration of a table."""
        return self._declared.get(strip_arn(table))

    def learn(self, table: object, key: object) -> None:
        """Take the names of a table's keys from a key in the request."""
        if is_mapping(key) and 0 < len(key) <= MAX_TABLE_KEYS:
            self._seen.setdefault(strip_arn(table), tuple(sorted(key)))  # the first counts: they cannot all be right

    def list_names(self, table: object) -> tuple[str, ...]:
        """The names of a table's key attributes; none when nothing is known."""
        declared = self.find(table)
        return tuple(declared.key_schema.types) if declared else self._seen.get(strip_arn(table), ())

    def identify(self, table: object, item: Read) -> tuple[object, ...] | None:
        """What identifies an item; ``None`` when its key is unknown or faulty."""
        # Two puts to a table with unknown keys are surely on one item if they are equal as a whole.
        names = self.list_names(table) or tuple(sorted(item))
        values = [item.get(name) for name in names]
        if not values or None in values:
            return None
        return (strip_arn(table), *((name, _freeze(value)) for name, value in zip(names, values, strict=True)))


def _freeze(value: object) -> object:
    """An AttributeValue as something that can be put into a set."""
    if isinstance(value, dict):
        return tuple(sorted((name, _freeze(part)) for name, part in value.items()))
    return tuple(map(_freeze, value)) if isinstance(value, list) else value


def check_key(key: Read, place: Place, table: Table | None) -> None:
    """Check a key: it must have exactly the key attributes."""
    if not 0 < len(key) <= MAX_TABLE_KEYS if table is None else set(key) != set(table.key_schema.types):
        place.report(TABLE, "key-schema", _MISMATCH)
        if table is not None:  # without a declaration, the types of what is there can still be told
            return
    for position, name in enumerate(table.key_schema.types if table else key):
        value = key[name]
        if value is None:
            continue
        (tag,) = value
        if tag not in KEY_TYPES if table is None else tag != table.key_schema.types[name]:
            place.at(name).report(TABLE, "key-type", _MISMATCH)
        else:
            # Without a declaration the sort key is unknown: the wider limit holds for both attributes.
            _check_content(name, value, place.at(name), is_sort_key=table is not None and position > 0)


def check_item_key(item: Read, place: Place, table: Table) -> None:
    """Check the key attributes among an item's attributes."""
    for position, (name, wanted) in enumerate(table.key_schema.types.items()):
        if name not in item:
            place.report(TABLE, "key-schema", f"{_INVALID}Missing the key {name} in the item")
            continue
        value = item[name]
        if value is None:
            continue
        (tag,) = value
        if tag != wanted:
            words = f"{_INVALID}Type mismatch for key {name} expected: {wanted} actual: {tag}"
            place.at(name).report(TABLE, "key-type", words)
        else:
            _check_content(name, value, place.at(name), is_sort_key=position > 0)


def _check_content(name: str, value: AttributeValue, place: Place, *, is_sort_key: bool) -> None:
    ((tag, content),) = value.items()
    if not content:
        kind = "string" if tag == "S" else "binary"
        place.report(
            VALUES,
            "key-empty",
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an "
            f"empty {kind} value. Key: {name}",
        )
    # A number is always short enough: its digits are limited.
    elif tag != "N" and measure_value(value) > (MAX_SORT_KEY_BYTES if is_sort_key else MAX_PARTITION_KEY_BYTES):
        words = (
            f"Aggregated size of all range keys has exceeded the size limit of {MAX_SORT_KEY_BYTES} bytes"
            if is_sort_key
            else f"Size of hashkey has exceeded the maximum size limit of{MAX_PARTITION_KEY_BYTES} bytes"
        )
        place.report(TABLE, "key-length", f"{_INVALID}{words}")


# --- Key conditions


def check_query_keys(
    condition: Condition,
    filter_paths: Sequence[Segments],
    index_name: object,
    place: Place,
    table: Table | None,
    *,
    members: tuple[str, str] = ("KeyConditionExpression", "FilterExpression"),
) -> None:
    """Check a key condition, and the filter beside it, against the keys of the table or index.

    Of an undeclared table only this is known: a partition key is compared with ``=``, a table has at most two key
    attributes, and the filter must not name an attribute of the key condition.

    ``members`` says where the two stand: they can be the legacy ``KeyConditions`` and ``QueryFilter``, too.
    """
    operators = read_operators(condition)
    keys = _find_keys(index_name, table)
    if keys is not None:
        misfit = find_misfit(keys, operators)
        words = misfit[0] if misfit is not None else ""
    else:
        too_many = len(operators) > MAX_TABLE_KEYS and index_name is None
        words = UNSUPPORTED if "=" not in operators.values() or too_many else ""
    if words:
        place.at(members[0]).report(TABLE, "key-condition", words)
    names = set(operators) if keys is None else set(keys.names)
    for name in dict.fromkeys(path[0] for path in filter_paths):
        if name in names:
            what = "Filter Expression" if members[1] == "FilterExpression" else members[1]
            words = f"{what} can only contain non-primary key attributes: Primary key attribute: {name}"
            place.at(members[1]).report(TABLE, "filter-key", words)


def _find_keys(index_name: object, table: Table | None) -> KeySchema | None:
    """The keys of what is queried; ``None`` when they are not known."""
    if table is None or index_name is None:
        return None if table is None else table.key_schema
    return table.indexes.get(index_name) if isinstance(index_name, str) else None
