"""What type checkers make of a typed table. ``assert_type`` says what must come out; each ``type: ignore`` stands where
something must be refused, and is itself an error where nothing is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypedDict, assert_type

from pydantic import BaseModel

from expr_builder import Attr, Key, Put, Table, TransactWrite, Update
from expr_builder.typed import Operators, RawItem, TypedTable

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class Account(BaseModel):
    account_id: str
    email: str
    points: int = 0


class Other(BaseModel):
    other_id: str


class AccountKey(TypedDict):
    account_id: str


def by_default_an_item_may_come_back_raw(client: DynamoDBClient, table: Table) -> None:
    accounts = TypedTable(Account, table, client, partition_key="ACCT#{account_id}")
    assert_type(accounts.get(account_id="1"), Account | RawItem | None)
    assert_type(accounts.get({"account_id": "1"}, consistent=True), Account | RawItem | None)
    assert_type(accounts.get_batch([{"account_id": "1"}]), list[Account | RawItem | None])
    assert_type(accounts.query(Key("PK").eq("ACCT#1")), Iterator[Account | RawItem])
    assert_type(accounts.scan(segments=4), Iterator[Account | RawItem])
    assert_type(accounts.update({"account_id": "1"}, set={"points": Attr("points") + 1}), Account | RawItem)
    found = accounts.get(account_id="1")
    if isinstance(found, Account):
        assert_type(found.email, str)
    print(found.email)  # type: ignore[union-attr]  # noqa: T201  # it may be raw, or missing


def what_is_written_comes_back_as_a_model(client: DynamoDBClient, table: Table) -> None:
    accounts = TypedTable(Account, table, client, partition_key="ACCT#{account_id}")
    account = Account(account_id="1", email="ada@example.com")
    assert_type(accounts.put(account, if_not_exists=True), Account)
    assert_type(accounts.modify({"account_id": "1"}, lambda account: account.model_copy()), Account)
    assert_type(accounts.put_batch([account]), int)
    assert_type(accounts.actions.put(account), Put)
    assert_type(accounts.actions.update({"account_id": "1"}, add={"points": 1}), Update)
    TransactWrite(accounts.actions.put(account), table.put({"PK": "x"}))
    accounts.put(Other(other_id="1"))  # type: ignore[arg-type]
    accounts.put_batch([Other(other_id="1")])  # type: ignore[list-item]
    accounts.modify({"account_id": "1"}, lambda account: Other(other_id="1"))  # type: ignore[arg-type,return-value]
    accounts.modify({"account_id": "1"}, lambda account: account.emial)  # type: ignore[attr-defined]


def strict_reads_return_models_and_raw_ones_items(client: DynamoDBClient, table: Table) -> None:
    strict = TypedTable(Account, table, client).strict()
    assert_type(strict, TypedTable[Account, Account])
    assert_type(strict.get(account_id="1"), Account | None)
    assert_type(strict.update({"account_id": "1"}, remove=["points"]), Account)
    for account in strict.query(where={"account_id": {"equals": "1"}}):
        assert_type(account, Account)
    raw = strict.raw()
    assert_type(raw, TypedTable[Account, RawItem])
    assert_type(raw.get(account_id="1"), RawItem | None)
    assert_type(TypedTable(Account, table, client), TypedTable[Account])
    TypedTable(Account, table, client, sortkey="x")  # type: ignore[call-arg]
    TypedTable(Account, table, client, ttl=7)  # type: ignore[arg-type]


def a_declared_key_is_checked_by_name_and_type(client: DynamoDBClient, table: Table) -> None:
    accounts = TypedTable(Account, table, client, key=AccountKey).strict()
    assert_type(accounts, TypedTable[Account, Account, AccountKey])
    assert_type(accounts.get({"account_id": "1"}), Account | None)
    accounts.get(AccountKey(account_id="1"))
    accounts.get({"acount_id": "1"})  # type: ignore[call-overload]
    accounts.get({"account_id": 1})  # type: ignore[call-overload]
    accounts.get({"account_id": "1", "email": "x"})  # type: ignore[call-overload]
    accounts.get({})  # type: ignore[call-overload]
    accounts.delete({"acount_id": "1"})  # type: ignore[typeddict-item]
    accounts.delete({"account_id": "1"}, if_exists=True)
    accounts.update({"acount_id": "1"}, set={"points": 1})  # type: ignore[typeddict-item]
    accounts.get_batch([{"acount_id": "1"}])  # type: ignore[typeddict-item]


def a_where_has_known_operators(client: DynamoDBClient, table: Table) -> None:
    accounts = TypedTable(Account, table, client)
    where: dict[str, Operators] = {"account_id": {"equals": "1"}, "points": {"between": (1, 5)}}
    accounts.query(where=where, order="desc", limit=10)
    accounts.query(where={"account_id": {"equal": "1"}})  # type: ignore[typeddict-unknown-key]
    accounts.query(where={"account_id": "1"})  # type: ignore[dict-item]
    accounts.query(where=where, order="down")  # type: ignore[arg-type]


def annotations_need_the_model_alone(accounts: TypedTable[Account], strict: TypedTable[Account, Account]) -> None:
    assert_type(accounts.get(account_id="1"), Account | RawItem | None)
    assert_type(strict.get(account_id="1"), Account | None)
    takes_any(strict)
    takes_strict(accounts)  # type: ignore[arg-type]


def takes_any(accounts: TypedTable[Account]) -> None:
    assert_type(accounts.scan(), Iterator[Account | RawItem])


def takes_strict(accounts: TypedTable[Account, Account]) -> None:
    assert_type(accounts.scan(), Iterator[Account])


def a_raw_item_is_a_mapping(item: RawItem) -> Any:
    return item["anything"] if not item.problems else item.problems[0].field
