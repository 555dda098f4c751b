"""The scheduled audit: what it answers, logs and counts, and that it names nobody."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from accounts import observability
from accounts.schema import declare_table
from expr_builder import BatchWrite
from tests.support.damage import DAMAGES, account, lock, orphan
from tests.support.handlers import Context, call
from tests.support.logs import Log, caught
from tests.support.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mypy_boto3_dynamodb import DynamoDBClient

FUNCTION = "AuditMarkersFunction"
EVENT = {"source": "aws.events", "detail-type": "Scheduled Event", "detail": {}}


@pytest.fixture
def store(client: DynamoDBClient, table: str) -> Store:
    return Store(client, table)


@pytest.fixture
def log() -> Iterator[Log]:
    with caught(observability.logger) as log:
        yield log


def metrics_in(printed: str) -> dict[str, Any]:
    """The metrics that were printed, by name, as CloudWatch reads them; each with the dimensions that it has."""
    (line,) = [json.loads(line) for line in printed.splitlines() if "_aws" in line]
    (described,) = line["_aws"]["CloudWatchMetrics"]
    assert described["Namespace"] == "Accounts"
    dimensions = {name: line[name] for name in described["Dimensions"][0]}
    return {metric["Name"]: (line[metric["Name"]], dimensions) for metric in described["Metrics"]}


def fill(store: Store, items: Iterable[dict[str, Any]]) -> None:
    """Put more items than the four segments read in a page each."""
    table = declare_table(store.table)
    BatchWrite.stream(store.client, (table.put(item) for item in items))


def test_a_sound_table_is_zero_findings_with_the_dimension_that_the_alarm_watches(
    store: Store, log: Log, capsys: pytest.CaptureFixture[str]
) -> None:
    account(store, "ada")

    answer = call(FUNCTION, EVENT, Context(seconds=900))

    assert answer == {"complete": True, "records": 1, "markers": 2, "others": 0, "findings": {}}
    assert metrics_in(capsys.readouterr().out) == {"MarkerFindings": ([0.0], {"service": "accounts"})}
    (line,) = log.lines
    assert {name: line[name] for name in ("level", "message", *answer)} == {
        "level": "INFO",
        "message": "marker audit",
        **answer,
    }


def test_each_finding_is_a_warning_that_shows_no_value(
    store: Store, log: Log, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = [damage(store) for damage in DAMAGES]

    answer = call(FUNCTION, EVENT, Context(seconds=900))

    *warnings, _ = log.lines
    kinds = dict.fromkeys(("double", "duplicate", "invalid", "missing", "orphan", "reserved"), 1)
    assert answer["findings"] == {**kinds, "stolen": 2}
    shown = [{name: line[name] for name in ("kind", "field", "record", "holder") if name in line} for line in warnings]
    expected = [{name: part for name, part in one.to_json().items() if name != "marker"} for one in wanted]
    assert sorted(shown, key=str) == sorted(expected, key=str)
    printed = capsys.readouterr().out
    assert metrics_in(printed)["MarkerFindings"][0] == [8.0]
    everything = (log.getvalue() + printed).lower()
    for personal in ("@", "robbed", "haunted", "twin", "nobody", "former", "not an address"):
        assert personal not in everything


def test_an_audit_that_runs_out_of_time_reports_what_it_found_and_fails(
    store: Store, log: Log, capsys: pytest.CaptureFixture[str]
) -> None:
    orphan(store)
    fill(store, ({"PK": f"OTHER#{number}", "SK": "ITEM"} for number in range(2200)))

    with pytest.raises(Exception, match="time was up") as caught_error:
        call(FUNCTION, EVENT, Context(seconds=20))

    assert type(caught_error.value).__name__ == "AuditIncomplete"
    assert log.lines[-1]["complete"] is False
    assert "MarkerFindings" in metrics_in(capsys.readouterr().out)


def test_far_too_many_findings_end_the_audit_early_without_an_error(store: Store, log: Log) -> None:
    fill(store, (lock(f"UNIQ#HANDLE#lost{number}", "ACCT#gone") for number in range(2200)))

    answer = call(FUNCTION, EVENT, Context(seconds=900))

    assert answer["complete"] is False
    assert 100 <= answer["findings"]["orphan"] <= 4 * 100
    assert len(log.lines) == answer["findings"]["orphan"] + 1
