"""The code blocks of README and docs, so that each of them can be run and its output compared."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ROOT", "Block", "blocks", "commands", "matches", "pages"]

ROOT = Path(__file__).resolve().parents[2]

_FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: its info string (such as ``python`` or ``console cloud``), its text, and where it begins."""

    page: Path
    line: int
    info: str
    text: str

    @property
    def name(self) -> str:
        """Where to find it: ``README.md:12``."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def pages() -> list[Path]:
    """README and everything under docs."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(page, text.count("\n", 0, match.start()) + 1, match["info"].strip(), match["body"])
        for match in _FENCE.finditer(text)
    ]


def commands(block: Block) -> list[tuple[str, str]]:
    """The commands of a console block (after ``$ ``, going on after ``> ``), each with the output shown for it."""
    found: list[tuple[str, str]] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], ""))
        elif line.startswith("> ") and found and not found[-1][1]:
            found[-1] = (f"{found[-1][0]}\n{line[2:]}", "")
        else:
            command, output = found[-1]
            found[-1] = (command, f"{output}{line}\n")
    return found


def matches(shown: str, actual: str) -> bool:
    """Tell whether the output is what is shown, an ellipsis standing for anything."""
    pattern = ".*?".join(map(re.escape, shown.rstrip().split("…")))
    return re.fullmatch(pattern, actual.rstrip(), re.DOTALL) is not None
