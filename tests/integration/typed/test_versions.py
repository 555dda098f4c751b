"""Optimistic locking, time to live, and answers that get lost."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from expr_builder import Attr, BuildError, RequestUnavailable, from_item
from expr_builder.typed import ConditionFailed, InvalidQuery, TypedTable, ValidationFailed
from tests.support.orders import Account, Order, Session
from tests.support.threads import at_once

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mypy_boto3_dynamodb import DynamoDBClient

    from expr_builder import Table

KEY = {"account_id": "1"}
ADA = Account(account_id="1", email="ada@example.com")


def accounts_of(plain: Table, client: DynamoDBClient, **options: Any) -> TypedTable[Account, Account]:
    return TypedTable(
        Account,
        plain,
        client,
        partition_key="ACCT#{account_id}",
        sort_key="PROFILE",
        version="version",
        **options,
    ).strict()


@pytest.fixture
def accounts(client: DynamoDBClient, plain: Table) -> TypedTable[Account, Account]:
    return accounts_of(plain, client)


# --- versions


def test_the_table_counts_versions(accounts: TypedTable[Account, Account]) -> None:
    first = accounts.put(ADA)
    second = accounts.put(first.model_copy(update={"points": 5}))
    assert (first.version, second.version) == (1, 2)
    assert accounts.update(KEY, set={"points": 6}).version == 3
    assert accounts.modify(KEY, lambda account: account.model_copy(update={"points": 7})).version == 4
    assert accounts.get(KEY) == Account(account_id="1", email="ada@example.com", points=7, version=4)


def test_a_stale_model_is_refused_with_what_is_stored(accounts: TypedTable[Account, Account]) -> None:
    stale = accounts.put(ADA)
    fresh = accounts.put(stale.model_copy(update={"points": 5}))
    with pytest.raises(ConditionFailed) as caught:
        accounts.put(stale.model_copy(update={"points": 6}))
    assert caught.value.item == fresh
    assert accounts.get(KEY) == fresh


def test_a_new_model_never_overwrites_what_it_has_not_read(accounts: TypedTable[Account, Account]) -> None:
    accounts.put(ADA)
    with pytest.raises(ConditionFailed):
        accounts.put(ADA)


def test_an_item_from_before_there_were_versions_counts_as_version_0(
    client: DynamoDBClient, plain: Table, accounts: TypedTable[Account, Account]
) -> None:
    unversioned = {"PK": "ACCT#1", "SK": "PROFILE", "account_id": "1", "email": "ada@example.com"}
    client.put_item(**plain.put(unversioned).to_request())
    assert accounts.update(KEY, set={"points": 1}).version == 1
    client.put_item(**plain.put(unversioned).to_request())
    read = accounts.get(KEY)
    assert read is not None
    assert accounts.put(read).version == 1
    with pytest.raises(ConditionFailed):
        accounts.put(read)


def test_updates_and_deletions_compare_a_version_when_they_are_told_to(accounts: TypedTable[Account, Account]) -> None:
    accounts.put(ADA)
    with pytest.raises(ConditionFailed):
        accounts.update(KEY, set={"points": 1}, if_field_equals={"version": 7})
    assert accounts.update(KEY, set={"points": 1}, if_field_equals={"version": 1}).version == 2
    with pytest.raises(ConditionFailed):
        accounts.delete(KEY, if_field_equals={"version": 1})
    accounts.delete(KEY, if_field_equals={"version": 2})
    assert accounts.get(KEY) is None


def test_the_version_is_the_tables_to_count(accounts: TypedTable[Account, Account]) -> None:
    accounts.put(ADA)
    with pytest.raises(InvalidQuery, match="version is counted by the table"):
        accounts.update(KEY, set={"version": 9})
    changed = accounts.modify(KEY, lambda account: account.model_copy(update={"points": 1, "version": 40}))
    assert changed.version == 2


def test_modify_writes_nothing_when_nothing_differs(accounts: TypedTable[Account, Account]) -> None:
    accounts.put(ADA)
    assert accounts.modify(KEY, lambda account: account).version == 1
    stored = accounts.get(KEY)
    assert stored is not None
    assert stored.version == 1


def test_a_batch_counts_up_but_cannot_compare(accounts: TypedTable[Account, Account]) -> None:
    accounts.put_batch([ADA])
    accounts.put_batch([ADA.model_copy(update={"version": 6})])
    stored = accounts.get(KEY)
    assert stored is not None
    assert stored.version == 7


def test_the_version_is_a_field_that_counts(client: DynamoDBClient, plain: Table) -> None:
    for name, said in (("revision", "revision is no field of Account"), ("email", "email is no whole number")):
        with pytest.raises(BuildError, match=said):
            TypedTable(Account, plain, client, partition_key="A#{account_id}", sort_key="P", version=name)


def test_threads_that_modify_one_item_all_succeed_one_after_the_other(engine: DynamoDBClient) -> None:
    from tests.integration.typed.conftest import create_table

    plain = create_table(engine, "PK", "SK", {}, {})
    for accounts in (
        accounts_of(plain, engine),
        TypedTable(Account, plain, engine, partition_key="PLAIN#{account_id}", sort_key="PROFILE").strict(),
    ):
        accounts.put(ADA)

        def add_a_point(accounts: TypedTable[Account, Account] = accounts) -> Account:
            return accounts.modify(
                KEY, lambda account: account.model_copy(update={"points": account.points + 1}), max_attempts=100
            )

        outcomes = at_once([add_a_point] * 16)

        assert sorted(one.points for one in outcomes if isinstance(one, Account)) == list(range(1, 17))
        stored = accounts.get(KEY, consistent=True)
        assert stored is not None
        assert stored.points == 16


# --- answers that get lost


def losing_its_answer(client: DynamoDBClient, monkeypatch: pytest.MonkeyPatch, call: str) -> list[int]:
    """The first request of this kind is carried out, but no answer comes."""
    send, sent = getattr(client, call), []

    def lossy(**request: Any) -> Any:
        answer = send(**request)
        sent.append(1)
        if len(sent) == 1:
            raise ReadTimeoutError(endpoint_url="http://localhost")
        return answer

    monkeypatch.setattr(client, call, lossy)
    return sent


@contextmanager
def botocore_repeats(
    client: DynamoDBClient, operation: str, *, meanwhile: Callable[[], object] = lambda: None
) -> Iterator[list[str]]:
    """botocore sends the first such request once more, as after a connection that broke before the answer."""
    repeated: list[str] = []

    def repeat(**_: object) -> Any:
        if repeated:
            return None
        repeated.append(operation)
        meanwhile()
        return 0  # seconds until the next attempt

    event = f"needs-retry.dynamodb.{operation}"
    client.meta.events.register(event, repeat)
    try:
        yield repeated
    finally:
        client.meta.events.unregister(event, repeat)


def test_a_guarded_put_is_not_repeated_after_a_lost_answer(
    client: DynamoDBClient, accounts: TypedTable[Account, Account], monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = losing_its_answer(client, monkeypatch, "put_item")
    with pytest.raises(RequestUnavailable) as caught:
        accounts.put(ADA, if_not_exists=True)
    assert (caught.value.outcome_unknown, caught.value.attempts, len(sent)) == (True, 1, 1)
    assert accounts.get(KEY, consistent=True) == ADA.model_copy(update={"version": 1})


def test_a_put_that_comes_to_the_same_twice_is_repeated_after_a_lost_answer(
    client: DynamoDBClient, orders: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = TypedTable(Order, orders, client).strict()
    sent = losing_its_answer(client, monkeypatch, "put_item")
    order = table.put(Order(user_id="u", order_id="o"))
    assert len(sent) == 2
    assert table.get(user_id="u", order_id="o") == order


def test_updates_that_count_are_not_repeated_after_a_lost_answer(
    client: DynamoDBClient, accounts: TypedTable[Account, Account], monkeypatch: pytest.MonkeyPatch
) -> None:
    accounts.put(ADA)
    writes: list[Callable[[], Account]] = [
        lambda: accounts.update(KEY, set={"points": 1}),
        lambda: accounts.modify(KEY, lambda account: account.model_copy(update={"points": account.points + 1})),
    ]
    for version, write in enumerate(writes, 2):
        with monkeypatch.context() as patch:
            sent = losing_its_answer(client, patch, "update_item")
            with pytest.raises(RequestUnavailable) as caught:
                write()
        assert (caught.value.outcome_unknown, len(sent)) == (True, 1)
        assert accounts.get(KEY, consistent=True) == ADA.model_copy(update={"points": version - 1, "version": version})


def test_a_put_that_botocore_repeated_knows_its_own_write_again(
    client: DynamoDBClient, accounts: TypedTable[Account, Account]
) -> None:
    with botocore_repeats(client, "PutItem") as repeated:
        assert accounts.put(ADA, if_not_exists=True).version == 1
    with botocore_repeats(client, "PutItem") as repeated_again:
        assert accounts.put(ADA.model_copy(update={"version": 1})).version == 2
    assert (repeated, repeated_again) == (["PutItem"], ["PutItem"])


def test_a_modify_that_botocore_repeated_is_not_done_twice(
    client: DynamoDBClient, accounts: TypedTable[Account, Account]
) -> None:
    accounts.put(ADA)
    calls: list[int] = []

    def add_a_point(account: Account) -> Account:
        calls.append(account.points)
        return account.model_copy(update={"points": account.points + 1})

    with botocore_repeats(client, "UpdateItem") as repeated:
        changed = accounts.modify(KEY, add_a_point)
    assert (changed.points, changed.version, calls, repeated) == (1, 2, [0], ["UpdateItem"])
    assert accounts.get(KEY, consistent=True) == changed


def test_somebody_elses_write_is_not_taken_for_ones_own(
    client: DynamoDBClient, accounts: TypedTable[Account, Account]
) -> None:
    other = ADA.model_copy(update={"email": "other@example.com", "version": 1})
    with (
        botocore_repeats(client, "PutItem", meanwhile=lambda: accounts.put(other)),
        pytest.raises(ConditionFailed) as caught,
    ):
        accounts.put(ADA, if_not_exists=True)
    assert caught.value.retried
    assert caught.value.item == other.model_copy(update={"version": 2})


def test_an_error_that_is_no_condition_comes_through(client: DynamoDBClient) -> None:
    from expr_builder import Table

    nowhere = TypedTable(Order, Table("nowhere", "user_id", "order_id"), client)
    with pytest.raises(ClientError, match="ResourceNotFoundException"):
        nowhere.put(Order(user_id="u", order_id="o"))


# --- time to live

NOON = datetime(2026, 3, 1, 12, 0, 0, 750_000, tzinfo=UTC)


class Clock:
    """A clock that tests can turn."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> float:
        return self.now.timestamp()


@pytest.fixture
def clock() -> Clock:
    return Clock()


def sessions_of(plain: Table, client: DynamoDBClient, clock: Clock, **options: Any) -> TypedTable[Session, Session]:
    return TypedTable(
        Session,
        plain,
        client,
        partition_key="SESS#{session_id}",
        sort_key="S",
        ttl="expires_at",
        clock=clock,
        **options,
    ).strict()


def test_a_time_to_live_is_stored_in_epoch_seconds(client: DynamoDBClient, plain: Table, clock: Clock) -> None:
    sessions = sessions_of(plain, client, clock)
    hour = sessions.put(Session(session_id="1", expires_at=NOON + timedelta(hours=1)))
    whole = int((NOON + timedelta(hours=1)).timestamp())

    item = from_item(client.get_item(TableName=plain.name, Key={"PK": {"S": "SESS#1"}, "SK": {"S": "S"}})["Item"])
    assert item["expires_at"] == whole
    assert hour.expires_at == NOON.replace(microsecond=0) + timedelta(hours=1)
    assert sessions.get(session_id="1") == hour
    later = sessions.update({"session_id": "1"}, set={"expires_at": NOON + timedelta(hours=2)})
    assert later.expires_at == NOON.replace(microsecond=0) + timedelta(hours=2)


def test_a_time_to_live_without_a_time_zone_is_refused(client: DynamoDBClient, plain: Table, clock: Clock) -> None:
    sessions = sessions_of(plain, client, clock)
    for naive in (datetime(2026, 3, 1, 13),):  # noqa: DTZ001  # that is the mistake
        with pytest.raises(ValidationFailed, match="expires_at: a time to live needs a time zone"):
            sessions.put(Session(session_id="1", expires_at=naive))
        with pytest.raises(ValidationFailed, match="expires_at: a time to live needs a time zone"):
            sessions.update({"session_id": "1"}, set={"expires_at": naive})


def test_expired_items_are_hidden_before_they_are_swept(client: DynamoDBClient, plain: Table, clock: Clock) -> None:
    sessions = sessions_of(plain, client, clock)
    short = sessions.put(Session(session_id="1", expires_at=NOON + timedelta(minutes=1)))
    endless = sessions.put(Session(session_id="2"))
    keys = [{"session_id": "1"}, {"session_id": "2"}]
    assert sessions.get_batch(keys) == [short, endless]

    clock.now += timedelta(minutes=2)

    assert sessions.get(session_id="1") is None
    assert sessions.get_batch(keys) == [None, endless]
    assert list(sessions.scan()) == [endless]
    assert list(sessions.query(where={"session_id": {"equals": "1"}})) == []
    unhidden = sessions_of(plain, client, clock, hide_expired=False)
    assert unhidden.get_batch(keys) == [short, endless]
    assert list(unhidden.query(where={"session_id": {"equals": "1"}})) == [short]


def test_an_expired_row_counts_as_absent_for_writes_too(client: DynamoDBClient, plain: Table, clock: Clock) -> None:
    sessions = sessions_of(plain, client, clock)
    short = sessions.put(Session(session_id="1", expires_at=NOON + timedelta(minutes=1)))
    with pytest.raises(ConditionFailed):
        sessions.put(short, if_not_exists=True)

    clock.now += timedelta(minutes=2)

    for change in (
        lambda: sessions.update({"session_id": "1"}, set={"user_id": "u2"}),
        lambda: sessions.modify({"session_id": "1"}, lambda session: session),
        lambda: sessions.delete({"session_id": "1"}, if_exists=True),
    ):
        with pytest.raises(ConditionFailed):
            change()
    fresh = Session(session_id="1", user_id="u2", expires_at=NOON.replace(microsecond=0) + timedelta(hours=1))
    assert sessions.put(fresh, if_not_exists=True) == fresh
    assert sessions.get(session_id="1") == fresh


def test_whole_seconds_are_a_time_to_live_too(client: DynamoDBClient, plain: Table, clock: Clock) -> None:
    from pydantic import BaseModel

    class Token(BaseModel):
        token_id: str
        until: int | None = None

    tokens = TypedTable(Token, plain, client, partition_key="TOKEN#{token_id}", sort_key="T", ttl="until", clock=clock)
    tokens.put(Token(token_id="1", until=int(NOON.timestamp()) + 60))
    assert tokens.get(token_id="1") == Token(token_id="1", until=int(NOON.timestamp()) + 60)
    clock.now += timedelta(minutes=2)
    assert tokens.get(token_id="1") is None
    assert tokens.table.get({"PK": "TOKEN#1", "SK": "T"}).fetch(client) is not None
    assert list(tokens.scan(filter=Attr("until") > 0)) == []
