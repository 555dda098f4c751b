"""After a lost answer, the effect of a typed write is there once, or the error says that the outcome is unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import boto3
import pytest
from pydantic import BaseModel, Field

from expr_builder import Attr, ConditionFailed, Marker, RequestThrottled, RequestUnavailable, Table, Unique
from expr_builder.typed import TypedTable
from tests.support.faults import before, failing, service_error
from tests.support.moto import empty_moto
from tests.support.typed_faults import FaultyClient

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Write = Callable[[Any], object]


class Member(BaseModel):
    member_id: str
    email: str
    points: int = 0
    tags: set[str] = Field(default_factory=set)
    log: list[str] = []
    version: int = 0


KEY = {"member_id": "1"}
PLAIN = Table("members", "PK", "SK")
UNIQUE = Unique(PLAIN, owner="PK", email=Marker("UNIQ#EMAIL#{}"))
TABLES: dict[str, dict[str, Any]] = {
    "plain": {},
    "versioned": {"version": "version"},
    "unique": {"unique": UNIQUE},
    "unique, versioned": {"unique": UNIQUE, "version": "version"},
}
FAULTS = [("lost",), ("lost", "lost"), ("500",), ("500", "lost"), ("lost", "500")]


def raise_points(member: Member) -> Member:
    return member.model_copy(update={"points": member.points + 1})


def move(member: Member) -> Member:
    return member.model_copy(update={"email": "new@example.com", "points": member.points + 1})


def renew(members: Any, **options: Any) -> object:
    """Put what was read, changed."""
    return members.put(raise_points(members.get(KEY)), **options)


WRITES: dict[str, Write] = {
    "put of what was read": renew,
    "put if a field has its value": lambda members: renew(members, if_field_equals={"points": 5}),
    "put when": lambda members: renew(members, when=Attr("points") < 6),
    "put exactly once": lambda members: renew(members, if_field_equals={"points": 5}, exactly_once=True),
    "update set": lambda members: members.update(KEY, set={"points": 6}),
    "update add": lambda members: members.update(KEY, add={"points": 1}),
    "update add exactly once": lambda members: members.update(KEY, add={"points": 1}, exactly_once=True),
    "update computed": lambda members: members.update(KEY, set={"points": Attr("points") + 1}),
    "update append": lambda members: members.update(KEY, set={"log": Attr("log").append("b")}, add={"points": 1}),
    "update if a field has its value": lambda members: members.update(
        KEY, set={"points": 6}, if_field_equals={"points": 5}
    ),
    "update elements": lambda members: members.update(
        KEY, add={"tags": {"b"}}, set={"points": Attr("points") + 1}, when=Attr("tags").contains("a")
    ),
    "update removal of an element": lambda members: members.update(KEY, remove=[Attr("log")[0]], set={"points": 6}),
    "update of the e-mail": lambda members: members.update(KEY, set={"email": "new@example.com"}, add={"points": 1}),
    "modify": lambda members: members.modify(KEY, raise_points),
    "modify of the e-mail": lambda members: members.modify(KEY, move),
}
CREATIONS: dict[str, Write] = {
    "put": lambda members: members.put(Member(member_id="2", email="b@example.com", points=6)),
    "put if there is none": lambda members: members.put(
        Member(member_id="2", email="b@example.com", points=6), if_not_exists=True
    ),
    "put exactly once": lambda members: members.put(
        Member(member_id="2", email="b@example.com", points=6), if_not_exists=True, exactly_once=True
    ),
}
DELETIONS: dict[str, Write] = {
    "delete": lambda members: members.delete(KEY),
    "delete if it exists": lambda members: members.delete(KEY, if_exists=True),
    "delete if a field has its value": lambda members: members.delete(KEY, if_field_equals={"points": 5}),
    "delete when": lambda members: members.delete(KEY, when=Attr("points") == 5),
    "delete exactly once": lambda members: members.delete(KEY, if_exists=True, exactly_once=True),
}


@pytest.fixture(scope="module")
def store() -> Iterator[Any]:
    with empty_moto():
        client = boto3.client("dynamodb", "us-east-1")
        client.create_table(
            TableName="members",
            KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK")],
            BillingMode="PAY_PER_REQUEST",
        )
        yield client


@pytest.fixture
def engine(store: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A client of an empty table; nobody waits."""
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    for item in store.scan(TableName="members")["Items"]:
        store.delete_item(TableName="members", Key={"PK": item["PK"], "SK": item["SK"]})
    return store


def members_of(client: Any, options: dict[str, Any]) -> TypedTable[Member, Member]:
    return TypedTable(Member, PLAIN, client, partition_key="M#{member_id}", sort_key="PROFILE", **options).strict()


def write_with(
    engine: Any, options: dict[str, Any], faults: tuple[str, ...], write: Write
) -> RequestUnavailable | None:
    """Carry out a write; return the error that says that its outcome is unknown, if it raises one."""
    client = FaultyClient(engine, *faults)
    try:
        write(members_of(client, options))
    except RequestUnavailable as error:
        unknown = error
    else:
        return None
    assert unknown.outcome_unknown
    return unknown


@pytest.fixture(params=TABLES)
def options(request: pytest.FixtureRequest) -> dict[str, Any]:
    return TABLES[request.param]


@pytest.mark.parametrize("faults", FAULTS, ids="+".join)
@pytest.mark.parametrize("name", WRITES)
def test_a_change_is_done_once_or_said_to_be_unknown(
    engine: Any, options: dict[str, Any], name: str, faults: tuple[str, ...]
) -> None:
    members = members_of(engine, options)
    first = members.put(Member(member_id="1", email="a@example.com", points=5, tags={"a"}, log=["a", "b"]))
    unknown = write_with(engine, options, faults, WRITES[name])
    now = members.get(KEY)
    assert now is not None
    changed = now.points == 6
    assert changed or (unknown is not None and now == first)
    if changed:
        assert now.version == first.version + ("version" in options)
        assert now.log in (["a", "b"], ["b"], ["a", "b", "b"])
    if "exactly" in name or ("e-mail" in name and "unique" in options):
        assert changed
        assert unknown is None
    if "unique" in options:
        markers = {item["PK"]["S"] for item in engine.scan(TableName="members")["Items"] if item["SK"]["S"] == "LOCK"}
        assert markers == {f"UNIQ#EMAIL#{now.email}"}


@pytest.mark.parametrize("faults", FAULTS, ids="+".join)
@pytest.mark.parametrize("name", CREATIONS)
def test_a_creation_is_done_or_said_to_be_unknown(
    engine: Any, options: dict[str, Any], name: str, faults: tuple[str, ...]
) -> None:
    unknown = write_with(engine, options, faults, CREATIONS[name])
    now = members_of(engine, options).get(member_id="2")
    assert unknown is not None or now is not None
    if now is not None:
        assert (now.points, now.version) == (6, int("version" in options))
    if "exactly" in name or "unique" in options:
        assert unknown is None


@pytest.mark.parametrize("faults", FAULTS, ids="+".join)
@pytest.mark.parametrize("name", DELETIONS)
def test_a_deletion_is_done_or_said_to_be_unknown(
    engine: Any, options: dict[str, Any], name: str, faults: tuple[str, ...]
) -> None:
    members = members_of(engine, options)
    members.put(Member(member_id="1", email="a@example.com", points=5))
    unknown = write_with(engine, options, faults, DELETIONS[name])
    assert unknown is not None or members.get(KEY) is None
    if "exactly" in name or "unique" in options or name == "delete":
        assert unknown is None
        assert engine.scan(TableName="members")["Items"] == []


@pytest.mark.parametrize("faults", FAULTS, ids="+".join)
def test_a_batch_is_done_whatever_is_lost(engine: Any, faults: tuple[str, ...]) -> None:
    for versioned in ({}, {"version": "version"}):
        client = FaultyClient(engine, *faults)
        members = members_of(client, versioned)
        several = [Member(member_id=str(number), email="a@example.com") for number in range(30)]
        assert members.put_batch(several) == 30
        assert {member.version for member in members.scan()} == {len(versioned)}
        client.faults = list(faults)
        assert members.delete_batch([{"member_id": member.member_id} for member in several]) == 30
        assert list(members.scan()) == []


def test_a_blind_update_counts_the_version_up(engine: Any) -> None:
    members = members_of(engine, TABLES["versioned"])
    members.put(members.put(Member(member_id="1", email="a@example.com")))
    assert members.update(KEY, set={"points": 1}).version == 3
    stored = members.get(KEY)
    assert stored is not None
    assert stored.version == 3


def test_exactly_once_returns_the_item_and_shows_a_refusal(engine: Any) -> None:
    client = FaultyClient(engine)
    members = members_of(client, {})
    first = members.put(Member(member_id="1", email="a@example.com"), exactly_once=True)
    assert members.update(KEY, add={"points": 1}, exactly_once=True) == first.model_copy(update={"points": 1})
    with pytest.raises(ConditionFailed) as caught:
        members.delete(KEY, if_field_equals={"points": 7}, exactly_once=True)
    assert caught.value.item == first.model_copy(update={"points": 1})
    assert client.sent == ["transact_write_items"] * 3


@pytest.mark.parametrize("options", ["plain", "unique"], indirect=True)
def test_a_read_that_fails_after_the_update_says_that_the_update_may_be_done(
    engine: Any, options: dict[str, Any]
) -> None:
    members = members_of(engine, options)
    members.put(Member(member_id="1", email="a@example.com"))
    unique = TypedTable(
        Member, PLAIN, engine, partition_key="M#{member_id}", sort_key="PROFILE", **options, max_attempts=2
    )
    throttled = service_error("ThrottlingException")
    seen: list[int] = []

    def throttle(params: dict[str, Any], **_: Any) -> None:
        seen.append(1)
        if len(seen) > ("unique" in options):  # the first read of a unique update is before it
            raise throttled

    engine.meta.events.register("before-call.dynamodb.GetItem", throttle)
    with pytest.raises(RequestThrottled) as caught:
        unique.update(KEY, set={"email": "b@example.com"}, exactly_once=True)
    engine.meta.events.unregister("before-call.dynamodb.GetItem", throttle)
    assert caught.value.outcome_unknown
    stored = members.get(KEY)
    assert stored is not None
    assert stored.email == "b@example.com"


def test_an_item_that_is_deleted_after_the_update_is_not_a_plain_refusal(engine: Any) -> None:
    members = members_of(engine, {})
    members.put(Member(member_id="1", email="a@example.com"))
    with (
        before(engine, lambda: members.delete(KEY), operation="GetItem"),
        pytest.raises(ConditionFailed) as caught,
    ):
        members.update(KEY, add={"points": 1}, exactly_once=True)
    assert caught.value.retried


def test_modify_does_not_start_over_when_its_own_repetition_was_refused(engine: Any) -> None:
    members = members_of(engine, {})
    members.put(Member(member_id="1", email="a@example.com"))
    calls: list[str] = []

    def repeat(**_: object) -> int | None:
        """As botocore does after a connection that broke; meanwhile somebody else writes."""
        calls.append("attempt")
        if len(calls) > 1:
            return None
        engine.meta.events.unregister("needs-retry.dynamodb.UpdateItem", repeat)
        members.update(KEY, set={"tags": {"other"}})
        engine.meta.events.register("needs-retry.dynamodb.UpdateItem", repeat)
        return 0

    engine.meta.events.register("needs-retry.dynamodb.UpdateItem", repeat)
    with pytest.raises(ConditionFailed) as caught:
        members.modify(KEY, raise_points)
    engine.meta.events.unregister("needs-retry.dynamodb.UpdateItem", repeat)
    assert caught.value.retried
    stored = members.get(KEY)
    assert stored is not None
    assert stored.points == 1


def test_a_refusal_of_a_transaction_is_certain_whatever_answer_was_lost(engine: Any) -> None:
    members = members_of(engine, TABLES["unique"])
    members.put(Member(member_id="1", email="a@example.com"))
    with (
        failing(engine, service_error("InternalServerError", 500), times=1),
        pytest.raises(ConditionFailed) as caught,
    ):
        members.put(Member(member_id="1", email="a@example.com"), if_not_exists=True)
    assert not caught.value.retried
