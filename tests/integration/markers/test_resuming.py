"""A backfill that is interrupted, at any of its requests, and run again; and one that is held back."""

from __future__ import annotations

import time
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from expr_builder import Marker, Table, Unique, to_item
from expr_builder.cli import main
from expr_builder.markers import Checkpoint, Kind, Layout, Report, ScanOptions, audit, backfill
from tests.support.faults import counted
from tests.support.shop import stored

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mypy_boto3_dynamodb import DynamoDBClient

TABLE = Table("shop", "id")
LAYOUT = Layout(
    Unique(TABLE, owner="id", sku=Marker("SKU#{}", normalize=str.lower), ean=Marker("EAN#{}", optional=True)),
    record_prefix="P#",
)
RECORDS = 10
PAGE = 3


def fill(client: DynamoDBClient) -> None:
    for item in client.scan(TableName="shop")["Items"]:
        client.delete_item(TableName="shop", Key={"id": item["id"]})
    for number in range(RECORDS):
        ean = {"ean": str(number)} if number % 2 else {}
        TABLE.put({"id": f"P#{number}", "sku": "twin" if number > RECORDS - 3 else f"S-{number}", **ean}).send(client)


@contextmanager
def interrupted(client: DynamoDBClient, at: int) -> Iterator[None]:
    """Ctrl-C at this request, as the thread that sends it sees it."""
    numbers = count()

    def interrupt(**_: Any) -> None:
        if next(numbers) == at:
            raise KeyboardInterrupt

    client.meta.events.register_first("before-send.dynamodb", interrupt)
    try:
        yield
    finally:
        client.meta.events.unregister("before-send.dynamodb", interrupt)


def run(client: DynamoDBClient, path: Path) -> Report:
    options = ScanOptions(segments=1, page_items=PAGE, checkpoint=Checkpoint(path, LAYOUT, "backfill"))
    return backfill(LAYOUT, client, options)


def test_whatever_request_is_interrupted_the_next_run_completes_it(shop: DynamoDBClient, tmp_path: Path) -> None:
    path = tmp_path / "backfill.json"
    fill(shop)
    with counted(shop, "*") as calls:
        whole = run(shop, path)
    complete, requests = stored(shop), len(calls)
    assert [one.kind for one in whole.findings] == [Kind.DUPLICATE]
    assert requests > RECORDS

    resumed = 0
    for at in range(requests):
        fill(shop)
        with pytest.raises(KeyboardInterrupt), interrupted(shop, at):
            run(shop, path)
        assert path.exists()
        with counted(shop, "*") as calls:
            report = run(shop, path)
        assert not path.exists()
        assert stored(shop) == complete
        assert report.complete
        assert report.resumed
        assert [one.kind for one in report.findings] == [Kind.DUPLICATE]
        # At most the page that was interrupted is read again.
        resumed += len(calls)
        assert len(calls) <= requests - at + PAGE + 4
        assert audit(LAYOUT, shop, ScanOptions(segments=1)).findings == whole.findings
    assert resumed < requests * requests


def test_no_more_requests_are_sent_than_the_rate_allows(shop: DynamoDBClient) -> None:
    fill(shop)
    started = time.monotonic()
    with counted(shop, "*") as calls:
        backfill(LAYOUT, shop, ScanOptions(segments=1, rate=200))
    # A fact of arithmetic, not of speed: the first passes at once, and each further one its share later.
    assert time.monotonic() - started >= (len(calls) - 1) / 200
    assert len(calls) > RECORDS


def test_the_command_takes_a_rate(shop: DynamoDBClient, capsys: pytest.CaptureFixture[str]) -> None:
    shop.put_item(TableName="shop", Item=to_item({"id": "P#1", "sku": "a"}))
    for command in ("backfill", "audit", "repair"):
        options = ["--unique", "shop.schema:unique", "--record-prefix", "P#", "--rate", "500"]
        assert main(["markers", command, *options]) == 0, command
    assert "1 record and 1 marker read: no findings." in capsys.readouterr().out
    for rate in ("0", "-1", "inf", "fast"):
        with pytest.raises(SystemExit) as ended:
            main(["markers", "audit", "--unique", "shop.schema:unique", "--rate", rate])
        assert ended.value.code == 2
        assert "argument --rate: invalid: a number of requests greater than 0 is expected" in capsys.readouterr().err
