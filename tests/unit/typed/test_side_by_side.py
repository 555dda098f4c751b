"""The line counts of the guide's comparison are those of its blocks, which another test runs."""

from __future__ import annotations

import re

from tests.support.snippets import ROOT, blocks

PAGE = ROOT / "docs" / "typed-table.md"
HEADINGS = re.compile(r"^### (.+)$", re.MULTILINE)
ROWS = re.compile(r"^\| ([^|]+?) \| (\d+) \| (\d+) \| (\d+) \|$", re.MULTILINE)


def lines_that_count(code: str) -> int:
    """Lines of code; not what is blank, a comment, or only shows the result."""
    return sum(1 for line in code.splitlines() if line.strip() and not line.lstrip().startswith(("#", "print(")))


def counted() -> list[tuple[str, ...]]:
    """For each job its name and the lines of its three blocks."""
    text = PAGE.read_text(encoding="utf-8")
    starts = [(text.count("\n", 0, found.start()) + 1, found[1]) for found in HEADINGS.finditer(text)]
    ends = [line for line, _ in starts[1:]] + [text.count("\n") + 2]
    python = [block for block in blocks(PAGE) if block.info == "python"]
    return [
        (job, *(str(lines_that_count(block.text)) for block in python if start < block.line < end))
        for (start, job), end in zip(starts, ends, strict=True)
    ]


def test_the_table_shows_the_lines_of_each_job() -> None:
    shown = [tuple(found.groups()) for found in ROWS.finditer(PAGE.read_text(encoding="utf-8"))]
    jobs = counted()
    sums = [sum(int(lines) for lines in column) for column in list(zip(*jobs, strict=True))[1:]]
    assert len(jobs) == 8
    assert shown == [*jobs, ("All together", *map(str, sums))]
    assert min(sums) == sums[2]
