"""A museum of tables that have a past: whatever is in them, the markers' tools change nothing that is not theirs."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from expr_builder import Marker, Table, Unique, from_item, to_item
from expr_builder.cli import main
from expr_builder.markers import (
    Checkpoint,
    Finding,
    Kind,
    Layout,
    Mender,
    Outcome,
    ScanOptions,
    audit,
    backfill,
    show,
)
from tests.support.museum import HEADS, SORTS, TABLES, create_declared

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from mypy_boto3_dynamodb import DynamoDBClient

ONE_THREAD = ScanOptions(segments=1)  # moto's transactions do not bear several


def normalize(value: str) -> str:
    """Lower case; on some old values it fails in ways that nobody foresaw."""
    if value.startswith("!"):
        raise ZeroDivisionError(value)
    return value.lower()


def declare(table: Table, **more: Any) -> Layout:
    """People with an e-mail address and, if they like, a telephone number."""
    sort = SORTS[table.key_schema.types.get("SK")]
    unique = Unique(
        table,
        owner="PK",
        email=Marker("EMAIL#{}", normalize=normalize, sort=sort),
        phone=Marker("PHONE#{}", optional=True, sort=sort),
    )
    return Layout(unique, record_sort=HEADS[table.key_schema.types.get("SK")], **more)


@pytest.fixture
def make_table(moto: DynamoDBClient) -> Callable[[Table], DynamoDBClient]:
    def make(table: Table) -> DynamoDBClient:
        create_declared(moto, table)
        return moto

    return make


def put(client: DynamoDBClient, items: Iterable[dict[str, Any]]) -> None:
    for item in items:
        client.put_item(TableName="museum", Item=to_item(item))


def stored(client: DynamoDBClient) -> list[dict[str, Any]]:
    return sorted((from_item(item) for item in client.scan(TableName="museum")["Items"]), key=repr)


def key(layout: Layout, text: str, *, record: bool = False) -> dict[str, Any]:
    """The key of a record, or of a marker."""
    kinds = layout.table.key_schema.types
    sort = layout.record_sort if record else layout.unique.markers["email"].sort
    return dict(zip(kinds, (text.encode() if kinds["PK"] == "B" else text, sort), strict=False))


def exhibits(layout: Layout) -> dict[str, list[dict[str, Any]]]:
    """What lies in the table, by whose it is."""
    binary = layout.table.key_schema.types["PK"] == "B"
    owner: Callable[[str], Any] = str.encode if binary else str
    return {
        "sound": [
            {**key(layout, "P#1", record=True), "email": "One@example.com"},
            {**key(layout, "EMAIL#one@example.com"), "owner": owner("P#1")},
            # NULL of an optional field, as others write it.
            {**key(layout, "P#2", record=True), "email": "two@example.com", "phone": None},
            {**key(layout, "EMAIL#two@example.com"), "owner": owner("P#2")},
        ],
        "foreign": [
            {**key(layout, "EMAIL#admin@example.com"), "owner": "RESERVED"},
            {**key(layout, "EMAIL#root@example.com")},
            {**key(layout, "EMAIL#null@example.com"), "owner": None},
            {**key(layout, "EMAIL#list@example.com"), "owner": ["P#1", {"a": 1}]},
            {**key(layout, "EMAIL#number@example.com"), "owner": Decimal("1.5")},
            {**key(layout, "EMAIL#held@example.com"), "owner": owner("P#3"), "ttl": 1_900_000_000},
            {**key(layout, "PHONE#110"), "note": "emergency"},
            {**key(layout, "EMAIL#"), "owner": owner("P#1")},
            {**key(layout, "EMAIL#item@example.com"), "email": "item@example.com", "total": 3},
            {**key(layout, "ORDER#1"), "owner": owner("P#9"), "email": "one@example.com"},
        ],
        "gone": [{**key(layout, "PHONE#7"), "owner": owner("P#8")}],
        "bad": [
            {**key(layout, "P#4", record=True), "email": "!"},
            {**key(layout, "P#5", record=True), "email": {"not": "text"}},
            {**key(layout, "P#6", record=True)},
        ],
    }


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_every_command_leaves_what_is_not_of_this_declaration(
    make_table: Callable[[Table], DynamoDBClient], table: Table, tmp_path: Path
) -> None:
    binary = table.key_schema.types["PK"] == "B"
    layout = declare(table, record_prefix="" if binary else "P#")
    client = make_table(table)
    shown = exhibits(layout)
    put(client, (item for items in shown.values() for item in items))
    before = stored(client)

    report = audit(layout, client, ONE_THREAD)
    assert stored(client) == before
    assert report.complete
    assert [finding.kind for finding in report.findings].count(Kind.INVALID) == 3
    assert {finding.marker for finding in report.findings if finding.kind is Kind.RESERVED} == {
        "EMAIL#admin@example.com",
        "EMAIL#root@example.com",
        "EMAIL#null@example.com",
        "EMAIL#list@example.com",
        "EMAIL#number@example.com",
        "EMAIL#held@example.com",
        "EMAIL#item@example.com",
        "PHONE#110",
    }
    (orphan,) = (finding for finding in report.findings if finding.kind is Kind.ORPHAN)
    assert orphan.marker == "PHONE#7"

    checkpoint = Checkpoint(tmp_path / "backfill.json", layout, "backfill")
    while not backfill(
        layout, client, ScanOptions(1, page_items=1, checkpoint=checkpoint, enough=lambda: True)
    ).complete:
        assert stored(client) == before

    mender = Mender(layout, client)
    outcomes = {str(finding): mender.mend(finding).outcome for finding in report.findings}
    assert set(outcomes.values()) <= {Outcome.LEFT, Outcome.MENDED}
    # Without a prefix, nobody can say whether P#8 was a record or a word of an operator's.
    left = before if binary else [item for item in before if item not in shown["gone"]]
    assert stored(client) == left
    assert mender.mend(orphan).outcome is (Outcome.LEFT if binary else Outcome.GONE)
    assert Mender(layout, client, delete_orphans=True).mend(orphan).outcome is (
        Outcome.MENDED if binary else Outcome.GONE
    )

    for value in ("one@example.com", "admin@example.com", "list@example.com", "!", "P#1", ""):
        show(layout, client, value)
    after = audit(Layout(**{**vars_of(layout), "reserved": True}), client, ONE_THREAD)
    assert {finding.kind for finding in after.findings} == {Kind.INVALID}
    assert after.tally["reserved"] == 8
    wilful = Mender(layout, client, delete_reserved=True)
    for finding in report.findings:
        wilful.mend(finding)
    kept = {"EMAIL#item@example.com", "PHONE#110", "EMAIL#", "ORDER#1"}  # items of other kinds
    names = [(item["PK"].decode() if binary else item["PK"]) for item in stored(client)]
    assert {name for name in names if not name.startswith("P#")} == {
        *kept,
        "EMAIL#one@example.com",
        "EMAIL#two@example.com",
    }


def vars_of(layout: Layout) -> dict[str, Any]:
    return {name: getattr(layout, name) for name in layout.__slots__}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_records_with_null_of_an_optional_field_can_be_changed_and_deleted(
    make_table: Callable[[Table], DynamoDBClient], table: Table
) -> None:
    layout = declare(table)
    client = make_table(table)
    put(client, exhibits(layout)["sound"])
    (two,) = (item for item in stored(client) if item.get("email") == "two@example.com")
    layout.unique.change(two, phone="110").send(client)
    layout.unique.delete({**two, "phone": "110"}).send(client)
    assert len(stored(client)) == 2
    assert audit(layout, client, ONE_THREAD).findings == []


# --- Findings from a file


PEOPLE = declare(TABLES["a partition key alone"])
_TEXTS = st.sampled_from(
    ["P#1", "P#2", "EMAIL#one@example.com", "EMAIL#admin@example.com", "EMAIL#", "ORDER#1", "x", ""]
)
_OWNERS = st.none() | _TEXTS | st.sampled_from([1, Decimal("1.5"), b"P#1", True, ["P#1"], {"a": None}, {"P#1"}])
_FINDINGS = st.builds(
    Finding, st.sampled_from(list(Kind)), st.sampled_from(["email", "phone", "PK", "name"]), _OWNERS, _TEXTS, _OWNERS
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(_FINDINGS, min_size=1, max_size=5), st.booleans())
def test_no_findings_file_makes_a_repair_change_what_is_sound_or_foreign(
    people: DynamoDBClient, findings: list[Finding], wilful: bool
) -> None:
    before = stored(people)
    mender = Mender(PEOPLE, people, delete_orphans=wilful)
    for finding in findings:
        mender.mend(Finding.from_json(json.loads(json.dumps(finding.to_json()))))
    assert stored(people) == before


@pytest.fixture
def people(make_table: Callable[[Table], DynamoDBClient]) -> DynamoDBClient:
    client = make_table(PEOPLE.table)
    shown = exhibits(PEOPLE)
    items = [*shown["sound"], *shown["foreign"], *shown["bad"]]
    put(client, (item for item in items if item.get("owner") != "RESERVED"))
    return client


# --- Any table


_VALUES = st.sampled_from(["a", "A", "b", "!", "", 1, None, ["a"], b"a"])
_NAMES = st.sampled_from(["P#1", "P#2", "P#3", "EMAIL#a", "EMAIL#b", "PHONE#a", "PHONE#", "ORDER#1"])
_ITEMS = st.dictionaries(
    _NAMES,
    st.fixed_dictionaries({}, optional={"email": _VALUES, "phone": _VALUES, "owner": _NAMES | _VALUES, "n": _VALUES}),
    max_size=8,
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(_ITEMS, st.booleans())
def test_of_any_table_only_markers_of_ours_change_and_the_rest_is_named(
    museum: DynamoDBClient, items: dict[str, dict[str, Any]], prefixed: bool
) -> None:
    for item in museum.scan(TableName="museum")["Items"]:
        museum.delete_item(TableName="museum", Key={"PK": item["PK"]})
    put(museum, ({"PK": name, **rest} for name, rest in items.items()))
    layout = declare(TABLES["a partition key alone"], record_prefix="P#" if prefixed else "")
    before = {item["PK"]: item for item in stored(museum)}

    report = audit(layout, museum, ONE_THREAD)
    mender = Mender(layout, museum)
    outcomes = [mender.mend(finding).outcome for finding in report.findings]
    backfill(layout, museum, ONE_THREAD)
    for finding in audit(layout, museum, ONE_THREAD).findings:
        mender.mend(finding)

    after = {item["PK"]: item for item in stored(museum)}
    assert set(outcomes) <= set(Outcome)
    for name, item in before.items():
        if after.get(name) != item:
            field = layout.find_field(item)
            assert field is not None
            assert layout.is_own(field, item), "only a marker with nothing but its owner is changed or deleted"
    for name in after.keys() - before.keys():
        assert layout.is_own(str(layout.find_field(after[name])), after[name])
        assert layout.is_record(before[after[name]["owner"]])
    # What is left, a human must decide: a second repair changes nothing.
    left = audit(layout, museum, ONE_THREAD).findings
    assert {finding.kind for finding in left} <= {Kind.DUPLICATE, Kind.INVALID, Kind.RESERVED, Kind.ORPHAN}
    for finding in left:
        assert mender.mend(finding).outcome is Outcome.LEFT
    assert {item["PK"]: item for item in stored(museum)} == after


@pytest.fixture
def museum(make_table: Callable[[Table], DynamoDBClient]) -> DynamoDBClient:
    return make_table(TABLES["a partition key alone"])


# --- The command


def test_the_command_repairs_from_a_file_that_names_what_is_not_a_marker(
    shop: DynamoDBClient, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    shop.put_item(TableName="shop", Item=to_item({"id": "P#1", "sku": "a"}))
    shop.put_item(TableName="shop", Item=to_item({"id": "SKU#a", "owner": "P#1"}))
    shop.put_item(TableName="shop", Item=to_item({"id": "SKU#kept", "owner": "RESERVED"}))
    shop.put_item(TableName="shop", Item=to_item({"id": "SKU#gone", "owner": "P#9"}))
    findings = tmp_path / "findings.jsonl"
    lines = [
        {"kind": "orphan", "field": "sku", "marker": "P#1"},
        {"kind": "orphan", "field": "name", "marker": "SKU#a"},
        {"kind": "orphan", "field": "sku", "marker": "SKU#kept", "holder": {"S": "RESERVED"}},
        {"kind": "orphan", "field": "sku", "marker": "SKU#gone", "holder": {"N": "7"}},
    ]
    findings.write_text("".join(json.dumps(line) + "\n" for line in lines))

    def run(*arguments: str) -> tuple[int, str]:
        code = main(["markers", *arguments, "--unique", "shop.schema:unique", "--segments", "1"])
        return code, capsys.readouterr().out

    assert run("repair", "--from", str(findings)) == (
        1,
        (
            "left  orphan  sku  P#1\n"
            "    this is no key of a marker of sku\n"
            "left  orphan  name  SKU#a\n"
            "    name is no field of this declaration\n"
            "left  orphan  sku  SKU#kept  holder RESERVED\n"
            "    an operator may keep the value: name the records' prefix, or say that orphans are deleted\n"
            "left  orphan  sku  SKU#gone  holder P#9\n"
            "    an operator may keep the value: name the records' prefix, or say that orphans are deleted\n"
            "4 left.\n"
        ),
    )
    prefixed = ("--record-prefix", "P#")
    assert run("audit", *prefixed, "--reserved") == (
        1,
        (
            "KIND    FIELD  MARKER    RECORD  HOLDER\n"
            "orphan  sku    SKU#gone  -       P#9\n"
            "\n"
            "orphan: a marker whose record does not exist: its value is blocked for everybody\n"
            "\n"
            "1 record and 3 markers read, 1 marker reserved: 1 finding (1 orphan).\n"
        ),
    )
    assert run("repair", *prefixed, "--reserved", "keep") == (
        0,
        (
            "mended  orphan  sku  SKU#gone  holder P#9\n"
            "1 mended.\n"
            "Audited again:\n"
            "1 record and 2 markers read, 1 marker reserved: no findings.\n"
        ),
    )
    assert run("repair", "--orphans", "delete")[0] == 0
    assert sorted(item["id"]["S"] for item in shop.scan(TableName="shop")["Items"]) == ["P#1", "SKU#a"]
