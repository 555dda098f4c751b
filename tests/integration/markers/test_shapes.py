"""Markers of every shape through the tools: made, lost, found and mended, on a table of their own."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from expr_builder import Marker, Table, TransactionCanceled, Unique, UniqueViolation, to_item
from expr_builder.cli import main
from expr_builder.markers import Finding, Kind, Layout, Mender, Outcome, ScanOptions, audit, backfill, retire, show
from tests.support.shop import put, stored

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

TABLE = Table("shop", "id")
ONE_THREAD = ScanOptions(segments=1)  # moto's transactions do not bear several
HOLD = timedelta(days=30)


class Clock:
    """The time that claims and releases go by."""

    now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("expr_builder.unique.time.time", clock)
    return clock


def layout(**fields: Marker) -> Layout:
    return Layout(Unique(TABLE, owner="id", **fields), record_prefix="R#")


def remove_markers(client: DynamoDBClient, records: Layout) -> int:
    markers = [item for item in stored(client) if records.find_field(item)]
    for item in markers:
        client.delete_item(TableName="shop", Key=to_item({"id": item["id"]}))
    return len(markers)


SHAPES = {
    "within a parent": (
        layout(slug=Marker("ORG#{org}#SLUG#{}", normalize={"": str.lower})),
        {"org": 7, "slug": "Home"},
        {"org": 8, "slug": "home"},
        "7#SLUG#home",
    ),
    "inside a map": (
        layout(mail=Marker("MAIL#{contact.mail}", normalize=str.lower)),
        {"contact": {"mail": "Ada@example.com"}},
        {"contact": {"mail": "bob@example.com"}},
        "ADA@example.com",
    ),
    "each element": (
        layout(mails=Marker("MAIL#{}", each=True)),
        {"mails": ["ada@example.com", "a@example.com"]},
        {"mails": {"b@example.com", "c@example.com"}},
        "a@example.com",
    ),
    "a digest": (
        layout(mail=Marker("MAIL#{}", digest=b"secret", normalize=str.lower)),
        {"mail": "Ada@example.com"},
        {"mail": "x" * 3_000},
        "ada@EXAMPLE.com",
    ),
    "a rule that changes": (
        layout(mail=Marker("MAIL2#{}", normalize=str.lower, previous=[Marker("MAIL#{}"), Marker("M#{org}#{}")])),
        {"mail": "Ada@example.com", "org": "x"},
        {"mail": "bob@example.com"},
        "Ada@example.com",
    ),
    "a value that rests": (
        layout(name=Marker("NAME#{}", hold=HOLD)),
        {"name": "ada"},
        {"name": "bob"},
        "ada",
    ),
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_what_is_lost_is_found_and_made_again(shop: DynamoDBClient, shape: Any) -> None:
    records, ada, bob, text = shape
    unique = records.unique
    unique.create({"id": "R#1", **ada}).send(shop)
    unique.create({"id": "R#2", **bob}).send(shop)
    sound = stored(shop)
    assert audit(records, shop, ONE_THREAD).findings == []

    lost = remove_markers(shop, records)
    found = audit(records, shop, ONE_THREAD).findings
    assert [one.kind for one in found] == [Kind.MISSING] * lost
    report = backfill(records, shop, ONE_THREAD)
    assert (report.findings, report.tally["added"]) == ([], lost)
    assert stored(shop) == sound

    remove_markers(shop, records)
    for finding in found:
        again = Finding.from_json(json.loads(json.dumps(finding.to_json())))
        assert Mender(records, shop).mend(again).outcome is Outcome.MENDED
    assert stored(shop) == sound

    field = records.fields[0]
    answers = [one for one in show(records, shop, text, scan=ONE_THREAD) if one.field == field]
    assert {one.holder for one in answers} == {"R#1"}
    assert all(one.records == ("R#1",) and not one.findings for one in answers)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_value_is_taken_until_its_record_gives_it_up(shop: DynamoDBClient, clock: Clock, shape: Any) -> None:
    records, ada, bob, _ = shape
    unique = records.unique
    unique.create({"id": "R#1", **ada}).send(shop)
    with pytest.raises(UniqueViolation) as refused:
        unique.create({"id": "R#2", **ada}).send(shop)
    assert set(refused.value.holders.values()) == {"R#1"}

    unique.change({"id": "R#1", **ada}, bob).send(shop)
    clock.now += HOLD.total_seconds()
    unique.create({"id": "R#2", **ada}).send(shop)
    assert audit(records, shop, ONE_THREAD).findings == []

    unique.delete({"id": "R#1", **ada, **bob}).send(shop)
    clock.now += HOLD.total_seconds()
    unique.create({"id": "R#3", **bob}).send(shop)
    assert [item["id"] for item in stored(shop) if item["id"].startswith("R#")] == ["R#2", "R#3"]
    assert audit(records, shop, ONE_THREAD).findings == []


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_duplicates_loser_is_named_and_the_value_can_be_given_to_it(shop: DynamoDBClient, shape: Any) -> None:
    records, ada, _, text = shape
    records.unique.create({"id": "R#1", **ada}).send(shop)
    put(shop, {"id": "R#2", **ada})
    findings = backfill(records, shop, ONE_THREAD).findings
    assert {(one.kind, one.record, one.holder) for one in findings} == {(Kind.DUPLICATE, "R#2", "R#1")}
    assert {Mender(records, shop).mend(one).outcome for one in findings} == {Outcome.LEFT}

    mend = Mender(records, shop).give(records.fields[0], text, "R#2")
    assert mend.outcome is Outcome.MENDED
    assert {one.holder for one in show(records, shop, text) if one.field == records.fields[0]} == {"R#2"}
    assert Mender(records, shop).give(records.fields[0], text, "R#2").outcome is Outcome.GONE


def test_each_element_of_two_records_is_judged_by_itself(shop: DynamoDBClient) -> None:
    records = layout(mails=Marker("MAIL#{}", each=True, optional=True))
    put(
        shop,
        {"id": "R#1", "mails": ["a", "b"]},
        {"id": "R#2", "mails": {"b", "c"}},
        {"id": "R#3", "mails": "a"},
        {"id": "R#4", "mails": ["d", 7]},
        {"id": "R#5", "mails": [str(number) for number in range(150)]},
        {"id": "MAIL#z", "owner": "R#1"},
    )
    report = backfill(records, shop, ONE_THREAD)
    assert [(one.kind, one.record, one.marker) for one in report.findings] == [
        (Kind.DUPLICATE, "R#2", "MAIL#b"),
        (Kind.INVALID, "R#3", None),
        (Kind.INVALID, "R#4", None),
    ]
    assert report.tally["added"] == 3 + 150
    after = audit(records, shop, ONE_THREAD)
    assert [(one.kind, one.marker) for one in after.findings if one.record is None] == [(Kind.DOUBLE, "MAIL#z")]
    lines = show(records, shop, "R#2")[-1].lines
    assert [(line.marker, line.holder, line.verdict) for line in lines] == [
        ("MAIL#b", "R#1", "duplicate"),
        ("MAIL#c", "R#2", "fine"),
    ]


# --- rest


RESTING = layout(name=Marker("NAME#{}", hold=HOLD))
ADA = {"id": "R#1", "name": "ada"}
BOB = {"id": "R#2", "name": "ada"}


def test_only_the_former_owner_takes_a_resting_value_back(shop: DynamoDBClient, clock: Clock) -> None:
    unique = RESTING.unique
    unique.create(ADA).send(shop)
    unique.delete(ADA).send(shop)
    assert stored(shop) == [{"id": "NAME#ada", "owner": "R#1", "free_at": 1_802_592_000}]
    with pytest.raises(UniqueViolation) as refused:
        unique.create(BOB).send(shop)
    assert refused.value.holders == {"name": "R#1"}
    unique.create(ADA).send(shop)
    assert stored(shop) == [{"id": "NAME#ada", "owner": "R#1"}, ADA]
    with pytest.raises(UniqueViolation):  # it is no resting value any more, not even for its owner
        unique.create({"id": "R#2", "name": "ada"}).send(shop)

    unique.change(ADA, name="b").send(shop)
    clock.now += HOLD.total_seconds() - 1
    with pytest.raises(UniqueViolation):
        unique.create(BOB).send(shop)
    clock.now += 1
    unique.create(BOB).send(shop)
    with pytest.raises(UniqueViolation) as late:
        unique.change({"id": "R#1", "name": "b"}, name="ada").send(shop)
    assert late.value.holders == {"name": "R#2"}


def test_a_draft_of_an_earlier_moment_loses_to_what_happened_since(shop: DynamoDBClient, clock: Clock) -> None:
    unique = RESTING.unique
    unique.create(ADA).send(shop)
    unique.delete(ADA).send(shop)
    back, clock.now = unique.create(ADA), clock.now + HOLD.total_seconds()
    claim = unique.create(BOB)
    claim.send(shop)
    with pytest.raises(UniqueViolation):
        back.send(shop)
    # The sweep deletes what has expired by the time to live: then the claim finds nothing, and is served.
    unique.delete(BOB).send(shop)
    shop.delete_item(TableName="shop", Key=to_item({"id": "NAME#ada"}))
    unique.create(ADA).send(shop)
    with pytest.raises(TransactionCanceled):
        unique.delete(BOB).send(shop)
    assert stored(shop) == [{"id": "NAME#ada", "owner": "R#1"}, ADA]


def test_resting_markers_are_counted_and_what_contradicts_them_is_found(shop: DynamoDBClient, clock: Clock) -> None:
    unique = RESTING.unique
    unique.create(ADA).send(shop)
    unique.delete(ADA).send(shop)
    report = audit(RESTING, shop, ONE_THREAD)
    assert (report.findings, report.tally["resting"]) == ([], 1)

    # A record that gave its value up by one hand, and has it by another.
    put(shop, ADA)
    (finding,) = audit(RESTING, shop, ONE_THREAD).findings
    assert (finding.kind, finding.record, finding.marker) == (Kind.RESTING, "R#1", "NAME#ada")
    assert Mender(RESTING, shop).mend(finding).outcome is Outcome.MENDED
    assert stored(shop) == [{"id": "NAME#ada", "owner": "R#1"}, ADA]

    # Somebody else's record, past all guards: a person decides, or the time does.
    unique.delete(ADA).send(shop)
    put(shop, BOB)
    (finding,) = backfill(RESTING, shop, ONE_THREAD).findings
    assert (finding.kind, finding.record, finding.holder) == (Kind.HELD, "R#2", "R#1")
    assert Mender(RESTING, shop).mend(finding).outcome is Outcome.LEFT
    assert Mender(RESTING, shop).give("name", "ada", "R#2", dry_run=True).outcome is Outcome.PLANNED
    clock.now += HOLD.total_seconds() + 1
    (finding,) = audit(RESTING, shop, ONE_THREAD).findings
    assert finding.kind is Kind.STOLEN
    assert Mender(RESTING, shop).mend(finding).outcome is Outcome.MENDED
    assert stored(shop) == [{"id": "NAME#ada", "owner": "R#2"}, BOB]


def test_what_an_operator_keeps_is_no_resting_marker(shop: DynamoDBClient, clock: Clock) -> None:
    put(
        shop,
        {"id": "NAME#root", "owner": "RESERVED", "free_at": 1},
        {"id": "NAME#a", "owner": "R#1", "free_at": "soon"},
        {"id": "NAME#b", "owner": "R#1", "free_at": 1, "note": "x"},
    )
    before = stored(shop)
    found = audit(RESTING, shop, ONE_THREAD).findings
    assert [(one.kind, one.marker) for one in found] == [(Kind.RESERVED, "NAME#a"), (Kind.RESERVED, "NAME#root")]
    assert {Mender(RESTING, shop).mend(one).outcome for one in found} == {Outcome.LEFT}
    assert stored(shop) == before


def test_show_says_until_when_a_value_rests(
    shop: DynamoDBClient, clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    RESTING.unique.create(ADA).send(shop)
    RESTING.unique.delete(ADA).send(shop)
    (answer,) = show(RESTING, shop, "ada")
    assert (answer.free_at, answer.findings) == (1_802_592_000, [])
    Path("shop/schema.py").write_text(
        "from datetime import timedelta\nfrom expr_builder import Marker, Table, Unique\n"
        "unique = Unique(Table('shop', 'id'), owner='id', name=Marker('NAME#{}', hold=timedelta(days=30)))\n"
    )
    assert main(["markers", "show", "--unique", "shop.schema:unique", "--no-scan", "ada"]) == 0
    assert capsys.readouterr().out == "name: free from 2027-02-14 08:00 UTC, until then of R#1 (through NAME#ada).\n"


# --- rules that change


OLD = Unique(TABLE, owner="id", mail=Marker("MAIL#{}"))
CHANGING = layout(mail=Marker("MAIL2#{}", normalize=str.lower, previous=[Marker("MAIL#{}")]))
NEW = layout(mail=Marker("MAIL2#{}", normalize=str.lower))


def test_old_and_new_code_never_accept_one_value_twice(shop: DynamoDBClient) -> None:
    one, other = {"id": "R#1", "mail": "Ada"}, {"id": "R#2", "mail": "Ada"}
    for first, second in ((OLD, CHANGING.unique), (CHANGING.unique, OLD)):
        first.create(one).send(shop)
        with pytest.raises(UniqueViolation) as refused:
            second.create(other).send(shop)
        assert refused.value.holders == {"mail": "R#1"}
        second.delete(one).send(shop)
        second.create({**other, "mail": "x"}).send(shop)
        CHANGING.unique.delete({**other, "mail": "x"}).send(shop)
        for finding in audit(CHANGING, shop, ONE_THREAD).findings:  # old code cannot release what it does not know
            assert finding.kind is Kind.ORPHAN
            assert Mender(CHANGING, shop).mend(finding).outcome is Outcome.MENDED
        assert stored(shop) == []


@pytest.mark.parametrize("template", ["MAIL2#{}", "MAIL#{}"])
def test_where_both_spellings_are_marked_no_stranger_takes_the_folded_value(
    shop: DynamoDBClient, template: str
) -> None:
    """https://github.com/casdoor/casdoor/pull/4380: old markers by exact text, and then a rule that folds case."""
    folding = layout(mail=Marker(template, normalize=str.lower, previous=[Marker("MAIL#{}")]))
    one, other = {"id": "R#1", "mail": "Ada"}, {"id": "R#2", "mail": "ADA"}
    OLD.create(one).send(shop)
    OLD.create(other).send(shop)
    (loser,) = backfill(folding, shop, ONE_THREAD).findings
    assert (loser.kind, loser.record, loser.holder) == (Kind.DUPLICATE, "R#2", "R#1")
    for spelling in ("ada", "Ada", "ADA", "aDa"):
        with pytest.raises(UniqueViolation):
            folding.unique.create({"id": "R#3", "mail": spelling}).send(shop)

    change = folding.unique.change(other, mail="bob")
    change.send(shop)
    assert change.left == ("mail",)
    folding.unique.delete(one).send(shop)
    assert audit(folding, shop, ONE_THREAD).findings == []
    folding.unique.create({"id": "R#3", "mail": "ada"}).send(shop)


def test_a_rule_is_changed_step_by_step(shop: DynamoDBClient, capsys: pytest.CaptureFixture[str]) -> None:
    Path("shop/schema.py").write_text(
        "from expr_builder import Marker, Table, Unique\n"
        "rule = Marker('MAIL2#{}', normalize=str.lower, previous=[Marker('MAIL#{}')])\n"
        "unique = Unique(Table('shop', 'id'), owner='id', mail=rule)\n"
    )

    def run(*arguments: str) -> tuple[int, str]:
        command = ["markers", *arguments, "--unique", "shop.schema:unique", "--record-prefix", "R#", "--segments", "1"]
        return main(command), capsys.readouterr().out

    for record in ({"id": "R#1", "mail": "Ada"}, {"id": "R#2", "mail": "Bob"}, {"id": "R#3", "mail": "BOB"}):
        OLD.create(record).send(shop)
    code, output = run("retire")
    assert code == 1
    assert "missing  mail   MAIL2#ada  R#1     -" in output
    assert output.endswith("3 records and 3 markers read: 3 findings (3 missing).\n")

    code, output = run("backfill")
    assert code == 1
    assert output.endswith("3 records and 3 markers read, 2 markers added: 1 finding (1 duplicate).\n")
    CHANGING.unique.change({"id": "R#3", "mail": "BOB"}, mail="rob").send(shop)
    assert run("audit") == (0, "3 records and 6 markers read: no findings.\n")

    code, output = run("retire", "--dry-run")
    assert code == 0
    assert output.startswith(
        "planned  previous  mail  MAIL#Ada  holder R#1\n"
        "    ConditionCheck id = 'R#1'\n"
        "      if attribute_exists(id) AND mail = 'Ada'\n"
        "    ConditionCheck id = 'MAIL2#ada'\n"
        "      if owner = 'R#1'\n"
        "    Delete id = 'MAIL#Ada'\n"
        "      if attribute_exists(id) AND owner = 'R#1'\n"
    )
    assert output.endswith("3 records and 6 markers read, 3 markers retired: no findings.\n")
    assert run("retire")[0] == 0
    assert [item["id"] for item in stored(shop)] == ["MAIL2#ada", "MAIL2#bob", "MAIL2#rob", "R#1", "R#2", "R#3"]
    assert audit(NEW, shop, ONE_THREAD).findings == []


def test_retiring_takes_only_what_the_new_rule_guards(shop: DynamoDBClient) -> None:
    CHANGING.unique.create({"id": "R#1", "mail": "Ada"}).send(shop)
    CHANGING.unique.create({"id": "R#2", "mail": "Bob"}).send(shop)
    put(
        shop,
        {"id": "MAIL#root", "owner": "RESERVED"},
        {"id": "MAIL#note", "owner": "R#1", "note": "x"},
        {"id": "MAIL#gone", "owner": "R#9"},
        {"id": "MAIL#double", "owner": "R#1"},
        {"id": "MAIL2#bob", "owner": "R#7"},
    )
    report = retire(CHANGING, shop, ONE_THREAD)
    assert report.tally["retired"] == 1
    assert {(one.kind, one.marker) for one in report.findings} == {
        (Kind.RESERVED, "MAIL#root"),
        (Kind.RESERVED, "MAIL#note"),
        (Kind.ORPHAN, "MAIL#gone"),
        (Kind.DOUBLE, "MAIL#double"),
        (Kind.STOLEN, "MAIL2#bob"),
    }
    kept = {"MAIL#root", "MAIL#note", "MAIL#gone", "MAIL#double", "MAIL#Bob", "MAIL2#bob", "MAIL2#ada", "R#1", "R#2"}
    assert {item["id"] for item in stored(shop)} == kept


def test_a_rule_that_changes_but_for_its_key_is_retired_too(shop: DynamoDBClient) -> None:
    folded = layout(mail=Marker("MAIL#{}", normalize=str.lower, previous=[Marker("MAIL#{}")]))
    for record in ({"id": "R#1", "mail": "Ada"}, {"id": "R#2", "mail": "bob"}):
        OLD.create(record).send(shop)
    assert backfill(folded, shop, ONE_THREAD).findings == []
    assert retire(folded, shop, ONE_THREAD).tally["retired"] == 1
    assert [item["id"] for item in stored(shop)] == ["MAIL#ada", "MAIL#bob", "R#1", "R#2"]


def test_without_a_previous_rule_there_is_nothing_to_retire(
    shop: DynamoDBClient, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["markers", "retire", "--unique", "shop.schema:unique"]) == 2
    assert capsys.readouterr().err == (
        "expr-builder: No Marker of this declaration has previous=[…]: name the rules to retire there.\n"
    )


def test_show_writes_several_values_by_name_and_a_set_by_the_alphabet(
    shop: DynamoDBClient, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("shop/schema.py").write_text(
        "from expr_builder import Marker, Table, Unique\n"
        "rules = {'slug': Marker('ORG#{org}#{}', optional=True), 'tags': Marker('TAG#{}', each=True, optional=True)}\n"
        "unique = Unique(Table('shop', 'id'), rules, owner='id')\n"
    )
    rules = {"slug": Marker("ORG#{org}#{}", optional=True), "tags": Marker("TAG#{}", each=True, optional=True)}
    Unique(TABLE, rules, owner="id").create({"id": "R#1", "org": 7, "slug": "a", "tags": {"y", "x"}}).send(shop)
    assert main(["markers", "show", "--unique", "shop.schema:unique", "--segments", "1", "7#a"]) == 0
    assert capsys.readouterr().out == (
        "slug: held by R#1 (through ORG#7#a).\n"
        "    FIELD  RECORD         MARKER   HOLDER  VERDICT\n"
        "    slug   org 7, slug a  ORG#7#a  R#1     fine\n"
        "    tags   x, y           TAG#x    R#1     fine\n"
        "    tags   x, y           TAG#y    R#1     fine\n"
        "\n"
        "tags: nobody holds it (there is no TAG#7#a).\n"
    )
