"""A model changes while its items stay: nothing that today's model does not know is lost."""

from __future__ import annotations

import copy
import logging
import pickle
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from expr_builder import from_item
from expr_builder.typed import RawItem, TypedTable, ValidationFailed, read_unknown_attributes

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from expr_builder import Table

KEY = {"PK": "CUST#1", "SK": "PROFILE"}


class PlaceYesterday(BaseModel):
    city: str
    planet: str = "Earth"


class Yesterday(BaseModel):
    """As the customer was: with a shoe size, a full name, and more places' details."""

    customer_id: str
    full_name: str
    shoe_size: int = 42
    badges: set[str] = Field(default_factory=set)
    home: PlaceYesterday
    past: list[PlaceYesterday] = Field(default_factory=list)
    by_label: dict[str, PlaceYesterday] = Field(default_factory=dict)


class PlaceToday(BaseModel):
    model_config = ConfigDict(extra="forbid", validate_assignment=True)

    city: str
    country: str = "unknown"


class Today(BaseModel):
    """As it is: a field renamed, one new with a default, one narrowed; shoe size, badges and planets unknown."""

    model_config = ConfigDict(extra="forbid", validate_assignment=True)

    customer_id: str
    name: str = Field(validation_alias=AliasChoices("name", "full_name"))
    level: int = 1
    home: PlaceToday
    past: list[PlaceToday] = Field(default_factory=list)
    by_label: dict[str, PlaceToday] = Field(default_factory=dict)


class Demanding(BaseModel):
    """A model that yesterday's items cannot be."""

    customer_id: str
    mobile: str


ADA = Yesterday(
    customer_id="1",
    full_name="Ada",
    shoe_size=37,
    badges={"poet", "countess"},
    home=PlaceYesterday(city="Bath", planet="Mars"),
    past=[PlaceYesterday(city="Rome", planet="Venus"), PlaceYesterday(city="Oslo")],
    by_label={"work": PlaceYesterday(city="Kiel", planet="Pluto")},
)


def typed(model: type[Any], plain: Table, client: DynamoDBClient, **options: Any) -> TypedTable[Any, Any]:
    return TypedTable(model, plain, client, partition_key="CUST#{customer_id}", sort_key="PROFILE", **options)


def stored_item(client: DynamoDBClient, plain: Table) -> dict[str, Any]:
    return from_item(client.get_item(TableName=plain.name, Key={k: {"S": v} for k, v in KEY.items()})["Item"])


@pytest.fixture
def today(client: DynamoDBClient, plain: Table) -> TypedTable[Today, Today]:
    typed(Yesterday, plain, client).put(ADA)
    return TypedTable(Today, plain, client, partition_key="CUST#{customer_id}", sort_key="PROFILE").strict()


def after_a_move_to_paris() -> dict[str, Any]:
    """The item once today's model has set level and city: all of yesterday's unknown attributes are still there."""
    return {
        **KEY,
        "customer_id": "1",
        "name": "Ada",
        "level": 2,
        "shoe_size": 37,
        "badges": {"poet", "countess"},
        "home": {"city": "Paris", "country": "unknown", "planet": "Mars"},
        "past": [
            {"city": "Rome", "country": "unknown", "planet": "Venus"},
            {"city": "Oslo", "country": "unknown", "planet": "Earth"},
        ],
        "by_label": {"work": {"city": "Kiel", "country": "unknown", "planet": "Pluto"}},
    }


def test_yesterdays_item_is_read_changed_and_written_by_today_and_nothing_is_lost(
    client: DynamoDBClient, plain: Table, today: TypedTable[Today, Today]
) -> None:
    ada = today.get(customer_id="1")
    assert ada is not None
    assert (ada.name, ada.level, ada.home.city, ada.home.country) == ("Ada", 1, "Bath", "unknown")
    assert read_unknown_attributes(ada) == {"shoe_size": 37, "badges": {"poet", "countess"}}
    assert read_unknown_attributes(ada.home) == {"planet": "Mars"}

    ada.level = 2
    ada.home.city = "Paris"
    today.put(ada)

    assert stored_item(client, plain) == after_a_move_to_paris()
    assert typed(Yesterday, plain, client).get(customer_id="1") is not None


@pytest.mark.parametrize("deep", [False, True])
@pytest.mark.parametrize(
    "handed_on",
    [lambda ada: ada, copy.copy, copy.deepcopy, lambda ada: pickle.loads(pickle.dumps(ada))],
    ids=["as it is", "copy", "deepcopy", "pickle"],
)
def test_copies_keep_what_they_do_not_know(
    client: DynamoDBClient, plain: Table, today: TypedTable[Today, Today], handed_on: Any, deep: bool
) -> None:
    ada = today.get(customer_id="1")
    assert ada is not None
    paris = ada.home.model_copy(update={"city": "Paris"})
    today.put(handed_on(ada.model_copy(update={"level": 2, "home": paris}, deep=deep)))
    assert stored_item(client, plain) == after_a_move_to_paris()


def test_modify_and_update_keep_it_too(client: DynamoDBClient, plain: Table, today: TypedTable[Today, Today]) -> None:
    def move(ada: Today) -> Today:
        ada.home.city = "Paris"
        return ada

    today.modify({"customer_id": "1"}, move)
    today.update({"customer_id": "1"}, set={"level": 2})
    assert stored_item(client, plain) == after_a_move_to_paris()


def test_what_put_returns_keeps_it_for_the_next_put(
    client: DynamoDBClient, plain: Table, today: TypedTable[Today, Today]
) -> None:
    ada = today.get(customer_id="1")
    assert ada is not None
    again = today.put(today.put(ada))
    assert read_unknown_attributes(again) == {"shoe_size": 37, "badges": {"poet", "countess"}}
    assert again == ada


def test_what_is_unknown_is_neither_dumped_nor_shown(today: TypedTable[Today, Today]) -> None:
    ada = today.get(customer_id="1")
    assert ada is not None
    assert set(ada.model_dump()) == set(Today.model_fields)
    assert "poet" not in repr(ada)
    assert "Mars" not in repr(ada)
    assert read_unknown_attributes(Today(customer_id="1", name="Ada", home=PlaceToday(city="Bath"))) == {}


def test_an_open_model_has_unknown_attributes_as_pydantic_has_them(client: DynamoDBClient, plain: Table) -> None:
    class Open(BaseModel):
        model_config = ConfigDict(extra="allow")

        customer_id: str
        home: PlaceToday

    typed(Yesterday, plain, client).put(ADA)
    before = stored_item(client, plain)
    table = typed(Open, plain, client)
    ada = table.get(customer_id="1")
    assert isinstance(ada, Open)
    assert ada.model_extra is not None
    assert ada.model_extra["shoe_size"] == 37
    assert not ada.model_extra.keys() & KEY.keys()
    table.update({"customer_id": "1"}, set={"nickname": "Countess"})
    table.put(table.get(customer_id="1"))
    assert stored_item(client, plain) == {
        **before,
        "nickname": "Countess",
        "home": {"city": "Bath", "country": "unknown", "planet": "Mars"},
    }


def test_an_item_that_cannot_be_read_comes_back_raw_with_a_warning(
    client: DynamoDBClient, plain: Table, caplog: pytest.LogCaptureFixture
) -> None:
    typed(Yesterday, plain, client).put(ADA)
    table = typed(Demanding, plain, client)

    with caplog.at_level(logging.WARNING, "expr_builder.typed"):
        found = table.get(customer_id="1")

    assert isinstance(found, RawItem)
    assert found == stored_item(client, plain)
    assert [(one.field, one.code) for one in found.problems] == [("mobile", "missing")]
    why = "Demanding: mobile: Field required [missing]"
    assert [record.getMessage() for record in caplog.records] == [
        f'an item of table "{plain.name}" is no Demanding and is returned raw: {why}'
    ]
    assert list(table.scan()) == [found]
    assert table.put({**found, "mobile": "555"}).mobile == "555"
    assert stored_item(client, plain) == {**found, "mobile": "555"}


def test_modify_needs_a_model_in_every_mode(client: DynamoDBClient, plain: Table) -> None:
    typed(Yesterday, plain, client).put(ADA)
    table = typed(Demanding, plain, client)
    for mode in (table, table.strict(), table.raw()):
        with pytest.raises(ValidationFailed, match="mobile: Field required"):
            mode.modify({"customer_id": "1"}, lambda one: one)


def test_strict_reading_raises(client: DynamoDBClient, plain: Table) -> None:
    typed(Yesterday, plain, client).put(ADA)
    table = typed(Demanding, plain, client).strict()
    with pytest.raises(ValidationFailed, match="Demanding: mobile: Field required"):
        table.get(customer_id="1")
    with pytest.raises(ValidationFailed):
        list(table.query(where={"customer_id": {"equals": "1"}}))


def test_raw_reads_return_items_as_they_are(client: DynamoDBClient, plain: Table) -> None:
    typed(Yesterday, plain, client).put(ADA)
    found = typed(Today, plain, client).raw().get(customer_id="1")
    assert isinstance(found, RawItem)
    assert (found, found.problems) == (stored_item(client, plain), [])


def test_strict_models_are_read_leniently_and_written_strictly(client: DynamoDBClient, plain: Table) -> None:
    class Strict(BaseModel):
        model_config = ConfigDict(strict=True)

        customer_id: str
        born: datetime
        height: float
        weight: Decimal

    table = typed(Strict, plain, client).strict()
    ada = Strict(customer_id="1", born=datetime(1815, 12, 10, tzinfo=UTC), height=1.6, weight=Decimal(50))
    table.put(ada)
    assert table.get(customer_id="1") == ada
