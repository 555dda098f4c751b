"""Which item is whose marker, what a finding says, and how progress is shown."""

from __future__ import annotations

import io
from collections import Counter
from typing import Any

import pytest

from accounts.schema import accounts_layout as accounts
from expr_builder import Marker, Table, Unique
from expr_builder.markers import Finding, Kind, Layout
from expr_builder.markers.findings import Redactor, distinct
from expr_builder.markers.layout import Unkeyed
from expr_builder.markers.position import Position
from expr_builder.markers.progress import Progress

ACCOUNTS = accounts("accounts")
SHOP = Layout(
    Unique(
        Table("shop", partition_key="PK", sort_key="SK"),
        owner="id",
        sku=Marker("SKU#{}#UNIQUE", normalize=str.lower, optional=True),
    ),
    record_key=lambda owner: {"PK": f"PRODUCT#{owner}", "SK": "HEAD"},
)

# --- layout


@pytest.mark.parametrize(
    ("item", "field"),
    [
        ({"PK": "UNIQ#EMAIL#a@example.com", "SK": "LOCK"}, "email"),
        ({"PK": "UNIQ#HANDLE#a", "SK": "LOCK"}, "username"),
        ({"PK": "UNIQ#HANDLE#a", "SK": "NOTE"}, None),
        ({"PK": "UNIQ#PHONE#1", "SK": "LOCK"}, None),
        ({"PK": "ACCT#1", "SK": "PROFILE"}, None),
    ],
)
def test_a_marker_is_known_by_its_whole_key(item: dict[str, Any], field: str | None) -> None:
    assert ACCOUNTS.field_of(item) == field


@pytest.mark.parametrize(
    ("item", "is_record"),
    [
        ({"PK": "ACCT#1", "SK": "PROFILE"}, True),
        ({"PK": "ACCT#1", "SK": "ORDER#1"}, False),
        ({"PK": "ORG#1", "SK": "PROFILE"}, False),
        ({"PK": "UNIQ#HANDLE#a", "SK": "LOCK"}, False),
    ],
)
def test_a_record_has_the_prefix_and_the_sort_key_of_records(item: dict[str, Any], is_record: bool) -> None:
    assert ACCOUNTS.is_record(item) == is_record


def test_owners_can_lead_to_records_by_a_rule_of_the_tables_own() -> None:
    product = {"PK": "PRODUCT#7", "SK": "HEAD", "id": 7, "sku": "A-1"}

    assert SHOP.is_record(product)
    assert not SHOP.is_record({**product, "id": 8})
    assert not SHOP.is_record({"PK": "PRODUCT#7", "SK": "HEAD"})
    assert SHOP.wanted(product, "sku") == "SKU#a-1#UNIQUE"
    assert SHOP.value_in("sku", "SKU#a-1#UNIQUE") == "a-1"
    assert SHOP.field_of({"PK": "SKU#a-1#UNIQUE", "SK": "LOCK"}) == "sku"
    assert SHOP.field_of({"PK": "SKU#a-1", "SK": "LOCK"}) is None
    assert SHOP.key_of_owner(7) == {"PK": "PRODUCT#7", "SK": "HEAD"}


def test_h11_no_marker_is_ever_made_of_nothing() -> None:
    record = {"PK": "ACCT#1", "SK": "PROFILE", "username": ""}

    for field in ("email", "username"):
        with pytest.raises(Unkeyed):
            ACCOUNTS.wanted(record, field)
    assert SHOP.wanted({"id": 1}, "sku") is None


@pytest.mark.parametrize("value", ["not an address", 7, "x" * 3000, None])
def test_a_value_that_cannot_be_a_key_is_refused_without_being_shown(value: Any) -> None:
    with pytest.raises(Unkeyed) as caught:
        ACCOUNTS.keyed("email", value)

    assert str(caught.value) == "not a value that email can have"


@pytest.mark.parametrize("owner", [None, "", 7, b"x"])
def test_what_cannot_be_a_key_owns_nothing(owner: Any) -> None:
    assert ACCOUNTS.key_of_owner(owner) is None


# --- findings


@pytest.mark.parametrize(
    "finding",
    [
        Finding(Kind.ORPHAN, "email", marker="UNIQ#EMAIL#a", holder="ACCT#1"),
        Finding(Kind.STOLEN, "email", "ACCT#2", "UNIQ#EMAIL#a", "ACCT#1"),
        Finding(Kind.INVALID, "email", "ACCT#2"),
    ],
    ids=lambda finding: finding.kind,
)
def test_a_finding_survives_json(finding: Finding) -> None:
    assert Finding.from_json(finding.to_json()) == finding


def test_a_theft_that_is_seen_from_both_sides_is_one_finding() -> None:
    theft = Finding(Kind.STOLEN, "email", "ACCT#2", "UNIQ#EMAIL#a", "ACCT#1")
    other = Finding(Kind.DOUBLE, "email", None, "UNIQ#EMAIL#b", "ACCT#1")

    for seen in (Kind.DOUBLE, Kind.ORPHAN):
        found = [other, Finding(seen, "email", None, "UNIQ#EMAIL#a", "ACCT#1"), theft, theft]
        assert distinct(found) == [other, theft]


def test_redacting_hides_the_value_and_tells_equal_from_different() -> None:
    one = Finding(Kind.ORPHAN, "email", marker="UNIQ#EMAIL#ada@example.com", holder="ACCT#1")
    other = Finding(Kind.ORPHAN, "email", marker="UNIQ#EMAIL#bob@example.com", holder="ACCT#1")
    hide, hide_elsewhere = Redactor(ACCOUNTS), Redactor(ACCOUNTS)

    hidden = hide(one)

    assert hidden == hide(one) != hide(other)
    assert hidden != hide_elsewhere(one)
    assert hidden.marker is not None
    assert hidden.marker.removeprefix("UNIQ#EMAIL#~").isalnum()
    assert hide(Finding(Kind.INVALID, "email", "ACCT#2")) == Finding(Kind.INVALID, "email", "ACCT#2")


# --- progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def at(read: int, findings: int = 0) -> Position:
    position = Position(1)
    found = [Finding(Kind.INVALID, "email", f"ACCT#{number}") for number in range(findings)]
    position.advance(0, {"PK": "x"}, Counter(records=read), found)
    return position


def test_a_terminal_shows_a_bar_that_is_written_over_and_gone_at_the_end() -> None:
    screen, now = Terminal(), iter([0.0, 1.0, 2.0])
    progress = Progress(screen, "audit", 2000, clock=lambda: next(now))

    progress(at(0))
    progress(at(1000, findings=2))
    progress.end()

    assert screen.getvalue().split("\r\x1b[K") == [
        "",
        "audit: [........................]   0%  0 of about 2,000 items, 0 findings, 0 items/s",
        "audit: [############............]  50%  1,000 of about 2,000 items, 2 findings, 500 items/s",
        "",
    ]


def test_elsewhere_there_is_a_plain_line_now_and_then() -> None:
    log, now = io.StringIO(), [0.0]
    progress = Progress(log, "audit", None, clock=lambda: now[0])

    for second in range(25):
        now[0] = second
        progress(at(second * 10))
    progress.end()

    assert log.getvalue() == ("audit: 100 items, 0 findings, 10 items/s\naudit: 200 items, 0 findings, 10 items/s\n")
