"""A plan before a backfill, and who keeps what several records have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from expr_builder import Marker, Table, Unique
from expr_builder.cli import main
from expr_builder.markers import (
    KeepChosen,
    KeepExtreme,
    KeepFirst,
    Kind,
    Layout,
    Mend,
    ScanOptions,
    audit,
    backfill,
    plan,
    write_owner,
)
from tests.support.faults import counted
from tests.support.shop import owners, put

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_dynamodb import DynamoDBClient

TABLE = Table("shop", "id")
UNIQUE = Unique(TABLE, owner="id", sku=Marker("SKU#{}", normalize=str.lower), ean=Marker("EAN#{}", optional=True))
LAYOUT = Layout(UNIQUE, record_prefix="P#")
ONE_THREAD = ScanOptions(segments=1, page_items=4)
DECLARATION = """
from expr_builder import Marker, Table, Unique
unique = Unique(
    Table("shop", "id"), owner="id", sku=Marker("SKU#{}", normalize=str.lower), ean=Marker("EAN#{}", optional=True)
)
"""


@pytest.fixture
def run(shop: DynamoDBClient, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    Path("shop/schema.py").write_text(DECLARATION)

    def run(*arguments: str) -> tuple[int, str]:
        options = ["--unique", "shop.schema:unique", "--record-prefix", "P#"]
        options += [] if arguments[0] == "give" else ["--segments", "1"]
        return main(["markers", *arguments, *options]), capsys.readouterr().out

    return run


def people(client: DynamoDBClient) -> None:
    """https://github.com/clojars/clojars-web/pull/882: several share one value once case is folded."""
    put(
        client,
        {"id": "P#1", "sku": "Ada", "at": 3},
        {"id": "P#2", "sku": "ada", "at": 1, "ean": "7"},
        {"id": "P#3", "sku": "ADA", "at": 2},
        {"id": "P#4", "sku": "bob", "ean": None, "at": 1},
        {"id": "P#5", "at": 1},
        {"id": "ORDER#1", "sku": "ada"},
    )


def test_a_plan_shows_the_groups_before_anything_is_written(
    shop: DynamoDBClient, run: Callable[..., tuple[int, str]]
) -> None:
    people(shop)
    before = shop.scan(TableName="shop")["Items"]
    assert run("plan", "--keep", "oldest:at", "--rate", "2") == (
        1,
        (
            "KIND     FIELD  MARKER  RECORD  HOLDER\n"
            "invalid  sku    -       P#5     -\n"
            "\n"
            "invalid: a record's value can have no marker: correct the record\n"
            "\n"
            "FIELD  MARKER   RECORD  MARKED  POLICY\n"
            "sku    SKU#ada  P#1     -       -\n"
            "sku    SKU#ada  P#2     -       keeps\n"
            "sku    SKU#ada  P#3     -       -\n"
            "\n"
            "5 records and 0 markers read: 1 value shared by 3 records, 1 value without a possible marker.\n"
            "A backfill would add 3 markers to 2 records: about 4 requests, 10 write units and 3 read units, "
            "0.000007 dollars, 2 seconds at 2 requests a second.\n"
        ),
    )
    code, output = run("plan", "--format", "json")
    lines = [json.loads(line) for line in output.splitlines()]
    assert code == 1
    assert lines[0] == {
        "field": "sku",
        "marker": "SKU#ada",
        "owners": [{"S": "P#1"}, {"S": "P#2"}, {"S": "P#3"}],
        "holder": None,
        "keep": {"S": "P#1"},
    }
    assert lines[1]["summary"]["groups"] == 1
    assert shop.scan(TableName="shop")["Items"] == before


def test_the_policy_decides_and_the_others_can_still_be_changed_and_deleted(
    shop: DynamoDBClient, run: Callable[..., tuple[int, str]]
) -> None:
    people(shop)
    code, output = run("backfill", "--keep", "oldest:at")
    assert code == 1
    assert owners(shop) == {"SKU#ada": "P#2", "EAN#7": "P#2", "SKU#bob": "P#4"}
    assert output == (
        "KIND       FIELD  MARKER   RECORD  HOLDER\n"
        "duplicate  sku    SKU#ada  P#1     P#2\n"
        "duplicate  sku    SKU#ada  P#3     P#2\n"
        "invalid    sku    -        P#5     -\n"
        "\n"
        "duplicate: two records have one value: decide which keeps it, then change or delete the other\n"
        "invalid: a record's value can have no marker: correct the record\n"
        "\n"
        "To give the value to the record that has no marker:\n"
        "    expr-builder markers give --unique shop.schema:unique --record-prefix 'P#' --field sku ada --to 'P#1'\n"
        "    expr-builder markers give --unique shop.schema:unique --record-prefix 'P#' --field sku ada --to 'P#3'\n"
        "\n"
        "5 records and 0 markers read, 3 markers added: 3 findings (2 duplicate, 1 invalid).\n"
    )
    change = UNIQUE.change({"id": "P#1", "sku": "Ada"}, sku="alan")
    change.send(shop)
    UNIQUE.delete({"id": "P#3", "sku": "ADA"}).send(shop)
    assert owners(shop) == {"SKU#ada": "P#2", "EAN#7": "P#2", "SKU#bob": "P#4", "SKU#alan": "P#1"}
    assert [one.kind for one in audit(LAYOUT, shop, ONE_THREAD).findings] == [Kind.INVALID]


def test_a_marker_that_another_of_them_has_is_handed_over(shop: DynamoDBClient) -> None:
    people(shop)
    put(shop, {"id": "SKU#ada", "owner": "P#1"})
    planned: list[Mend] = []
    dry = backfill(LAYOUT, shop, ONE_THREAD, keep=KeepExtreme("at"), plan=planned.append)
    assert [mend.finding.kind for mend in planned] == [Kind.MISSING, Kind.DUPLICATE, Kind.MISSING]
    assert owners(shop) == {"SKU#ada": "P#1"}
    report = backfill(LAYOUT, shop, ONE_THREAD, keep=KeepExtreme("at"))
    assert report.tally["handed"] == dry.tally["handed"] == 1
    assert owners(shop) == {"SKU#ada": "P#2", "EAN#7": "P#2", "SKU#bob": "P#4"}
    assert report.findings == dry.findings
    assert [(one.kind, one.record, one.holder) for one in report.findings] == [
        (Kind.DUPLICATE, "P#1", "P#2"),
        (Kind.DUPLICATE, "P#3", "P#2"),
        (Kind.INVALID, "P#5", None),
    ]
    # Once more, nothing changes.
    again = backfill(LAYOUT, shop, ONE_THREAD, keep=KeepExtreme("at"))
    assert (again.tally["handed"], again.tally["added"]) == (0, 0)
    assert {one.record for one in again.findings} == {"P#1", "P#3", "P#5"}


@pytest.mark.parametrize("holder", [None, "P#3", "RESERVED", "P#9"])
def test_what_is_undecided_gives_nobody_new_a_marker(shop: DynamoDBClient, holder: str | None) -> None:
    people(shop)
    if holder:
        put(shop, {"id": "SKU#ada", "owner": holder})
    report = backfill(LAYOUT, shop, ONE_THREAD, keep=KeepExtreme("missing"))
    assert owners(shop).get("SKU#ada") == holder
    assert owners(shop)["SKU#bob"] == "P#4"
    assert {one.record for one in report.findings} == {"P#1", "P#2", "P#3", "P#5"} - {holder}


def test_a_marker_that_is_none_of_theirs_is_left_to_a_repair_or_a_person(shop: DynamoDBClient) -> None:
    people(shop)
    put(shop, {"id": "SKU#ada", "owner": "RESERVED"})
    with plan(LAYOUT, shop, ONE_THREAD, keep=KeepExtreme("at")) as found:
        assert (found.undecided, found.handed, found.added) == (1, 0, 2)
    report = backfill(LAYOUT, shop, ONE_THREAD, keep=KeepExtreme("at"))
    assert owners(shop)["SKU#ada"] == "RESERVED"
    assert {(one.kind, one.record) for one in report.findings} == {
        (Kind.RESERVED, "P#2"),
        (Kind.DUPLICATE, "P#1"),
        (Kind.DUPLICATE, "P#3"),
        (Kind.INVALID, "P#5"),
    }


def test_a_person_decides_in_the_plan_s_own_file(shop: DynamoDBClient, run: Callable[..., tuple[int, str]]) -> None:
    people(shop)
    put(shop, {"id": "P#6", "sku": "bob"})
    _, output = run("plan", "--format", "json", "--keep", "newest:at")
    lines = [json.loads(line) for line in output.splitlines()]
    assert [line.get("keep") for line in lines] == [{"S": "P#1"}, {"S": "P#4"}, None]
    lines[0]["keep"], lines[1]["keep"] = {"S": "P#3"}, None
    Path("decided.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines) + "\n")
    code, _ = run("backfill", "--keep", "decided.jsonl")
    assert code == 1
    assert owners(shop) == {"SKU#ada": "P#3", "EAN#7": "P#2"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("last", "--keep last: neither first, oldest:ATTRIBUTE, newest:ATTRIBUTE, nor a file that can be read."),
        ("oldest:", "--keep oldest:: neither first, oldest:ATTRIBUTE, newest:ATTRIBUTE, nor a file that can be read."),
        ("bad.jsonl", "bad.jsonl, line 2: no value that records share, as plan --format json writes them."),
    ],
)
def test_a_policy_that_is_none_is_refused_before_anything_is_read(
    run: Callable[..., tuple[int, str]], shop: DynamoDBClient, text: str, message: str, capsys: Any
) -> None:
    Path("bad.jsonl").write_text('{"summary": {}}\n{"field": "sku", "keep": {"S": "P#1"}}\n')
    with counted(shop, "*") as calls:
        assert main(["markers", "backfill", "--unique", "shop.schema:unique", "--keep", text]) == 2
    assert capsys.readouterr().err == f"expr-builder: {message}\n"
    assert len(calls) == 0


def test_a_plan_foretells_what_a_backfill_sends(shop: DynamoDBClient) -> None:
    for number in range(30):
        put(shop, {"id": f"P#{number}", "sku": f"S-{number}", **({"ean": str(number)} if number % 3 else {})})
    UNIQUE.create({"id": "P#x", "sku": "x"}).send(shop)
    put(shop, {"id": "P#y", "sku": "X", "at": 1})
    with plan(LAYOUT, shop, ONE_THREAD, keep=KeepFirst()) as found:
        foretold = found.to_json()
    planned: list[Mend] = []
    backfill(LAYOUT, shop, ONE_THREAD, keep=KeepFirst(), plan=planned.append)
    assert foretold["write_units"] == sum(mend.transaction.capacity() for mend in planned if mend.transaction)
    with counted(shop) as writes, counted(shop, "BatchGetItem") as look_ups, counted(shop, "TransactGetItems") as looks:
        report = backfill(LAYOUT, shop, ONE_THREAD, keep=KeepFirst())
    assert report.tally["added"] == foretold["added"] == 50
    assert len(writes) == foretold["written"] == 30
    # Of the scan's pages only "about" is known: it meets the markers that it has added.
    assert int(str(foretold["requests"])) == 30 + len(look_ups) + -(-33 // ONE_THREAD.page_items)
    assert (foretold["groups"], len(looks)) == (1, 0)
    with plan(LAYOUT, shop, ONE_THREAD) as after:
        assert (after.added, after.written, after.write_units) == (0, 0, 0)
        assert after.estimate_cost(write_price=1, read_price=1_000_000) == after.read_units


def test_a_plan_of_an_empty_table_has_nothing_to_do(shop: DynamoDBClient, run: Callable[..., tuple[int, str]]) -> None:
    assert run("plan") == (
        0,
        (
            "0 records and 0 markers read: none shared.\n"
            "A backfill would add 0 markers to 0 records: about 1 request, 0 write units and 0.5 read units, "
            "0.000000 dollars.\n"
        ),
    )


def test_owners_that_are_chosen_are_told_by_their_type(shop: DynamoDBClient) -> None:
    people(shop)
    policy = KeepChosen({("sku", "SKU#ada"): write_owner(b"P#1")})
    backfill(LAYOUT, shop, ONE_THREAD, keep=policy)
    assert "SKU#ada" not in owners(shop)
