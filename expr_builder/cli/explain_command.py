"""``expr-builder explain``."""

from __future__ import annotations

import json
import sys

from expr_builder.linting import lint
from expr_builder.requests.transactions import write_json

from .documents import read_document, shown
from .draft_command import read_draft
from .lint_command import problem_lines
from .operation import entries_of, operation_of
from .terminal import Paint, table_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence
    from typing import Any

    from expr_builder.requests.table import Table

    from .operation import Entry

_HEADER = ("#", "slot", "action", "table", "key", "change", "condition", "bytes", "units")


def run_explain(arguments: Namespace) -> int:
    """Carry out ``expr-builder explain``: exit status 1 for a request that DynamoDB would refuse."""
    name = shown(arguments.file)
    document: Any = read_document(arguments.file)
    tables: dict[str, Table] = {table.name: table for table in arguments.table}
    slots: Sequence[str] = ()
    operation = arguments.operation
    if isinstance(document, dict) and "actions" in document:
        draft = read_draft(document, name)
        slots = [action.slot or "" for action in draft.actions]
        tables |= {action.table.name: action.table for action in draft.actions}
        operation = draft.operation
        document = json.loads(write_json(draft.request))
    operation = operation or operation_of(document, name)
    problems = lint(document, operation, tables.values())
    if problems:
        sys.stderr.write("".join(f"{line}\n" for line in problem_lines(name, problems, Paint(sys.stderr))))
        return 1
    entries = entries_of(operation, document, tables)
    rows = [_row(position, entry, slots) for position, entry in enumerate(entries)]
    lines = table_lines(_HEADER, rows, Paint(sys.stdout))
    sys.stdout.write("".join(f"{line}\n" for line in (*lines, _sum(operation, entries))))
    return 0


def _row(position: int, entry: Entry, slots: Sequence[str]) -> tuple[str, ...]:
    least = "" if entry.exact else "≥ "
    known = entry.size is not None
    return (
        str(position + 1),
        slots[position] if slots else "",
        entry.action,
        entry.table,
        entry.target,
        entry.change,
        entry.condition,
        f"{least}{entry.size}" if known else "",
        f"{least}{entry.units:g}" if known else "",
    )


def _sum(operation: str, entries: Sequence[Entry]) -> str:
    count = f"{operation}, {len(entries)} {'action' if len(entries) == 1 else 'actions'}"
    if any(entry.units is None for entry in entries):
        return f"{count}: what it costs depends on what is stored"
    least = "" if all(entry.exact for entry in entries) else "at least "
    total = sum(entry.units or 0 for entry in entries)
    kind = "read" if entries[0].reads else "write"  # no operation does both
    return f"{count}: {least}{total:g} {kind} {'unit' if total == 1 else 'units'}"
