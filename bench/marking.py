"""The commands for markers on tables of thousands of records: prints its rows as JSON.

Requests are counted, so that they are the same on every machine; times are ratios to a plain scan of the same table.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from bench.rows import Row
from bench.working import run_worker

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from expr_builder.markers import Layout

PART = "markers"
SEGMENTS = 4
_FEW = 2_000


def rows(cloud: Mapping[str, str], *, records: int, python: Path, root: Path) -> list[Row]:
    """Run a worker for each table, so that each has a memory of its own.

    Args:
        cloud: The environment that leads to the local cloud.
        records: How many records the large table has.
        python: An interpreter with boto3.
        root: The folder of this package.
    """

    def work(number: int, fields: int) -> dict[str, Any]:
        printed = run_worker("marking", number, fields, environment=cloud, python=python, root=root)
        return dict(json.loads(printed))

    few, many = work(records // 10, 2), work(records, 2)
    one, four = work(records // 10, 1), work(records // 10, 4)
    size = f"{records:,} records"
    made = [
        Row(PART, f"backfill, {size}, 2 fields", many["backfill"], None, "", "requests a record", most=2),
        Row(PART, "backfill, 4 fields", four["backfill"], one["backfill"], "1 field", "requests a record", most=1.2),
        Row(PART, f"backfill, {size}", many["rate"], many["bare_rate"], "its transactions alone", "/s", least=0.7),
        Row(PART, f"peak memory of backfill, {size}", many["memory"], few["memory"], "a tenth", "MB", most=1.1),
    ]
    for command in ("plan", "audit"):
        figure = many[command]
        made.append(Row(PART, f"{command}, {size}", figure["requests"], None, "", "requests a 1,000 records"))
        made.append(Row(PART, f"{command}, {size}", figure["seconds"], many["scan"], "a plain scan", "s"))
    made.append(Row(PART, "repair", many["repair"]["requests"] / 1000, None, "", "requests a finding"))
    made.append(Row(PART, "retire", few["retire"]["requests"] / 1000, None, "", "requests a marker"))
    made += [Row(PART, f"{name}", few[name], None, "", "requests") for name in ("show", "show --no-scan", "give")]
    return made


def worker(records: int, fields: int) -> dict[str, Any]:
    """Fill a table, and run one command after the other."""
    import boto3

    from expr_builder import BatchWrite, Marker, Table, Unique
    from expr_builder.markers import Layout, Mender, ScanOptions, audit, backfill, make_scan_client, plan, retire, show

    name = f"bench-markers-{records}-{fields}"
    client: Any = make_scan_client(SEGMENTS)
    client.create_table(
        TableName=name,
        KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "PK", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    table = Table(name, "PK")
    rules = {f"f{number}": Marker(f"U{number}#{{}}", normalize=str.lower) for number in range(fields)}
    layout = Layout(Unique(table, owner="PK", **rules), record_prefix="R#")
    options = ScanOptions(SEGMENTS)
    for start in range(0, records, 500):
        some = range(start, min(start + 500, records))
        items = ({"PK": f"R#{one}", "at": one, **dict.fromkeys(rules, f"V{one}@example.com")} for one in some)
        BatchWrite(*map(table.put, items)).send(client)
    found: dict[str, Any] = {}
    if fields == 2:
        with _measured(client) as (calls, seconds), plan(layout, client, options) as foreseen:
            _expect(foreseen.written, records)
        found["plan"] = _figure(calls, seconds, records)
    with _measured(client) as (calls, seconds):
        report = backfill(layout, client, options)
    _expect(report.tally["added"], records * fields)
    found["backfill"] = calls.total() / records
    found["rate"] = records / seconds[0]
    found["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if fields != 2:
        return found
    found["bare_rate"] = _send_bare(boto3.client("dynamodb"), layout, min(records, 1000))
    with _measured(client) as (calls, seconds):
        scanned = sum(page["Count"] for page in client.get_paginator("scan").paginate(TableName=name))
    _expect(scanned, records * (1 + fields))
    found["scan"] = seconds[0]
    with _measured(client) as (calls, seconds):
        report = audit(layout, client, options)
    _expect(len(report.findings), 0)
    found["audit"] = _figure(calls, seconds, records)

    # Every hundredth record loses a marker.
    for number in range(0, records, 100):
        client.delete_item(TableName=name, Key={"PK": {"S": f"U0#v{number}@example.com"}})
    findings = audit(layout, client, options).findings
    mender = Mender(layout, client)
    with _measured(client) as (calls, seconds):
        for finding in findings:
            mender.mend(finding)
    found["repair"] = _figure(calls, seconds, len(findings))
    for title, scan in (("show", options), ("show --no-scan", None)):
        with _measured(client) as (calls, seconds):
            show(layout, client, "v1@example.com", scan=scan)
        found[title] = calls.total()
    twin = {"PK": "R#twin", **dict.fromkeys(rules, "v1@example.com")}
    table.put(twin).send(client)
    with _measured(client) as (calls, seconds):
        mender.give("f1", "v1@example.com", "R#twin")
    found["give"] = calls.total()
    table.delete({"PK": "R#twin"}).send(client)
    mender.give("f1", "v1@example.com", "R#1")
    changed = {**rules, "f0": Marker("N0#{}", normalize=str.lower, previous=[rules["f0"]])}
    changing = Layout(Unique(table, owner="PK", **changed), record_prefix="R#")
    if records <= _FEW:  # three requests for each record
        backfill(changing, client, options)
        with _measured(client) as (calls, seconds):
            report = retire(changing, client, options)
        _expect(report.tally["retired"], records)
        found["retire"] = _figure(calls, seconds, records)
    return found


@contextmanager
def _measured(client: Any) -> Iterator[tuple[Counter[str], list[float]]]:
    """Count the calls of each operation, and take the time of the block."""
    calls: Counter[str] = Counter()
    seconds: list[float] = []

    def note(model: Any, **_: Any) -> None:
        calls[model.name] += 1

    client.meta.events.register("before-parameter-build.dynamodb", note)
    started = time.perf_counter()
    try:
        yield calls, seconds
    finally:
        seconds.append(time.perf_counter() - started)
        client.meta.events.unregister("before-parameter-build.dynamodb", note)


def _expect(number: int, expected: int) -> None:
    if number != expected:
        raise RuntimeError(f"{number} instead of {expected}")


def _figure(calls: Counter[str], seconds: list[float], records: int) -> dict[str, float]:
    return {"requests": calls.total() * 1000 / records, "seconds": seconds[0]}


def _send_bare(client: Any, layout: Layout, records: int) -> float:
    """The transactions of a backfill alone, of other records, a thread for each segment."""
    from concurrent.futures import ThreadPoolExecutor

    name = layout.table.name

    def send(number: int) -> None:
        owner = {"S": f"R#{number}"}
        check = {
            "TableName": name,
            "Key": {"PK": owner},
            "ConditionExpression": "attribute_exists(PK) AND f0 = :v0 AND f1 = :v1",
            "ExpressionAttributeValues": {f":v{one}": {"S": f"V{number}@example.com"} for one in range(2)},
        }
        puts = [
            {
                "TableName": name,
                "Item": {"PK": {"S": f"bare{one}#v{number}@example.com"}, "owner": owner},
                "ConditionExpression": "attribute_not_exists(PK)",
            }
            for one in range(2)
        ]
        items = [{"ConditionCheck": check}, *({"Put": put} for put in puts)]
        client.transact_write_items(TransactItems=items, ClientRequestToken=f"{name[14:]}-{number}")

    started = time.perf_counter()
    with ThreadPoolExecutor(SEGMENTS) as pool:
        list(pool.map(send, range(records)))
    seconds = time.perf_counter() - started
    for number in range(records):
        for one in range(2):
            client.delete_item(TableName=name, Key={"PK": {"S": f"bare{one}#v{number}@example.com"}})
    return records / seconds


if __name__ == "__main__":
    print(json.dumps(worker(int(sys.argv[1]), int(sys.argv[2]))))
