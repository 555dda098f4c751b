"""What a finding says, how several are made one, and what must not be seen of them."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from expr_builder import Marker, Table, Unique
from expr_builder.markers import Answer, Finding, Kind, Layout, Redactor
from expr_builder.markers.examine import Sight
from expr_builder.markers.findings import merge_findings
from expr_builder.markers.show import Line

ACCOUNTS = Layout(
    Unique(Table("accounts", partition_key="PK", sort_key="SK"), owner="PK", email=Marker("UNIQ#EMAIL#{}")),
    record_sort="PROFILE",
)


@pytest.mark.parametrize(
    "finding",
    [
        Finding(Kind.ORPHAN, "email", marker="UNIQ#EMAIL#a", holder="ACCT#1"),
        Finding(Kind.STOLEN, "email", "ACCT#2", "UNIQ#EMAIL#a", "ACCT#1"),
        Finding(Kind.INVALID, "email", "ACCT#2"),
        Finding(Kind.STOLEN, "email", 1, "UNIQ#EMAIL#a", "1"),
        Finding(Kind.RESERVED, "email", Decimal("1.50"), "UNIQ#EMAIL#a", b"\x00\xff"),
        Finding(Kind.RESERVED, "email", None, "UNIQ#EMAIL#a", [{"a": {b"b"}}, True]),
    ],
    ids=str,
)
def test_a_finding_survives_json(finding: Finding) -> None:
    read = Finding.from_json(json.loads(json.dumps(finding.to_json())))
    assert read == finding
    assert (type(read.record), type(read.holder)) == (type(finding.record), type(finding.holder))


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "lost"},
        {"field": 1},
        {"marker": {"S": "x"}},
        {"record": "ACCT#1"},
        {"holder": {"S": 1}},
        {"holder": {"N": "one"}},
        {"holder": {}},
        {"holder": None},
        {"more": 1},
    ],
    ids=str,
)
def test_what_is_no_finding_is_refused(changes: dict[str, object]) -> None:
    sound = Finding(Kind.STOLEN, "email", "ACCT#2", "UNIQ#EMAIL#a", "ACCT#1").to_json()
    with pytest.raises(ValueError):  # noqa: PT011
        Finding.from_json({**sound, **changes})


def test_a_theft_that_is_seen_from_both_sides_is_one_finding() -> None:
    theft = Finding(Kind.STOLEN, "email", "ACCT#2", "UNIQ#EMAIL#a", "ACCT#1")
    other = Finding(Kind.DOUBLE, "email", None, "UNIQ#EMAIL#b", "ACCT#1")

    for seen in (Kind.DOUBLE, Kind.ORPHAN):
        found = [other, Finding(seen, "email", None, "UNIQ#EMAIL#a", "ACCT#1"), theft, theft]
        assert merge_findings(found) == [other, theft]


def test_findings_of_owners_that_have_no_hash_are_merged_too() -> None:
    damaged = Finding(Kind.ORPHAN, "email", marker="UNIQ#EMAIL#a", holder=["a", "list"])

    assert merge_findings([damaged, damaged]) == [damaged]


def test_each_kind_says_what_it_means_and_is_read_by_its_word() -> None:
    assert Kind("orphan") is Kind.ORPHAN
    assert f"{Kind.MISSING}: {Kind.MISSING.meaning}" == (
        "missing: a record without the marker of its value: somebody else could take it"
    )
    assert len({kind.meaning for kind in Kind}) == len(Kind) == 10


def test_nothing_that_could_be_logged_by_its_repr_shows_keys_or_values() -> None:
    finding = Finding(Kind.STOLEN, "email", "ACCT#ada", "UNIQ#EMAIL#ada@example.com", "ACCT#bob")
    line = Line("email", "ada@example.com", "UNIQ#EMAIL#ada@example.com", "ACCT#ada", finding)
    answer = Answer("email", "UNIQ#EMAIL#ada@example.com", "ACCT#ada", None, finding, (line,))
    sight = Sight(
        finding, {"PK": "ACCT#ada"}, "UNIQ#EMAIL#ada@example.com", {"owner": "ACCT#ada"}, {"email": "ada@example.com"}
    )

    for shown in map(repr, (finding, line, answer, sight)):
        assert "stolen" in shown
        assert "ada" not in shown
        assert "bob" not in shown


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
