"""Requests as they are read from a file: which operation they are for, what they consist of, in people's words."""

from __future__ import annotations

from base64 import b64decode

from expr_builder.attribute_values.capacity import read_units, write_units
from expr_builder.attribute_values.numbers import parse_number
from expr_builder.attribute_values.values import from_item, item_size, size_of
from expr_builder.expressions.describe import describe, describe_item, describe_update
from expr_builder.expressions.nodes import Literal
from expr_builder.expressions.parse import parse_condition, parse_update

from .documents import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from expr_builder.expressions.updates import UpdateAction
    from expr_builder.requests.table import Table

_SINGLE = {
    "PutItem": "Put",
    "UpdateItem": "Update",
    "DeleteItem": "Delete",
    "GetItem": "Get",
    "Query": "Query",
    "Scan": "Scan",
}
_LONGEST_TARGET = 100
_WRITES = ("Put", "Update", "Delete", "ConditionCheck")


def operation_of(request: Any, name: str) -> str:
    """Guess the operation that a request is for.

    Raises:
        InputError: when the request could be for several.
    """
    members = request if isinstance(request, dict) else {}
    for member, operation in (
        ("KeyConditionExpression", "Query"),
        ("UpdateExpression", "UpdateItem"),
        ("Item", "PutItem"),
    ):
        if member in members:
            return operation
    if "TransactItems" in members:
        return "TransactGetItems" if _mentions(members["TransactItems"], "Get") else "TransactWriteItems"
    if "RequestItems" in members:
        lists = members["RequestItems"]
        reads = isinstance(lists, dict) and any(isinstance(keys, dict) for keys in lists.values())
        return "BatchGetItem" if reads else "BatchWriteItem"
    if "Key" in members and {"ProjectionExpression", "ConsistentRead"} & members.keys():
        return "GetItem"
    if "Key" in members and "ConditionExpression" in members:
        return "DeleteItem"
    raise InputError(f"{name}: what the request is for cannot be told from its members: give --operation")


def _mentions(actions: Any, kind: str) -> bool:
    return isinstance(actions, list) and any(isinstance(action, dict) and kind in action for action in actions)


class Entry:
    """One action of a request.

    Attributes:
        action: ``"Put"``, ``"Get"`` …
        table: The table's name.
        target: The key; for a put into a table of unknown keys the item, cut when long.
        change: What an update does.
        condition: Everything that must hold, values filled in.
        size: Bytes of the item, or the least that they can be; ``None`` for queries and scans.
        exact: Whether ``size`` is more than the least.
        units: Read or write units, at the least when the size is.
    """

    def __init__(self, action: str, body: Mapping[str, Any], table: Table | None, *, transactional: bool) -> None:
        self.action = action
        self.table: str = body["TableName"]
        self.reads = action not in _WRITES
        item = _typed_item(body.get("Item") or body.get("Key") or {})
        update = _update(body)
        self.change = describe_update(update)
        self.target = _cut(
            describe_item({name: item[name] for name in table.key_schema.types} if table and item else item)
        )
        self.condition = " AND ".join(_conditions(body))
        self.exact = action == "Put"
        self.size: int | None = None
        self.units: float | None = None
        if action in ("Query", "Scan"):
            return
        self.size = item_size(item) + sum(_new_bytes(action) for action in update)
        if self.reads:
            consistent = bool(body.get("ConsistentRead"))
            self.units = read_units(self.size, consistent=consistent, transactional=transactional)
        else:
            self.units = write_units(self.size, transactional=transactional)


def entries_of(operation: str, request: Mapping[str, Any], tables: Mapping[str, Table]) -> list[Entry]:
    """The actions of a request that lint has found nothing wrong with, in order."""
    transactional = operation.startswith("Transact")
    return [
        Entry(action, body, tables.get(body["TableName"]), transactional=transactional)
        for action, body in _bodies(operation, request)
    ]


def _bodies(operation: str, request: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if operation in _SINGLE:
        yield _SINGLE[operation], request
    elif operation.startswith("Transact"):
        for action in request["TransactItems"]:
            yield from action.items()
    elif operation == "BatchWriteItem":
        for table, writes in request["RequestItems"].items():
            for write in writes:
                for kind, body in write.items():
                    yield kind.removesuffix("Request"), {"TableName": table, **body}
    else:
        for table, reads in request["RequestItems"].items():
            for key in reads["Keys"]:
                yield "Get", {**reads, "TableName": table, "Key": key}


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_TARGET else f"{text[: _LONGEST_TARGET - 1]}…"


def _conditions(body: Mapping[str, Any]) -> Iterator[str]:
    given = [body[name] for name in _CONDITIONS if name in body]
    for text in given:
        condition = describe(parse_condition(text, **_placeholders(body)))
        yield f"({condition})" if len(given) > 1 else condition


_CONDITIONS = ("ConditionExpression", "KeyConditionExpression", "FilterExpression")


def _update(body: Mapping[str, Any]) -> tuple[UpdateAction, ...]:
    return parse_update(body["UpdateExpression"], **_placeholders(body)) if "UpdateExpression" in body else ()


def _new_bytes(action: UpdateAction) -> int:
    return size_of(action.value.value) if isinstance(action.value, Literal) and action.keyword != "DELETE" else 0


def _placeholders(body: Mapping[str, Any]) -> dict[str, Any]:
    values = from_item(_typed_item(body.get("ExpressionAttributeValues", {})))
    return {"names": body.get("ExpressionAttributeNames", {}), "values": values}


def _typed_item(item: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _typed(value) for name, value in item.items()}


def _typed(value: Mapping[str, Any]) -> dict[str, Any]:
    """A value as JSON has it, with binary contents as bytes and numbers as DynamoDB stores them."""
    ((tag, content),) = value.items()
    if tag == "B":
        content = b64decode(content)
    elif tag == "BS":
        content = [b64decode(element) for element in content]
    elif tag == "N":
        content = parse_number(content)
    elif tag == "NS":
        content = [parse_number(element) for element in content]
    elif tag == "L":
        content = [_typed(element) for element in content]
    elif tag == "M":
        content = _typed_item(content)
    return {tag: content}
