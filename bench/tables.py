"""The typed table with ten thousand items, against plain boto3 on the same engine: prints its rows as JSON.

boto3 moves dictionaries; the typed table checks a model on the way in and makes one on the way out.
"""

from __future__ import annotations

import sys
import time
import tracemalloc
from decimal import Decimal
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from bench.rows import Row, dump, load
from bench.working import run_worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

PART = "typed"
TABLE = "bench-orders"
USER = "ada"
BLOCK = 1000


def rows(cloud: Mapping[str, str], *, items: int, python: Path, root: Path) -> list[Row]:
    """Run the worker against the local cloud.

    Args:
        cloud: The environment that leads there.
        items: How many items each side writes and reads.
        python: An interpreter with boto3 and pydantic.
        root: The folder of this package.
    """
    return load(run_worker("tables", items, environment=cloud, python=python, root=root))


def worker(items: int) -> list[Row]:
    """Write, query and scan, block by block in turns."""
    import boto3
    from boto3.dynamodb.conditions import Key as Boto3Key
    from pydantic import BaseModel

    from expr_builder import Key, Table
    from expr_builder.typed import TypedTable

    class Order(BaseModel):
        user_id: str
        number: int
        total: Decimal
        lines: list[str]
        note: str | None = None

    client: Any = boto3.client("dynamodb")
    for side in ("ours", "boto3"):
        client.create_table(
            TableName=f"{TABLE}-{side}",
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[
                {"AttributeName": "user_id", "AttributeType": "S"},
                {"AttributeName": "number", "AttributeType": "N"},
            ],
            KeySchema=[
                {"AttributeName": "user_id", "KeyType": "HASH"},
                {"AttributeName": "number", "KeyType": "RANGE"},
            ],
        )
    plain = Table(f"{TABLE}-ours", partition_key="user_id", sort_key=("number", "N"))
    ours: Any = TypedTable(Order, plain, client)
    theirs: Any = boto3.resource("dynamodb").Table(f"{TABLE}-boto3")

    def make_items(first: int, count: int) -> Iterator[dict[str, Any]]:
        for number in range(first, first + count):
            lines = [
                f"SKU-{number}-{line}: a thing that somebody wanted, in the words of its maker" for line in range(10)
            ]
            yield {"user_id": USER, "number": number, "total": Decimal(number) / 4, "lines": lines, "note": "as usual"}

    def put_ours(first: int) -> None:
        ours.put_batch(Order(**item) for item in make_items(first, BLOCK))

    def put_theirs(first: int) -> None:
        with theirs.batch_writer() as batch:
            for item in make_items(first, BLOCK):
                batch.put_item(Item=item)

    def paged(operation: str, **arguments: Any) -> Iterator[dict[str, Any]]:
        for page in theirs.meta.client.get_paginator(operation).paginate(TableName=theirs.name, **arguments):
            yield from page["Items"]

    seconds = {"ours": 0.0, "boto3": 0.0}
    for first in range(0, items, BLOCK):
        seconds["ours"] += _seconds(partial(put_ours, first))
        seconds["boto3"] += _seconds(partial(put_theirs, first))
    found = [_throughput("put_batch", items, seconds, "boto3's batch_writer")]
    query, scan = partial(ours.query, Key("user_id").eq(USER)), ours.scan
    plain_query = partial(paged, "query", KeyConditionExpression=Boto3Key("user_id").eq(USER))
    for name, read_ours, read_theirs in (("query", query, plain_query), ("scan", scan, partial(paged, "scan"))):
        best = {"ours": float("inf"), "boto3": float("inf")}
        for _ in range(3):
            for side, read in (("ours", read_ours), ("boto3", read_theirs)):
                best[side] = min(best[side], _seconds(partial(_exhaust, read, items)))
        found.append(_throughput(name, items, best, "boto3's paginator"))

    nowhere: Any = _Silent()
    silent = TypedTable(Order, plain, nowhere)
    peaks: dict[str, Callable[[int], object]] = {
        "put_batch": lambda count: silent.put_batch(Order(**item) for item in make_items(0, count)),
        "query": lambda count: _exhaust(lambda: islice(query(), count), count),
        "scan": lambda count: _exhaust(lambda: islice(scan(), count), count),
    }
    return found + [_memory(name, items, run) for name, run in peaks.items()]


class _Silent:
    """A client that takes every batch: what is measured is our side alone."""

    def batch_write_item(self, **_: Any) -> dict[str, Any]:
        return {"UnprocessedItems": {}}


def _exhaust(read: Callable[[], Iterable[Any]], expected: int) -> None:
    count = sum(1 for _ in read())
    if count != expected:
        raise RuntimeError(f"{count} items read, {expected} are stored")


def _seconds(run: Callable[[], object]) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def _throughput(name: str, items: int, seconds: Mapping[str, float], rival: str) -> Row:
    ours, theirs = items / seconds["ours"], items / seconds["boto3"]
    return Row(PART, f"{name}, {items:,} items", ours, theirs, rival, "/s", least=0.9)


def _memory(name: str, items: int, run: Callable[[int], object]) -> Row:
    """The peak for all items over that for half of them, both many pages: flat is 1."""
    half = items // 2
    run(BLOCK)  # what is made once only is no part of it
    most, few = _peak(lambda: run(items)), _peak(lambda: run(half))
    return Row(PART, f"peak memory of {name}, {items:,} items", most, few, f"{half:,} items", "MB", most=1.1)


def _peak(run: Callable[[], object]) -> float:
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


if __name__ == "__main__":
    print(dump(worker(int(sys.argv[1]))))
