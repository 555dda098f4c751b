"""Findings, repairs and answers as text for a terminal: not for logs, as it shows people's data."""

from __future__ import annotations

import shlex
from collections import Counter
from datetime import UTC, datetime
from math import ceil
from typing import TYPE_CHECKING

from expr_builder.expressions.describe import describe, describe_item
from expr_builder.markers import Kind, Outcome

from .terminal import count, escape_controls, format_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from expr_builder.markers import Answer, Finding, Group, Layout, Mend, Plan, Report
    from expr_builder.requests.transactions import TransactWrite

_UNDECIDED = frozenset({Kind.DUPLICATE, Kind.HELD})


def format_findings(findings: Sequence[Finding]) -> str:
    """Write a line for each finding, and below what each kind that occurs means."""
    if not findings:
        return ""
    rows = [(one.kind, one.field, one.marker, one.record, one.holder) for one in findings]
    meanings = [f"{kind}: {kind.meaning}" for kind in dict.fromkeys(one.kind for one in findings)]
    return "\n".join([*_align(("KIND", "FIELD", "MARKER", "RECORD", "HOLDER"), rows), "", *meanings, "", ""])


def format_gifts(layout: Layout, findings: Iterable[Finding], options: Sequence[str]) -> str:
    """Write, for each record whose value another one's marker stands for, the command that gives the marker to it."""
    lines = []
    for one in findings:
        if one.kind in _UNDECIDED and one.marker is not None:
            # What a digest stands for, only people know.
            value = "VALUE" if layout.unique.markers[one.field].digest else layout.split_key(one.field, one.marker)[1]
            words = ["expr-builder", "markers", "give", *options, "--field", one.field, value]
            lines.append(shlex.join([*words, "--to", _write_owner(one.record)]))
    if not lines:
        return ""
    return "\n".join(["To give the value to the record that has no marker:", *_indent(lines), "", ""])


def _write_owner(owner: object) -> str:
    return owner.decode(errors="replace") if isinstance(owner, bytes) else str(owner)


def format_groups(groups: Sequence[Group], all_groups: int) -> str:
    """Write a line for each record that shares a value: whether it holds the marker, and whether it keeps the value."""
    if not groups:
        return ""
    rows = []
    for group in groups:
        for owner in group.owners:
            keeps = "undecided" if group.keep is None else "keeps" if owner == group.keep else None
            rows.append((group.field, group.marker, owner, "holds" if owner == group.holder else None, keeps))
    more = [f"and {count(all_groups - len(groups), 'value')} more"] if all_groups > len(groups) else []
    return "\n".join([*_align(("FIELD", "MARKER", "RECORD", "MARKED", "POLICY"), rows), *more, "", ""])


def format_plan(plan: Plan, cost: float, rate: float | None) -> str:
    """Write what a backfill would do, and what that takes."""
    tally = plan.tally
    shared = f"{count(plan.groups, 'value')} shared by {count(plan.shared, 'record')}" if plan.groups else "none shared"
    undecided = f" ({plan.undecided:,} undecided)" if plan.undecided else ""
    handed = f" and hand over {plan.handed:,}" if plan.handed else ""
    invalid = f", {count(plan.invalid, 'value')} without a possible marker" if plan.invalid else ""
    time = f", {count(ceil(plan.requests / rate), 'second')} at {rate:g} requests a second" if rate else ""
    return (
        f"{count(tally['records'], 'record')} and {count(tally['markers'], 'marker')} read: "
        f"{shared}{undecided}{invalid}.\n"
        f"A backfill would add {count(plan.added, 'marker')} to {count(plan.written, 'record')}{handed}: "
        f"about {count(plan.requests, 'request')}, {plan.write_units:,g} write units and {plan.read_units:,g} "
        f"read units, {cost:.6f} dollars{time}.\n"
    )


def format_report(report: Report) -> str:
    """Write the sums in a sentence or two."""
    tally = report.tally
    read = f"{count(tally['records'], 'record')} and {count(tally['markers'], 'marker')} read"
    added = f", {count(tally['added'], 'marker')} added" if "added" in tally else ""
    for word in ("handed", "retired", "reserved", "resting"):
        added += f", {count(tally[word], 'marker')} {word}{' over' * (word == 'handed')}" if word in tally else ""
    kinds = Counter(finding.kind for finding in report.findings)
    listed = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
    found = f"{count(len(report.findings), 'finding')} ({listed})" if report.findings else "no findings"
    partial = ""
    if tally["unsettled"]:
        partial = f" {count(tally['unsettled'], 'record')} kept changing while it was looked at: run it again."
    elif not report.complete:
        partial = " Stopped before the end of the table: mend these, then run it again."
    return f"{read}{added}: {found}.{partial}\n"


def format_mend(mend: Mend) -> str:
    """Write what was, or would be, done about a finding; a transaction that is only planned is shown."""
    finding = mend.finding
    parts = [mend.outcome, finding.kind, finding.field, finding.marker or "no marker possible"]
    parts += [f"record {finding.record}"] if finding.record is not None else []
    parts += [f"holder {finding.holder}"] if finding.holder is not None else []
    lines = ["  ".join(map(_format_cell, parts))]
    lines += [f"    and  {one.kind}  {one.field}  {_format_cell(one.marker)}" for one in mend.also]
    lines += _indent([mend.reason]) if mend.reason else []
    if mend.transaction is not None and mend.outcome is Outcome.PLANNED:
        lines += _indent(_describe_transaction(mend.transaction))
    return "".join(f"{line}\n" for line in lines)


def count_outcomes(mends: Iterable[Mend]) -> dict[str, int]:
    """Count how many findings had which outcome."""
    return dict(sorted(Counter(mend.outcome.value for mend in mends).items()))


def format_answers(value: str, answers: Sequence[Answer]) -> str:
    """Write who holds a value, and each holder's record beside its markers."""
    return "\n".join("".join(f"{line}\n" for line in _format_answer(value, answer)) for answer in answers)


def _format_answer(value: str, answer: Answer) -> list[str]:
    field = answer.field
    if field is None:
        head = f"{value} is a record."
    elif answer.marker is None:
        head = f"{field}: not a value that {field} can have."
    elif answer.holder is None and answer.finding is None:
        head = f"{field}: nobody holds it (there is no {answer.marker})."
    else:
        verdict = "" if answer.finding is None else f" - {answer.finding.kind}: {answer.finding.kind.meaning}"
        rests = "held by" if answer.free_at is None else f"free from {format_time(answer.free_at)}, until then of"
        head = f"{field}: {rests} {_format_cell(answer.holder)} (through {answer.marker}){verdict}."
    rows = [(line.field, _show_value(line.value), line.marker, line.holder, line.verdict) for line in answer.lines]
    table = _indent(_align(("FIELD", "RECORD", "MARKER", "HOLDER", "VERDICT"), rows)) if rows else []
    others = [f"{one.kind}: {_format_cell(one.record)} has this {field}, too." for one in answer.others]
    return [head, *table, *_indent(others)]


def _show_value(value: object) -> object:
    """A record's value, or its values by attribute, as a cell of a table."""
    if isinstance(value, set | frozenset):
        return ", ".join(sorted(map(str, value)))
    if not isinstance(value, dict):
        return value
    return ", ".join(f"{name} {'-' if one is None else one}" for name, one in value.items())


def format_time(seconds: int) -> str:
    """A time in seconds since 1970, as people read it."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (OverflowError, ValueError, OSError):  # a number that somebody wrote there
        return f"{seconds} seconds after 1970"


def _describe_transaction(transaction: TransactWrite) -> list[str]:
    lines = []
    for action in transaction.slots.values():
        item = getattr(action, "item", action.key)  # a put has an item, the others a key
        lines.append(f"{action.operation} {describe_item(item)}")
        if action.condition is not None:
            lines.append(f"  if {describe(action.condition)}")
    return lines


def _align(header: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    return format_table(header, [[_format_cell(value) for value in row] for row in rows])


def _indent(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _format_cell(value: object) -> str:
    return "-" if value is None else escape_controls(str(value))
