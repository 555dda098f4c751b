"""``expr-builder explain``: a request, or a draft, as a table of its actions."""

from __future__ import annotations

import sys

from expr_builder.attribute_values.capacity import read_units, write_units
from expr_builder.attribute_values.json_form import make_json, read_json_item
from expr_builder.attribute_values.values import from_item, item_size, measure_value
from expr_builder.expressions.describe import describe, describe_item, describe_update
from expr_builder.expressions.nodes import Literal
from expr_builder.expressions.parse import parse_condition, parse_update
from expr_builder.linting import lint

from .documents import name_file, read_document
from .draft_command import read_draft
from .lint_command import find_operation, format_problems
from .terminal import Paint, count, format_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    from expr_builder.expressions.updates import UpdateAction
    from expr_builder.requests.table import Table

    Body: TypeAlias = Mapping[str, Any]
    """The arguments of one action, as JSON has them: lint has found nothing wrong with them."""

_HEADER = ("#", "slot", "action", "table", "key", "change", "condition", "bytes", "units")
_WRITES = ("Put", "Update", "Delete", "ConditionCheck")
_CONDITIONS = ("ConditionExpression", "KeyConditionExpression", "FilterExpression")
_LONGEST_TARGET = 100


def run_explain(arguments: Namespace) -> int:
    """Carry out ``expr-builder explain``: exit status 1 for a request that DynamoDB would refuse."""
    name = name_file(arguments.file)
    document: Any = read_document(arguments.file)
    tables: dict[str, Table] = {table.name: table for table in arguments.table}
    slots: list[str] = []
    operation = arguments.operation
    if isinstance(document, dict) and "actions" in document:
        draft = read_draft(document, name)
        slots = [action.slot or "" for action in draft.actions]
        tables |= {action.table.name: action.table for action in draft.actions}
        operation = draft.operation
        document = make_json(draft.request)  # so that binary values are base64, as in a file
    operation = operation or find_operation(document, name)
    problems = lint(document, operation, tables.values())
    if problems:
        sys.stderr.write("".join(f"{line}\n" for line in format_problems(name, problems, Paint(sys.stderr))))
        return 1
    # From here on lint has found the request sound, so nothing is checked again.
    bodies = _list_bodies(operation, document)
    slots = slots or [""] * len(bodies)
    entries = [
        _read_entry(action, body, tables.get(body["TableName"]), transactional=operation.startswith("Transact"))
        for action, body in bodies
    ]
    rows = [
        (str(number), slot, *entry.cells) for number, (slot, entry) in enumerate(zip(slots, entries, strict=True), 1)
    ]
    header, *lines = format_table(_HEADER, rows)
    text = "\n".join((Paint(sys.stdout).bold(header), *lines, _sum_up(operation, entries)))
    sys.stdout.write(f"{text}\n")
    return 0


class _Entry:
    """One action: its cells of the table, and its least cost; ``None`` where that depends on what is stored."""

    def __init__(self, cells: tuple[str, ...], units: float | None, *, exact: bool) -> None:
        self.cells = cells
        self.units = units
        self.exact = exact


def _read_entry(action: str, body: Body, table: Table | None, *, transactional: bool) -> _Entry:
    item = read_json_item(body.get("Item") or body.get("Key") or {})
    update = parse_update(body["UpdateExpression"], **_read_placeholders(body)) if "UpdateExpression" in body else ()
    # The stored item is unknown: key and new values are the least that it can have afterwards.
    size = item_size(item) + sum(_count_new_bytes(change) for change in update)
    units: float | None = None
    if action in _WRITES:
        units = write_units(size, transactional=transactional)
    elif action == "Get":
        units = read_units(size, consistent=bool(body.get("ConsistentRead")), transactional=transactional)
    exact = action == "Put"
    least = "" if exact else "≥ "
    target = describe_item({name: item[name] for name in table.key_schema.types} if table and item else item)
    if len(target) > _LONGEST_TARGET:  # a put's whole item, where --table does not say which attributes are its key
        target = f"{target[: _LONGEST_TARGET - 1]}…"
    condition = " AND ".join(_describe_conditions(body))
    cost = ("", "") if units is None else (f"{least}{size}", f"{least}{units:g}")
    return _Entry((action, body["TableName"], target, describe_update(update), condition, *cost), units, exact=exact)


def _sum_up(operation: str, entries: Sequence[_Entry]) -> str:
    head = f"{operation}, {count(len(entries), 'action')}"
    if any(entry.units is None for entry in entries):
        return f"{head}: what it costs depends on what is stored"
    least = "" if all(entry.exact for entry in entries) else "at least "
    total = sum(entry.units or 0 for entry in entries)
    kind = "read" if "Get" in operation else "write"
    return f"{head}: {least}{total:g} {kind} {'unit' if total == 1 else 'units'}"


def _list_bodies(operation: str, request: Body) -> list[tuple[str, Body]]:
    """List the actions of a request, each with its arguments as if it were a request of its own."""
    if operation.startswith("Transact"):
        return [action for entry in request["TransactItems"] for action in entry.items()]
    if operation == "BatchWriteItem":
        return [
            (kind.removesuffix("Request"), {"TableName": table, **body})
            for table, writes in request["RequestItems"].items()
            for write in writes
            for kind, body in write.items()
        ]
    if operation == "BatchGetItem":
        return [
            ("Get", {**reads, "TableName": table, "Key": key})
            for table, reads in request["RequestItems"].items()
            for key in reads["Keys"]
        ]
    return [(operation.removesuffix("Item"), request)]


def _describe_conditions(body: Body) -> Iterator[str]:
    given = [body[name] for name in _CONDITIONS if name in body]
    for text in given:
        condition = describe(parse_condition(text, **_read_placeholders(body)))
        yield f"({condition})" if len(given) > 1 else condition


def _count_new_bytes(change: UpdateAction) -> int:
    return measure_value(change.value.value) if isinstance(change.value, Literal) and change.keyword != "DELETE" else 0


def _read_placeholders(body: Body) -> dict[str, Any]:
    values = from_item(read_json_item(body.get("ExpressionAttributeValues", {})))
    return {"names": body.get("ExpressionAttributeNames", {}), "values": values}
