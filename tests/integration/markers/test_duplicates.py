"""Two records with one value, from before there were markers: nobody is stuck, and a person decides who keeps it."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from expr_builder import Marker, Table, Unique, UniqueViolation
from expr_builder.cli import main
from expr_builder.markers import Finding, Kind, Layout, Mender, Outcome, ScanOptions, audit, show
from tests.support.shop import stored
from tests.support.typed_faults import FaultyClient

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

TABLE = Table("shop", "id")
UNIQUE = Unique(TABLE, owner="id", sku=Marker("SKU#{}", normalize=str.lower))
LAYOUT = Layout(UNIQUE, record_prefix="P#")
ONE_THREAD = ScanOptions(segments=1)  # moto's transactions do not bear several
FIRST, SECOND = {"id": "P#1", "sku": "A-1"}, {"id": "P#2", "sku": "a-1"}
MARKER = {"id": "SKU#a-1", "owner": "P#1"}


@pytest.fixture
def client(shop: DynamoDBClient) -> DynamoDBClient:
    for item in (FIRST, SECOND, MARKER, {"id": "N#1", "sku": "a-1"}):
        TABLE.put(item).send(shop)
    return shop


def test_the_one_without_the_marker_can_be_changed_and_the_marker_stays(client: DynamoDBClient) -> None:
    write = UNIQUE.change(SECOND, sku="B-2")
    remembering: Any = FaultyClient(client)  # moto ignores tokens
    write.send(remembering)
    write.send(remembering)  # a repetition, under the same token
    assert write.left == ("sku",)
    assert list(write.slots) == ["record", "sku", "sku.release"]
    assert stored(client) == [
        {"id": "N#1", "sku": "a-1"},
        FIRST,
        {"id": "P#2", "sku": "B-2"},
        MARKER,
        {"id": "SKU#b-2", "owner": "P#2"},
    ]
    assert audit(LAYOUT, client, ONE_THREAD).findings == []


def test_the_one_without_the_marker_can_be_deleted_and_the_marker_stays(client: DynamoDBClient) -> None:
    write = UNIQUE.delete(SECOND)
    write.send(client)
    assert write.left == ("sku",)
    assert stored(client) == [{"id": "N#1", "sku": "a-1"}, FIRST, MARKER]


def test_a_marker_that_is_missing_stops_nothing(client: DynamoDBClient) -> None:
    TABLE.delete({"id": "SKU#a-1"}).send(client)
    write = UNIQUE.change(FIRST, sku="B-2")
    write.send(client)
    assert write.left == ("sku",)
    write = UNIQUE.delete({"id": "P#1", "sku": "B-2"})
    write.send(client)
    assert write.left == ()
    assert stored(client) == [{"id": "N#1", "sku": "a-1"}, SECOND]


def test_a_stale_reading_and_a_taken_value_are_refused_as_ever(client: DynamoDBClient) -> None:
    before = stored(client)
    for refused in (UNIQUE.change({**SECOND, "sku": "old"}, sku="B-2"), UNIQUE.delete({**SECOND, "sku": "old"})):
        with pytest.raises(Exception, match="record") as caught:
            refused.send(client)
        assert "record" in caught.value.failed  # type: ignore[attr-defined]
        assert refused.left == ()
    TABLE.put({"id": "SKU#b-2", "owner": "P#9"}).send(client)
    taken = UNIQUE.change(SECOND, sku="B-2")
    with pytest.raises(UniqueViolation) as violation:
        taken.send(client)
    assert violation.value.fields == ("sku",)
    assert [item for item in stored(client) if item["id"] != "SKU#b-2"] == before


def test_a_marker_that_becomes_ones_own_meanwhile_is_not_left_behind(client: DynamoDBClient) -> None:
    """Between the refusal and the second attempt, an operator gives the marker to this record."""
    write = UNIQUE.delete(SECOND)

    class Meanwhile:
        calls = 0

        def transact_write_items(self, **request: Any) -> Any:
            self.calls += 1
            if self.calls == 2:
                TABLE.put({**MARKER, "owner": "P#2"}).send(client)
            return client.transact_write_items(**request)

        def __getattr__(self, name: str) -> Any:
            return getattr(client, name)

    meanwhile: Any = Meanwhile()
    with pytest.raises(Exception, match="release") as caught:
        write.send(meanwhile)
    assert caught.value.failed == ("sku.release",)  # type: ignore[attr-defined]
    assert write.left == ()  # nothing was carried out
    assert SECOND in stored(client)
    UNIQUE.delete(SECOND).send(client)
    assert stored(client) == [{"id": "N#1", "sku": "a-1"}, FIRST]


def test_show_says_which_records_have_a_value(client: DynamoDBClient) -> None:
    (answer,) = show(LAYOUT, client, "A-1", scan=ONE_THREAD)
    duplicate = Finding(Kind.DUPLICATE, "sku", "P#2", "SKU#a-1", "P#1")
    assert (answer.holder, answer.records, answer.findings) == ("P#1", ("P#1", "P#2"), [duplicate])
    (unscanned,) = show(LAYOUT, client, "A-1")
    assert (unscanned.records, unscanned.findings) == (None, [])
    TABLE.delete({"id": "SKU#a-1"}).send(client)
    (unmarked,) = show(LAYOUT, client, "A-1", scan=ONE_THREAD)
    assert [(one.kind, one.record) for one in unmarked.findings] == [(Kind.MISSING, "P#1"), (Kind.MISSING, "P#2")]


def test_a_value_is_given_to_the_other_record_that_has_it(client: DynamoDBClient) -> None:
    mender = Mender(LAYOUT, client)
    before = stored(client)
    plan = mender.give("sku", "A-1", "P#2", dry_run=True)
    assert (plan.outcome, stored(client)) == (Outcome.PLANNED, before)
    given = mender.give("sku", "A-1", "P#2")
    assert (given.outcome, given.finding) == (
        Outcome.MENDED,
        Finding(Kind.DUPLICATE, "sku", "P#2", "SKU#a-1", "P#1"),
    )
    assert {"id": "SKU#a-1", "owner": "P#2"} in stored(client)
    assert mender.give("sku", "A-1", "P#2").outcome is Outcome.GONE
    # Now the other one has no marker, and moves out of the way.
    UNIQUE.change(FIRST, sku="C-3").send(client)
    assert audit(LAYOUT, client, ONE_THREAD).findings == []


def test_what_is_not_a_record_with_this_value_gets_no_marker(client: DynamoDBClient) -> None:
    before = stored(client)
    mender = Mender(LAYOUT, client)
    for field, value, owner, reason in (
        ("sku", "B-2", "P#1", "no record of this owner has this sku"),
        ("sku", "A-1", "P#9", "no record of this owner has this sku"),
        ("sku", "A-1", "N#1", "no record of this owner has this sku"),
        ("sku", "A-1", ["P#2"], "no record of this owner has this sku"),
        ("sku", "", "P#1", "not a value that sku can have"),
        ("name", "A-1", "P#1", "name is no field of this declaration"),
    ):
        refused = mender.give(field, value, owner)
        assert (refused.outcome, refused.reason) == (Outcome.LEFT, reason)
    assert stored(client) == before


def test_a_record_that_changes_meanwhile_keeps_its_marker_out_of_the_way(client: DynamoDBClient) -> None:
    moved = UNIQUE.change(SECOND, sku="B-2")

    class Meanwhile:
        done = False

        def transact_write_items(self, **request: Any) -> Any:
            if not self.done:
                self.done = True
                moved.send(client)
            return client.transact_write_items(**request)

        def __getattr__(self, name: str) -> Any:
            return getattr(client, name)

    meanwhile: Any = Meanwhile()
    given = Mender(LAYOUT, meanwhile).give("sku", "A-1", "P#2")
    assert (given.outcome, given.reason) == (Outcome.LEFT, "no record of this owner has this sku")
    assert MARKER in stored(client)


def test_an_owner_may_be_a_number(moto: DynamoDBClient) -> None:
    table = Table("numbered", "PK", "SK")
    moto.create_table(
        TableName="numbered",
        KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK")],
        BillingMode="PAY_PER_REQUEST",
    )
    unique = Unique(table, owner="number", sku=Marker("SKU#{}"))
    layout = Layout(unique, record_key=lambda number: {"PK": f"P#{number}", "SK": "HEAD"})
    for number in (1, 2):
        table.put({"PK": f"P#{number}", "SK": "HEAD", "number": number, "sku": "a"}).send(moto)
    table.put({"PK": "SKU#a", "SK": "LOCK", "owner": "1"}).send(moto)  # text, where the record has a number

    findings = audit(layout, moto, ONE_THREAD).findings
    # "1" leads to the first record, but is not what its owner attribute has.
    assert {(one.kind, one.record) for one in findings} == {(Kind.STOLEN, 1), (Kind.DUPLICATE, 2)}
    assert Mender(layout, moto).give("sku", "a", Decimal(1)).outcome is Outcome.MENDED
    marker = table.get({"PK": "SKU#a", "SK": "LOCK"}).fetch(moto)
    assert marker == {"PK": "SKU#a", "SK": "LOCK", "owner": 1}


def test_the_command_shows_gives_and_plans(client: DynamoDBClient, capsys: pytest.CaptureFixture[str]) -> None:
    def run(command: str, *arguments: str) -> tuple[int, str]:
        code = main(["markers", command, "--unique", "shop.schema:unique", "--record-prefix", "P#", *arguments])
        return code, capsys.readouterr().out

    TABLE.put({**SECOND, "sku": "A-1"}).send(client)  # the declaration in the file does not normalise
    TABLE.put({"id": "SKU#A-1", "owner": "P#1"}).send(client)
    assert run("show", "A-1", "--segments", "1") == (
        1,
        (
            "sku: held by P#1 (through SKU#A-1).\n"
            "    FIELD  RECORD  MARKER   HOLDER  VERDICT\n"
            "    sku    A-1     SKU#A-1  P#1     fine\n"
            "    duplicate: P#2 has this sku, too.\n"
        ),
    )
    assert run("show", "A-1", "--no-scan")[0] == 0
    assert run("give", "A-1", "--to", "P#2", "--dry-run") == (
        1,
        (
            "planned  duplicate  sku  SKU#A-1  record P#2  holder P#1\n"
            "    ConditionCheck id = 'P#2'\n"
            "      if attribute_exists(id) AND sku = 'A-1'\n"
            "    ConditionCheck id = 'P#1'\n"
            "      if attribute_exists(id) AND sku = 'A-1'\n"
            "    Update id = 'SKU#A-1'\n"
            "      if attribute_exists(id) AND owner = 'P#1'\n"
        ),
    )
    assert run("give", "A-1", "--to", "P#2") == (0, "mended  duplicate  sku  SKU#A-1  record P#2  holder P#1\n")
    code, output = run("give", "A-1", "--to", "P#2", "--format", "json")
    assert (code, json.loads(output)) == (
        0,
        {
            "outcome": "gone",
            "finding": {"kind": "missing", "field": "sku", "record": {"S": "P#2"}, "marker": "SKU#A-1"},
        },
    )
    assert run("give", "A-1", "--to", "P#7") == (
        1,
        "left  missing  sku  SKU#A-1  record P#7\n    no record of this owner has this sku\n",
    )
