"""The progress of a scan: where each segment continues, and what was found so far."""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING

from expr_builder.attribute_values.json_form import make_json, read_json_item
from expr_builder.attribute_values.values import from_item, to_item

from .findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from expr_builder.attribute_values.values import Item


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
        # Where each segment continues, None at its start; a segment that is at its end is removed.
        self._starts: dict[int, Item | None] = dict.fromkeys(range(segments))
        self._lock = threading.Lock()

    @property
    def complete(self) -> bool:
        """Whether every segment is at its end."""
        return not self._starts

    @property
    def open_segments(self) -> list[int]:
        """The segments that are not at their end."""
        return list(self._starts)

    def find_start(self, segment: int) -> Item | None:
        """The key after which a segment continues; ``None`` for its start."""
        return self._starts[segment]

    def advance(self, segment: int, last_key: Item | None, tally: Counter[str], findings: Iterable[Finding]) -> None:
        """Count a page as done; ``last_key`` is where the next begins, ``None`` at the end."""
        # Under one lock: a checkpoint saved in between would count a page twice, or lose its findings.
        with self._lock:
            if last_key is None:
                del self._starts[segment]
            else:
                self._starts[segment] = last_key
            self.tally += tally
            self.findings += findings

    def to_json(self) -> dict[str, object]:
        """As JSON data."""
        with self._lock:
            return {
                "segments": self.segments,
                # Pairs, as JSON would make text of the segments' numbers.
                "starts": [(segment, start and make_json(to_item(start))) for segment, start in self._starts.items()],
                "tally": dict(self.tally),
                "findings": [finding.to_json() for finding in self.findings],
            }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Position:
        """Read what :meth:`to_json` wrote; anything else fails somehow, which :meth:`Checkpoint.load` handles."""
        position = cls(data["segments"])
        position._starts = {
            int(segment): start and from_item(read_json_item(start)) for segment, start in data["starts"]
        }
        position.tally = Counter(data["tally"])
        position.findings = [Finding.from_json(finding) for finding in data["findings"]]
        return position
