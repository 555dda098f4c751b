"""The members of each request: which there are, of which JSON type, within which bounds.

Source: the API reference of each operation, from
https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Operations_Amazon_DynamoDB.html
"""

from __future__ import annotations

from expr_builder.limits import (
    MAX_BATCH_GET,
    MAX_BATCH_WRITE,
    MAX_TABLE_ARN_LENGTH,
    MAX_TABLE_NAME_LENGTH,
    MAX_TOKEN_LENGTH,
    MAX_TRANSACTION_ACTIONS,
)

from .problems import CLIENT, CONSTRAINT, SHAPE, is_mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .problems import Place

_MAX_SEGMENTS = 1_000_000
_NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")


class Shape:
    """What a member may be.

    Args:
        kind: ``"string"``, ``"boolean"``, ``"integer"``, ``"list"``, ``"map"``, ``"structure"``, ``"table"`` (a
            table's name or ARN) or ``"any"``: checked elsewhere.
        inner: What a list or map holds, or a structure's members.
        low: The least length or value.
        high: The greatest length or value.
        choices: The values of an enumeration, in the order in which the service lists them.
        required: The members that a structure must have.
        rule: The rule that a bad value breaks.
        missing: The rule that is broken when the member is required and missing.
    """

    __slots__ = ("choices", "high", "inner", "kind", "low", "missing", "required", "rule")

    def __init__(
        self,
        kind: str,
        inner: Any = None,
        *,
        low: int | None = None,
        high: int | None = None,
        choices: tuple[str, ...] = (),
        required: tuple[str, ...] = (),
        rule: str = "member-value",
        missing: str = "member-missing",
    ) -> None:
        self.kind = kind
        self.inner = inner
        self.low = low
        self.high = high
        self.choices = choices
        self.required = required
        self.rule = rule
        self.missing = missing


def check_shape(shape: Shape, value: Any, place: Place) -> None:
    """Report every member of ``value`` that is unknown, missing, of the wrong type, or out of bounds."""
    if not _is_of_kind(shape.kind, value):
        place.problem(SHAPE, "member-type", type_fault(value, _JAVA[shape.kind]))
        return
    _check_bounds(shape, value, place)
    if shape.kind == "structure":
        _check_members(shape, value, place)
    elif shape.kind == "list":
        for index, element in enumerate(value):
            check_shape(shape.inner, element, place.at(index))
    elif shape.kind == "map":
        names, values = shape.inner
        for name, element in value.items():
            _check_bounds(names, name, place.at(name))
            check_shape(values, element, place.at(name))


def type_fault(value: Any, wanted: str) -> str:
    """The service's words for a JSON value of another type than ``wanted``."""
    if isinstance(value, (list, tuple)):
        return "Start of list found where not expected"
    if isinstance(value, dict):
        return "Start of structure or map found where not expected."
    if isinstance(value, bool):
        return f"{str(value).upper()}_VALUE cannot be converted to {wanted}"
    if value is None:
        return f"NULL_VALUE cannot be converted to {wanted}"
    kind = "NUMBER" if isinstance(value, (int, float)) else "STRING"
    return f"{kind}_VALUE cannot be converted to {wanted}"


_JAVA = {
    "string": "String",
    "table": "String",
    "boolean": "Boolean",
    "integer": "Integer",
    "list": "List",
    "map": "Map",
    "structure": "Map",
}


def _is_of_kind(kind: str, value: Any) -> bool:
    if kind in ("string", "table"):
        return isinstance(value, str)
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == "boolean":
        return isinstance(value, bool)
    if kind == "list":
        return isinstance(value, (list, tuple))
    return kind == "any" or is_mapping(value)


def _check_members(shape: Shape, value: dict[str, Any], place: Place) -> None:
    members: dict[str, Shape] = shape.inner
    for name, element in value.items():
        if name not in members:
            place.at(name).problem(
                CLIENT,
                "return-values" if name == "ReturnValues" else "member-unknown",
                f'Unknown parameter in {place.parameter}: "{name}", must be one of: {", ".join(members)}',
            )
        elif element is not None:  # the service takes null for absent
            check_shape(members[name], element, place.at(name))
    for name in shape.required:
        if value.get(name) is None:
            _constraint(place.at(name), members[name].missing, None, "Member must not be null")


def _check_bounds(shape: Shape, value: Any, place: Place) -> None:
    if shape.kind == "table":
        _check_table_name(value, place)
        return
    if shape.choices and value not in shape.choices:
        _constraint(place, shape.rule, value, f"Member must satisfy enum value set: [{', '.join(shape.choices)}]")
    what = "value" if shape.kind == "integer" else "length"
    measure = value if shape.kind == "integer" else len(value) if shape.low is not None else 0
    if shape.low is not None and measure < shape.low:
        _constraint(place, shape.rule, value, f"Member must have {what} greater than or equal to {shape.low}")
    if shape.high is not None and measure > shape.high:
        _constraint(place, shape.rule, value, f"Member must have {what} less than or equal to {shape.high}")


def _check_table_name(name: str, place: Place) -> None:
    limit = MAX_TABLE_ARN_LENGTH if name.startswith("arn:") else MAX_TABLE_NAME_LENGTH
    if not name:
        _constraint(place, "table-name", name, "Member must have length greater than or equal to 1")
    elif len(name) > limit:
        _constraint(place, "table-name", name, f"Member must have length less than or equal to {limit}")
    elif ":table/" not in name if name.startswith("arn:") else not _NAME_CHARACTERS.issuperset(name):
        _constraint(place, "table-name", name, "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+")


def _constraint(place: Place, rule: str, value: Any, constraint: str) -> None:
    shown = "null" if value is None else f"'{_shown(value)}'"
    place.problem(
        CONSTRAINT,
        rule,
        f"1 validation error detected: Value {shown} at '{place.member}' failed to satisfy constraint: {constraint}",
    )


def _shown(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return "[…]" if value else "[]"
    if isinstance(value, dict):
        return "{…}" if value else "{}"
    return str(value)


# --- The members

_TEXT = Shape("string")
_ANY = Shape("any")
_FLAG = Shape("boolean")
_TABLE = Shape("table")
_LEGACY_MAP = Shape("map", (_TEXT, _ANY))
_NAMES = Shape("any")  # the two maps of placeholders are checked with the expressions
_VALUES = Shape("any")
_INDEX = Shape("string", low=3, high=255)
_ATTRIBUTES = Shape("list", _TEXT, low=1)
_CAPACITY = Shape("string", choices=("INDEXES", "TOTAL", "NONE"))
_COLLECTIONS = Shape("string", choices=("SIZE", "NONE"))
_ON_FAILURE = Shape("string", choices=("ALL_OLD", "NONE"), rule="return-values")
_OPERATOR = Shape("string", choices=("OR", "AND"))
_SELECT = Shape(
    "string",
    choices=("SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"),
    rule="select-value",
)
_RETURN = Shape("string", choices=("ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW"), rule="return-values")
_LIMIT = Shape("integer", low=1, rule="limit-value")
_ITEM = Shape("map", (_TEXT, _ANY))

_CONDITION = {"ConditionExpression": _TEXT, "ExpressionAttributeNames": _NAMES, "ExpressionAttributeValues": _VALUES}
_CONDITION_OR_FAILURE = {**_CONDITION, "ReturnValuesOnConditionCheckFailure": _ON_FAILURE}
_PROJECTION = {"ProjectionExpression": _TEXT, "ExpressionAttributeNames": _NAMES}
_WRITE = {
    "Expected": _LEGACY_MAP,
    "ConditionalOperator": _OPERATOR,
    "ReturnValues": _RETURN,
    "ReturnConsumedCapacity": _CAPACITY,
    "ReturnItemCollectionMetrics": _COLLECTIONS,
    **_CONDITION_OR_FAILURE,
}
_SEARCH = {
    "TableName": _TABLE,
    "IndexName": _INDEX,
    "Select": _SELECT,
    "AttributesToGet": _ATTRIBUTES,
    "Limit": _LIMIT,
    "ConsistentRead": _FLAG,
    "ConditionalOperator": _OPERATOR,
    "ExclusiveStartKey": _ITEM,
    "ReturnConsumedCapacity": _CAPACITY,
    "FilterExpression": _TEXT,
    "ExpressionAttributeValues": _VALUES,
    **_PROJECTION,
}
_KEYED = ("Key", "TableName")


def _structure(required: tuple[str, ...], members: dict[str, Shape]) -> Shape:
    return Shape("structure", members, required=required)


_CHECK = _structure(
    (*_KEYED, "ConditionExpression"),
    {
        "Key": _ITEM,
        "TableName": _TABLE,
        **_CONDITION_OR_FAILURE,
        "ConditionExpression": Shape("string", missing="check-condition"),
    },
)
_PUT = _structure(("Item", "TableName"), {"Item": _ITEM, "TableName": _TABLE, **_CONDITION_OR_FAILURE})
_DELETE = _structure(_KEYED, {"Key": _ITEM, "TableName": _TABLE, **_CONDITION_OR_FAILURE})
_UPDATE = _structure(
    (*_KEYED, "UpdateExpression"),
    {
        "Key": _ITEM,
        "TableName": _TABLE,
        "UpdateExpression": Shape("string", missing="update-empty"),
        **_CONDITION_OR_FAILURE,
    },
)
_GET = _structure(_KEYED, {"Key": _ITEM, "TableName": _TABLE, **_PROJECTION})
_TRANSACT_WRITE = _structure((), {"ConditionCheck": _CHECK, "Put": _PUT, "Delete": _DELETE, "Update": _UPDATE})
_TRANSACT_GET = _structure(("Get",), {"Get": _GET})
_BATCH_WRITE = _structure(
    (),
    {
        "PutRequest": _structure(("Item",), {"Item": _ITEM}),
        "DeleteRequest": _structure(("Key",), {"Key": _ITEM}),
    },
)
_BATCH_GET = _structure(
    ("Keys",),
    {
        "Keys": Shape("list", _ITEM, low=1, high=MAX_BATCH_GET, rule="batch-count"),
        "AttributesToGet": _ATTRIBUTES,
        "ConsistentRead": _FLAG,
        **_PROJECTION,
    },
)


def _transaction(action: Shape) -> Shape:
    return Shape("list", action, low=1, high=MAX_TRANSACTION_ACTIONS, rule="transaction-count")


def _batch(action: Shape, high: int) -> Shape:
    return Shape("map", (_TABLE, action), low=1, high=high, rule="batch-count")


REQUESTS: dict[str, Shape] = {
    "PutItem": _structure(("TableName", "Item"), {"TableName": _TABLE, "Item": _ITEM, **_WRITE}),
    "UpdateItem": _structure(
        ("TableName", "Key"),
        {"TableName": _TABLE, "Key": _ITEM, "AttributeUpdates": _LEGACY_MAP, "UpdateExpression": _TEXT, **_WRITE},
    ),
    "DeleteItem": _structure(("TableName", "Key"), {"TableName": _TABLE, "Key": _ITEM, **_WRITE}),
    "GetItem": _structure(
        ("TableName", "Key"),
        {
            "TableName": _TABLE,
            "Key": _ITEM,
            "AttributesToGet": _ATTRIBUTES,
            "ConsistentRead": _FLAG,
            "ReturnConsumedCapacity": _CAPACITY,
            **_PROJECTION,
        },
    ),
    "Query": _structure(
        ("TableName",),
        {
            **_SEARCH,
            "KeyConditions": _LEGACY_MAP,
            "QueryFilter": _LEGACY_MAP,
            "ScanIndexForward": _FLAG,
            "KeyConditionExpression": _TEXT,
        },
    ),
    "Scan": _structure(
        ("TableName",),
        {
            **_SEARCH,
            "ScanFilter": _LEGACY_MAP,
            "TotalSegments": Shape("integer", low=1, high=_MAX_SEGMENTS, rule="scan-segment"),
            "Segment": Shape("integer", low=0, high=_MAX_SEGMENTS - 1, rule="scan-segment"),
        },
    ),
    "BatchGetItem": _structure(
        ("RequestItems",),
        {"RequestItems": _batch(_BATCH_GET, MAX_BATCH_GET), "ReturnConsumedCapacity": _CAPACITY},
    ),
    "BatchWriteItem": _structure(
        ("RequestItems",),
        {
            "RequestItems": _batch(
                Shape("list", _BATCH_WRITE, low=1, high=MAX_BATCH_WRITE, rule="batch-count"), MAX_BATCH_WRITE
            ),
            "ReturnConsumedCapacity": _CAPACITY,
            "ReturnItemCollectionMetrics": _COLLECTIONS,
        },
    ),
    "TransactWriteItems": _structure(
        ("TransactItems",),
        {
            "TransactItems": _transaction(_TRANSACT_WRITE),
            "ReturnConsumedCapacity": _CAPACITY,
            "ReturnItemCollectionMetrics": _COLLECTIONS,
            "ClientRequestToken": Shape("string", low=1, high=MAX_TOKEN_LENGTH, rule="token-length"),
        },
    ),
    "TransactGetItems": _structure(
        ("TransactItems",), {"TransactItems": _transaction(_TRANSACT_GET), "ReturnConsumedCapacity": _CAPACITY}
    ),
}
"""The shape of each operation's request."""
