"""Checks keys: the right schema, the right types, and no item twice in one request.

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.CoreComponents.html
"""

from __future__ import annotations

from expr_builder.attribute_values.values import measure_value
from expr_builder.errors import BuildError
from expr_builder.expressions.nodes import find_paths
from expr_builder.limits import MAX_PARTITION_KEY_BYTES, MAX_TABLE_KEYS
from expr_builder.requests.key_reads import (
    find_condition_fault,
    find_filter_fault,
    find_start_fault,
    find_unprojected,
    read_key_tests,
    say_empty,
    say_too_long,
)
from expr_builder.requests.key_schema import INVALID, KEY_TYPES
from expr_builder.requests.key_writes import find_index_faults, find_path_fault, find_update_faults
from expr_builder.requests.table import Table
from expr_builder.requests.table_name import find_two_homes

from .problems import TABLE, TARGET, VALUES, is_mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import TypeAlias

    from expr_builder.attribute_values.values import AttributeValue
    from expr_builder.expressions.paths import Segments
    from expr_builder.expressions.updates import UpdateAction
    from expr_builder.requests.key_schema import Fault, Index

    from .expressions import Expressions
    from .problems import Place

    Read: TypeAlias = Mapping[str, AttributeValue | None]
    """An item or key as it was read: ``None`` for a faulty value."""

_MISMATCH = "The provided key element does not match the schema"


def strip_arn(table: str) -> str:
    """The name of a table that is given by name or ARN."""
    return table.rpartition("/")[2]


class Schemas:
    """What is known about the keys of tables: what was declared, else the names in the request's own keys.

    Two ARNs are two tables. A name is the table of an ARN that ends with it, unless the request has several of those.
    """

    def __init__(self, tables: Iterable[Table]) -> None:
        given = None if isinstance(tables, (str, Table)) or not hasattr(tables, "__iter__") else list(tables)
        if given is None or not all(isinstance(table, Table) for table in given):
            raise BuildError(
                "tables is a collection of Table",
                rule="table-name",
                place="tables",
                fix='declare each: tables=[Table("accounts", "PK", "SK")]',
            )
        self._declared = {table.name: table for table in given}
        self._seen: dict[str, tuple[str, ...]] = {}
        self._arns: dict[str, set[str]] = {}

    def find(self, table: object) -> Table | None:
        """The declaration of a table: the one of this very name or ARN, else one that leaves the other open."""
        if not isinstance(table, str):
            return None
        if table in self._declared or table != strip_arn(table):
            return self._declared.get(table) or self._declared.get(strip_arn(table))
        fitting = [declared for name, declared in self._declared.items() if strip_arn(name) == table]
        return fitting[0] if len(fitting) == 1 else None

    def learn(self, table: object, key: object) -> None:
        """Take from an action how it names its table, and the names of the table's keys if it has a key."""
        if not isinstance(table, str):
            return
        if table.startswith("arn:"):
            self._arns.setdefault(strip_arn(table), set()).add(table)
        if is_mapping(key) and 0 < len(key) <= MAX_TABLE_KEYS:
            self._seen.setdefault(table, tuple(sorted(key)))  # the first counts: they cannot all be right

    def list_names(self, table: object) -> tuple[str, ...]:
        """The names of a table's key attributes; none when nothing is known."""
        declared = self.find(table)
        if declared is not None:
            return declared.key_schema.names
        same = self._unify(table)
        return next((names for seen, names in self._seen.items() if self._unify(seen) == same), ())

    def identify(self, table: object, item: Read) -> tuple[object, ...] | None:
        """What identifies an item; ``None`` when its key is unknown or faulty."""
        # Two puts to a table with unknown keys are surely on one item if they are equal as a whole.
        names = self.list_names(table) or tuple(sorted(item))
        values = [item.get(name) for name in names]
        if not values or None in values:
            return None
        return (self._unify(table), *((name, _freeze(value)) for name, value in zip(names, values, strict=True)))

    def _unify(self, table: object) -> str | None:
        """One text for one table, whether it is given by name or by ARN."""
        if not isinstance(table, str):
            return None
        name = strip_arn(table)
        return table if len(self._arns.get(name, ())) > 1 else name


def check_homes(tables: Sequence[tuple[object, Place]]) -> None:
    """Report the first table of a transaction that is in another Region or account than one before it."""
    found = find_two_homes(table if isinstance(table, str) else "" for table, _ in tables)
    if found is not None:
        words = "All tables of a transaction must be in one Region and one account"  # the service's are not known
        tables[found[1]][1].report(TARGET, "transaction-region", words)


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
    for name in table.key_schema.types if table else key:
        value = key[name]
        if value is None:
            continue
        (tag,) = value
        if tag not in KEY_TYPES if table is None else tag != table.key_schema.types[name]:
            place.at(name).report(TABLE, "key-type", _MISMATCH)
        else:
            # Without a declaration the sort key is unknown: the wider limit holds for both attributes.
            limit = MAX_PARTITION_KEY_BYTES if table is None else table.key_schema.find_limit(name)
            _check_content(name, value, limit, place.at(name))


def check_item_key(item: Read, place: Place, table: Table, *, in_batch: bool = False) -> None:
    """Check the key attributes among an item's attributes, and those of indexes. In a batch the words are others."""
    faulty = set()
    for name, wanted in table.key_schema.types.items():
        if name not in item:
            words = f"{INVALID}Missing the key {name} in the item"
            place.report(TABLE, "key-schema", _MISMATCH if in_batch else words)
            continue
        value = item[name]
        if value is None:
            continue
        (tag,) = value
        if tag != wanted:
            words = f"{INVALID}Type mismatch for key {name} expected: {wanted} actual: {tag}"
            place.at(name).report(TABLE, "key-type", _MISMATCH if in_batch else words)
            faulty.add(name)
        elif not _check_content(name, value, table.key_schema.find_limit(name), place.at(name)):
            faulty.add(name)
    for fault in find_index_faults(table._index_checks, item):
        if fault.name not in faulty:
            _report(fault, place.at(fault.name))


def _report(fault: Fault | None, place: Place) -> None:
    if fault is not None:
        # Empty values are found before the table is looked at.
        place.report(VALUES if fault.rule == "index-key-empty" else TABLE, fault.rule, fault.words)


def _check_content(name: str, value: AttributeValue, limit: int, place: Place) -> bool:
    """Report a key attribute that is empty, or longer than the limit; return whether it is sound."""
    ((tag, content),) = value.items()
    if not content:
        place.report(VALUES, "key-empty", say_empty(name, tag))
        return False
    # A number is always short enough: its digits are limited.
    if tag != "N" and measure_value(value) > limit:
        place.report(TABLE, "key-length", say_too_long(limit))
        return False
    return True


def check_update_keys(updates: list[UpdateAction], keys: tuple[str, ...], place: Place, table: Table | None) -> None:
    """Check what an update does to keys: those of its table, and of the table's indexes."""
    update = place.at("UpdateExpression")
    for name in dict.fromkeys(action.path.segments[0] for action in updates):
        if name in keys:
            words = f"{INVALID}Cannot update attribute {name}. This attribute is part of the key"
            update.report(TABLE, "update-key", words)
    if table is None:
        return
    for fault in find_update_faults(table._index_checks, updates):
        _report(fault, update)
    # The target of an action on a key was told above.
    deep = [
        path.segments
        for action in updates
        for path in find_paths(action)
        if path is not action.path or path.segments[0] not in keys
    ]
    check_key_paths(deep, update, table)


def check_key_paths(paths: Iterable[Segments], place: Place, table: Table | None) -> None:
    """Report a path that goes into a key attribute."""
    if table is not None:
        _report(find_path_fault(table.key_schema, table._index_checks, paths), place)


# --- Queries and scans


def check_search(
    operation: str,
    request: Mapping[str, object],
    read: Expressions,
    start: Read | None,
    place: Place,
    table: Table | None,
    *,
    members: tuple[str, str] = ("KeyConditionExpression", "FilterExpression"),
) -> None:
    """Check a query or scan against the keys of the table or index.

    Of an undeclared table only this is known: a partition key is compared with ``=``, a table has at most two key
    attributes, keys are text, numbers or binary and not empty, and the filter of a query must not name an attribute of
    the key condition.

    Args:
        operation: ``"Query"`` or ``"Scan"``.
        request: The request.
        read: What its expressions say.
        start: Its start key, if it has a sound one.
        place: The request's place.
        table: What was declared of the table.
        members: Where key condition and filter stand: they can be the legacy ``KeyConditions`` and ``QueryFilter``.
    """
    condition_place, filter_place = place.at(members[0]), place.at(members[1])
    given = request.get("IndexName")
    index_name = given if isinstance(given, str) else None
    index = _check_index(index_name, request, place, table)
    if given is not None and index is None and table is not None and table.indexes is not None:
        return  # there is no such index: nothing else can be said
    keys = table.key_schema if table is not None else None
    tests = {} if read.key_condition is None else read_key_tests(read.key_condition)
    read_keys = keys if index_name is None else index
    unfit = find_condition_fault(read_keys, index_name, tests) if tests else None
    wrong_start = None
    if start is not None:
        # Of a faulty condition, what the start key must fit is not known.
        wrong_start = find_start_fault(operation, keys, index, index_name, start, {} if unfit else tests)
    # The service looks at the start key's names and partition key first, then at the condition, then at the rest.
    first = ("", *(read_keys.partition_keys if read_keys is not None else ()))
    is_early = wrong_start is not None and wrong_start.rule == "start-key" and wrong_start.name in first
    if is_early:
        _report(wrong_start, place.at("ExclusiveStartKey"))
    _report(unfit, condition_place)
    if not is_early:
        _report(wrong_start, place.at("ExclusiveStartKey"))
    check_key_paths(read.projection_paths, place.at("ProjectionExpression"), table)
    filtered = read.filter_paths
    if operation == "Query":
        what = "Filter Expression" if members[1] == "FilterExpression" else members[1]
        fault = find_filter_fault(tests if read_keys is None else read_keys.names, filtered, what)
        _report(fault, filter_place)
        if fault is not None:
            filtered = [path for path in filtered if path[0] != fault.name]
    if index is not None and keys is not None and index_name is not None:
        needed = filtered if operation == "Query" else []
        select = request.get("Select")
        fault = find_unprojected(keys, index, index_name, select, read.projection_paths, needed)
        _report(fault, place.at("IndexName"))
    check_key_paths(filtered, filter_place, table)


def _check_index(name: str | None, request: Mapping[str, object], place: Place, table: Table | None) -> Index | None:
    """The declared index that is read; one that the table lacks is reported."""
    if name is None or table is None or table.indexes is None:
        return None
    index = table.indexes.get(name)
    if index is None:
        place.at("IndexName").report(TABLE, "index-unknown", f"The table does not have the specified index: {name}")
    elif request.get("ConsistentRead") is True and not index.local:
        words = "Consistent reads are not supported on global secondary indexes"
        place.at("ConsistentRead").report(TABLE, "index-consistent", words)
    return index
