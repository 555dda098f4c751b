"""The progress of a scan: a bar on a terminal, elsewhere a plain line now and then."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

    from expr_builder.markers.position import Position

_WIDTH = 24
_LINE_SECONDS = 10.0
_ERASE = "\r\x1b[K"  # back to the start of the line, and clear it


class Progress:
    """Shows a position.

    Args:
        stream: Where to; standard error, so that standard output holds the result alone.
        title: The name of the work, such as ``audit``.
        about: How many items the table has, if known. (DynamoDB counts them every six hours.)
        clock: A clock that never goes back, in seconds.
    """

    def __init__(
        self, stream: TextIO, title: str, about: int | None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._stream = stream
        self._title = title
        self._about = about or 0
        self._clock = clock
        self._bar = stream.isatty()
        self._started = self._shown = clock()
        self._before: int | None = None

    def __call__(self, position: Position) -> None:
        """Show where it is."""
        read = sum(position.tally[kind] for kind in ("records", "markers", "others"))
        if self._before is None:
            self._before = read  # by the run that this one resumes, so not part of this one's speed
        if self._bar:
            self._write(_ERASE + self._format_line(read, len(position.findings)))
        elif self._clock() - self._shown >= _LINE_SECONDS:
            self._shown = self._clock()
            self._write(self._format_line(read, len(position.findings)) + "\n")

    def end(self) -> None:
        """Clear the bar, for the output that follows."""
        if self._bar:
            self._write(_ERASE)

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()  # no line ends, so nothing else flushes a bar

    def _format_line(self, read: int, findings: int) -> str:
        seconds = max(self._clock() - self._started, 0.001)  # the clock may not have moved yet
        speed = (read - (self._before or 0)) / seconds
        done = f"{read:,} items"
        if self._about:
            share = min(read / self._about, 1.0)  # the table may have grown since it was counted
            filled = round(share * _WIDTH)
            bar = f"[{'#' * filled}{'.' * (_WIDTH - filled)}] {share:4.0%}  " if self._bar else f"{share:.0%}, "
            done = f"{bar}{read:,} of about {self._about:,} items"
        return f"{self._title}: {done}, {findings:,} findings, {speed:,.0f} items/s"
