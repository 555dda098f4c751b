"""Who keeps a shared value, while records change beside the backfill that decides it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from expr_builder import Marker, Table, Unique, to_item
from expr_builder.markers import KeepExtreme, Kind, Layout, ScanOptions, audit, backfill
from tests.support.faults import before
from tests.support.shop import owners, put

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

UNIQUE = Unique(Table("shop", "id"), owner="id", sku=Marker("SKU#{}", normalize=str.lower))
LAYOUT = Layout(UNIQUE, record_prefix="P#")
ONE_THREAD = ScanOptions(segments=1)
OLDEST = KeepExtreme("at")
LOOK = "TransactGetItems"


@pytest.mark.parametrize("look", range(1, 7))
def test_a_stranger_who_takes_the_value_meanwhile_keeps_it(shop: DynamoDBClient, look: int) -> None:
    """The decision was between records of the group: it gives nobody a right to what another one has by now."""
    put(shop, {"id": "P#1", "sku": "a", "at": 1}, {"id": "P#2", "sku": "A", "at": 2}, {"id": "SKU#a", "owner": "P#2"})

    def change_hands() -> None:
        UNIQUE.change({"id": "P#2", "sku": "A"}, sku="z").send(shop)
        UNIQUE.create({"id": "P#9", "sku": "a"}).send(shop)

    nothing = [lambda: None] * (look - 1)
    with before(shop, *nothing, change_hands, operation=LOOK):
        report = backfill(LAYOUT, shop, ONE_THREAD, keep=OLDEST)
    assert owners(shop) == {"SKU#a": "P#9", "SKU#z": "P#2"}
    assert [(one.kind, one.record, one.holder) for one in report.findings] == [(Kind.DUPLICATE, "P#1", "P#9")]
    assert report.tally["handed"] == 0


def test_a_stranger_who_takes_it_just_before_the_write_keeps_it(shop: DynamoDBClient) -> None:
    put(shop, {"id": "P#1", "sku": "a", "at": 1}, {"id": "P#2", "sku": "A", "at": 2}, {"id": "SKU#a", "owner": "P#2"})

    def change_hands() -> None:
        put(shop, {"id": "P#2", "sku": "z"}, {"id": "SKU#z", "owner": "P#2"})
        put(shop, {"id": "P#9", "sku": "a"}, {"id": "SKU#a", "owner": "P#9"})

    with before(shop, change_hands):
        report = backfill(LAYOUT, shop, ONE_THREAD, keep=OLDEST)
    assert owners(shop) == {"SKU#a": "P#9", "SKU#z": "P#2"}
    assert [(one.kind, one.record, one.holder) for one in report.findings] == [(Kind.DUPLICATE, "P#1", "P#9")]


def test_a_value_that_was_given_up_meanwhile_goes_to_the_one_that_keeps_it(shop: DynamoDBClient) -> None:
    put(shop, {"id": "P#1", "sku": "a", "at": 1}, {"id": "P#2", "sku": "A", "at": 2}, {"id": "SKU#a", "owner": "P#2"})
    with before(shop, *[lambda: None] * 3, lambda: UNIQUE.delete({"id": "P#2", "sku": "A"}).send(shop), operation=LOOK):
        report = backfill(LAYOUT, shop, ONE_THREAD, keep=OLDEST)
    assert owners(shop) == {"SKU#a": "P#1"}
    assert not audit(LAYOUT, shop, ONE_THREAD).findings
    assert (report.findings, report.tally["added"], report.tally["handed"]) == ([], 1, 0)


@pytest.mark.parametrize("record", [{"id": "P#1", "sku": "other", "at": 1}, None])
def test_one_that_lost_the_value_meanwhile_is_given_no_marker(shop: DynamoDBClient, record: Any) -> None:
    put(shop, {"id": "P#1", "sku": "a", "at": 1}, {"id": "P#2", "sku": "A", "at": 2})

    def lose() -> None:
        put(shop, record) if record else shop.delete_item(TableName="shop", Key=to_item({"id": "P#1"}))

    with before(shop, lose):
        report = backfill(LAYOUT, shop, ONE_THREAD, keep=OLDEST)
    assert "SKU#a" not in owners(shop)
    assert (Kind.DUPLICATE, "P#2") in {(one.kind, one.record) for one in report.findings}
    # The next one sees no group any more, and nobody is stuck.
    backfill(LAYOUT, shop, ONE_THREAD, keep=OLDEST)
    assert owners(shop)["SKU#a"] == "P#2"
    assert not audit(LAYOUT, shop, ONE_THREAD).findings


def test_two_backfills_that_decide_otherwise_leave_one_owner(shop: DynamoDBClient) -> None:
    put(shop, {"id": "P#1", "sku": "a", "at": 1}, {"id": "P#2", "sku": "A", "at": 2})
    newest = KeepExtreme("at", newest=True)
    with before(shop, lambda: backfill(LAYOUT, shop, ONE_THREAD, keep=newest)):
        backfill(LAYOUT, shop, ONE_THREAD, keep=OLDEST)
    assert owners(shop) in ({"SKU#a": "P#1"}, {"SKU#a": "P#2"})
    findings = audit(LAYOUT, shop, ONE_THREAD).findings
    assert [one.kind for one in findings] == [Kind.DUPLICATE]
