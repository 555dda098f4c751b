"""The ten operations: which checks their requests go through, in which order."""

from __future__ import annotations

from expr_builder.attribute_values.values import item_size, size_of
from expr_builder.expressions.nodes import Comparison, Condition, Literal, Path, conjuncts
from expr_builder.limits import MAX_BATCH_GET, MAX_BATCH_WRITE, MAX_ITEM_BYTES, MAX_TRANSACTION_BYTES

from .expressions import check_expressions
from .key_checks import Schemas, check_item_key, check_key
from .problems import ACTION, CONSTRAINT, TABLE, TARGET, TOTAL, is_mapping
from .typed_values import read_item

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from expr_builder.expressions.updates import UpdateAction
    from expr_builder.requests.key_schema import Index, TableKeys

    from .expressions import Expressions
    from .key_checks import Read
    from .problems import Place

_CONDITION = ("ConditionExpression",)
_UPDATE = ("UpdateExpression", "ConditionExpression")
_PROJECTION = ("ProjectionExpression",)
_TOO_LARGE = "Item size has exceeded the maximum allowed size"


class _Written:
    """What one action is on, and how much it writes, for the checks of all actions together."""

    __slots__ = ("item", "place", "size", "table")

    def __init__(self, place: Place, table: Any, item: Read, size: int) -> None:
        self.place = place
        self.table = table
        self.item = item
        self.size = size


# --- Single items


def _put_item(request: dict[str, Any], place: Place, schemas: Schemas) -> None:
    _put(request, place, schemas, legacy=("Expected", "ConditionalOperator"))
    _check_return_values(request, place)


def _delete_item(request: dict[str, Any], place: Place, schemas: Schemas) -> None:
    _keyed(request, place, schemas, legacy=("Expected", "ConditionalOperator"))
    _check_return_values(request, place)


def _update_item(request: dict[str, Any], place: Place, schemas: Schemas) -> None:
    _update(request, place, schemas, legacy=("AttributeUpdates", "Expected", "ConditionalOperator"))


def _get_item(request: dict[str, Any], place: Place, schemas: Schemas) -> None:
    _get(request, place, schemas, legacy=("AttributesToGet",))


def _check_return_values(request: dict[str, Any], place: Place) -> None:
    if request.get("ReturnValues") in ("ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"):
        place.at("ReturnValues").problem(ACTION, "return-values", "ReturnValues can only be ALL_OLD or NONE")


# --- The actions that single requests and transactions share


def _put(action: dict[str, Any], place: Place, schemas: Schemas, legacy: tuple[str, ...] = ()) -> _Written | None:
    item = read_item(action.get("Item"), place.at("Item"))
    size = _check_item(item, place.at("Item"), schemas.declared(action.get("TableName")))
    check_expressions(action, place, _CONDITION, legacy)
    return None if item is None else _Written(place, action.get("TableName"), item, size)


def _check_item(item: Read | None, place: Place, table: TableKeys | None) -> int:
    """Check an item as a whole; return its size as far as it can be told."""
    if item is None:
        return 0
    size = _size(item)
    if size > MAX_ITEM_BYTES:
        place.problem(ACTION, "item-size", _TOO_LARGE)
    if table is not None:
        check_item_key(item, place, table)
    return size


def _size(item: Read) -> int:
    return item_size({name: value for name, value in item.items() if value is not None})


def _keyed(
    action: dict[str, Any],
    place: Place,
    schemas: Schemas,
    expressions: tuple[str, ...] = _CONDITION,
    legacy: tuple[str, ...] = (),
) -> _Written | None:
    key = _read_key(action, place, schemas)
    check_expressions(action, place, expressions, legacy)
    return None if key is None else _Written(place, action.get("TableName"), key, _size(key))


def _read_key(action: dict[str, Any], place: Place, schemas: Schemas) -> Read | None:
    key = read_item(action.get("Key"), place.at("Key"))
    if key is not None:
        check_key(key, place.at("Key"), schemas.declared(action.get("TableName")))
    return key


def _update(action: dict[str, Any], place: Place, schemas: Schemas, legacy: tuple[str, ...] = ()) -> _Written | None:
    key = _read_key(action, place, schemas)
    read = check_expressions(action, place, _UPDATE, legacy)
    expression = place.at("UpdateExpression")
    names = schemas.names(action.get("TableName")) or tuple(key or ())
    for name in dict.fromkeys(update.path.segments[0] for update in read.update):
        if name in names:
            words = f"Cannot update attribute {name}. This attribute is part of the key"
            expression.problem(TABLE, "update-key", f"One or more parameter values were invalid: {words}")
    if key is None:
        return None
    size = _size(key) + _literal_size(read.update)
    if _size(key) + _literal_size(update for update in read.update if update.keyword != "DELETE") > MAX_ITEM_BYTES:
        expression.problem(TABLE, "item-size", "Item size to update has exceeded the maximum allowed size")
    return _Written(place, action.get("TableName"), key, size)


def _literal_size(updates: Iterable[UpdateAction]) -> int:
    return sum(size_of(update.value.value) for update in updates if isinstance(update.value, Literal))


def _get(action: dict[str, Any], place: Place, schemas: Schemas, legacy: tuple[str, ...] = ()) -> _Written | None:
    return _keyed(action, place, schemas, _PROJECTION, legacy)


# --- Transactions

_TRANSACT_WRITE: dict[str, Callable[[dict[str, Any], Place, Schemas], _Written | None]] = {
    "ConditionCheck": _keyed,
    "Put": _put,
    "Delete": _keyed,
    "Update": _update,
}


def _transact_write(request: dict[str, Any], place: Place, schemas: Schemas) -> None:
    written = _transact(
        request,
        place,
        schemas,
        _TRANSACT_WRITE,
        "TransactItems can only contain one of Check, Put, Update or Delete",
    )
    size = sum(action.size for action in written)
    if size > MAX_TRANSACTION_BYTES:
        place.at("TransactItems").problem(
            TOTAL, "transaction-size", f"The transaction's items of {size} bytes exceed {MAX_TRANSACTION_BYTES} bytes"
        )


def _transact_get(request: dict[str, Any], place: Place, schemas: Schemas) -> None:
    _transact(request, place, schemas, {"Get": _get}, "")


def _transact(
    request: dict[str, Any],
    place: Place,
    schemas: Schemas,
    kinds: dict[str, Callable[[dict[str, Any], Place, Schemas], _Written | None]],
    one_only: str,
) -> list[_Written]:
    entries = [
        (entry, place.at("TransactItems", index))
        for index, entry in enumerate(_list(request.get("TransactItems")))
        if is_mapping(entry)
    ]
    for entry, _ in entries:
        for action in entry.values():
            if is_mapping(action):
                schemas.learn(action.get("TableName"), action.get("Key"))
    written = []
    for entry, at in entries:
        if one_only and len([kind for kind in entry if kind in kinds and entry[kind] is not None]) != 1:
            at.problem(ACTION, "transaction-action", one_only)
        for kind, check in kinds.items():
            if is_mapping(entry.get(kind)):
                done = check(entry[kind], at.at(kind), schemas)
                written += [] if done is None else [done]
    for action in _repeated(written, schemas):
        action.place.problem(
            TARGET, "transaction-same-item", "Transaction request cannot include multiple operations on one item"
        )
    return written


def _repeated(written: list[_Written], schemas: Schemas) -> Iterator[_Written]:
    """The actions on an item that an earlier action is on already."""
    seen: set[Any] = set()
    for action in written:
        target = schemas.target(action.table, action.item)
        if target is not None and target in seen:
            yield action
        seen.add(target)


# --- Batches


def _batch_write(request: dict[str, Any], place: Place, schemas: Schemas) -> None:
    written: list[_Written] = []
    count = longest = 0
    for table, requests in _mapping(request.get("RequestItems")).items():
        at = place.at("RequestItems", table)
        count += len(_list(requests))
        longest = max(longest, len(_list(requests)))
        for entry in _list(requests):
            schemas.learn(table, _mapping(_mapping(entry).get("DeleteRequest")).get("Key"))
        for index, entry in enumerate(_list(requests)):
            if is_mapping(entry):
                written += _write_request(entry, at.at(index), table, schemas)
    if count > MAX_BATCH_WRITE >= longest:
        place.at("RequestItems").problem(
            CONSTRAINT, "batch-count", "Too many items requested for the BatchWriteItem call"
        )
    for action in _repeated(written, schemas):
        action.place.problem(TARGET, "batch-same-item", "Provided list of item keys contains duplicates")


def _write_request(entry: dict[str, Any], place: Place, table: str, schemas: Schemas) -> Iterator[_Written]:
    if len([kind for kind in ("PutRequest", "DeleteRequest") if entry.get(kind) is not None]) != 1:
        place.problem(
            ACTION,
            "batch-action",
            "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported "
            "datatypes",
        )
    for kind, member in (("PutRequest", "Item"), ("DeleteRequest", "Key")):
        at = place.at(kind, member)
        item = read_item(_mapping(entry.get(kind)).get(member), at)
        if item is None:
            continue
        if member == "Item":
            _check_item(item, at, schemas.declared(table))
        else:
            check_key(item, at, schemas.declared(table))
        yield _Written(place, table, item, 0)


def _batch_get(request: dict[str, Any], place: Place, schemas: Schemas) -> None:
    written: list[_Written] = []
    count = longest = 0
    for table, asked in _mapping(request.get("RequestItems")).items():
        if not is_mapping(asked):
            continue
        at = place.at("RequestItems", table)
        count += len(_list(asked.get("Keys")))
        longest = max(longest, len(_list(asked.get("Keys"))))
        for index, key in enumerate(_list(asked.get("Keys"))):
            schemas.learn(table, key)
            read = read_item(key, at.at("Keys", index))
            if read is not None:
                check_key(read, at.at("Keys", index), schemas.declared(table))
                written.append(_Written(at.at("Keys", index), table, read, 0))
        check_expressions(asked, at, _PROJECTION, ("AttributesToGet",))
    if count > MAX_BATCH_GET >= longest:
        place.at("RequestItems").problem(
            CONSTRAINT, "batch-count", "Too many items requested for the BatchGetItem call"
        )
    for action in _repeated(written, schemas):
        action.place.problem(TARGET, "batch-same-item", "Provided list of item keys contains duplicates")


# --- Queries and scans


def _query(request: dict[str, Any], place: Place, schemas: Schemas) -> None:
    read = check_expressions(
        request,
        place,
        ("KeyConditionExpression", "FilterExpression", "ProjectionExpression"),
        ("AttributesToGet", "QueryFilter", "ConditionalOperator", "KeyConditions"),
    )
    if request.get("KeyConditionExpression") is None and request.get("KeyConditions") is None:
        place.problem(
            ACTION,
            "key-condition",
            "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.",
        )
    table = schemas.declared(request.get("TableName"))
    _check_reading(request, place, table)
    if read.key_condition is not None:
        _check_query_keys(read, request, place, table)


def _scan(request: dict[str, Any], place: Place, schemas: Schemas) -> None:
    check_expressions(
        request,
        place,
        ("FilterExpression", "ProjectionExpression"),
        ("AttributesToGet", "ScanFilter", "ConditionalOperator"),
    )
    _check_reading(request, place, schemas.declared(request.get("TableName")))
    segment, total = request.get("Segment"), request.get("TotalSegments")
    for missing, present in (("TotalSegments", "Segment"), ("Segment", "TotalSegments")):
        if request.get(missing) is None and request.get(present) is not None:
            place.at(present).problem(
                ACTION,
                "scan-segment",
                f"The {missing} parameter is required but was not present in the request when {present} parameter is "
                "present",
            )
    if isinstance(segment, int) and isinstance(total, int) and segment >= total:
        place.at("Segment").problem(
            ACTION,
            "scan-segment",
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: "
            f"Segment: {segment} is not less than TotalSegments: {total}",
        )


def _check_reading(request: dict[str, Any], place: Place, table: TableKeys | None) -> None:
    """Check what queries and scans have in common."""
    read_item(
        request.get("ExclusiveStartKey"),
        place.at("ExclusiveStartKey"),
        lambda words: f"The provided starting key is invalid: {words}",
    )
    index = _index(request, place, table)
    if request.get("ConsistentRead") is True and index is not None and not index.local:
        place.at("ConsistentRead").problem(
            TABLE, "index-consistent", "Consistent reads are not supported on global secondary indexes"
        )
    _check_select(request, place)


def _index(request: dict[str, Any], place: Place, table: TableKeys | None) -> Index | None:
    """The declared index that is read; one that a table with declared indexes lacks is reported."""
    name = request.get("IndexName")
    if not isinstance(name, str) or table is None or not table.indexes:
        return None
    if name not in table.indexes:
        place.at("IndexName").problem(TABLE, "index-unknown", f"The table does not have the specified index: {name}")
    return table.indexes.get(name)


def _check_select(request: dict[str, Any], place: Place) -> None:
    select = request.get("Select")
    projections = [name for name in ("ProjectionExpression", "AttributesToGet") if request.get(name) is not None]
    if select in ("ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "COUNT") and projections:
        what = "only the Count" if select == "COUNT" else select
        place.at("Select").problem(
            ACTION, "select-projection", f"Cannot specify the {projections[0]} when choosing to get {what}"
        )
    if select == "SPECIFIC_ATTRIBUTES" and not projections:
        place.at("Select").problem(
            ACTION,
            "select-projection",
            "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES",
        )
    if select == "ALL_PROJECTED_ATTRIBUTES" and request.get("IndexName") is None:
        place.at("Select").problem(
            ACTION, "select-value", "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName"
        )


def _check_query_keys(read: Expressions, request: dict[str, Any], place: Place, table: TableKeys | None) -> None:
    """Check a key condition, and the filter beside it, against the keys of the table or index.

    Of a table that was not declared only this much is known: a partition key is compared with ``=``, a table has two
    key attributes at most, and what is in the key condition is no business of the filter.
    """
    assert read.key_condition is not None  # noqa: S101  # it was read without fault
    at = place.at("KeyConditionExpression")
    operators = dict(map(_key_part, conjuncts(read.key_condition)))
    partition, sort = _query_schema(request, table)
    if partition:
        words = _misfit(operators, partition, sort)
        if words:
            at.problem(TABLE, "key-condition", words)
    elif "=" not in operators.values() or (len(operators) > 2 and request.get("IndexName") is None):
        at.problem(TABLE, "key-condition", "Query key condition not supported")
    keys = {*partition, *sort} or set(operators)
    for name in dict.fromkeys(path[0] for path in read.filter_paths):
        if name in keys:
            place.at("FilterExpression").problem(
                TABLE,
                "filter-key",
                f"Filter Expression can only contain non-primary key attributes: Primary key attribute: {name}",
            )


def _query_schema(request: dict[str, Any], table: TableKeys | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The partition and the sort key attributes that a query is about; none when they are not known."""
    if table is None:
        return (), ()
    if request.get("IndexName") is None:
        first, *others = table.key_types
        return (first,), tuple(others)
    index = table.indexes.get(request["IndexName"]) if isinstance(request["IndexName"], str) else None
    return (index.partition_keys, index.sort_keys) if index else ((), ())


def _misfit(operators: dict[Any, str], partition: tuple[str, ...], sort: tuple[str, ...]) -> str:
    for name in partition:
        if name not in operators:
            return f"Query condition missed key schema element: {name}"
        if operators[name] != "=":
            return "Query key condition not supported"
    others = [name for name in operators if name not in partition]
    used = sort[: len(others)]
    missed = next((name for name in used if name not in others), None)
    if missed is not None:
        return f"Query condition missed key schema element: {missed}"
    if len(others) > len(sort):
        return "Query key condition not supported"
    return "" if all(operators[name] == "=" for name in used[:-1]) else "Query key condition not supported"


def _key_part(part: Condition) -> tuple[Any, str]:
    """The attribute that one part of a sound key condition is about, and its operator."""
    path = next(child for child in part.children() if isinstance(child, Path))
    return path.segments[0], part.operator if isinstance(part, Comparison) else ""


# --- Small change


def _list(value: Any) -> list[Any] | tuple[Any, ...]:
    return value if isinstance(value, (list, tuple)) else ()


def _mapping(value: Any) -> dict[str, Any]:
    return value if is_mapping(value) else {}


CHECKS: dict[str, Callable[[dict[str, Any], Place, Schemas], None]] = {
    "BatchGetItem": _batch_get,
    "BatchWriteItem": _batch_write,
    "DeleteItem": _delete_item,
    "GetItem": _get_item,
    "PutItem": _put_item,
    "Query": _query,
    "Scan": _scan,
    "TransactGetItems": _transact_get,
    "TransactWriteItems": _transact_write,
    "UpdateItem": _update_item,
}
"""What checks each operation's request, beyond its shape."""
