"""A value that rests, on an engine with threads: claims, its former owner and the sweep at one moment."""

from __future__ import annotations

import random
import time
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

import pytest

from expr_builder import Attr, ConditionFailed, Marker, RequestUnfinished, Table, Unique, UniqueViolation
from expr_builder.markers import Layout, ScanOptions, audit
from tests.support.cloud import stored
from tests.support.threads import at_once

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_dynamodb import DynamoDBClient

ROUNDS = 8
FORMER = {"PK": "ACCT#0", "SK": "PROFILE", "name": "ada"}
MARKER = {"PK": "NAME#ada", "SK": "LOCK"}


@pytest.mark.parametrize("free", [True, False])
def test_one_of_many_has_the_value_and_its_marker(client: DynamoDBClient, table: Table, free: bool) -> None:
    unique = Unique(table, owner="PK", name=Marker("NAME#{}", hold=timedelta(days=30)))
    layout = Layout(unique, record_sort="PROFILE", record_prefix="ACCT#")
    won: list[str] = []

    def claim(number: int) -> None:
        unique.create({**FORMER, "PK": f"ACCT#{number}"}).send(client)

    def sweep() -> None:  # as DynamoDB does: what has expired when it looks, and nothing else
        table.delete(MARKER).when(Attr("free_at") <= int(time.time())).send(client)

    for number in range(ROUNDS):
        unique.create(FORMER).send(client)
        unique.delete(FORMER).send(client)
        if free:
            table.update(MARKER).set(free_at=int(time.time()) - 1).send(client)
        calls: list[Callable[[], None]] = [*(partial(claim, one) for one in range(4)), *([sweep] if free else [])]
        random.Random(number).shuffle(calls)
        outcomes = at_once(calls)
        assert {type(one) for one in outcomes} <= {
            type(None),
            UniqueViolation,
            ConditionFailed,
            RequestUnfinished,
            *RequestUnfinished.__subclasses__(),
        }

        owners = [item["PK"] for item in stored(client, table.name) if item["SK"] == "PROFILE"]
        assert len(owners) <= 1
        assert free or owners in ([], [FORMER["PK"]]), "before the time, only the former owner takes it back"
        report = audit(layout, client, ScanOptions(segments=2))
        assert report.findings == []
        for owner in owners:
            assert {**MARKER, "owner": owner} in stored(client, table.name)
            table.delete({"PK": owner, "SK": "PROFILE"}).send(client)
        table.delete(MARKER).send(client)
        won += owners
    assert won, "no round had a winner"
