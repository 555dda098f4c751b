"""Batches: requests of 25 and 100, what is sent again, and what is left."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from expr_builder import (
    Attr,
    BatchGet,
    BatchIncomplete,
    BatchWrite,
    BuildError,
    Table,
    read_units,
    write_units,
)

table = Table("t", ("id", "N"))
other = Table("other", "PK", "SK")


@pytest.fixture(autouse=True)
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    taken: list[float] = []
    monkeypatch.setattr("expr_builder.sending.blocking.time.sleep", taken.append)
    return taken


class Store:
    """A client that keeps items and leaves the last entry of a request undone, as often as it is told."""

    def __init__(self, undone: int = 0) -> None:
        self.undone = undone
        self.sent: list[Any] = []
        self.items: dict[str, dict[str, Any]] = {}

    def _hold_back(self, entries: list[Any]) -> list[Any]:
        if self.undone and entries:
            self.undone -= 1
            return [entries.pop()]
        return []

    def batch_write_item(self, **request: Any) -> dict[str, Any]:
        self.sent.append(copy.deepcopy(request))
        unprocessed = {}
        for name, entries in copy.deepcopy(request["RequestItems"]).items():
            held = self._hold_back(entries)
            if held:
                unprocessed[name] = held
            for entry in entries:
                if "PutRequest" in entry:
                    item = entry["PutRequest"]["Item"]
                    self.items[item["id"]["N"]] = item
                else:
                    self.items.pop(entry["DeleteRequest"]["Key"]["id"]["N"], None)
        return {"UnprocessedItems": unprocessed}

    def batch_get_item(self, **request: Any) -> dict[str, Any]:
        self.sent.append(copy.deepcopy(request))
        wanted = copy.deepcopy(request["RequestItems"]["t"])
        held = self._hold_back(wanted["Keys"])
        found = [self.items[key["id"]["N"]] for key in reversed(wanted["Keys"]) if key["id"]["N"] in self.items]
        return {"Responses": {"t": found}, "UnprocessedKeys": {"t": {"Keys": held}} if held else {}}


def put(number: int) -> Any:
    return table.put({"id": number, "v": "x"})


def test_a_batch_of_writes_is_the_arguments_of_batch_write_item() -> None:
    batch = BatchWrite(put(1), table.delete({"id": 2}), other.put({"PK": "a", "SK": "b"}))
    assert batch.to_requests() == [
        {
            "RequestItems": {
                "t": [
                    {"PutRequest": {"Item": {"id": {"N": "1"}, "v": {"S": "x"}}}},
                    {"DeleteRequest": {"Key": {"id": {"N": "2"}}}},
                ],
                "other": [{"PutRequest": {"Item": {"PK": {"S": "a"}, "SK": {"S": "b"}}}}],
            }
        }
    ]


def test_writes_are_split_at_25_and_what_was_left_undone_is_sent_again(naps: list[float]) -> None:
    client: Any = Store(undone=3)
    BatchWrite(*map(put, range(60))).send(client)
    assert sorted(map(int, client.items)) == list(range(60))
    assert [len(request["RequestItems"]["t"]) for request in client.sent] == [25, 1, 1, 1, 25, 10]
    assert len(naps) == 3


def test_a_stream_of_writes_is_taken_25_at_a_time() -> None:
    client: Any = Store()
    taken = []

    def stream() -> Any:
        for number in range(30):
            taken.append(number)
            yield put(number)

    def watched(**request: Any) -> Any:
        assert len(taken) in (25, 30)
        return Store.batch_write_item(client, **request)

    client.batch_write_item = watched
    assert BatchWrite.stream(client, stream()) == 30
    assert len(client.items) == 30


def test_what_is_left_at_the_end_is_listed() -> None:
    client: Any = Store(undone=1000)
    with pytest.raises(BatchIncomplete) as caught:
        BatchWrite(put(1), put(2)).send(client, max_attempts=3)
    assert [action.key for action in caught.value.left] == [{"id": {"N": "2"}}]
    assert (caught.value.attempts, len(client.sent), "1" in client.items) == (3, 3, True)
    with pytest.raises(BatchIncomplete):
        BatchWrite(put(1)).send(Store(undone=1000), time_left=lambda: 0)  # type: ignore[arg-type]


def test_reads_come_back_in_their_order_with_none_for_what_is_missing() -> None:
    client: Any = Store(undone=2)
    BatchWrite(*map(put, range(0, 130, 2))).send(client)
    client.sent.clear()
    client.undone = 2
    found = BatchGet(*(table.get({"id": number}) for number in range(130))).fetch(client)
    assert [item and item["id"] for item in found] == [None if number % 2 else number for number in range(130)]
    assert [len(request["RequestItems"]["t"]["Keys"]) for request in client.sent] == [100, 1, 1, 30]


def test_reads_that_stay_unprocessed_are_listed() -> None:
    with pytest.raises(BatchIncomplete) as caught:
        BatchGet(table.get({"id": 1}), table.get({"id": 2})).fetch(Store(undone=9), max_attempts=2)  # type: ignore[arg-type]
    assert [action.key for action in caught.value.left] == [{"id": {"N": "2"}}]


def test_a_batch_of_reads_is_the_arguments_of_batch_get_item() -> None:
    batch = BatchGet(
        table.get({"id": 1}, ["id", "name"], consistent=True), table.get({"id": 2}, ["id", "name"], consistent=True)
    )
    assert batch.to_requests() == [
        {
            "RequestItems": {
                "t": {
                    "Keys": [{"id": {"N": "1"}}, {"id": {"N": "2"}}],
                    "ProjectionExpression": "id, #n0",
                    "ExpressionAttributeNames": {"#n0": "name"},
                    "ConsistentRead": True,
                }
            }
        }
    ]


@pytest.mark.parametrize(
    ("make", "rule"),
    [
        (lambda: BatchWrite(put(1), table.delete({"id": 1.0})), "batch-same-item"),
        (lambda: BatchWrite(table.update({"id": 1}).set(a=1)), "batch-action"),  # type: ignore[arg-type]
        (lambda: BatchWrite(put(1).if_not_exists()), "batch-condition"),
        (lambda: BatchWrite(put(1).returning("ALL_OLD")), "return-values"),
        (lambda: BatchGet(table.get({"id": 1}), table.get({"id": 1})), "batch-same-item"),
        (lambda: BatchGet(put(1)), "batch-action"),
        (lambda: BatchWrite.stream(Store(), [put(1), put(1)]), "batch-same-item"),  # type: ignore[arg-type]
        (lambda: BatchGet(table.get({"id": 1}), table.get({"id": 2}, ["id"])).to_requests(), "batch-projection"),
        (lambda: BatchGet(table.get({"id": 1}, ["name"])).to_requests(), "batch-projection"),
    ],
)
def test_what_no_batch_can_hold_is_refused(make: Any, rule: str) -> None:
    with pytest.raises(BuildError) as caught:
        make()
    assert caught.value.rule == rule


def test_capacity_units() -> None:
    assert [write_units(size) for size in (0, 1, 1024, 1025)] == [1, 1, 1, 2]
    assert write_units(1025, transactional=True) == 4
    assert [read_units(size) for size in (0, 4096, 4097)] == [1, 1, 2]
    assert read_units(4097, consistent=False) == 1
    assert read_units(1, consistent=False) == 0.5
    assert read_units(4097, transactional=True) == 4


def test_a_condition_cannot_slip_into_a_batch_by_when() -> None:
    with pytest.raises(BuildError, match="no conditions"):
        BatchWrite(table.delete({"id": 1}).when(Attr("a") == 1))
