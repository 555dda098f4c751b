"""One line of the table, and the table."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

HEADINGS = ("what", "ours", "rival", "", "ratio", "target", "reached")


@dataclass(frozen=True, slots=True)
class Row:
    """Ours against a rival's, measured in one run.

    Args:
        part: The part of the bench.
        what: What was done.
        ours: Our figure, in ``unit``.
        rival: The figure of what it is compared with; ``None`` when ``ours`` stands for itself.
        rival_name: What that is.
        unit: Of both figures.
        most: The target: the ratio (or, without a rival, the figure) is at most this.
        least: The target when more is better.
    """

    part: str
    what: str
    ours: float
    rival: float | None
    rival_name: str
    unit: str
    most: float | None = None
    least: float | None = None

    @property
    def ratio(self) -> float | None:
        """Ours over the rival's."""
        return self.ours / self.rival if self.rival else None

    @property
    def reached(self) -> bool | None:
        """Whether the target is met, as shown (two digits); ``None`` when there is none."""
        measured = round(self.ours if self.ratio is None else self.ratio, 2)
        if self.most is not None:
            return measured <= self.most
        return measured >= self.least if self.least is not None else None

    def cells(self) -> tuple[str, ...]:
        """What the table shows."""
        target = f"≤ {self.most:g}" if self.most is not None else f"≥ {self.least:g}" if self.least is not None else ""
        return (
            self.what,
            f"{self.ours:.3g} {self.unit}",
            f"{self.rival:.3g} {self.unit}" if self.rival is not None else "",
            self.rival_name,
            f"{self.ratio:.2f}" if self.ratio is not None else "",
            target,
            {True: "yes", False: "NO", None: ""}[self.reached],
        )

    def to_json(self) -> dict[str, Any]:
        """What ``results.json`` keeps: no name or path of a machine."""
        kept = replace(self, ours=_short(self.ours), rival=None if self.rival is None else _short(self.rival))
        ratio = None if kept.ratio is None else _short(kept.ratio)
        return {**asdict(kept), "ratio": ratio, "reached": kept.reached}

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Row:
        """The row that :meth:`to_json` described."""
        return cls(**{name: value for name, value in found.items() if name not in {"ratio", "reached"}})


def _short(figure: float) -> float:
    return float(f"{figure:.4g}")


def dump(rows: Sequence[Row]) -> str:
    """Rows as JSON text, for another process."""
    return json.dumps([asdict(row) for row in rows])


def load(text: str) -> list[Row]:
    """The rows of such a text."""
    return [Row(**found) for found in json.loads(text)]


def as_text(rows: Sequence[Row]) -> str:
    """The table for a terminal."""
    lines = [HEADINGS, *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def as_markdown(rows: Sequence[Row]) -> str:
    """The table for a page."""
    head = ["what", "ours", "compared with", "ratio", "target", "reached"]
    lines = [head, ["---"] * len(head)]
    for row in rows:
        what, ours, rival, name, *rest = row.cells()
        lines.append([what, ours, f"{name} {rival}".strip(), *rest])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
