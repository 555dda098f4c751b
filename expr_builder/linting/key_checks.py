"""Keys: of the right schema, of the right types, and no item twice in one request.

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.CoreComponents.html
"""

from __future__ import annotations

from expr_builder.attribute_values.values import size_of
from expr_builder.expressions.nodes import And, Comparison, Condition, Path
from expr_builder.limits import MAX_PARTITION_KEY_BYTES, MAX_SORT_KEY_BYTES, MAX_TABLE_KEYS

from .problems import ACTION, TABLE, is_mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import TypeAlias

    from expr_builder.attribute_values.values import AttributeValue
    from expr_builder.expressions.paths import Segments
    from expr_builder.requests.key_schema import TableKeys

    from .problems import Place

    Read: TypeAlias = Mapping[str, AttributeValue | None]
    """An item or key as it was read: ``None`` for a faulty value."""

_INVALID = "One or more parameter values were invalid: "
_MISMATCH = "The provided key element does not match the schema"
_UNSUPPORTED = "Query key condition not supported"


def strip_arn(table: object) -> str | None:
    """A table's name, also when it is given by ARN; ``None`` when it is no text at all."""
    return table.rpartition("/")[2] if isinstance(table, str) else None


class Schemas:
    """What is known of the tables' keys: what was declared, else the names in the keys of the request itself."""

    def __init__(self, tables: Iterable[TableKeys]) -> None:
        self._declared = {strip_arn(table.name): table for table in tables}
        self._seen: dict[str | None, tuple[str, ...]] = {}

    def find(self, table: object) -> TableKeys | None:
        """The declaration of a table."""
        return self._declared.get(strip_arn(table))

    def learn(self, table: object, key: object) -> None:
        """Take the names of a table's keys from a key in the request."""
        if is_mapping(key) and 0 < len(key) <= MAX_TABLE_KEYS:
            self._seen.setdefault(strip_arn(table), tuple(sorted(key)))

    def list_names(self, table: object) -> tuple[str, ...]:
        """The names of a table's key attributes; none when nothing is known."""
        declared = self.find(table)
        return tuple(declared.key_types) if declared else self._seen.get(strip_arn(table), ())

    def identify(self, table: object, item: Read) -> tuple[object, ...] | None:
        """What tells one item from all others; ``None`` when its key is unknown or faulty."""
        # Of a table of which nothing is known, two puts are surely on one item when they are equal altogether.
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


def check_key(key: Read, place: Place, table: TableKeys | None) -> None:
    """Check a key by which an item is addressed: it has exactly the key attributes."""
    if not 0 < len(key) <= MAX_TABLE_KEYS if table is None else set(key) != set(table.key_types):
        place.report(TABLE, "key-schema", _MISMATCH)
        if table is not None:
            return
    for position, name in enumerate(table.key_types if table else key):
        value = key[name]
        if value is None:
            continue
        (tag,) = value
        if tag not in ("S", "N", "B") if table is None else tag != table.key_types[name]:
            place.at(name).report(TABLE, "key-type", _MISMATCH)
        else:
            # Which of two undeclared attributes is the sort key is unknown: the wider limit holds for both.
            _check_content(name, value, place.at(name), is_sort_key=table is not None and position > 0)


def check_item_key(item: Read, place: Place, table: TableKeys) -> None:
    """Check the key attributes among an item's attributes."""
    for position, (name, wanted) in enumerate(table.key_types.items()):
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
            ACTION,
            "key-empty",
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an "
            f"empty {kind} value. Key: {name}",
        )
    # A number is always short enough: its digits are limited.
    elif tag != "N" and size_of(value) > (MAX_SORT_KEY_BYTES if is_sort_key else MAX_PARTITION_KEY_BYTES):
        words = (
            f"Aggregated size of all range keys has exceeded the size limit of {MAX_SORT_KEY_BYTES} bytes"
            if is_sort_key
            else f"Size of hashkey has exceeded the maximum size limit of{MAX_PARTITION_KEY_BYTES} bytes"
        )
        place.report(TABLE, "key-length", f"{_INVALID}{words}")


# --- Key conditions


def check_query_keys(
    condition: Condition, filter_paths: list[Segments], index_name: object, place: Place, table: TableKeys | None
) -> None:
    """Check a key condition, and the filter beside it, against the keys of the table or index.

    Of a table that was not declared only this much is known: a partition key is compared with ``=``, a table has two
    key attributes at most, and what is in the key condition is no business of the filter.
    """
    operators = dict(map(_read_part, _split(condition)))
    partition, sort = _find_keys(index_name, table)
    if partition:
        words = _find_misfit(operators, partition, sort)
    else:
        too_many = len(operators) > MAX_TABLE_KEYS and index_name is None
        words = _UNSUPPORTED if "=" not in operators.values() or too_many else ""
    if words:
        place.at("KeyConditionExpression").report(TABLE, "key-condition", words)
    keys = {*partition, *sort} or set(operators)
    for name in dict.fromkeys(path[0] for path in filter_paths):
        if name in keys:
            words = f"Filter Expression can only contain non-primary key attributes: Primary key attribute: {name}"
            place.at("FilterExpression").report(TABLE, "filter-key", words)


def _find_keys(index_name: object, table: TableKeys | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The partition and the sort key attributes that a query is about; none when they are not known."""
    if table is None:
        return (), ()
    if index_name is None:
        first, *others = table.key_types
        return (first,), tuple(others)
    index = table.indexes.get(index_name) if isinstance(index_name, str) else None
    return (index.partition_keys, index.sort_keys) if index else ((), ())


def _find_misfit(operators: dict[str, str], partition: tuple[str, ...], sort: tuple[str, ...]) -> str:
    for name in partition:
        if name not in operators:
            return f"Query condition missed key schema element: {name}"
        if operators[name] != "=":
            return _UNSUPPORTED
    others = [name for name in operators if name not in partition]
    used = sort[: len(others)]
    missed = next((name for name in used if name not in others), None)
    if missed is not None:
        return f"Query condition missed key schema element: {missed}"
    # Sort key attributes are used from the left, and all but the last are compared with "=".
    fits = len(others) <= len(sort) and all(operators[name] == "=" for name in used[:-1])
    return "" if fits else _UNSUPPORTED


def _split(condition: Condition) -> tuple[Condition, ...]:
    return condition.parts if isinstance(condition, And) else (condition,)


def _read_part(part: Condition) -> tuple[str, str]:
    """The attribute that one part of a sound key condition is about, and its operator."""
    path = next(child for child in part.children() if isinstance(child, Path))
    return str(path.segments[0]), part.operator if isinstance(part, Comparison) else ""
