"""What docs/reservations.md says, held against service and template. (The blocks of the page run as tests, too.)"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from accounts.errors import Busy, Taken
from expr_builder import Marker, Table, Unique, to_item
from tests.support.faults import failing, service_error
from tests.support.store import changing, signing_up
from tests.support.template import template

if TYPE_CHECKING:
    from tests.support.store import Store

ADA = signing_up("ada@example.com")


def test_nothing_in_the_table_can_expire(store: Store) -> None:
    store.service().sign_up(ADA, subject="user-1")

    markers = [item for item in store.items() if item["SK"] == "LOCK"]
    assert [sorted(marker) for marker in markers] == [["PK", "SK", "owner"]] * 2
    assert "TimeToLiveSpecification" not in template()["Resources"]["AccountsTable"]["Properties"]


def test_an_expired_marker_counts_until_it_is_swept(store: Store) -> None:
    expired = {
        "PK": "UNIQ#EMAIL#ada@example.com",
        "SK": "LOCK",
        "owner": "ACCT#gone",
        "expires": int(time.time()) - 3600,
    }
    store.client.put_item(TableName=store.table, Item=to_item(expired))

    with pytest.raises(Taken):
        store.service().sign_up(ADA, subject="user-1")


def test_a_marker_that_was_swept_lets_two_accounts_hold_one_address(store: Store) -> None:
    service = store.service()
    ada = service.sign_up(ADA, subject="user-1")
    swept = {"PK": "UNIQ#EMAIL#ada@example.com", "SK": "LOCK"}
    store.client.delete_item(TableName=store.table, Key=to_item(swept))

    service.sign_up(signing_up("ada@example.com", "second"), subject="user-2")

    with pytest.raises(AssertionError, match="two accounts hold one value"):
        store.check()
    # The first can be given another address, and the second's marker stays with it.
    assert service.change(ada.account_id, changing("new@example.com"), subject="user-1").email == "new@example.com"
    store.check()


def test_a_record_that_is_deleted_softly_gives_up_its_values_with_its_markers(store: Store) -> None:
    unique = Unique(
        Table(store.table, partition_key="PK", sort_key="SK"),
        owner="PK",
        email=Marker("UNIQ#EMAIL#{}", optional=True),
        username=Marker("UNIQ#HANDLE#{}", optional=True),
    )
    record = {"PK": "ACCT#1", "SK": "PROFILE", "email": "ada@example.com", "username": "ada"}
    unique.create(record).send(store.client)

    unique.change(record, email=None, username=None, set={"deleted_at": "2026-01-02T03:04:05Z"}).send(store.client)

    assert store.items() == [{"PK": "ACCT#1", "SK": "PROFILE", "deleted_at": "2026-01-02T03:04:05Z"}]
    assert store.service().sign_up(ADA, subject="user-1").email == "ada@example.com"


def test_the_table_is_in_one_region(store: Store) -> None:
    table = template()["Resources"]["AccountsTable"]

    assert (table["Type"], table["Properties"].get("Replicas")) == ("AWS::DynamoDB::Table", None)


def test_a_conflict_between_regions_is_retried_and_never_called_taken(store: Store) -> None:
    conflict = service_error("ReplicatedWriteConflictException")

    with failing(store.client, conflict, times=2) as calls:
        store.service().sign_up(ADA, subject="user-1", time_left=lambda: 10)
    with failing(store.client, conflict), pytest.raises(Busy):
        store.service().sign_up(signing_up("bob@example.com", "bob"), subject="user-2", time_left=lambda: 0)

    assert len(calls) == 2
