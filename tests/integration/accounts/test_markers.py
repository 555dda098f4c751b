"""Audit, repair and backfill of markers, on both engines."""

from __future__ import annotations

import contextlib
import json
import random
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from accounts.errors import DomainError
from accounts.schema import declare_layout as accounts
from expr_builder import BatchWrite, to_item
from expr_builder.markers import (
    Checkpoint,
    CheckpointError,
    Finding,
    Kind,
    Mender,
    Outcome,
    ScanOptions,
    audit,
    backfill,
    show,
)
from tests.support.damage import DAMAGES, MENDABLE, account, change, lock, pick_key, put, remove
from tests.support.faults import before, losing_answers
from tests.support.store import changing, signing_up

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from expr_builder.markers import Layout, Report
    from tests.support.damage import Damage
    from tests.support.store import Store

TINY = ScanOptions(segments=2, page_items=1)


@pytest.fixture
def layout(store: Store) -> Layout:
    return accounts(store.table)


@pytest.fixture
def mender(layout: Layout, store: Store) -> Mender:
    return Mender(layout, store.client)


@pytest.fixture
def audited(layout: Layout, store: Store) -> Callable[..., Report]:
    def run(options: ScanOptions | None = None) -> Report:
        return audit(layout, store.client, options)

    return run


def ordered(findings: list[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda finding: str(finding.to_json()))


# --- audit


def test_an_empty_table_has_no_findings(audited: Callable[..., Report]) -> None:
    assert audited().to_json() == {"complete": True, "records": 0, "markers": 0, "others": 0, "findings": {}}


def test_h14_after_whatever_the_service_did_the_audit_is_clean(store: Store, audited: Callable[..., Report]) -> None:
    service, chance = store.service(), random.Random(14)
    alive: dict[str, str] = {}

    def sign_up(name: str) -> None:
        made = service.sign_up(signing_up(f"{name}@example.com", name), subject=name)
        alive[made.account_id] = name

    def change_email(name: str) -> None:
        account_id = chance.choice([*alive])
        service.change(account_id, changing(f"{name}@EXAMPLE.com"), subject=alive[account_id])

    def delete(_: str) -> None:
        account_id = chance.choice([*alive])
        service.delete(account_id, subject=alive.pop(account_id))

    for _ in range(120):
        step = chance.choice([sign_up, change_email, delete] if alive else [sign_up])
        with contextlib.suppress(DomainError):  # taken: these few names are wanted by many
            step(chance.choice(["ada", "bob", "cyd", "dan", "eve"]))

    report = audited(TINY)

    assert report.findings == []
    assert report.to_json() == {
        "complete": True,
        "records": len(alive),
        "markers": 2 * len(alive),
        "others": 0,
        "findings": {},
    }


@pytest.mark.parametrize("options", [ScanOptions(), TINY], ids=["one-page", "page-by-page"])
def test_an_audit_of_every_kind_of_damage_finds_exactly_that_and_changes_nothing(
    store: Store, audited: Callable[..., Report], options: ScanOptions
) -> None:
    account(store, "bystander")
    wanted = [damage(store) for damage in DAMAGES]
    before_it = store.items()

    report = audited(options)

    assert ordered(report.findings) == ordered(wanted)
    assert report.complete
    assert store.items() == before_it


def test_items_of_other_kinds_are_counted_and_left_alone(store: Store, audited: Callable[..., Report]) -> None:
    pk = account(store, "ada")
    for item in ({"PK": pk, "SK": "ORDER#1"}, {"PK": "ORG#1", "SK": "PROFILE"}, {"PK": "UNIQ#EMAIL#x", "SK": "NOTE"}):
        put(store, item)

    assert audited().to_json() == {"complete": True, "records": 1, "markers": 2, "others": 3, "findings": {}}


def test_a_marker_that_was_damaged_by_hand_is_left_whatever_it_names_as_its_owner(
    store: Store, layout: Layout, audited: Callable[..., Report], mender: Mender, checkpoint: Callable[[], Checkpoint]
) -> None:
    """The kinds of values that have no hash, or no form in JSON."""
    owners: list[Any] = [["a", "list"], {"a": {"map"}}, b"bytes", Decimal("1.5")]
    for number, owner in enumerate(owners):
        put(store, {**pick_key(f"UNIQ#HANDLE#broken{number}"), "owner": owner})

    first = audited(ScanOptions(segments=1, page_items=3, checkpoint=checkpoint(), enough=lambda: True))
    found = audited(ScanOptions(checkpoint=checkpoint())).findings

    assert len(first.findings) == 3
    assert [(finding.kind, finding.holder) for finding in found] == [(Kind.RESERVED, owner) for owner in owners]
    assert [mender.mend(finding).outcome for finding in found] == [Outcome.LEFT] * len(owners)
    assert len(store.items()) == len(owners)
    wilful = Mender(layout, store.client, delete_reserved=True)
    assert [wilful.mend(finding).outcome for finding in found] == [Outcome.MENDED] * len(owners)
    assert store.items() == []


def test_two_accounts_that_hold_each_others_markers_are_two_thefts(
    store: Store, audited: Callable[..., Report], mender: Mender
) -> None:
    ada, bob = account(store, "ada"), account(store, "bob")
    sound = store.items()
    put(store, lock("UNIQ#HANDLE#ada", bob))
    put(store, lock("UNIQ#HANDLE#bob", ada))

    found = audited().findings

    assert found == [
        Finding(Kind.STOLEN, "username", ada, "UNIQ#HANDLE#ada", bob),
        Finding(Kind.STOLEN, "username", bob, "UNIQ#HANDLE#bob", ada),
    ]
    assert [mender.mend(finding).outcome for finding in found] == [Outcome.MENDED, Outcome.MENDED]
    assert store.items() == sound


def test_an_audit_that_finds_too_much_stops_early_and_says_so(store: Store, audited: Callable[..., Report]) -> None:
    for number in range(6):
        put(store, lock(f"UNIQ#HANDLE#lost{number}", "ACCT#gone"))

    report = audited(ScanOptions(segments=1, page_items=2, most=1))

    assert not report.complete
    assert report.findings
    assert {finding.kind for finding in report.findings} == {Kind.ORPHAN}


# --- a suspect is examined as of one moment


def test_what_a_scan_saw_half_of_is_no_finding(store: Store, audited: Callable[..., Report]) -> None:
    """The address moves after the scan has read the account, and before it asks for the account's marker."""
    pk = account(store, "ada")
    move = lambda: store.service().change(  # noqa: E731
        pk.removeprefix("ACCT#"), changing("moved@example.com"), subject="user-ada"
    )

    with before(store.client, move, operation="BatchGetItem"):
        report = audited(ScanOptions(segments=1, page_items=1))

    assert report.findings == []


def test_an_account_that_goes_while_it_is_examined_is_no_finding(store: Store, audited: Callable[..., Report]) -> None:
    pk = account(store, "ada")
    remove(store, "UNIQ#HANDLE#ada")

    def delete() -> None:
        remove(store, pk)
        remove(store, "UNIQ#EMAIL#ada@example.com")

    with before(store.client, lambda: None, delete, operation="TransactGetItems"):
        report = audited(ScanOptions(segments=1))

    assert report.findings == []


# --- going on after an interruption


@pytest.fixture
def checkpoint(layout: Layout, tmp_path: Path) -> Callable[[], Checkpoint]:
    return lambda: Checkpoint(tmp_path / "audit.json", layout, "audit")


def test_an_interrupted_audit_goes_on_where_it_was_and_finds_the_same(
    store: Store, audited: Callable[..., Report], checkpoint: Callable[[], Checkpoint], tmp_path: Path
) -> None:
    wanted = [damage(store) for damage in DAMAGES]
    kept = tmp_path / "audit.json"

    pages = iter(range(10))

    def interrupt() -> bool:
        if next(pages, None) is None:
            raise KeyboardInterrupt
        return False

    with pytest.raises(KeyboardInterrupt):
        audited(ScanOptions(segments=2, page_items=1, checkpoint=checkpoint(), enough=interrupt))
    read = sum(json.loads(kept.read_text())["tally"].values())
    report = audited(ScanOptions(segments=7, page_items=1, checkpoint=checkpoint()))

    assert 10 <= read <= 12
    assert ordered(report.findings) == ordered(wanted)
    assert (report.complete, report.resumed) == (True, True)
    assert sum(report.tally.values()) == len(store.items())
    assert not kept.exists()


def test_what_was_mended_during_the_interruption_is_not_reported(
    store: Store, audited: Callable[..., Report], checkpoint: Callable[[], Checkpoint], mender: Mender
) -> None:
    for number in range(4):
        put(store, lock(f"UNIQ#HANDLE#lost{number}", "ACCT#gone"))
    first = audited(ScanOptions(segments=1, page_items=2, checkpoint=checkpoint(), enough=lambda: True))
    assert first.findings
    assert not first.complete

    mender.mend(first.findings[0])
    second = audited(ScanOptions(checkpoint=checkpoint()))

    assert second.complete
    assert ordered([*second.findings, first.findings[0]]) == ordered(
        [
            Finding(Kind.ORPHAN, "username", marker=f"UNIQ#HANDLE#lost{number}", holder="ACCT#gone")
            for number in range(4)
        ]
    )


def test_a_checkpoint_of_another_task_is_refused(
    store: Store, layout: Layout, audited: Callable[..., Report], tmp_path: Path
) -> None:
    kept = tmp_path / "audit.json"
    account(store, "ada")
    audited(ScanOptions(1, page_items=1, checkpoint=Checkpoint(kept, layout, "audit"), enough=lambda: True))

    with pytest.raises(CheckpointError) as caught:
        backfill(layout, store.client, ScanOptions(checkpoint=Checkpoint(kept, layout, "backfill")))

    assert str(caught.value) == (
        f"{kept} belongs to another task, table or declaration: finish that, or delete the file."
    )


# --- repair


@pytest.mark.parametrize("damage", MENDABLE, ids=lambda damage: damage.__name__)
def test_what_an_audit_found_is_mended_and_nothing_else_is_touched(
    store: Store, audited: Callable[..., Report], mender: Mender, damage: Damage
) -> None:
    account(store, "bystander")
    wanted = damage(store)
    (finding,) = audited().findings
    assert finding == wanted

    mend = mender.mend(finding)

    assert (mend.finding, mend.outcome) == (wanted, Outcome.MENDED)
    assert audited().findings == []
    store.check()
    assert mender.mend(finding).outcome is Outcome.GONE


def test_after_mending_every_kind_what_a_person_must_decide_is_left(
    store: Store, audited: Callable[..., Report], mender: Mender
) -> None:
    for damage in DAMAGES:
        damage(store)
    found = audited().findings

    outcomes = {mend.finding.kind: mend.outcome for mend in map(mender.mend, found)}

    assert outcomes == {
        **dict.fromkeys((Kind.ORPHAN, Kind.MISSING, Kind.STOLEN, Kind.DOUBLE), Outcome.MENDED),
        **dict.fromkeys((Kind.DUPLICATE, Kind.INVALID, Kind.RESERVED), Outcome.LEFT),
    }
    assert [finding.kind for finding in audited().findings] == [Kind.DUPLICATE, Kind.INVALID, Kind.RESERVED]


def test_a_plan_shows_the_guarded_transaction_and_writes_nothing(store: Store, mender: Mender) -> None:
    robbed, thief = account(store, "robbed"), account(store, "thief")
    put(store, lock("UNIQ#HANDLE#robbed", thief))
    before_it = store.items()

    plan = mender.plan(Finding(Kind.STOLEN, "username", robbed, "UNIQ#HANDLE#robbed", thief))

    assert plan.outcome is Outcome.PLANNED
    assert plan.to_json()["request"] == {
        "TransactItems": [
            {
                "ConditionCheck": {
                    "TableName": store.table,
                    "Key": to_item(pick_key(robbed)),
                    "ConditionExpression": "attribute_exists(PK) AND username = :v0",
                    "ExpressionAttributeValues": {":v0": {"S": "robbed"}},
                }
            },
            {
                "ConditionCheck": {
                    "TableName": store.table,
                    "Key": to_item(pick_key(thief)),
                    "ConditionExpression": "attribute_exists(PK) AND username = :v0",
                    "ExpressionAttributeValues": {":v0": {"S": "thief"}},
                }
            },
            {
                "Update": {
                    "TableName": store.table,
                    "Key": to_item(pick_key("UNIQ#HANDLE#robbed")),
                    "UpdateExpression": "SET #n0 = :v0",
                    "ConditionExpression": "attribute_exists(PK) AND #n0 = :v1",
                    "ExpressionAttributeNames": {"#n0": "owner"},
                    "ExpressionAttributeValues": {":v0": {"S": robbed}, ":v1": {"S": thief}},
                }
            },
        ]
    }
    assert store.items() == before_it


def test_a_repair_does_not_free_a_value_that_is_taken_between_look_and_deed(store: Store, mender: Mender) -> None:
    """An orphan's account comes back, with its value, just before the marker would have been removed."""
    pk = account(store, "ada")
    (profile,) = (item for item in store.items() if item["PK"] == pk)
    sound = store.items()
    remove(store, pk)

    with before(store.client, lambda: put(store, profile)):
        mend = mender.mend(Finding(Kind.ORPHAN, "email", marker="UNIQ#EMAIL#ada@example.com", holder=pk))

    assert mend.outcome is Outcome.GONE
    assert store.items() == sound


def test_a_missing_marker_that_somebody_else_takes_first_makes_a_duplicate_and_is_left(
    store: Store, mender: Mender
) -> None:
    pk = account(store, "ada")
    remove(store, "UNIQ#HANDLE#ada")
    rival: list[str] = []

    def sign_up() -> None:
        made = store.service().sign_up(signing_up("rival@example.com", "ADA"), subject="rival")
        rival.append(f"ACCT#{made.account_id}")

    # The rival's own transaction is the second of the two.
    with before(store.client, sign_up):
        mend = mender.mend(Finding(Kind.MISSING, "username", pk, "UNIQ#HANDLE#ada"))

    assert mend.outcome is Outcome.LEFT
    assert mend.finding == Finding(Kind.DUPLICATE, "username", pk, "UNIQ#HANDLE#ada", rival[0])


def test_a_repair_whose_answer_was_lost_is_not_done_twice(store: Store, mender: Mender) -> None:
    pk = account(store, "ada")
    sound = store.items()
    remove(store, "UNIQ#HANDLE#ada")

    with losing_answers(store.client, 1):
        mend = mender.mend(Finding(Kind.MISSING, "username", pk, "UNIQ#HANDLE#ada"))

    assert mend.outcome in (Outcome.MENDED, Outcome.GONE)  # with tokens the first, without them the second
    assert store.items() == sound


def test_a_record_whose_rules_changed_gets_its_new_marker_and_loses_the_old_one(
    store: Store, audited: Callable[..., Report], mender: Mender
) -> None:
    """What a change of the normalising rules leaves behind: markers under the keys of yesterday's rules."""
    pk = account(store, "ada")
    remove(store, "UNIQ#EMAIL#ada@example.com")
    put(store, lock("UNIQ#EMAIL#ADA@example.com", pk))

    found = audited().findings
    assert [finding.kind for finding in found] == [Kind.DOUBLE, Kind.MISSING]
    for finding in found:
        mender.mend(finding)

    assert audited().findings == []
    store.check()


# --- backfill


@pytest.fixture
def without_markers(store: Store) -> Iterator[list[str]]:
    """Accounts from before there were markers, two of them with one address: A@… and a@…"""
    keys = [account(store, name) for name in ("ada", "bob", "twin", "other")]
    change(store, keys[3], email="TWIN@example.com")
    for item in store.items():
        if item["SK"] == "LOCK":
            remove(store, item["PK"])
    records = store.items()
    yield keys
    assert [item for item in store.items() if item["SK"] == "PROFILE"] == records


def test_h23_a_backfill_adds_every_marker_and_reports_old_duplicates(
    store: Store, layout: Layout, audited: Callable[..., Report], without_markers: list[str]
) -> None:
    report = backfill(layout, store.client, ScanOptions(segments=1))

    (clash,) = report.findings
    assert (clash.kind, clash.field, clash.marker) == (Kind.DUPLICATE, "email", "UNIQ#EMAIL#twin@example.com")
    assert {clash.record, clash.holder} == {without_markers[2], without_markers[3]}
    assert report.to_json() == {
        "complete": True,
        "records": 4,
        "markers": report.tally["markers"],  # those that it wrote itself, as far as the scan came by them
        "others": 0,
        "added": 7,
        "findings": {"duplicate": 1},
    }
    assert audited().findings == [clash]

    again = backfill(layout, store.client, ScanOptions(segments=1))
    assert (again.findings, again.tally["added"]) == ([clash], 0)


def test_h23_a_dry_run_of_the_backfill_shows_its_transactions_and_writes_nothing(
    store: Store, layout: Layout, without_markers: list[str]
) -> None:
    plans: list[Any] = []

    report = backfill(layout, store.client, plan=plans.append)

    assert (report.tally["added"], len(plans)) == (8, 4)  # one for each account
    planned = {plan.finding.marker: plan.to_json() for plan in plans}
    assert planned["UNIQ#EMAIL#ada@example.com"]["also"] == [
        {"kind": "missing", "field": "username", "record": {"S": without_markers[0]}, "marker": "UNIQ#HANDLE#ada"}
    ]
    assert planned["UNIQ#EMAIL#ada@example.com"]["request"]["TransactItems"] == [
        {
            "ConditionCheck": {
                "TableName": store.table,
                "Key": to_item(pick_key(without_markers[0])),
                "ConditionExpression": "attribute_exists(PK) AND email = :v0 AND username = :v1",
                "ExpressionAttributeValues": {":v0": {"S": "ada@example.com"}, ":v1": {"S": "ada"}},
            }
        },
        *(
            {
                "Put": {
                    "TableName": store.table,
                    "Item": to_item(lock(marker, without_markers[0])),
                    "ConditionExpression": "attribute_not_exists(PK)",
                }
            }
            for marker in ("UNIQ#EMAIL#ada@example.com", "UNIQ#HANDLE#ada")
        ),
    ]
    assert [item["SK"] for item in store.items()] == ["PROFILE"] * 4


def test_a_backfill_takes_two_requests_for_each_record_at_most(
    store: Store, layout: Layout, audited: Callable[..., Report]
) -> None:
    accounts_of = (
        {"PK": f"ACCT#{number}", "SK": "PROFILE", "email": f"{number}@example.com", "username": f"user-{number}"}
        for number in range(300)
    )
    BatchWrite.stream(store.client, map(layout.table.put, accounts_of))
    asked: list[str] = []
    store.client.meta.events.register("before-call.dynamodb", lambda model, **_: asked.append(model.name))

    report = backfill(layout, store.client, ScanOptions(segments=1, page_items=100))

    assert (report.findings, report.tally["added"]) == ([], 600)
    assert asked.count("TransactWriteItems") == 300
    assert len(asked) <= 300 + 3 + 1 + 6 + 6  # pages, counterparts of a hundred keys at a time
    assert audited().findings == []


def test_h23_an_interrupted_backfill_goes_on(
    store: Store, layout: Layout, audited: Callable[..., Report], without_markers: list[str], tmp_path: Path
) -> None:
    checkpoint = Checkpoint(tmp_path / "backfill.json", layout, "backfill")
    first = backfill(layout, store.client, ScanOptions(1, page_items=1, checkpoint=checkpoint, enough=lambda: True))
    assert not first.complete

    second = backfill(layout, store.client, ScanOptions(1, page_items=1, checkpoint=checkpoint))

    assert (second.complete, second.tally["added"]) == (True, 7)
    assert [finding.kind for finding in audited().findings] == [Kind.DUPLICATE]
    assert len(without_markers) == 4


def test_h23_a_value_that_changes_under_the_backfill_is_left_to_its_writer(
    store: Store, layout: Layout, audited: Callable[..., Report]
) -> None:
    """Writers keep markers already. The account's address moves between the look at it and the transaction."""
    pk = account(store, "ada")
    remove(store, "UNIQ#EMAIL#ada@example.com")

    def move() -> None:
        change(store, pk, email="moved@example.com")
        put(store, lock("UNIQ#EMAIL#moved@example.com", pk))

    with before(store.client, move):
        report = backfill(layout, store.client, ScanOptions(1))

    assert (report.findings, report.tally["added"]) == ([], 0)
    assert audited().findings == []


# --- show


def test_show_tells_who_holds_a_value_and_puts_the_record_beside_its_markers(store: Store, layout: Layout) -> None:
    ada, bob = account(store, "ada"), account(store, "bob")
    put(store, lock("UNIQ#EMAIL#ada@example.com", bob))

    email, username = show(layout, store.client, "ADA@example.com")
    as_email, as_username = show(layout, store.client, "Ada")

    bobs = [
        {
            "field": "email",
            "value": {"S": "bob@example.com"},
            "marker": "UNIQ#EMAIL#bob@example.com",
            "holder": {"S": bob},
            "verdict": "fine",
        },
        {
            "field": "username",
            "value": {"S": "bob"},
            "marker": "UNIQ#HANDLE#bob",
            "holder": {"S": bob},
            "verdict": "fine",
        },
    ]
    assert email.to_json() == {
        "field": "email",
        "marker": "UNIQ#EMAIL#ada@example.com",
        "holder": {"S": bob},
        "finding": {"kind": "double", "field": "email", "marker": "UNIQ#EMAIL#ada@example.com", "holder": {"S": bob}},
        "record": bobs,
    }
    nothing: dict[str, Any] = {"marker": None, "holder": None, "finding": None, "record": []}
    assert username.to_json() == {"field": "username", **nothing}
    assert as_email.to_json() == {"field": "email", **nothing}
    assert as_username.to_json() == {
        "field": "username",
        "marker": "UNIQ#HANDLE#ada",
        "holder": {"S": ada},
        "finding": None,
        "record": [
            {
                "field": "email",
                "value": {"S": "ada@example.com"},
                "marker": "UNIQ#EMAIL#ada@example.com",
                "holder": {"S": bob},
                "verdict": "stolen",
            },
            {
                "field": "username",
                "value": {"S": "ada"},
                "marker": "UNIQ#HANDLE#ada",
                "holder": {"S": ada},
                "verdict": "fine",
            },
        ],
    }
    by_key = show(layout, store.client, ada)[-1]
    assert (by_key.field, by_key.lines) == (None, as_username.lines)
