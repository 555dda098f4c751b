"""What makes output pleasant on a terminal, and plain everywhere else."""

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
        self.on = stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"

    def bold(self, text: str) -> str:
        """Emphasised."""
        return f"{_BOLD}{text}{_RESET}" if self.on else text

    def red(self, text: str) -> str:
        """A fault."""
        return f"{_RED}{text}{_RESET}" if self.on else text


def table_lines(header: Sequence[str], rows: Sequence[Sequence[str]], paint: Paint) -> list[str]:
    """Write rows below a header, in columns as wide as they need; columns without any content are left out."""
    kept = [column for column in range(len(header)) if any(row[column] for row in rows)]
    widths = {column: max(len(row[column]) for row in (header, *rows)) for column in kept}
    lines = ["  ".join(row[column].ljust(widths[column]) for column in kept).rstrip() for row in (header, *rows)]
    return [paint.bold(lines[0]), *lines[1:]]
