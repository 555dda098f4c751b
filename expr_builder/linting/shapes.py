"""The members of each request: their names, JSON types and bounds.

Source: the API reference of each operation, from
https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Operations_Amazon_DynamoDB.html
"""

from __future__ import annotations

from expr_builder.attribute_values.text import to_text
from expr_builder.limits import (
    MAX_BATCH_GET,
    MAX_INDEX_NAME_LENGTH,
    MAX_SCAN_SEGMENTS,
    MAX_TABLE_ARN_LENGTH,
    MAX_TABLE_NAME_LENGTH,
    MAX_TOKEN_LENGTH,
    MAX_TRANSACTION_ACTIONS,
    MIN_INDEX_NAME_LENGTH,
)
from expr_builder.requests.table_name import has_name_characters, is_table_name

from .problems import CLIENT, CONSTRAINT, ENVELOPE, SHAPE, has_lone_surrogate, is_mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .problems import Place

_NAME_PATTERN = "[a-zA-Z0-9_.-]+"


class Shape:
    """What a member may be.

    Args:
        kind: ``"string"``, ``"boolean"``, ``"integer"``, ``"list"``, ``"map"``, ``"structure"``, ``"table"`` (a
            table's name or ARN) or ``"any"`` (checked elsewhere).
        inner: What a list or map holds.
        of_tables: Whether the names in a map are those of tables.
        members: The members of a structure, in the order in which AWS clients list them.
        low: The smallest length or value.
        high: The largest length or value.
        choices: The values of an enumeration, in the order in which the service lists them.
        is_name: Whether it is the name of an index, which has the characters of a table's.
        echoes: Whether the service shows a value that is out of bounds.
        required: The members that a structure must have.
        rule: The rule that a bad value breaks.
        missing: The rule that its absence breaks when it is required.
    """

    __slots__ = (
        "checked",
        "choices",
        "echoes",
        "high",
        "inner",
        "is_name",
        "kind",
        "low",
        "members",
        "missing",
        "of_tables",
        "required",
        "rule",
    )

    def __init__(
        self,
        kind: str,
        inner: Shape | None = None,
        *,
        of_tables: bool = False,
        members: Mapping[str, Shape] | None = None,
        low: int | None = None,
        high: int | None = None,
        choices: tuple[str, ...] = (),
        is_name: bool = False,
        echoes: bool = True,
        required: tuple[str, ...] = (),
        rule: str = "member-value",
        missing: str = "member-missing",
    ) -> None:
        self.kind = kind
        self.inner = inner
        self.of_tables = of_tables
        self.members = members or {}
        # The service looks at the table's name first, and stops when it is bad.
        self.checked = tuple(sorted(self.members, key=lambda name: name != "TableName"))
        self.low = low
        self.high = high
        self.choices = choices
        self.is_name = is_name
        self.echoes = echoes
        self.required = required
        self.rule = rule
        self.missing = missing


def check_shape(shape: Shape, value: object, place: Place) -> None:
    """Report every member of ``value`` that is unknown, missing, of the wrong type, or out of bounds."""
    if not _is_of_kind(shape.kind, value):
        place.report(SHAPE, "member-type", describe_type_fault(value, _KINDS[shape.kind][1]))
        return
    if isinstance(value, str) and has_lone_surrogate(value):
        place.report(SHAPE, "text-utf8", SURROGATE_WORDS)
        return
    _check_bounds(shape, value, place)
    if isinstance(value, dict) and shape.members:
        _check_members(shape, value, place)
    elif isinstance(value, dict) and shape.inner:
        for name, element in value.items():
            at = place.at_entry(name)
            if has_lone_surrogate(name):
                at.report(SHAPE, "text-utf8", SURROGATE_WORDS)
            elif shape.of_tables and _find_table_name_fault(name):
                _refuse_table(name, place, at)
            check_shape(shape.inner, element, at)
    elif isinstance(value, (list, tuple)) and shape.inner:
        for index, element in enumerate(value):
            check_shape(shape.inner, element, place.at(index))


SURROGATE_WORDS = "The text contains half a surrogate pair, which UTF-8 cannot hold"


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


_MIN_INTEGER, _MAX_INTEGER = -(2**31), 2**31 - 1

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
    if kind == "integer":
        # To Python a bool is an int, to JSON it is not; the service's integers have 32 bits.
        return isinstance(value, int) and not isinstance(value, bool) and _MIN_INTEGER <= value <= _MAX_INTEGER
    return isinstance(value, _KINDS[kind][0])


def _check_members(shape: Shape, value: dict[str, object], place: Place) -> None:
    for name in value:
        if name not in shape.members:
            place.at(name).report(
                CLIENT,
                "return-values" if name == "ReturnValues" else "member-unknown",
                f'Unknown parameter in {place.parameter}: "{name}", must be one of: {", ".join(shape.members)}',
            )
    for name in shape.checked:
        element = value.get(name)
        if element is not None:  # to the service, null is the same as absent
            check_shape(shape.members[name], element, place.at(name))
        elif name in shape.required:
            _refuse(shape.members[name], place.at(name), None, "Member must not be null", shape.members[name].missing)


def _check_bounds(shape: Shape, value: object, place: Place) -> None:
    if shape.kind == "table":
        words = _find_table_name_fault(str(value))
        if words:
            _refuse(shape, place, value, words)
        return
    if shape.choices and value not in shape.choices:
        _refuse(shape, place, value, f"Member must satisfy enum value set: [{', '.join(shape.choices)}]")
    if isinstance(value, int):  # a boolean, too, but its shape has no bounds
        what, measure = "value", value
    else:
        what, measure = "length", len(value) if isinstance(value, (str, list, tuple, dict)) else 0
    if shape.low is not None and measure < shape.low:
        _refuse(shape, place, value, f"Member must have {what} greater than or equal to {shape.low}")
    elif shape.high is not None and measure > shape.high:
        _refuse(shape, place, value, f"Member must have {what} less than or equal to {shape.high}")
    elif shape.is_name and isinstance(value, str) and not has_name_characters(value):
        _refuse(shape, place, value, f"Member must satisfy regular expression pattern: {_NAME_PATTERN}")


def _find_table_name_fault(name: str) -> str:
    is_arn = name.startswith("arn:")
    limit = MAX_TABLE_ARN_LENGTH if is_arn else MAX_TABLE_NAME_LENGTH
    if not name:
        return "Member must have length greater than or equal to 1"
    if len(name) > limit:
        return f"Member must have length less than or equal to {limit}"
    if not is_table_name(name):
        return f"Member must satisfy regular expression pattern: {_NAME_PATTERN}"
    return ""


def _refuse_table(name: str, tables: Place, place: Place) -> None:
    """Report the name of a table that is an entry's name in a map: the service lists all that it has to be."""
    lengths = f"less than or equal to {MAX_TABLE_NAME_LENGTH}, Member must have length greater than or equal to 1"
    words = f"[Member must have length {lengths}, Member must satisfy regular expression pattern: {_NAME_PATTERN}]"
    where = f"Value '{{{to_text(name)}=…}}' at '{tables.member}'"
    place.report(
        CONSTRAINT,
        "table-name",
        f"{ENVELOPE}{where} failed to satisfy constraint: Map keys must satisfy constraint: {words}",
    )


def _refuse(shape: Shape, place: Place, value: object, constraint: str, rule: str = "") -> None:
    where = f"Value {_show(value)} at '{place.member}'" if shape.echoes else f"Value at '{place.field}'"
    place.report(CONSTRAINT, rule or shape.rule, f"{ENVELOPE}{where} failed to satisfy constraint: {constraint}")


def _show(value: object) -> str:
    # Cut, so that a message about a hundred actions does not show them all.
    if isinstance(value, (list, tuple)):
        return "'[…]'" if value else "'[]'"
    if isinstance(value, dict):
        return "'{…}'" if value else "'{}'"
    if isinstance(value, str):
        return f"'{to_text(value)}'"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"'{int.__repr__(value)}'"  # a subclass shows itself as it likes
    return "null" if value is None else f"'{value}'"


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


def _make_batch(asked: Shape) -> Shape:
    return Shape("map", asked, of_tables=True)  # how many there may be: see operations


_TEXT = Shape("string")
_ANY = Shape("any")  # values and the two maps of placeholders: checked with the expressions
_FLAG = Shape("boolean")
_TABLE = Shape("table", rule="table-name")
_MAP = Shape("map", _ANY)
_ATTRIBUTES = Shape("list", _TEXT, low=1)
_CAPACITY = {"ReturnConsumedCapacity": _make_enumeration("INDEXES", "TOTAL", "NONE")}
_COLLECTIONS = {"ReturnItemCollectionMetrics": _make_enumeration("SIZE", "NONE")}
_OPERATOR = _make_enumeration("OR", "AND")
# The legacy parameters.
_COMPARISON = {
    "ComparisonOperator": _make_enumeration(
        *("IN", "NULL", "BETWEEN", "LT", "NOT_CONTAINS", "EQ", "GT", "NOT_NULL", "NE", "LE", "BEGINS_WITH", "GE"),
        "CONTAINS",
    ),
    "AttributeValueList": Shape("list", _ANY),
}
_CONDITIONS = Shape("map", _make_structure(("ComparisonOperator",), _COMPARISON))
_EXPECTATIONS = Shape("map", _make_structure((), {"Value": _ANY, "Exists": _FLAG}, _COMPARISON))
_UPDATES = Shape("map", _make_structure((), {"Value": _ANY, "Action": _make_enumeration("ADD", "PUT", "DELETE")}))

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
    "Expected": _EXPECTATIONS,
    "ConditionalOperator": _OPERATOR,
    "ReturnValues": _make_enumeration("ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW", rule="return-values"),
    **_CAPACITY,
    **_COLLECTIONS,
    **_CONDITION,
}
_READ = {"AttributesToGet": _ATTRIBUTES, "ConsistentRead": _FLAG}
_SEARCH = {
    "TableName": _TABLE,
    "IndexName": Shape("string", low=MIN_INDEX_NAME_LENGTH, high=MAX_INDEX_NAME_LENGTH, is_name=True),
    "Select": _make_enumeration(
        "SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", rule="select-value"
    ),
    "AttributesToGet": _ATTRIBUTES,
    "Limit": Shape("integer", low=1, rule="limit-value"),
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
_KEYS = Shape("list", _MAP, low=1, high=MAX_BATCH_GET, echoes=False, rule="batch-count")
_BATCH_GET = {"Keys": _KEYS, **_READ, **_PROJECTION}
_WRITE_REQUESTS = Shape("list", _make_structure((), _BATCH_WRITE))

REQUESTS: dict[str, Shape] = {
    "PutItem": _make_structure(("TableName", "Item"), _ON_TABLE, {"Item": _MAP}, _WRITE),
    "UpdateItem": _make_structure(
        ("TableName", "Key"),
        _ON_TABLE,
        {"Key": _MAP, "AttributeUpdates": _UPDATES, "UpdateExpression": _TEXT},
        _WRITE,
    ),
    "DeleteItem": _make_structure(("TableName", "Key"), _ON_TABLE, {"Key": _MAP}, _WRITE),
    "GetItem": _make_structure(("TableName", "Key"), _ON_TABLE, {"Key": _MAP}, _READ, _CAPACITY, _PROJECTION),
    "Query": _make_structure(
        ("TableName",),
        _SEARCH,
        {
            "KeyConditions": _CONDITIONS,
            "QueryFilter": _CONDITIONS,
            "ScanIndexForward": _FLAG,
            "KeyConditionExpression": _TEXT,
            "Limit": Shape("integer", low=1, echoes=False, rule="limit-value"),
        },
    ),
    "Scan": _make_structure(("TableName",), _SEARCH, {"ScanFilter": _CONDITIONS}, _SEGMENTS),
    "BatchGetItem": _make_structure(
        ("RequestItems",),
        {"RequestItems": _make_batch(_make_structure(("Keys",), _BATCH_GET))},
        _CAPACITY,
    ),
    "BatchWriteItem": _make_structure(
        ("RequestItems",), {"RequestItems": _make_batch(_WRITE_REQUESTS)}, _CAPACITY, _COLLECTIONS
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
