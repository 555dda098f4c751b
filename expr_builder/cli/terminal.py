"""Colours, tables and safe text for a terminal; plain text everywhere else."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

_BOLD, _RED, _RESET = "\x1b[1m", "\x1b[31m", "\x1b[0m"


class Paint:
    """Colours, where the stream is a terminal and NO_COLOR (https://no-color.org) is not set."""

    def __init__(self, stream: TextIO) -> None:
        # TERM=dumb: a terminal, such as an editor's, that shows escape sequences as they are.
        self.on = stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"

    def bold(self, text: str) -> str:
        """Emphasise."""
        return f"{_BOLD}{text}{_RESET}" if self.on else text

    def red(self, text: str) -> str:
        """Mark as a fault."""
        return f"{_RED}{text}{_RESET}" if self.on else text


def escape_controls(text: str) -> str:
    """Escape what is not printable: a stored value must not move the cursor of the terminal that it is shown on."""
    return text if text.isprintable() else text.encode("unicode_escape").decode("ascii")


def format_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Write a header and rows in columns as wide as they need; columns without any content are left out."""
    cells = [[escape_controls(cell) for cell in row] for row in (header, *rows)]
    kept = [column for column in range(len(header)) if any(row[column] for row in cells[1:])]
    widths = {column: max(len(row[column]) for row in cells) for column in kept}
    return ["  ".join(row[column].ljust(widths[column]) for column in kept).rstrip() for row in cells]


def count(number: int, noun: str) -> str:
    """Write a number with its noun: ``1 record``, ``2,000 records``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
