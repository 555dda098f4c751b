"""How far a scan has come, and what it met so far."""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING, Any

from .findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .layout import Key


class Position:
    """How far a scan in segments has come. Safe to use from several threads.

    Attributes:
        segments: How many parts the scan has.
        tally: How many records, markers and other items were read, and what else was counted.
        findings: What was found.
    """

    def __init__(self, segments: int) -> None:
        self.segments = segments
        self.tally: Counter[str] = Counter()
        self.findings: list[Finding] = []
        self._starts: list[Key | None] = [None] * segments
        self._ended = [False] * segments
        self._lock = threading.Lock()

    @property
    def complete(self) -> bool:
        """Whether every segment is at its end."""
        return all(self._ended)

    @property
    def open_segments(self) -> list[int]:
        """The segments that are not."""
        return [number for number, ended in enumerate(self._ended) if not ended]

    def start_of(self, segment: int) -> Key | None:
        """Where a segment goes on."""
        return self._starts[segment]

    def advance(self, segment: int, last_key: Key | None, tally: Counter[str], findings: Iterable[Finding]) -> None:
        """A page is done; ``last_key`` is where the next begins, ``None`` at the end."""
        with self._lock:
            self._starts[segment] = last_key
            self._ended[segment] = last_key is None
            self.tally += tally
            self.findings += findings

    def to_json(self) -> dict[str, Any]:
        """As JSON data."""
        with self._lock:
            return {
                "starts": list(self._starts),
                "ended": list(self._ended),
                "tally": dict(self.tally),
                "findings": [finding.to_json() for finding in self.findings],
            }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Position:
        """Read what :meth:`to_json` wrote.

        Raises:
            ValueError, KeyError, TypeError, AttributeError: when it is something else.
        """
        position = cls(len(data["starts"]))
        position._starts = [None if key is None else dict(key) for key in data["starts"]]
        position._ended = [bool(ended) for ended in data["ended"]]
        position.tally = Counter(data["tally"])
        position.findings = [Finding.from_json(finding) for finding in data["findings"]]
        return position
