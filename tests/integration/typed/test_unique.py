"""Typed tables that keep values unique: whatever is written, the markers fit what is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pydantic import BaseModel

from expr_builder import (
    Attr,
    BuildError,
    Marker,
    Table,
    TransactionCanceled,
    TransactWrite,
    Unique,
    UniqueViolation,
)
from expr_builder.typed import ConditionFailed, InvalidQuery, ItemTooLarge, TypedTable, ValidationFailed
from tests.support.cloud import stored
from tests.support.orders import Account, Session
from tests.support.threads import at_once

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_dynamodb import DynamoDBClient

ADA = Account(account_id="1", email="Ada@example.com", username="ada")
BOB = Account(account_id="2", email="bob@example.com")
KEY = {"account_id": "1"}

Accounts = TypedTable[Account, Account]


def accounts_of(plain: Table, client: DynamoDBClient, **options: Any) -> Accounts:
    unique = Unique(
        plain,
        owner="PK",
        email=Marker("UNIQ#EMAIL#{}", normalize=str.lower),
        username=Marker("UNIQ#HANDLE#{}", optional=True),
    )
    return TypedTable(
        Account,
        plain,
        client,
        partition_key="ACCT#{account_id}",
        sort_key="PROFILE",
        unique=unique,
        **options,
    ).strict()


@pytest.fixture
def accounts(client: DynamoDBClient, plain: Table) -> Accounts:
    return accounts_of(plain, client)


@pytest.fixture
def markers(client: DynamoDBClient, plain: Table) -> Callable[[], dict[str, str]]:
    """What is taken, and by whom."""

    def read() -> dict[str, str]:
        return {item["PK"]: item["owner"] for item in stored(client, plain.name) if item["SK"] == "LOCK"}

    return read


ADAS = {"UNIQ#EMAIL#ada@example.com": "ACCT#1", "UNIQ#HANDLE#ada": "ACCT#1"}
BOBS = {"UNIQ#EMAIL#bob@example.com": "ACCT#2"}


@pytest.mark.parametrize("new", [True, False])
def test_put_claims_the_values(accounts: Accounts, markers: Callable[[], Any], new: bool) -> None:
    assert accounts.put(ADA, if_not_exists=new) == ADA
    accounts.put(BOB, if_not_exists=new)
    assert markers() == {**ADAS, **BOBS}
    assert accounts.get(KEY) == ADA


@pytest.mark.parametrize("new", [True, False])
def test_put_is_refused_with_all_taken_fields(accounts: Accounts, markers: Callable[[], Any], new: bool) -> None:
    accounts.put(ADA)
    with pytest.raises(UniqueViolation) as caught:
        accounts.put(ADA.model_copy(update={"account_id": "9", "email": "ADA@example.com"}), if_not_exists=new)
    assert caught.value.holders == {"email": "ACCT#1", "username": "ACCT#1"}
    assert markers() == ADAS


def test_put_if_not_exists_of_a_stored_record_is_a_failed_condition_not_a_clash(accounts: Accounts) -> None:
    accounts.put(ADA)
    with pytest.raises(ConditionFailed) as caught:
        accounts.put(ADA, if_not_exists=True)
    assert caught.value.item == ADA
    assert "FALSE" in caught.value.explain()


def test_put_of_a_changed_record_swaps_the_markers_that_differ(accounts: Accounts, markers: Callable[[], Any]) -> None:
    accounts.put(ADA)
    changed = Account(account_id="1", email="a@example.com", username=None, points=3)
    assert accounts.put(changed) == changed
    assert accounts.get(KEY) == changed
    assert markers() == {"UNIQ#EMAIL#a@example.com": "ACCT#1"}
    accounts.put(ADA)
    assert accounts.get(KEY) == ADA
    assert markers() == ADAS


def test_put_replaces_the_whole_item(client: DynamoDBClient, plain: Table, accounts: Accounts) -> None:
    accounts.put(ADA)
    client.update_item(**plain.update({"PK": "ACCT#1", "SK": "PROFILE"}).set(note="old").to_request())
    accounts.put(ADA)
    assert "note" not in stored(client, plain.name)[0]
    assert accounts.put(ADA) == ADA


def test_put_is_guarded(accounts: Accounts, markers: Callable[[], Any]) -> None:
    accounts.put(ADA)
    changed = ADA.model_copy(update={"email": "a@example.com"})
    for guard in ({"if_field_equals": {"points": 7}}, {"when": Attr("points") > 7}):
        with pytest.raises(ConditionFailed) as caught:
            accounts.put(changed, **guard)
        assert caught.value.item == ADA
    assert accounts.put(changed, if_field_equals={"points": 0}) == changed


def test_update_of_a_unique_field_swaps_its_marker(accounts: Accounts, markers: Callable[[], Any]) -> None:
    accounts.put(ADA)
    new = accounts.update(
        KEY, set={"email": "new@example.com"}, add={"points": 2}, remove=["username"], when=Attr("points") == 0
    )
    assert new == Account(account_id="1", email="new@example.com", points=2)
    assert markers() == {"UNIQ#EMAIL#new@example.com": "ACCT#1"}
    assert accounts.update(KEY, set={"username": None, "points": 5}).points == 5
    with pytest.raises(ConditionFailed) as caught:
        accounts.update(KEY, set={"email": "x@example.com"}, if_field_equals={"points": 7})
    assert caught.value.item == new.model_copy(update={"points": 5})


def test_update_of_anything_else_is_one_plain_request(
    client: DynamoDBClient, accounts: Accounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    accounts.put(ADA)
    monkeypatch.setattr(client, "get_item", None)
    monkeypatch.setattr(client, "transact_write_items", None)
    assert accounts.update(KEY, set={"points": 4}) == ADA.model_copy(update={"points": 4})


def test_update_is_refused_when_the_value_is_taken(accounts: Accounts, markers: Callable[[], Any]) -> None:
    accounts.put(ADA)
    accounts.put(BOB)
    with pytest.raises(UniqueViolation) as caught:
        accounts.update(KEY, set={"email": "BOB@example.com"})
    assert caught.value.fields == ("email",)
    assert markers() == {**ADAS, **BOBS}


def test_update_of_a_missing_record_is_a_failed_condition(accounts: Accounts) -> None:
    with pytest.raises(ConditionFailed, match="there is no such item"):
        accounts.update(KEY, set={"email": "new@example.com"})


def test_a_record_that_is_deleted_right_after_its_update_is_not_made_up(
    client: DynamoDBClient, accounts: Accounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    accounts.put(ADA)
    send = client.transact_write_items

    def and_delete(**request: Any) -> Any:
        monkeypatch.setattr(client, "transact_write_items", send)
        answer = send(**request)
        accounts.delete(KEY)
        return answer

    monkeypatch.setattr(client, "transact_write_items", and_delete)
    with pytest.raises(ConditionFailed, match="there is no such item"):
        accounts.update(KEY, set={"email": "new@example.com"})


def test_a_unique_field_takes_plain_values_only(accounts: Accounts) -> None:
    accounts.put(ADA)
    with pytest.raises(InvalidQuery, match="username can only be set to a value"):
        accounts.update(KEY, set={"username": Attr("email")})
    with pytest.raises(BuildError, match="a unique value is a non-empty string"):
        accounts.update(KEY, set={"email": ""})


def test_delete_releases_what_the_stored_record_holds(accounts: Accounts, markers: Callable[[], Any]) -> None:
    accounts.put(ADA)
    accounts.put(BOB)
    accounts.delete(KEY)
    assert markers() == BOBS
    accounts.delete(KEY)
    with pytest.raises(ConditionFailed, match="there is no such item"):
        accounts.delete(KEY, if_exists=True)
    with pytest.raises(ConditionFailed) as caught:
        accounts.delete({"account_id": "2"}, if_field_equals={"points": 1})
    assert caught.value.item == BOB
    accounts.delete({"account_id": "2"}, if_exists=True)
    assert markers() == {}


def test_modify_swaps_markers(accounts: Accounts, markers: Callable[[], Any]) -> None:
    accounts.put(ADA)
    accounts.put(BOB)
    changed = accounts.modify(KEY, lambda account: account.model_copy(update={"email": "new@example.com", "points": 1}))
    assert accounts.get(KEY) == changed
    assert markers() == {"UNIQ#EMAIL#new@example.com": "ACCT#1", "UNIQ#HANDLE#ada": "ACCT#1", **BOBS}
    accounts.modify(KEY, lambda account: account.model_copy(update={"points": 2}))
    with pytest.raises(UniqueViolation):
        accounts.modify(KEY, lambda account: account.model_copy(update={"email": "bob@example.com"}))


def test_a_write_that_read_something_stale_reads_again(
    client: DynamoDBClient, accounts: Accounts, markers: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody else changes the record between the reading and the transaction, once for each kind of write."""
    accounts.put(ADA)
    send, turn = client.transact_write_items, iter(range(100))

    def outrun(**request: Any) -> Any:
        monkeypatch.setattr(client, "transact_write_items", send)
        accounts.update(KEY, set={"email": f"{next(turn)}@example.com"})
        return send(**request)

    for write in (
        lambda: accounts.put(ADA.model_copy(update={"points": 1})),
        lambda: accounts.update(KEY, set={"username": "lovelace"}),
        lambda: accounts.modify(KEY, lambda account: account.model_copy(update={"email": "m@example.com"})),
        lambda: accounts.update(KEY, set={"email": "u@example.com"}),
        lambda: accounts.delete(KEY),
    ):
        monkeypatch.setattr(client, "transact_write_items", outrun)
        write()
        kept = accounts.get(KEY)
        emails = [] if kept is None else [f"UNIQ#EMAIL#{kept.email.lower()}"]
        handles = [] if kept is None or kept.username is None else [f"UNIQ#HANDLE#{kept.username}"]
        assert markers() == dict.fromkeys([*emails, *handles], "ACCT#1")


def test_a_write_that_is_always_outrun_gives_up(
    client: DynamoDBClient, accounts: Accounts, markers: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    accounts.put(ADA)
    send, turn = client.transact_write_items, iter(range(100))
    monkeypatch.setattr("time.sleep", lambda seconds: None)

    def outrun(**request: Any) -> Any:
        monkeypatch.setattr(client, "transact_write_items", send)
        accounts.update(KEY, set={"email": f"{next(turn)}@example.com"})
        monkeypatch.setattr(client, "transact_write_items", outrun)
        return send(**request)

    monkeypatch.setattr(client, "transact_write_items", outrun)
    with pytest.raises(ConditionFailed) as caught:
        accounts.delete(KEY)
    assert caught.value.item.email == "7@example.com"
    assert markers() == {"UNIQ#EMAIL#7@example.com": "ACCT#1", "UNIQ#HANDLE#ada": "ACCT#1"}


def test_markers_that_do_not_fit_the_record_are_no_failed_condition(
    client: DynamoDBClient, plain: Table, accounts: Accounts
) -> None:
    accounts.put(ADA)
    taken = {"PK": "UNIQ#HANDLE#ada", "SK": "LOCK", "owner": "USER#9"}
    plain.put(taken).send(client)
    accounts.modify(KEY, lambda account: account.model_copy(update={"username": "b"}))
    client.delete_item(**plain.delete({"PK": "UNIQ#HANDLE#b", "SK": "LOCK"}).to_request())
    accounts.update(KEY, set={"username": "c"})
    client.delete_item(**plain.delete({"PK": "UNIQ#HANDLE#c", "SK": "LOCK"}).to_request())
    accounts.delete(KEY)
    assert list(plain.scan().items(client)) == [taken]  # it was not this record's


def test_versions_and_unique_fields_go_together(client: DynamoDBClient, plain: Table) -> None:
    accounts = accounts_of(plain, client, version="version")
    first = accounts.put(ADA)
    second = accounts.put(first.model_copy(update={"email": "a@example.com"}))
    third = accounts.update(KEY, set={"email": "b@example.com"})
    fourth = accounts.modify(KEY, lambda account: account.model_copy(update={"email": "c@example.com"}))
    assert [one.version for one in (first, second, third, fourth)] == [1, 2, 3, 4]
    assert accounts.get(KEY) == fourth
    with pytest.raises(ConditionFailed) as caught:
        accounts.put(second)
    assert caught.value.item == fourth


def test_an_invalid_or_too_large_record_is_refused_before_anything_is_read(
    client: DynamoDBClient, accounts: Accounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "get_item", None)
    with pytest.raises(ItemTooLarge):
        accounts.put(ADA.model_copy(update={"username": "x" * 420_000}))
    with pytest.raises(ValidationFailed):
        accounts.put(ADA.model_copy(update={"points": "many"}))


def test_a_time_to_live_and_unique_fields_do_not_go_together(client: DynamoDBClient, plain: Table) -> None:
    unique = Unique(plain, owner="PK", user_id=Marker("UNIQ#USER#{}"))
    with pytest.raises(BuildError, match="removes records and leaves their markers"):
        TypedTable(
            Session, plain, client, partition_key="S#{session_id}", sort_key="S", ttl="expires_at", unique=unique
        )


def test_unique_is_of_the_same_table(client: DynamoDBClient, plain: Table) -> None:
    other = Unique(Table("other", "PK", "SK"), owner="PK", email=Marker("UNIQ#EMAIL#{}"))
    with pytest.raises(BuildError, match="unique is of another table"):
        TypedTable(Account, plain, client, partition_key="A#{account_id}", sort_key="P", unique=other)


# --- in transactions of one's own


def test_a_transaction_takes_records_with_their_markers(
    client: DynamoDBClient, plain: Table, accounts: Accounts, markers: Callable[[], Any]
) -> None:
    log = plain.put({"PK": "LOG#1", "SK": "L"}).if_not_exists().named("log")
    TransactWrite(*accounts.actions.create(ADA), log).send(client)
    assert accounts.get(KEY) == ADA
    assert markers() == ADAS

    changed = ADA.model_copy(update={"email": "new@example.com", "points": 1})
    with pytest.raises(TransactionCanceled) as caught:
        TransactWrite(*accounts.actions.change(ADA, changed), log).send(client)
    assert caught.value.failed == ("log",)
    TransactWrite(*accounts.actions.change(ADA, changed)).send(client)
    assert accounts.get(KEY) == changed
    assert markers() == {"UNIQ#EMAIL#new@example.com": "ACCT#1", "UNIQ#HANDLE#ada": "ACCT#1"}

    TransactWrite(*accounts.actions.discard(changed)).send(client)
    assert accounts.get(KEY) is None
    assert markers() == {}


def test_a_single_action_that_would_leave_markers_behind_is_refused(accounts: Accounts) -> None:
    for draft in (
        lambda: accounts.actions.put(ADA),
        lambda: accounts.actions.delete(KEY),
        lambda: accounts.actions.update(KEY, set={"email": "new@example.com"}),
    ):
        with pytest.raises(BuildError, match="would leave the markers of email, username behind"):
            draft()
    assert accounts.actions.update(KEY, set={"points": 1}).key == {"PK": {"S": "ACCT#1"}, "SK": {"S": "PROFILE"}}
    with pytest.raises(InvalidQuery, match="the key was changed"):
        accounts.actions.change(ADA, BOB)


def test_of_16_threads_that_put_one_value_one_wins_and_no_marker_is_left_over(engine: DynamoDBClient) -> None:
    from tests.integration.typed.conftest import create_table

    plain = create_table(engine, "PK", "SK", {}, {})
    accounts = accounts_of(plain, engine)
    rivals = [Account(account_id=str(number), email="one@example.com") for number in range(16)]

    def put(rival: Account) -> Callable[[], Account]:
        return lambda: accounts.put(rival)

    outcomes = at_once([put(rival) for rival in rivals])

    won = [one for one in outcomes if isinstance(one, Account)]
    assert len(won) == 1
    assert [type(one) for one in outcomes if not isinstance(one, Account)] == [UniqueViolation] * 15
    assert list(accounts.scan()) == won

    def change(number: int) -> Callable[[], Account]:
        return lambda: accounts.update({"account_id": won[0].account_id}, set={"email": f"{number}@example.com"})

    assert all(isinstance(one, Account) for one in at_once([change(number) for number in range(6)]))
    (last,) = accounts.scan()
    taken = [item for item in stored(engine, plain.name) if item["SK"] == "LOCK"]
    assert [item["PK"] for item in taken] == [f"UNIQ#EMAIL#{last.email}"]


# --- markers of other shapes


class Contact(BaseModel):
    mail: str
    city: str = ""


class Page(BaseModel):
    page_id: str
    org: int
    slug: str | None = None
    aliases: list[str] = []
    contact: Contact | None = None


def test_markers_of_every_shape_follow_what_is_written(
    client: DynamoDBClient, plain: Table, markers: Callable[[], Any]
) -> None:
    unique = Unique(
        plain,
        owner="PK",
        slug=Marker("ORG#{org}#SLUG#{slug}", normalize={"slug": str.lower}, optional=True),
        aliases=Marker("ALIAS#{}", each=True, optional=True),
        mail=Marker("MAIL#{contact.mail}", optional=True, previous=[Marker("OLD#{contact.mail}")]),
    )
    pages: TypedTable[Page, Page] = TypedTable(
        Page, plain, client, partition_key="PAGE#{page_id}", sort_key="HEAD", unique=unique
    )
    page = Page(page_id="1", org=7, slug="Home", aliases=["a", "b"], contact=Contact(mail="m@example.com"))
    pages.put(page)
    taken = {"ORG#7#SLUG#home", "ALIAS#a", "ALIAS#b", "MAIL#m@example.com", "OLD#m@example.com"}
    assert markers() == dict.fromkeys(taken, "PAGE#1")
    with pytest.raises(UniqueViolation) as caught:
        pages.put(Page(page_id="2", org=7, slug="HOME", aliases=["c", "b"], contact=page.contact))
    assert caught.value.fields == ("slug", "aliases[1]", "mail")

    pages.update({"page_id": "1"}, set={"org": 8, "aliases": ["b", "c"]})
    assert markers().keys() == (taken - {"ORG#7#SLUG#home", "ALIAS#a"}) | {"ORG#8#SLUG#home", "ALIAS#c"}
    assert pages.modify({"page_id": "1"}, lambda old: old.model_copy(update={"contact": None, "org": 9})) is not None
    assert markers().keys() == {"ORG#9#SLUG#home", "ALIAS#b", "ALIAS#c"}
    pages.update({"page_id": "1"}, remove=["slug"])
    assert markers().keys() == {"ALIAS#b", "ALIAS#c"}
    with pytest.raises(InvalidQuery, match="the unique field contact can only be set to a value"):
        pages.update({"page_id": "1"}, set={Attr("contact")["city"]: "x"})
    pages.delete({"page_id": "1"})
    assert markers() == {}
