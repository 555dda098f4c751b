"""Scans that several threads share, without holding more than a page or two for each of them."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mypy_boto3_dynamodb.client import DynamoDBClient

    from expr_builder.attribute_values.values import StoredItem
    from expr_builder.requests.search import Scan

    from .table_parts import SendOptions


def scan_segments(client: DynamoDBClient, scan: Scan, segments: int, options: SendOptions) -> Iterator[StoredItem]:
    """Yield the items of all segments as they come, in no order; each segment is read one page ahead.

    The client is used by several threads at once: give it as many connections
    (``botocore.config.Config(max_pool_connections=segments)``).
    """
    if segments == 1:
        yield from scan.items(client, **options)
        return
    with ThreadPoolExecutor(segments, thread_name_prefix="scan") as workers:
        reading = {workers.submit(part.page, client, **options): part for part in scan.segments(segments)}
        try:
            while reading:
                for done in wait(reading, return_when=FIRST_COMPLETED).done:
                    part, page = reading.pop(done), done.result()
                    if page.last_key is not None:
                        following = part.start_from(page.last_key)
                        reading[workers.submit(following.page, client, **options)] = following
                    yield from page.items
                    del page  # before the next one comes
        finally:
            for waiting in reading:  # nobody asks for the rest: the executor must not wait for pages not yet begun
                waiting.cancel()
