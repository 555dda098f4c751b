"""The ten operations: which checks their requests go through, in which order."""

from __future__ import annotations

from expr_builder.attribute_values.values import item_size, measure_value
from expr_builder.expressions.nodes import Literal
from expr_builder.limits import MAX_BATCH_GET, MAX_BATCH_WRITE, MAX_ITEM_BYTES, MAX_TRANSACTION_BYTES

from .expressions import check_expressions, check_parameters, write_mixture_words
from .key_checks import (
    Schemas,
    check_homes,
    check_item_key,
    check_key,
    check_key_paths,
    check_search,
    check_update_keys,
)
from .legacy_parameters import (
    check_attribute_updates,
    check_attributes_to_get,
    check_conditional_operator,
    check_conditions,
    check_expected,
    read_key_conditions,
)
from .problems import CONSTRAINT, ENVELOPE, PARAMETERS, TABLE, TARGET, TOTAL, VALUES, is_mapping
from .typed_values import read_item, say_of_start_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeAlias

    from expr_builder.expressions.updates import UpdateAction
    from expr_builder.requests.table import Table

    from .key_checks import Read
    from .problems import Place

    Body: TypeAlias = dict[str, object]
    """A request, or an action inside one."""
    Check: TypeAlias = Callable[[Body, Place, Schemas], None]
    CheckTable: TypeAlias = Callable[[str, object, Place, Schemas], tuple[int, list["_Written"]]]
    """Checks what a batch asks of one table; returns how many requests that are, and what can be told of them."""

# For each kind of action: the member that says which item it is on, and the expressions that it may have.
_ACTIONS = {
    "ConditionCheck": ("Key", ("ConditionExpression",)),
    "Delete": ("Key", ("ConditionExpression",)),
    "Get": ("Key", ("ProjectionExpression",)),
    "Put": ("Item", ("ConditionExpression",)),
    "Update": ("Key", ("UpdateExpression", "ConditionExpression")),
}


class _Written:
    """The item and size of one action, for the checks of all actions together."""

    __slots__ = ("item", "place", "size", "table")

    def __init__(self, place: Place, table: object, item: Read, size: int = 0) -> None:
        self.place = place
        self.table = table
        self.item = item
        self.size = size


# --- Single actions, alone or in a transaction


def _check_action(
    kind: str, action: Body, place: Place, schemas: Schemas, legacy: tuple[str, ...] = ()
) -> _Written | None:
    member, expressions = _ACTIONS[kind]
    table = action.get("TableName")
    declared = schemas.find(table)
    check_parameters(action, place, expressions, legacy)
    if "ConditionalOperator" in legacy and not any(action.get(name) is not None for name in expressions):
        check_conditional_operator(action, place, "Expected")
    item = read_item(action.get(member), place.at(member))
    size = 0 if item is None else _check_item(member, item, place.at(member), declared)
    keys = schemas.list_names(table) or tuple(item or ())  # an undeclared table's are those of the request's key
    if legacy:
        _check_single_action(kind, action, place, legacy, keys)
    read = check_expressions(action, place, expressions)
    if kind == "Update":
        check_update_keys(read.update, keys, place, declared)
        size = _check_update(read.update, size if item is not None else None, place.at("UpdateExpression"))
    check_key_paths(read.projection_paths, place.at("ProjectionExpression"), declared)
    return None if item is None else _Written(place, table, item, size)


def _check_single_action(kind: str, action: Body, place: Place, legacy: tuple[str, ...], keys: tuple[str, ...]) -> None:
    """Check what an action of a transaction does not have."""
    wanted = action.get("ReturnValues")
    if kind in ("Put", "Delete") and wanted in ("ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"):
        place.at("ReturnValues").report(PARAMETERS, "return-values", "ReturnValues can only be ALL_OLD or NONE")
    if "AttributesToGet" in legacy:
        check_attributes_to_get(action, place)
    if "AttributeUpdates" in legacy:
        check_attribute_updates(action, place, keys)
    if "Expected" in legacy:
        check_expected(action, place)


def _check_item(member: str, item: Read, place: Place, table: Table | None, *, in_batch: bool = False) -> int:
    """Check an item, or its key, as a whole; return the size of its sound values."""
    size = item_size({name: value for name, value in item.items() if value is not None})
    if member == "Key":
        check_key(item, place, table)
        return size
    if size > MAX_ITEM_BYTES:
        place.report(VALUES, "item-size", "Item size has exceeded the maximum allowed size")
    if table is not None:
        check_item_key(item, place, table, in_batch=in_batch)
    return size


def _check_update(updates: list[UpdateAction], key_size: int | None, place: Place) -> int:
    if key_size is None:
        return 0
    # What DELETE removes from a set is sent, and counts for the transaction, but makes no item larger.
    if key_size + _add_up(update for update in updates if update.keyword != "DELETE") > MAX_ITEM_BYTES:
        place.report(TABLE, "item-size", "Item size to update has exceeded the maximum allowed size")
    return key_size + _add_up(updates)


def _add_up(updates: Iterable[UpdateAction]) -> int:
    return sum(measure_value(update.value.value) for update in updates if isinstance(update.value, Literal))


def _make_single_check(kind: str, *legacy: str) -> Check:
    def check(request: Body, place: Place, schemas: Schemas) -> None:
        _check_action(kind, request, place, schemas, legacy)

    return check


# --- Transactions


def _check_transact_write(request: Body, place: Place, schemas: Schemas) -> None:
    kinds = ("ConditionCheck", "Put", "Delete", "Update")
    size = _check_transaction(request, place.at("TransactItems"), schemas, kinds)
    if size > MAX_TRANSACTION_BYTES:
        words = f"The transaction's items of {size} bytes exceed {MAX_TRANSACTION_BYTES} bytes"
        place.at("TransactItems").report(TOTAL, "transaction-size", words)


def _check_transact_get(request: Body, place: Place, schemas: Schemas) -> None:
    _check_transaction(request, place.at("TransactItems"), schemas, ("Get",))


def _check_transaction(request: Body, place: Place, schemas: Schemas, kinds: tuple[str, ...]) -> int:
    """Check the actions of a transaction; return their size together."""
    entries = [(entry, place.at(index)) for index, entry in _number_entries(request.get("TransactItems"))]
    # Before all checks: the key of a later action can show the key attributes of an earlier Put.
    for entry, _ in entries:
        for action in entry.values():
            if is_mapping(action):
                schemas.learn(action.get("TableName"), action.get("Key"))
    check_homes(
        [
            (action.get("TableName"), at.at(kind, "TableName"))
            for entry, at in entries
            for kind, action in entry.items()
            if is_mapping(action)
        ]
    )
    written: list[_Written | None] = []
    for entry, at in entries:
        given = [kind for kind in kinds if entry.get(kind) is not None]
        if len(given) != 1 and len(kinds) > 1:  # Get is a required member: the shape reports it
            words = "TransactItems can only contain one of Check, Put, Update or Delete"
            at.report(PARAMETERS, "transaction-action", words)
        for kind in given:
            action = entry[kind]
            if is_mapping(action):
                written.append(_check_action(kind, action, at.at(kind), schemas))
    sound = [action for action in written if action is not None]
    words = "Transaction request cannot include multiple operations on one item"
    _refuse_repeated(sound, schemas, "transaction-same-item", words)
    return sum(action.size for action in sound)


def _refuse_repeated(written: Iterable[_Written], schemas: Schemas, rule: str, words: str) -> None:
    """Report each action on the item of an earlier one."""
    seen: set[tuple[object, ...]] = set()
    for action in written:
        target = schemas.identify(action.table, action.item)
        if target is None:  # nothing can be said without a sound key
            continue
        if target in seen:
            action.place.report(TARGET, rule, words)
        seen.add(target)


# --- Batches


def _make_batch_check(operation: str, limit: int, check_table: CheckTable) -> Check:
    def check(request: Body, place: Place, schemas: Schemas) -> None:
        at = place.at("RequestItems")
        tables = request.get("RequestItems")
        if is_mapping(tables) and not tables:
            at.report(CONSTRAINT, "batch-count", f"The requestItems parameter is required for {operation}")
        _check_projections(_as_mapping(tables), at)
        written: list[_Written] = []
        counts = [0]  # so that max() has something for an empty request
        for table, asked in _as_mapping(tables).items():
            count, done = check_table(table, asked, at.at_entry(table), schemas)
            counts.append(count)
            written += done
        # More than the limit in one table is reported for that table's list, as the service does.
        if sum(counts) > limit >= max(counts):
            at.report(CONSTRAINT, "batch-count", f"Too many items requested for the {operation} call")
        words = "Provided list of item keys contains duplicates"
        _refuse_repeated(written, schemas, "batch-same-item", words)

    return check


def _check_projections(tables: Body, place: Place) -> None:
    """Report expressions for one table beside legacy parameters for another."""
    members = ("ProjectionExpression", "AttributesToGet")
    users: dict[str, list[str]] = {
        member: [table for table, asked in tables.items() if _as_mapping(asked).get(member) is not None]
        for member in members
    }
    expressions, legacy = (users[member] for member in members)
    if expressions and legacy and not set(expressions) & set(legacy):  # of one table that has both: check_parameters
        words = write_mixture_words(["AttributesToGet"], ["ProjectionExpression"])
        place.at_entry(legacy[0]).at("AttributesToGet").report(PARAMETERS, "legacy-mixed", words)


def _check_writes(table: str, requests: object, place: Place, schemas: Schemas) -> tuple[int, list[_Written]]:
    entries = _number_entries(requests)
    if isinstance(requests, (list, tuple)) and not 0 < len(requests) <= MAX_BATCH_WRITE:
        shown = "[…]" if requests else "[]"
        limits = f"less than or equal to {MAX_BATCH_WRITE}, Member must have length greater than or equal to 1"
        place.report(
            CONSTRAINT,
            "batch-count",
            f"{ENVELOPE}Value '{{{table}={shown}}}' at 'requestItems' failed to satisfy constraint: "
            f"Map value must satisfy constraint: [Member must have length {limits}]",
        )
    # As in transactions: a later deletion can show the key attributes of an earlier put.
    for _, entry in entries:
        schemas.learn(table, _as_mapping(entry.get("DeleteRequest")).get("Key"))
    written = []
    for index, entry in entries:
        if len([kind for kind in ("PutRequest", "DeleteRequest") if entry.get(kind) is not None]) != 1:
            # Misleading, but the service's own words.
            words = "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported"
            place.at(index).report(PARAMETERS, "batch-action", f"{words} datatypes")
        for kind, member in (("PutRequest", "Item"), ("DeleteRequest", "Key")):
            at = place.at(index, kind, member)
            item = read_item(_as_mapping(entry.get(kind)).get(member), at)
            if item is not None:
                _check_item(member, item, at, schemas.find(table), in_batch=True)
                written.append(_Written(place.at(index), table, item))
    return len(_as_list(requests)), written


def _check_reads(table: str, asked: object, place: Place, schemas: Schemas) -> tuple[int, list[_Written]]:
    body = _as_mapping(asked)
    expressions = ("ProjectionExpression",)
    check_parameters(body, place, expressions, ("AttributesToGet",))
    check_attributes_to_get(body, place)
    reading = check_expressions(body, place, expressions)
    keys = _as_list(body.get("Keys"))
    declared = schemas.find(table)
    written = []
    for index, key in enumerate(keys):
        schemas.learn(table, key)
        at = place.at("Keys", index)
        read = read_item(key, at)
        if read is not None:
            check_key(read, at, declared)
            written.append(_Written(at, table, read))
    check_key_paths(reading.projection_paths, place.at("ProjectionExpression"), declared)
    return len(keys), written


# --- Queries and scans


def _check_query(request: Body, place: Place, schemas: Schemas) -> None:
    expressions = ("KeyConditionExpression", "FilterExpression", "ProjectionExpression")
    legacy = ("AttributesToGet", "QueryFilter", "ConditionalOperator", "KeyConditions")
    table = schemas.find(request.get("TableName"))
    start = _check_reading(request, place, expressions, legacy)
    if request.get("KeyConditionExpression") is None and request.get("KeyConditions") is None:
        words = "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
        place.report(PARAMETERS, "key-condition", words)
    read = check_expressions(request, place, expressions)
    members = ("KeyConditionExpression", "FilterExpression")
    if request.get("KeyConditionExpression") is None:
        read.key_condition = read_key_conditions(request, place)
        conditions = _as_mapping(request.get("QueryFilter"))
        if conditions:
            read.filter_paths = [(name,) for name in conditions]
        members = ("KeyConditions", "QueryFilter" if conditions else "FilterExpression")
    check_search("Query", request, read, start, place, table, members=members)


def _check_scan(request: Body, place: Place, schemas: Schemas) -> None:
    expressions = ("FilterExpression", "ProjectionExpression")
    legacy = ("AttributesToGet", "ScanFilter", "ConditionalOperator")
    start = _check_reading(request, place, expressions, legacy)
    for missing, present, said in (
        ("TotalSegments", "Segment", "Segment parameter"),
        ("Segment", "TotalSegments", "parameter TotalSegments"),  # the service's own order of words
    ):
        if request.get(missing) is None and request.get(present) is not None:
            words = f"The {missing} parameter is required but was not present in the request when {said} is present"
            place.at(present).report(PARAMETERS, "scan-segment", words)
    segment, total = request.get("Segment"), request.get("TotalSegments")
    if isinstance(segment, int) and isinstance(total, int) and segment >= total:
        place.at("Segment").report(
            PARAMETERS,
            "scan-segment",
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: "
            f"Segment: {int.__repr__(segment)} is not less than TotalSegments: {int.__repr__(total)}",
        )
    read = check_expressions(request, place, expressions)
    check_search("Scan", request, read, start, place, schemas.find(request.get("TableName")))


def _check_reading(request: Body, place: Place, expressions: tuple[str, ...], legacy: tuple[str, ...]) -> Read | None:
    """Check what queries and scans have in common, and the service checks before it reads their expressions.

    Returns:
        The start key, if there is a sound one.
    """
    check_parameters(request, place, expressions, legacy)
    conditions = "QueryFilter" if "QueryFilter" in legacy else "ScanFilter"
    if not any(request.get(name) is not None for name in expressions):
        check_conditional_operator(request, place, conditions)
    check_conditions(request, place, conditions)
    check_attributes_to_get(request, place)
    start = read_item(request.get("ExclusiveStartKey"), place.at("ExclusiveStartKey"), say_of_start_key)
    _check_select(request, place.at("Select"))
    return start


def _check_select(request: Body, place: Place) -> None:
    select = request.get("Select")
    projections = [name for name in ("ProjectionExpression", "AttributesToGet") if request.get(name) is not None]
    if select in ("ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "COUNT") and projections:
        what = "only the Count" if select == "COUNT" else select
        words = f"Cannot specify the {projections[0]} when choosing to get {what}"
        place.report(PARAMETERS, "select-projection", words)
    if select == "SPECIFIC_ATTRIBUTES" and not projections:
        words = "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"
        place.report(PARAMETERS, "select-projection", words)
    if select == "ALL_PROJECTED_ATTRIBUTES" and request.get("IndexName") is None:
        words = "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName"
        place.report(PARAMETERS, "select-value", words)


# --- JSON of any shape. The wrong one was reported by check_shape, and counts as empty here.


def _as_list(value: object) -> Sequence[object]:
    return value if isinstance(value, (list, tuple)) else ()


def _as_mapping(value: object) -> Body:
    return value if is_mapping(value) else {}


def _number_entries(value: object) -> list[tuple[int, Body]]:
    return [(index, entry) for index, entry in enumerate(_as_list(value)) if is_mapping(entry)]


CHECKS: dict[str, Check] = {
    "BatchGetItem": _make_batch_check("BatchGetItem", MAX_BATCH_GET, _check_reads),
    "BatchWriteItem": _make_batch_check("BatchWriteItem", MAX_BATCH_WRITE, _check_writes),
    "DeleteItem": _make_single_check("Delete", "Expected", "ConditionalOperator"),
    "GetItem": _make_single_check("Get", "AttributesToGet"),
    "PutItem": _make_single_check("Put", "Expected", "ConditionalOperator"),
    "Query": _check_query,
    "Scan": _check_scan,
    "TransactGetItems": _check_transact_get,
    "TransactWriteItems": _check_transact_write,
    "UpdateItem": _make_single_check("Update", "AttributeUpdates", "Expected", "ConditionalOperator"),
}
"""For each operation, the check of its requests beyond their shape."""
