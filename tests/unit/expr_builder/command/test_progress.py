"""How progress is shown: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import io
from collections import Counter

from expr_builder.cli.progress import Progress
from expr_builder.markers import Finding, Kind
from expr_builder.markers.position import Position


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def at(read: int, findings: int = 0) -> Position:
    position = Position(1)
    found = [Finding(Kind.INVALID, "email", f"ACCT#{number}") for number in range(findings)]
    position.advance(0, {"PK": "x"}, Counter(records=read), found)
    return position


def test_a_terminal_shows_a_bar_that_is_written_over_and_gone_at_the_end() -> None:
    screen, now = Terminal(), iter([0.0, 1.0, 2.0])
    progress = Progress(screen, "audit", 2000, clock=lambda: next(now))

    progress(at(0))
    progress(at(1000, findings=2))
    progress.end()

    assert screen.getvalue().split("\r\x1b[K") == [
        "",
        "audit: [........................]   0%  0 of about 2,000 items, 0 findings, 0 items/s",
        "audit: [############............]  50%  1,000 of about 2,000 items, 2 findings, 500 items/s",
        "",
    ]


def test_elsewhere_there_is_a_plain_line_now_and_then() -> None:
    log, now = io.StringIO(), [0.0]
    progress = Progress(log, "audit", None, clock=lambda: now[0])

    for second in range(25):
        now[0] = second
        progress(at(second * 10))
    progress.end()

    assert log.getvalue() == ("audit: 100 items, 0 findings, 10 items/s\naudit: 200 items, 0 findings, 10 items/s\n")
