"""Reads every item of a table, in parallel, page by page; can be stopped and resumed.

One page of each segment is held in memory, and what the work on it reads.
"""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .findings import Finding, merge_findings
from .pace import paced
from .position import Position

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mypy_boto3_dynamodb import DynamoDBClient

    from expr_builder.attribute_values.values import Item
    from expr_builder.requests.search import Scan

    from .checkpoint import Checkpoint
    from .layout import Layout

    Work = Callable[[Sequence[Item]], tuple[Counter[str], list[Finding]]]

_POLL_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class ScanOptions:
    """How to read a whole table.

    Attributes:
        segments: How many threads read; a checkpoint is resumed with as many as it started with.
        page_items: How many items a page has at most.
        most: Stop after so many findings: enough to mend at once, or a sign that the table never had markers.
        checkpoint: Keeps the position; when its file exists, the scan resumes from it.
        watch: Called several times a second, to show the progress.
        rate: How many requests a second are sent at most, over all threads; it takes boto3's client.
        enough: Asked before each further page, by several threads; ``True`` ends the scan early.
    """

    segments: int = 4
    page_items: int = 500
    most: int = 10_000
    checkpoint: Checkpoint | None = None
    watch: Callable[[Position], None] = lambda _: None
    enough: Callable[[], bool] = lambda: False
    rate: float | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What a scan of the table found.

    Attributes:
        findings: What is wrong, one for each fault, in a fixed order.
        tally: How many ``records``, ``markers`` and ``others`` were read, and what else was counted.
        complete: Whether the whole table was read, and nothing kept changing while it was examined.
        resumed: Whether the scan resumed from a checkpoint.
    """

    findings: list[Finding]
    tally: Counter[str]
    complete: bool
    resumed: bool = False

    def to_json(self) -> dict[str, object]:
        """The sums, as JSON data."""
        kinds = Counter(finding.kind.value for finding in self.findings)
        counted = {**dict.fromkeys(("records", "markers", "others"), 0), **self.tally}
        return {"complete": self.complete, **counted, "findings": dict(sorted(kinds.items()))}


def scan_table(
    layout: Layout, client: DynamoDBClient, work: Work, options: ScanOptions, *, whole: bool = False
) -> Report:
    """Take every page of the table to ``work``, in a thread for each segment; it returns what it counted and found.

    The items have what an audit needs of them, or with ``whole`` everything.
    """
    checkpoint = options.checkpoint
    earlier = checkpoint.load() if checkpoint is not None else None
    position = earlier or Position(options.segments)
    if checkpoint is not None:
        checkpoint.save(position, now=True)  # a file that cannot be written must fail now, not at the end
    limited = done = False
    try:
        scan = layout.table.scan() if whole else layout.table.scan().project(*layout.attributes)
        with paced(client, options.rate) as stop:
            _read_segments(scan.limit(options.page_items), client, work, position, options, stop)
        # At the limit the last page may be unfinished: mend what was found, then start over without the checkpoint.
        limited = len(position.findings) >= options.most
        done = position.complete or limited
    finally:
        if checkpoint is not None:
            checkpoint.remove() if done else checkpoint.save(position, now=True)
    complete = position.complete and not limited and not position.tally["unsettled"]
    return Report(merge_findings(position.findings), position.tally, complete, earlier is not None)


def _read_segments(
    scan: Scan,
    client: DynamoDBClient,
    work: Work,
    position: Position,
    options: ScanOptions,
    stop: Callable[[], None],
) -> None:
    stopping = threading.Event()

    def read_segment(number: int) -> None:
        part = scan.segment(number, position.segments) if position.segments > 1 else scan
        while True:
            page = part.start_from(position.find_start(number)).page(client)
            position.advance(number, page.last_key, *work(page.items))  # only once the work on the page is done
            if page.last_key is None or stopping.is_set():
                return
            if len(position.findings) >= options.most or options.enough():
                return

    # At least one thread: a pool of none is refused, and a checkpoint may have no open segment left.
    with ThreadPoolExecutor(max(1, len(position.open_segments))) as pool:
        running = {pool.submit(read_segment, number) for number in position.open_segments}
        try:
            while running:
                # Short waits: for the progress and the checkpoint, and as Ctrl-C is only seen between two of them.
                ended, running = wait(running, timeout=_POLL_SECONDS, return_when=FIRST_COMPLETED)
                for future in ended:
                    future.result()  # raises what the thread raised
                options.watch(position)
                if options.checkpoint is not None:
                    options.checkpoint.save(position)
        except BaseException:
            stop()  # a page is finished quickly, unless requests wait for their turn; it is read again then
            raise
        finally:
            stopping.set()  # after an error or Ctrl-C too: each segment finishes its page
    options.watch(position)
