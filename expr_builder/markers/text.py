"""Findings, repairs and answers as text for people. It shows people's data: for a terminal, not for a log."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from expr_builder.expressions.describe import describe, describe_item

from .findings import Kind
from .repair import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from expr_builder import TransactWrite

    from .findings import Finding
    from .repair import Mend
    from .show import Shown
    from .survey import Report

_MEANING = {
    Kind.ORPHAN: "a marker whose record does not exist: its value is blocked for everybody",
    Kind.MISSING: "a record without the marker of its value: somebody else could take it",
    Kind.STOLEN: "the marker of a record's value names a holder who does not have that value",
    Kind.DOUBLE: "a marker beside the right one: it blocks a value that its holder does not have",
    Kind.DUPLICATE: "two records have one value: decide which keeps it, then change or delete the other",
    Kind.INVALID: "a record's value can have no marker: correct the record",
}


def finding_table(findings: Sequence[Finding]) -> str:
    """A line for each finding, and below what each kind that occurs means."""
    if not findings:
        return ""
    rows = [(one.kind, one.field, one.marker, one.record, one.holder) for one in findings]
    kinds = dict.fromkeys(one.kind for one in findings)
    meanings = [f"{kind}: {_MEANING[kind]}" for kind in kinds]
    return _table(("kind", "field", "marker", "record", "holder"), rows) + "\n\n" + "\n".join(meanings) + "\n\n"


def report_text(report: Report) -> str:
    """The sums, in a sentence or two."""
    tally = report.tally
    read = f"{_count(tally['records'], 'record')} and {_count(tally['markers'], 'marker')} read"
    added = f", {_count(tally['added'], 'marker')} added" if "added" in tally else ""
    kinds = Counter(finding.kind for finding in report.findings)
    listed = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
    found = f"{_count(len(report.findings), 'finding')} ({listed})" if report.findings else "no findings"
    partial = "" if report.complete else " Stopped before the end of the table: mend these, then run it again."
    return f"{read}{added}: {found}.{partial}\n"


def mend_text(mend: Mend) -> str:
    """What was, or would be, done about a finding; a transaction that is only planned is shown."""
    finding = mend.finding
    parts = [mend.outcome, finding.kind, finding.field, finding.marker or "no marker possible"]
    parts += [f"record {finding.record}"] if finding.record is not None else []
    parts += [f"holder {finding.holder}"] if finding.holder is not None else []
    line = "  ".join(_shown(part) for part in parts)
    planned = mend.transaction is not None and mend.outcome is Outcome.PLANNED
    return line + "\n" + (_transaction_text(mend.transaction) if planned and mend.transaction else "")


def outcomes(mends: Iterable[Mend]) -> dict[str, int]:
    """How many findings had which outcome."""
    return dict(sorted(Counter(mend.outcome.value for mend in mends).items()))


def outcomes_text(mends: Iterable[Mend]) -> str:
    """The sums of a repair."""
    listed = ", ".join(f"{number} {outcome}" for outcome, number in outcomes(mends).items())
    return f"{listed or 'nothing to mend'}.\n"


def shown_text(value: str, answers: Sequence[Shown]) -> str:
    """Who holds a value, and each holder's record beside its markers."""
    return "\n".join(_answer_text(value, answer) for answer in answers)


def _answer_text(value: str, answer: Shown) -> str:
    if answer.field is None:
        head = f"{value} is a record."
    elif answer.marker is None:
        return f"{answer.field}: not a value that {answer.field} can have.\n"
    elif answer.holder is None and answer.finding is None:
        return f"{answer.field}: nobody holds it (there is no {answer.marker}).\n"
    else:
        verdict = "" if answer.finding is None else f" - {answer.finding.kind}: {_MEANING[answer.finding.kind]}"
        head = f"{answer.field}: held by {_shown(answer.holder)} (through {answer.marker}){verdict}."
    rows = [
        (line.field, line.value, line.marker, line.holder, "fine" if line.finding is None else line.finding.kind)
        for line in answer.lines
    ]
    return head + "\n" + (_indented(_table(("field", "record", "marker", "holder", "verdict"), rows)) if rows else "")


def _transaction_text(transaction: TransactWrite) -> str:
    lines = []
    for action in transaction.slots.values():
        item = getattr(action, "item", action.key)
        lines.append(f"{action.operation} {describe_item(item)}")
        if action.condition is not None:
            lines.append(f"  if {describe(action.condition)}")
    return _indented("\n".join(lines))


def _table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    cells = [[name.upper() for name in header], *([_shown(value) for value in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells
    )


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _shown(value: Any) -> str:
    """One cell. What is stored must not move the cursor of the terminal on which it is shown."""
    text = "-" if value is None else str(value)
    return text if text.isprintable() else text.encode("unicode_escape").decode("ascii")
