"""A soak's result as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.soak.history import NO_ANSWER

if TYPE_CHECKING:
    from collections import Counter

    from tests.soak.run import Soak

__all__ = ["report"]


def report(soak: Soak) -> str:
    """Operations with their answers, faults by kind, retries, violations."""
    statuses = soak.history.statuses()
    total = sum(sum(found.values()) for found in statuses.values())
    rows = [(f"  {kind}", sum(found.values()), _listed(found)) for kind, found in statuses.items()]
    faults = [(f"  {name}", count, "" if count else "NEVER HAPPENED") for name, count in soak.faults.items()]
    lines = [
        _row("operations", total, f"in {soak.seconds:.0f} s"),
        *(_row(*row) for row in sorted(rows)),
        _row("retries by clients", soak.history.retries(), ""),
        _row("requests to DynamoDB", soak.requests, ""),
        _row("faults injected", sum(soak.faults.values()), ""),
        *(_row(*row) for row in faults),
        _row("accounts at the end", soak.accounts, ""),
        _row("violations", len(soak.violations), ""),
        *soak.violations,
    ]
    return "\n".join(lines)


def _row(title: str, count: int, details: str) -> str:
    return f"{title:38}{count:7}  {details}".rstrip()


def _listed(found: Counter[int]) -> str:
    return ", ".join(f"{count} x {_status(status)}" for status, count in sorted(found.items()))


def _status(status: int) -> str:
    return "no answer" if status == NO_ANSWER else str(status)
