"""One item at a time: get, put, update, delete, modify."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from expr_builder import Attr, BuildError, from_item
from expr_builder.typed import (
    ConditionFailed,
    InvalidQuery,
    ItemTooLarge,
    RawItem,
    TypedTable,
    ValidationFailed,
    read_unknown_attributes,
)
from tests.support.orders import ADDRESS, ORDER, Account, Address, Order, Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_dynamodb import DynamoDBClient

    from expr_builder import Table

KEY = {"user_id": "u1", "order_id": "o1"}


@pytest.fixture
def table(client: DynamoDBClient, orders: Table) -> TypedTable[Order]:
    return TypedTable(Order, orders, client)


@pytest.fixture
def accounts(client: DynamoDBClient, plain: Table) -> TypedTable[Account]:
    return TypedTable(Account, plain, client, partition_key="ACCT#{account_id}", sort_key="PROFILE")


def stored(client: DynamoDBClient, table: TypedTable[Any], **key: str) -> dict[str, Any]:
    typed = {name: {"S": value} for name, value in key.items()}
    return from_item(client.get_item(TableName=table.table.name, Key=typed)["Item"])


def test_what_is_put_is_what_is_read(table: TypedTable[Order]) -> None:
    assert table.put(ORDER) == ORDER
    assert table.get(user_id="u1", order_id="o1") == ORDER
    assert table.get(KEY, consistent=True) == ORDER


def test_a_missing_item_is_none(table: TypedTable[Order]) -> None:
    assert table.get(KEY) is None


def test_a_key_template_is_written_once_and_used_everywhere(
    client: DynamoDBClient, accounts: TypedTable[Account]
) -> None:
    ada = Account(account_id="1", email="ada@example.com")
    accounts.put(ada)

    assert stored(client, accounts, PK="ACCT#1", SK="PROFILE") == {
        "PK": "ACCT#1",
        "SK": "PROFILE",
        "account_id": "1",
        "email": "ada@example.com",
        "points": 0,
        "version": 0,
    }
    assert accounts.get(account_id="1") == ada
    assert accounts.get({"account_id": "1"}) == ada
    assert accounts.get(PK="ACCT#1", SK="PROFILE") == ada
    assert accounts.update({"account_id": "1"}, set={"points": 1}) == ada.model_copy(update={"points": 1})
    accounts.delete({"account_id": "1"})
    assert accounts.get(account_id="1") is None


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ({"user_id": "u1"}, "the key lacks order_id"),
        ({}, "the key lacks user_id and order_id"),
        ({**KEY, "total": 1}, "total is no part of the key"),
        ({"user_id": "u1", "ordr_id": "o1"}, "the key lacks order_id; ordr_id is no part of the key"),
    ],
)
def test_a_missing_or_extra_key_field_is_refused_by_name(
    table: TypedTable[Order], key: dict[str, Any], message: str
) -> None:
    calls: list[Callable[[], Any]] = [lambda: table.get(**key), lambda: table.get(key), lambda: table.delete(key)]
    for call in calls:
        with pytest.raises(InvalidQuery) as caught:
            call()
        assert caught.value.message == message
        assert caught.value.fix == "exactly user_id and order_id"


def test_put_if_not_exists_fails_with_the_stored_item(table: TypedTable[Order]) -> None:
    table.put(ORDER, if_not_exists=True)
    with pytest.raises(ConditionFailed, match="the stored item is another") as caught:
        table.put(ORDER.model_copy(update={"total": Decimal(1)}), if_not_exists=True)
    assert caught.value.item == ORDER
    assert caught.value.explain().startswith(f"Put in {table.table.name}, ")
    assert "FALSE  attribute_not_exists(user_id)  (user_id is 'u1')" in caught.value.explain()
    assert table.get(KEY) == ORDER


def test_put_if_field_equals_compares_what_is_stored(table: TypedTable[Order]) -> None:
    table.put(ORDER)
    paid = ORDER.model_copy(update={"status": Status.PAID})
    assert table.put(paid, if_field_equals={"status": Status.OPEN, "total": Decimal("12.50")}) == paid
    with pytest.raises(ConditionFailed) as caught:
        table.put(ORDER, if_field_equals={"status": Status.OPEN})
    assert caught.value.item == paid


def test_fields_that_are_left_out_can_be_compared_too(table: TypedTable[Order]) -> None:
    bare = Order(user_id="u1", order_id="o1")
    table.put(bare)
    table.put(bare, if_field_equals={"created_at": None, "tags": set(), "address": None})
    table.put(ORDER)
    nothing: list[dict[str, Any]] = [{"address": None}, {"tags": set()}]
    for left_out in nothing:
        with pytest.raises(ConditionFailed):
            table.put(bare, if_field_equals=left_out)
    table.put(bare, if_field_equals={"address": ADDRESS, "tags": {"new"}})


def test_put_when_takes_any_condition(table: TypedTable[Order]) -> None:
    table.put(ORDER)
    with pytest.raises(ConditionFailed):
        table.put(ORDER, when=Attr("total") > 100)
    table.put(ORDER, when=Attr("total") > 1, if_field_equals={"status": "open"})


@pytest.mark.parametrize(
    "demand",
    [
        {"if_not_exists": True, "if_field_equals": {"status": "open"}},
        {"if_field_equals": {}},
        {"if_field_equals": {"colour": "red"}},
    ],
)
def test_a_demand_that_can_never_be_right_is_refused(table: TypedTable[Order], demand: dict[str, Any]) -> None:
    with pytest.raises(InvalidQuery):
        table.put(ORDER, **demand)
    assert table.get(KEY) is None


def test_writes_always_validate(table: TypedTable[Order]) -> None:
    nowhere: Any = Address.model_construct(city=7)  # type: ignore[arg-type]  # the mistake
    unchecked = ORDER.model_copy(update={"total": Decimal(-1), "address": nowhere})
    with pytest.raises(ValidationFailed) as caught:
        table.put(unchecked)
    assert [(one.field, one.code) for one in caught.value.problems] == [
        ("total", "greater_than_equal"),
        ("address.city", "string_type"),
    ]
    assert table.get(KEY) is None


def test_a_raw_mapping_is_validated_and_narrowed_when_it_is_put(table: TypedTable[Order]) -> None:
    written = table.put({**KEY, "total": "3", "extra": 1})
    assert written.model_dump() == Order(**KEY, total=Decimal(3)).model_dump()
    assert read_unknown_attributes(written) == {"extra": 1}
    with pytest.raises(ValidationFailed):
        table.put({**KEY, "total": "much"})
    assert table.get(KEY) == written


def test_what_is_no_model_is_refused(table: TypedTable[Order]) -> None:
    with pytest.raises(ValidationFailed, match="a Order is expected, not a Address"):
        table.put(ADDRESS)  # type: ignore[arg-type]


def test_update_changes_parts_and_returns_the_new_model(table: TypedTable[Order]) -> None:
    table.put(ORDER)
    new = table.update(
        KEY,
        set={"status": Status.PAID, "total": Attr("total") + 1, Attr("address")["city"]: "Rome"},
        remove=[Attr("address")["street"]],
        add={"tags": {"gift"}},
    )
    assert new == ORDER.model_copy(
        update={
            "status": Status.PAID,
            "total": Decimal("13.50"),
            "tags": {"new", "gift"},
            "address": Address(city="Rome"),
        }
    )
    assert table.update(KEY, remove="address", delete={"tags": {"new"}}) == new.model_copy(
        update={"address": None, "tags": {"gift"}}
    )
    assert table.get(KEY, consistent=True) == table.update(KEY, set={"status": "paid"})


def test_update_never_creates(table: TypedTable[Order]) -> None:
    with pytest.raises(ConditionFailed, match="there is no such item") as caught:
        table.update(KEY, set={"total": 1})
    assert caught.value.item is None
    assert table.get(KEY) is None


def test_update_is_guarded_by_fields_and_conditions(table: TypedTable[Order]) -> None:
    table.put(ORDER)
    for guard in ({"if_field_equals": {"status": "paid"}}, {"when": Attr("total") > 100}):
        with pytest.raises(ConditionFailed) as caught:
            table.update(KEY, set={"total": 1}, **guard)
        assert caught.value.item == ORDER


def test_setting_a_field_to_nothing_leaves_its_attribute_out(client: DynamoDBClient, table: TypedTable[Order]) -> None:
    table.put(ORDER)
    table.update(KEY, set={"tags": set(), "address": None})
    assert stored(client, table, **KEY) == {**KEY, "total": Decimal("12.5"), "status": "open"}


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"set": {"total": -1}}, ValidationFailed, "greater than or equal to 0"),
        ({"set": {"status": "lost"}}, ValidationFailed, "'open' or 'paid'"),
        ({"set": {"totl": 1}}, ValidationFailed, "totl: the fields are user_id"),
        ({"set": {Attr("adress")["city"]: "Rome"}}, ValidationFailed, "adress: the fields are"),
        ({"set": {"order_id": "o2"}}, InvalidQuery, "order_id is part of the key"),
        ({"add": {"totl": 1}}, ValidationFailed, "totl: the fields are"),
        ({"set": {"total": 1}, "remove": ["total"]}, BuildError, "overlap"),
        ({}, BuildError, "an update that changes nothing"),
    ],
)
def test_a_wrong_update_is_refused_before_anything_is_sent(
    table: TypedTable[Order], change: dict[str, Any], error: type[Exception], said: str
) -> None:
    table.put(ORDER)
    with pytest.raises(error, match=said):
        table.update(KEY, **change)
    assert table.get(KEY) == ORDER


def test_a_required_field_cannot_be_removed(accounts: TypedTable[Account]) -> None:
    accounts.put(Account(account_id="1", email="a@example.com", username="a"))
    with pytest.raises(ValidationFailed, match="email: is required, so it cannot be removed"):
        accounts.update({"account_id": "1"}, remove=["email"])
    assert accounts.update({"account_id": "1"}, remove=["username"]) == Account(account_id="1", email="a@example.com")


def test_delete_is_silent_about_a_missing_item_unless_it_must_exist(table: TypedTable[Order]) -> None:
    table.delete(KEY)
    with pytest.raises(ConditionFailed) as caught:
        table.delete(KEY, if_exists=True)
    assert caught.value.item is None


def test_delete_is_guarded_by_fields_and_conditions(table: TypedTable[Order]) -> None:
    table.put(ORDER)
    for guard in ({"if_field_equals": {"status": "paid"}}, {"when": Attr("total") > 100}):
        with pytest.raises(ConditionFailed) as caught:
            table.delete(KEY, **guard)
        assert caught.value.item == ORDER
    table.delete(KEY, if_field_equals={"status": "open"}, if_exists=True)
    assert table.get(KEY) is None


def test_an_item_that_is_too_large_names_its_largest_attributes(table: TypedTable[Order]) -> None:
    huge = Order(user_id="u1", order_id="o1", tags={"x" * 450_000}, address=Address(city="y" * 5_000))
    with pytest.raises(ItemTooLarge) as caught:
        table.put(huge)
    error = caught.value
    assert (error.size, error.limit) == (455_062, 400 * 1024)
    assert error.largest[:2] == [("tags", 450_004), ("address", 5_023)]
    assert "xxx" not in str(error)
    table.put(ORDER)
    with pytest.raises(ItemTooLarge) as caught:
        table.update(KEY, set={"tags": {"x" * 450_000}})
    assert caught.value.largest == [("tags", 450_000)]


def test_an_item_that_fails_a_condition_and_is_no_model_comes_raw(
    client: DynamoDBClient, table: TypedTable[Order], orders: Table
) -> None:
    client.put_item(**orders.put({**KEY, "status": "lost"}).to_request())
    with pytest.raises(ConditionFailed) as caught:
        table.put(ORDER, if_not_exists=True)
    assert caught.value.item == {**KEY, "status": "lost"}
    assert isinstance(caught.value.item, RawItem)
    assert [one.field for one in caught.value.item.problems] == ["status"]


def test_modify_reads_changes_and_writes_what_differs(client: DynamoDBClient, table: TypedTable[Order]) -> None:
    table.put(ORDER)
    paid = ORDER.model_copy(update={"status": Status.PAID, "address": None})
    assert table.modify(KEY, lambda order: order.model_copy(update={"status": Status.PAID, "address": None})) == paid
    assert table.get(KEY) == paid
    assert table.modify(KEY, lambda order: order) == paid


def test_modify_may_change_the_model_in_place(table: TypedTable[Order]) -> None:
    def pay(order: Order) -> Order:
        order.status = Status.PAID
        return order

    table.put(ORDER)
    assert table.modify(KEY, pay).status is Status.PAID
    assert table.get(KEY) == ORDER.model_copy(update={"status": Status.PAID})


def test_modify_refuses_what_it_cannot_do(table: TypedTable[Order]) -> None:
    with pytest.raises(ConditionFailed, match="there is no such item"):
        table.modify(KEY, lambda order: order)
    table.put(ORDER)
    with pytest.raises(InvalidQuery, match="the key was changed"):
        table.modify(KEY, lambda order: order.model_copy(update={"order_id": "o2"}))
    with pytest.raises(ValidationFailed):
        table.modify(KEY, lambda order: order.model_copy(update={"total": Decimal(-1)}))
    with pytest.raises(ValidationFailed, match="not a NoneType"):
        table.modify(KEY, lambda order: None)  # type: ignore[arg-type,return-value]
    assert table.get(KEY) == ORDER


def test_modify_without_versions_starts_again_when_the_item_is_no_more_what_was_read(table: TypedTable[Order]) -> None:
    table.put(ORDER)
    seen: list[Decimal] = []

    def add_one(order: Order) -> Order:
        if not seen:  # somebody else is faster, once
            table.update(KEY, set={"total": Decimal(50)})
        seen.append(order.total)
        return order.model_copy(update={"total": order.total + 1})

    assert table.modify(KEY, add_one).total == 51
    assert seen == [Decimal("12.5"), 50]


def test_modify_gives_up_in_the_end(table: TypedTable[Order]) -> None:
    table.put(ORDER)
    turns = iter(range(1, 100))

    def outrun(order: Order) -> Order:
        table.update(KEY, set={"total": next(turns)})
        return order.model_copy(update={"status": Status.PAID})

    with pytest.raises(ConditionFailed) as caught:
        table.modify(KEY, outrun, max_attempts=3)
    assert caught.value.item == ORDER.model_copy(update={"total": Decimal(3)})
