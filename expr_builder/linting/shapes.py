"""The members of each request: their names, JSON types and bounds.

Source: the API reference of each operation, from
https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Operations_Amazon_DynamoDB.html
"""

from __future__ import annotations

from expr_builder.limits import (
    MAX_BATCH_GET,
    MAX_BATCH_WRITE,
    MAX_INDEX_NAME_LENGTH,
    MAX_LIMIT,
    MAX_SCAN_SEGMENTS,
    MAX_TABLE_ARN_LENGTH,
    MAX_TABLE_NAME_LENGTH,
    MAX_TOKEN_LENGTH,
    MAX_TRANSACTION_ACTIONS,
    MIN_INDEX_NAME_LENGTH,
)
from expr_builder.requests.table_name import is_table_name

from .problems import CLIENT, CONSTRAINT, SHAPE, is_mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .problems import Place


class Shape:
    """What a member may be.

    Args:
        kind: ``"string"``, ``"boolean"``, ``"integer"``, ``"list"``, ``"map"``, ``"structure"``, ``"table"`` (a
            table's name or ARN) or ``"any"`` (checked elsewhere).
        inner: What a list or map holds.
        names: What the names in a map must be; any text when left out.
        members: The members of a structure, in the order in which AWS clients list them.
        low: The smallest length or value.
        high: The largest length or value.
        choices: The values of an enumeration, in the order in which the service lists them.
        required: The members that a structure must have.
        rule: The rule that a bad value breaks.
        missing: The rule that its absence breaks when it is required.
    """

    __slots__ = ("choices", "high", "inner", "kind", "low", "members", "missing", "names", "required", "rule")

    def __init__(
        self,
        kind: str,
        inner: Shape | None = None,
        *,
        names: Shape | None = None,
        members: Mapping[str, Shape] | None = None,
        low: int | None = None,
        high: int | None = None,
        choices: tuple[str, ...] = (),
        required: tuple[str, ...] = (),
        rule: str = "member-value",
        missing: str = "member-missing",
    ) -> None:
        self.kind = kind
        self.inner = inner
        self.names = names
        self.members = members or {}
        self.low = low
        self.high = high
        self.choices = choices
        self.required = required
        self.rule = rule
        self.missing = missing


def check_shape(shape: Shape, value: object, place: Place) -> None:
    """Report every member of ``value`` that is unknown, missing, of the wrong type, or out of bounds."""
    if not _is_of_kind(shape.kind, value):
        place.report(SHAPE, "member-type", describe_type_fault(value, _KINDS[shape.kind][1]))
        return
    _check_bounds(shape, value, place)
    if isinstance(value, dict) and shape.members:
        _check_members(shape, value, place)
    elif isinstance(value, dict) and shape.inner:
        for name, element in value.items():
            if shape.names:
                _check_bounds(shape.names, name, place.at(name))
            check_shape(shape.inner, element, place.at(name))
    elif isinstance(value, (list, tuple)) and shape.inner:
        for index, element in enumerate(value):
            check_shape(shape.inner, element, place.at(index))


def describe_type_fault(value: object, wanted: str) -> str:
    """The service's words for a JSON value of another type than ``wanted``."""
    if isinstance(value, (list, tuple)):
        return "Start of list found where not expected"
    if isinstance(value, dict):
        return "Start of structure or map found where not expected."
    if value is None or isinstance(value, bool):
        kind = "NULL" if value is None else str(value).upper()
    else:
        kind = "NUMBER" if isinstance(value, (int, float)) else "STRING"
    return f"{kind}_VALUE cannot be converted to {wanted}"


# The Python types of each kind, and its name in the service's messages, which are those of Java.
_KINDS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "string": (str, "String"),
    "table": (str, "String"),
    "boolean": (bool, "Boolean"),
    "integer": (int, "Integer"),
    "list": ((list, tuple), "List"),
    "map": (dict, "Map"),
    "structure": (dict, "Map"),
    "any": (object, ""),
}


def _is_of_kind(kind: str, value: object) -> bool:
    if kind in ("map", "structure"):
        return is_mapping(value)
    # To Python a bool is an int, to JSON it is not.
    return isinstance(value, _KINDS[kind][0]) and not (kind == "integer" and isinstance(value, bool))


def _check_members(shape: Shape, value: dict[str, object], place: Place) -> None:
    for name, element in value.items():
        if name not in shape.members:
            place.at(name).report(
                CLIENT,
                "return-values" if name == "ReturnValues" else "member-unknown",
                f'Unknown parameter in {place.parameter}: "{name}", must be one of: {", ".join(shape.members)}',
            )
        elif element is not None:  # to the service, null is the same as absent
            check_shape(shape.members[name], element, place.at(name))
    for name in shape.required:
        if value.get(name) is None:
            _refuse(place.at(name), shape.members[name].missing, None, "Member must not be null")


def _check_bounds(shape: Shape, value: object, place: Place) -> None:
    if shape.kind == "table":
        _check_table_name(str(value), place)
        return
    if shape.choices and value not in shape.choices:
        _refuse(place, shape.rule, value, f"Member must satisfy enum value set: [{', '.join(shape.choices)}]")
    if isinstance(value, int):  # a boolean, too, but its shape has no bounds
        what, measure = "value", value
    else:
        what, measure = "length", len(value) if isinstance(value, (str, list, tuple, dict)) else 0
    if shape.low is not None and measure < shape.low:
        _refuse(place, shape.rule, value, f"Member must have {what} greater than or equal to {shape.low}")
    if shape.high is not None and measure > shape.high:
        _refuse(place, shape.rule, value, f"Member must have {what} less than or equal to {shape.high}")


def _check_table_name(name: str, place: Place) -> None:
    is_arn = name.startswith("arn:")
    limit = MAX_TABLE_ARN_LENGTH if is_arn else MAX_TABLE_NAME_LENGTH
    if not name:
        _refuse(place, "table-name", name, "Member must have length greater than or equal to 1")
    elif len(name) > limit:
        _refuse(place, "table-name", name, f"Member must have length less than or equal to {limit}")
    elif not is_table_name(name):
        _refuse(place, "table-name", name, "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+")


def _refuse(place: Place, rule: str, value: object, constraint: str) -> None:
    # Cut, so that a message about a hundred actions does not show them all.
    if isinstance(value, (list, tuple)):
        shown = "'[…]'" if value else "'[]'"
    elif isinstance(value, dict):
        shown = "'{…}'" if value else "'{}'"
    else:
        shown = "null" if value is None else f"'{value}'"
    place.report(
        CONSTRAINT,
        rule,
        f"1 validation error detected: Value {shown} at '{place.member}' failed to satisfy constraint: {constraint}",
    )


# --- The members


def _make_enumeration(*choices: str, rule: str = "member-value") -> Shape:
    return Shape("string", choices=choices, rule=rule)


def _make_structure(required: tuple[str, ...], *parts: Mapping[str, Shape]) -> Shape:
    members: dict[str, Shape] = {}
    for part in parts:
        members.update(part)
    return Shape("structure", members=members, required=required)


def _make_transaction(action: Shape) -> Shape:
    return Shape("list", action, low=1, high=MAX_TRANSACTION_ACTIONS, rule="transaction-count")


def _make_batch(asked: Shape, high: int) -> Shape:
    return Shape("map", asked, names=_TABLE, low=1, high=high, rule="batch-count")


_TEXT = Shape("string")
_ANY = Shape("any")  # values and the two maps of placeholders: checked with the expressions
_FLAG = Shape("boolean")
_TABLE = Shape("table")
_MAP = Shape("map", _ANY)
_ATTRIBUTES = Shape("list", _TEXT, low=1)
_CAPACITY = {"ReturnConsumedCapacity": _make_enumeration("INDEXES", "TOTAL", "NONE")}
_COLLECTIONS = {"ReturnItemCollectionMetrics": _make_enumeration("SIZE", "NONE")}
_OPERATOR = _make_enumeration("OR", "AND")

_ON_TABLE = {"TableName": _TABLE}
_ON_KEY = {"Key": _MAP, "TableName": _TABLE}
_ON_ITEM = {"Item": _MAP, "TableName": _TABLE}
_CONDITION = {
    "ConditionExpression": _TEXT,
    "ExpressionAttributeNames": _ANY,
    "ExpressionAttributeValues": _ANY,
    "ReturnValuesOnConditionCheckFailure": _make_enumeration("ALL_OLD", "NONE", rule="return-values"),
}
_PROJECTION = {"ProjectionExpression": _TEXT, "ExpressionAttributeNames": _ANY}
# What single writes have beside an action of a transaction: old parameters, and what is returned.
_WRITE = {
    "Expected": _MAP,
    "ConditionalOperator": _OPERATOR,
    "ReturnValues": _make_enumeration("ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW", rule="return-values"),
    **_CAPACITY,
    **_COLLECTIONS,
    **_CONDITION,
}
_READ = {"AttributesToGet": _ATTRIBUTES, "ConsistentRead": _FLAG}
_SEARCH = {
    "TableName": _TABLE,
    "IndexName": Shape("string", low=MIN_INDEX_NAME_LENGTH, high=MAX_INDEX_NAME_LENGTH),
    "Select": _make_enumeration(
        "SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", rule="select-value"
    ),
    "AttributesToGet": _ATTRIBUTES,
    "Limit": Shape("integer", low=1, high=MAX_LIMIT, rule="limit-value"),
    "ConsistentRead": _FLAG,
    "ConditionalOperator": _OPERATOR,
    "ExclusiveStartKey": _MAP,
    **_CAPACITY,
    "FilterExpression": _TEXT,
    "ExpressionAttributeValues": _ANY,
    **_PROJECTION,
}
_SEGMENTS = {
    "TotalSegments": Shape("integer", low=1, high=MAX_SCAN_SEGMENTS, rule="scan-segment"),
    "Segment": Shape("integer", low=0, high=MAX_SCAN_SEGMENTS - 1, rule="scan-segment"),
}

_TRANSACT_WRITE = {
    "ConditionCheck": _make_structure(
        ("Key", "TableName", "ConditionExpression"),
        _ON_KEY,
        _CONDITION,
        {"ConditionExpression": Shape("string", missing="check-condition")},
    ),
    "Put": _make_structure(("Item", "TableName"), _ON_ITEM, _CONDITION),
    "Delete": _make_structure(("Key", "TableName"), _ON_KEY, _CONDITION),
    "Update": _make_structure(
        ("Key", "TableName", "UpdateExpression"),
        _ON_KEY,
        {"UpdateExpression": Shape("string", missing="update-empty")},
        _CONDITION,
    ),
}
_TRANSACT_GET = {"Get": _make_structure(("Key", "TableName"), _ON_KEY, _PROJECTION)}
_BATCH_WRITE = {
    "PutRequest": _make_structure(("Item",), {"Item": _MAP}),
    "DeleteRequest": _make_structure(("Key",), {"Key": _MAP}),
}
_BATCH_GET = {"Keys": Shape("list", _MAP, low=1, high=MAX_BATCH_GET, rule="batch-count"), **_READ, **_PROJECTION}
_WRITE_REQUESTS = Shape("list", _make_structure((), _BATCH_WRITE), low=1, high=MAX_BATCH_WRITE, rule="batch-count")

REQUESTS: dict[str, Shape] = {
    "PutItem": _make_structure(("TableName", "Item"), _ON_TABLE, {"Item": _MAP}, _WRITE),
    "UpdateItem": _make_structure(
        ("TableName", "Key"),
        _ON_TABLE,
        {"Key": _MAP, "AttributeUpdates": _MAP, "UpdateExpression": _TEXT},
        _WRITE,
    ),
    "DeleteItem": _make_structure(("TableName", "Key"), _ON_TABLE, {"Key": _MAP}, _WRITE),
    "GetItem": _make_structure(("TableName", "Key"), _ON_TABLE, {"Key": _MAP}, _READ, _CAPACITY, _PROJECTION),
    "Query": _make_structure(
        ("TableName",),
        _SEARCH,
        {"KeyConditions": _MAP, "QueryFilter": _MAP, "ScanIndexForward": _FLAG, "KeyConditionExpression": _TEXT},
    ),
    "Scan": _make_structure(("TableName",), _SEARCH, {"ScanFilter": _MAP}, _SEGMENTS),
    "BatchGetItem": _make_structure(
        ("RequestItems",),
        {"RequestItems": _make_batch(_make_structure(("Keys",), _BATCH_GET), MAX_BATCH_GET)},
        _CAPACITY,
    ),
    "BatchWriteItem": _make_structure(
        ("RequestItems",), {"RequestItems": _make_batch(_WRITE_REQUESTS, MAX_BATCH_WRITE)}, _CAPACITY, _COLLECTIONS
    ),
    "TransactWriteItems": _make_structure(
        ("TransactItems",),
        {"TransactItems": _make_transaction(_make_structure((), _TRANSACT_WRITE))},
        _CAPACITY,
        _COLLECTIONS,
        {"ClientRequestToken": Shape("string", low=1, high=MAX_TOKEN_LENGTH, rule="token-length")},
    ),
    "TransactGetItems": _make_structure(
        ("TransactItems",), {"TransactItems": _make_transaction(_make_structure(("Get",), _TRANSACT_GET))}, _CAPACITY
    ),
}
"""The shape of each operation's request."""
