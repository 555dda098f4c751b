"""The generated parts of ``docs/performance.md``: what lies between two markers is written anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.rows import as_markdown
from bench.scaling import conflict_table, cost_table
from tools.venvs import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bench.rows import Row

PAGE = ROOT / "docs/performance.md"
TITLES = {
    "build": "Building requests",
    "import": "Cold starts",
    "handler": "A warm sign-up",
    "service": "The deployed API",
    "typed": "The typed table",
    "markers": "Markers of a whole table",
}


def blocks(rows: Sequence[Row]) -> dict[str, str]:
    """The generated parts by name."""
    parts = {part: [row for row in rows if row.part == part] for part in TITLES}
    results = "\n\n".join(f"### {TITLES[part]}\n\n{as_markdown(found)}" for part, found in parts.items() if found)
    return {"results": results, "cost": cost_table(), "conflicts": conflict_table()}


def filled(text: str, parts: Mapping[str, str]) -> str:
    """The page with its generated parts put in.

    Raises:
        ValueError: when the page has no place for one of them.
    """
    for name, part in parts.items():
        first, last = f"<!-- {name}: written by `make bench` -->", f"<!-- end of {name} -->"
        before, begun, rest = text.partition(first)
        _, ended, after = rest.partition(last)
        if not begun or not ended:
            raise ValueError(f"docs/performance.md needs the lines {first} and {last}")
        text = f"{before}{first}\n\n{part}\n\n{last}{after}"
    return text


def write(rows: Sequence[Row]) -> None:
    """Bring the page up to date."""
    PAGE.write_text(filled(PAGE.read_text(), blocks(rows)))
