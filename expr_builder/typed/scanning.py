"""Scans that several workers share, without holding more than a page for each of them."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from expr_builder.requests.search import Scan


def scan_together(client: Any, scan: Scan, segments: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of all segments as they come, in no order; each segment is read one page ahead.

    The client is used by several threads at once: give it as many connections
    (``botocore.config.Config(max_pool_connections=segments)``).
    """
    if segments == 1:
        yield from scan.items(client)
        return
    with ThreadPoolExecutor(segments, thread_name_prefix="scan") as workers:
        reading = {workers.submit(part.page, client): part for part in scan.segments(segments)}
        try:
            while reading:
                for done in wait(reading, return_when=FIRST_COMPLETED).done:
                    part, page = reading.pop(done), done.result()
                    if page.last_key is not None:
                        following = part.start_from(page.last_key)
                        reading[workers.submit(following.page, client)] = following
                    yield from page.items
                    del page
        finally:
            for waiting in reading:
                waiting.cancel()
