"""Lost answers and paths into items on a whole engine, which honours tokens itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pydantic import BaseModel, Field

from expr_builder import Attr, RequestUnavailable, Table
from expr_builder.typed import TypedTable
from tests.integration.typed.conftest import create_table
from tests.support.faults import losing_answers
from tests.support.orders import Account

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

KEY = {"account_id": "1"}


@pytest.fixture
def accounts(engine: DynamoDBClient) -> TypedTable[Account, Account]:
    plain = create_table(engine, "PK", "SK", {}, {})
    table = TypedTable(Account, plain, engine, partition_key="ACCT#{account_id}", sort_key="PROFILE").strict()
    table.put(Account(account_id="1", email="a@example.com"))
    return table


def test_a_counter_with_a_token_counts_once(engine: DynamoDBClient, accounts: TypedTable[Account, Account]) -> None:
    with losing_answers(engine, 2):
        assert accounts.update(KEY, add={"points": 1}, exactly_once=True).points == 1
    with losing_answers(engine, 1, "UpdateItem"), pytest.raises(RequestUnavailable) as caught:
        accounts.update(KEY, add={"points": 1})
    assert caught.value.outcome_unknown
    assert accounts.update(KEY, set={"points": Attr("points") + 1}, exactly_once=True).points == 3


def test_a_guarded_put_and_a_deletion_with_a_token_succeed(
    engine: DynamoDBClient, accounts: TypedTable[Account, Account]
) -> None:
    bob = Account(account_id="2", email="b@example.com")
    with losing_answers(engine, 1):
        assert accounts.put(bob, if_not_exists=True, exactly_once=True) == bob
    with losing_answers(engine, 1):
        accounts.delete({"account_id": "2"}, if_exists=True, exactly_once=True)
    assert accounts.get(account_id="2", consistent=True) is None


class Home(BaseModel):
    zip: str = Field(alias="postcode")
    rooms: list[int] = []


class Person(BaseModel):
    PK: str
    SK: str = "P"
    home: Home
    visits: int = Field(0, alias="v")
    others: dict[str, Home] = {}


def test_paths_by_field_change_what_is_stored_by_alias(client: DynamoDBClient, plain: Table) -> None:
    people: Any = TypedTable(Person, plain, client).strict()
    home = {"postcode": "BA1", "rooms": [1]}
    people.put(Person(PK="1", home=Home(**home), others={"old": Home(**home)}))
    changed = people.update(
        {"PK": "1", "SK": "P"},
        set={
            Attr("home")["zip"]: "BA2",
            Attr("home")["rooms"]: Attr("home")["rooms"].append([2]),
            "visits": Attr("visits").increment(),
            Attr("others")["old"]["rooms"][0]: 7,
            Attr("others")["new"]: Home(postcode="BA3"),
        },
    )
    assert changed == Person(
        PK="1",
        home=Home(postcode="BA2", rooms=[1, 2]),
        v=1,
        others={"old": Home(postcode="BA1", rooms=[7]), "new": Home(postcode="BA3")},
    )
