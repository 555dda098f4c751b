"""Tables that somebody else made, compared with what is declared; and typed actions in transactions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import boto3
import pytest

from expr_builder import Attr, BuildError, Index, Key, Table, TransactGet, TransactionCanceled, TransactWrite
from expr_builder.typed import TypedTable
from tests.support.orders import ORDER, Account, Order, Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_dynamodb import DynamoDBClient

KEY = {"user_id": "u1", "order_id": "o1"}


def test_a_table_that_is_as_declared(client: DynamoDBClient, orders: Table) -> None:
    found = TypedTable(Order, orders, client).describe()
    assert (found.matches, found.differences, found.undeclared) == (True, [], [])
    assert str(found) == f'table "{orders.name}" is as declared'


def test_indexes_that_nobody_declared_are_no_difference(client: DynamoDBClient, orders: Table) -> None:
    found = TypedTable(Order, Table(orders.name, "user_id", "order_id"), client).describe()
    assert (found.matches, found.undeclared) == (True, ["by_date", "by_status"])


def test_everything_that_differs_is_said(client: DynamoDBClient, orders: Table) -> None:
    indexes = {
        "by_date": Index(("order_id", "N"), "updated_at", local=True),
        "by_status": Index(("order_id", "N"), "total", local=True),
        "by_total": Index("total"),
    }
    table = TypedTable(Order, Table(orders.name, ("order_id", "N"), "user_id", indexes=indexes), client)
    assert table.describe().differences == [
        "the partition key is user_id, declared is order_id",
        "the sort key is order_id, declared is user_id",
        "the partition key of index by_date is user_id, declared is order_id",
        "the sort key of index by_date is created_at, declared is updated_at",
        "the partition key of index by_status is status, declared is order_id",
        "the sort key total of index by_status is of type N, declared is S",
        "index by_status is global, declared is local",
        "there is no index by_total",
    ]
    assert str(table.describe()).splitlines() == [
        f'table "{orders.name}" differs from what is declared:',
        *(f"- {difference}" for difference in table.describe().differences),
    ]


def test_key_types_and_a_missing_sort_key_differ(client: DynamoDBClient, create: Callable[..., Table]) -> None:
    number = create("user_id", types={"user_id": "N"})
    assert TypedTable(Order, Table(number.name, "user_id", "order_id"), client).describe().differences == [
        "the partition key user_id is of type N, declared is S",
        "the sort key is absent, declared is order_id",
    ]
    only = TypedTable(Order, Table(create("user_id", "order_id").name, "user_id"), client)
    assert only.describe().differences == ["the sort key is order_id, declared is none"]


def test_key_types_and_projections_of_indexes_differ(client: DynamoDBClient, create: Callable[..., Table]) -> None:
    made = create(
        "user_id",
        "order_id",
        types={"total": "N", "at": "N"},
        all=Index("status", "total", projection="ALL"),
        keys=Index("user_id", "at", projection="KEYS_ONLY", local=True),
        some=Index("status", "at", projection=["total", "note"]),
        few=Index("status", "order_id", projection=["note"]),
        unsaid=Index("status", "total", projection=["note"]),
    )
    indexes = {
        "all": Index(("status", "B"), ("total", "S"), projection="KEYS_ONLY"),
        "keys": Index("user_id", ("at", "B"), projection="ALL", local=True),
        "some": Index(("status", "B"), ("at", "B"), projection=["total", "size", "status"]),
        "few": Index(("status", "B"), "order_id", projection="KEYS_ONLY"),
        "unsaid": Index(("status", "B"), "total"),
    }
    found = TypedTable(Order, Table(made.name, "user_id", "order_id", indexes=indexes), client).describe()
    assert str(found).splitlines() == [
        f'table "{made.name}" differs from what is declared:',
        "- the partition key status of index all is of type S, declared is B",
        "- the sort key total of index all is of type N, declared is S",
        "- index all projects ALL, declared is KEYS_ONLY",
        "- the sort key at of index keys is of type N, declared is B",
        "- index keys projects KEYS_ONLY, declared is ALL",
        "- the partition key status of index some is of type S, declared is B",
        "- the sort key at of index some is of type N, declared is B",
        "- index some projects note, total, declared is size, total",
        "- the partition key status of index few is of type S, declared is B",
        "- index few projects note, declared is KEYS_ONLY",
        "- the partition key status of index unsaid is of type S, declared is B",
        "- the sort key total of index unsaid is of type N, declared is S",
    ]
    assert found.undeclared == []


def test_the_order_and_the_keys_in_a_projection_make_no_difference(
    client: DynamoDBClient, create: Callable[..., Table]
) -> None:
    made = create(
        "user_id",
        "order_id",
        some=Index("status", projection=["total", "note"]),
        keys=Index("status", "user_id", projection="KEYS_ONLY"),
    )
    indexes = {
        "some": Index("status", projection=["note", "order_id", "total", "status"]),
        "keys": Index("status", "user_id", projection=["order_id", "status"]),
    }
    found = TypedTable(Order, Table(made.name, "user_id", "order_id", indexes=indexes), client).describe()
    assert str(found) == f'table "{made.name}" is as declared'


def test_a_table_read_from_its_description_is_as_declared(client: DynamoDBClient, orders: Table) -> None:
    described = Table.from_description(client.describe_table(TableName=orders.name))
    assert str(TypedTable(Order, described, client).describe()) == f'table "{orders.name}" is as declared'


def test_the_time_to_live_is_compared(client: DynamoDBClient, plain: Table) -> None:
    sessions = TypedTable(Session, plain, client, partition_key="S#{session_id}", sort_key="S", ttl="expires_at")
    assert sessions.describe().differences == ["the time to live is off, declared is expires_at"]
    client.update_time_to_live(
        TableName=plain.name, TimeToLiveSpecification={"Enabled": True, "AttributeName": "until"}
    )
    assert sessions.describe().differences == ["the time to live is in until, declared is expires_at"]
    other = TypedTable(Session, plain, client, partition_key="S#{session_id}", sort_key="S")
    assert other.describe().matches


def test_a_time_to_live_as_declared(client: DynamoDBClient, plain: Table) -> None:
    sessions = TypedTable(Session, plain, client, partition_key="S#{session_id}", sort_key="S", ttl="expires_at")
    client.update_time_to_live(
        TableName=plain.name, TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires_at"}
    )
    assert sessions.describe().matches


def test_typed_actions_go_into_transactions_beside_plain_ones(
    client: DynamoDBClient, orders: Table, create: Callable[..., Table]
) -> None:
    stock = create("PK", "SK")
    client.put_item(**stock.put({"PK": "ITEM#1", "SK": "STOCK", "left": 1}).to_request())
    table = TypedTable(Order, orders, client).strict()
    accounts = TypedTable(
        Account, stock, client, partition_key="ACCT#{account_id}", sort_key="PROFILE", version="version"
    ).strict()
    ada = accounts.put(Account(account_id="1", email="ada@example.com"))

    one_less = stock.update({"PK": "ITEM#1", "SK": "STOCK"}).set(left=Attr("left") - 1).when(Attr("left") > 0)

    def buy() -> TransactWrite:
        return TransactWrite(
            table.actions.put(ORDER, if_not_exists=True).named("order"),
            accounts.actions.update({"account_id": "1"}, add={"points": 10}, if_field_equals={"version": 1}),
            one_less.named("stock"),
        )

    buy().send(client)
    assert table.get(KEY, consistent=True) == ORDER
    assert accounts.get(account_id="1") == ada.model_copy(update={"points": 10, "version": 2})

    with pytest.raises(TransactionCanceled) as caught:
        buy().send(client)
    assert caught.value.failed == ("order", "action1", "stock")

    found = TransactGet(
        table.actions.get(KEY).named("order"), accounts.actions.get({"account_id": "9"}).named("account")
    ).fetch(client)
    assert table.read(found["order"]) == ORDER
    assert accounts.read(found["account"]) is None

    TransactWrite(
        table.actions.delete(KEY, if_exists=True, if_field_equals={"status": "open"}),
        accounts.actions.check({"account_id": "1"}, if_field_equals={"points": 10}),
        accounts.actions.put(ada.model_copy(update={"account_id": "2", "version": 0})),
    ).send(client)
    assert table.get(KEY) is None
    assert accounts.get(account_id="2") == ada.model_copy(update={"account_id": "2"})
    with pytest.raises(BuildError, match="declares no unique fields"):
        accounts.actions.create(ada)
    assert "ConditionExpression" not in table.actions.delete(KEY).to_request()


def test_a_typed_tables_requests_are_the_plain_builders(client: DynamoDBClient, orders: Table) -> None:
    table = TypedTable(Order, orders, client)
    assert table.model is Order
    assert list(table.query(Key("user_id").eq("u1"))) == []
    assert table.actions.update(KEY, set={"total": 5}, when=Attr("status") == "open").to_request() == {
        "TableName": orders.name,
        "Key": {"order_id": {"S": "o1"}, "user_id": {"S": "u1"}},
        "UpdateExpression": "SET #n0 = :v0",
        "ConditionExpression": "attribute_exists(user_id) AND #n1 = :v1",
        "ExpressionAttributeNames": {"#n0": "total", "#n1": "status"},
        "ExpressionAttributeValues": {":v0": {"N": "5"}, ":v1": {"S": "open"}},
    }


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"partition_key": "A#{acct}"}, r"\{acct\} is not one field of Account"),
        ({"partition_key": "A#{account_id"}, "braces do not match"),
        ({"partition_key": "A#{account_id}{account_id}"}, r"\{account_id\} is not one field"),
        ({"partition_key": "A#{account_id!r}"}, r"\{account_id\} is not one field"),
        ({"partition_key": "A#{}"}, r"\{\} is not one field"),
        ({"partition_key": None}, "the key attribute PK is no field of Account"),
        ({"ttl": "expires"}, "expires is no field of Account"),
    ],
)
def test_declarations_that_do_not_fit_are_refused(
    client: DynamoDBClient, plain: Table, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(BuildError, match=said):
        TypedTable(Account, plain, client, **{"partition_key": "A#{account_id}", "sort_key": "P", **options})


def test_a_sort_key_needs_a_table_with_one(client: DynamoDBClient) -> None:
    with pytest.raises(BuildError, match="the table has no sort key"):
        TypedTable(Account, Table("t", "account_id"), client, sort_key="P")


def test_a_resource_is_no_client(moto: DynamoDBClient) -> None:
    with pytest.raises(BuildError, match="resource"):
        TypedTable(Account, Table("t", "account_id"), boto3.resource("dynamodb"))  # type: ignore[arg-type]
