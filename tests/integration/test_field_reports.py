"""Reports from the field about building, checking and reading, each tried as it was reported.

Each test names where the report stands. The kind of fault behind it has tests of its own, beside what it is about;
here is what the people who reported it would try.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import BaseModel

from expr_builder import (
    BatchWrite,
    BuildError,
    Index,
    Key,
    Marker,
    Table,
    Unique,
    from_attribute_value,
    lint,
)
from expr_builder.typed import TypedTable, ValidationFailed

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_dynamodb import DynamoDBClient

orders = Table("orders", "PK", "SK", indexes={"by_group": Index("g", projection="ALL")})
KEY = {"PK": "U#1", "SK": "O#1"}


@pytest.fixture
def client(moto: DynamoDBClient) -> DynamoDBClient:
    """A client of moto, with the table."""
    moto.create_table(
        TableName="orders",
        KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK", "g")],
        BillingMode="PAY_PER_REQUEST",
        GlobalSecondaryIndexes=[
            {
                "IndexName": "by_group",
                "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
    )
    return moto


def refusal(make: Callable[[], object]) -> BuildError:
    with pytest.raises(BuildError) as caught:
        make()
    return caught.value


@pytest.mark.parametrize(
    ("condition", "text", "value", "words"),
    [
        (Key("PK").eq(""), "PK = :v", {"S": ""}, "cannot contain an empty string value. Key: PK"),
        (Key("PK").eq(1), "PK = :v", {"N": "1"}, "Condition parameter type does not match schema type"),
    ],
)
def test_a_key_condition_with_an_empty_value_or_one_of_another_type(
    condition: Any, text: str, value: Any, words: str
) -> None:
    """https://github.com/getmoto/moto/issues/7062"""
    assert refusal(lambda: orders.query(condition).to_request()).fix
    request = {"TableName": "orders", "KeyConditionExpression": text, "ExpressionAttributeValues": {":v": value}}
    assert [problem.message.endswith(words) for problem in lint(request, "Query", [orders])] == [True]


@pytest.mark.parametrize(
    ("index", "start", "named"),
    [
        (None, {"PK": "U#1"}, "SK"),
        ("by_group", {"g": "a"}, "PK"),
        (None, {"PK": {"S": "U#1"}, "SK": {"S": "O#1"}}, "from_item"),
        (None, {}, "empty"),
    ],
)
def test_a_start_key_that_is_not_one(index: str | None, start: Any, named: str) -> None:
    """https://github.com/getmoto/moto/issues/7751"""
    query = orders.query(Key("PK").eq("U#1")) if index is None else orders.query(Key("g").eq("a")).on_index(index)
    refused = refusal(lambda: query.start_from(start).to_request())
    assert named in str(refused)


def test_a_page_of_an_index_goes_on_from_a_cursor_that_went_through_json(client: DynamoDBClient) -> None:
    """https://github.com/awslabs/dynamodb-data-mapper-js/issues/45"""
    BatchWrite(*(orders.put({"PK": f"U#{n}", "SK": "O#1", "g": "a"}) for n in range(5))).send(client)
    query = orders.query(Key("g").eq("a")).on_index("by_group").limit(1)
    seen, cursor = [], None
    while True:
        page = query.start_from(None if cursor is None else json.loads(cursor)).page(client)
        seen += [item["PK"] for item in page.items]
        if page.last_key is None:
            break
        cursor = json.dumps(page.last_key)
    assert sorted(seen) == [f"U#{n}" for n in range(5)]


@pytest.mark.parametrize("value", [None, 5, ""])
def test_the_key_of_an_index_is_not_null_nor_of_another_type_nor_empty(value: object) -> None:
    """https://github.com/aws/aws-cli/issues/3135"""
    for make in (
        lambda: orders.put({**KEY, "g": value}).to_request(),
        lambda: orders.update(KEY).set(g=value).to_request(),
    ):
        refused = refusal(make)
        assert "g" in str(refused)
        assert refused.fix


def test_an_attribute_called_self(client: DynamoDBClient) -> None:
    """https://github.com/pynamodb/PynamoDB/issues/503"""
    orders.update(KEY).set(self=1).send(client)
    orders.update(KEY).add(self=2).send(client)
    assert orders.get(KEY).fetch(client) == {**KEY, "self": 3}
    unique = Unique(orders, owner="PK", self=Marker("UNIQ#SELF#{}"))
    unique.create({**KEY, "SK": "P", "self": "a"}).send(client)
    unique.change({**KEY, "SK": "P", "self": "a"}, self="b").send(client)
    assert orders.get({"PK": "UNIQ#SELF#a", "SK": "LOCK"}).fetch(client) is None
    assert orders.get({"PK": "UNIQ#SELF#b", "SK": "LOCK"}).fetch(client) is not None


@pytest.mark.parametrize("stored", [{}, {"phone": {"NULL": True}}], ids=["missing", "NULL"])
@pytest.mark.parametrize("read", [{}, {"phone": None}], ids=["missing", "None"])
def test_null_of_an_optional_field_is_taken_for_missing(
    client: DynamoDBClient, stored: dict[str, Any], read: dict[str, Any]
) -> None:
    """https://github.com/truora/minidyn/issues/79"""
    unique = Unique(orders, owner="PK", phone=Marker("UNIQ#PHONE#{}", optional=True))
    record = {**KEY, **read}
    for write in (unique.change(record, phone="1"), unique.change(record, phone=None), unique.delete(record)):
        client.put_item(TableName="orders", Item={"PK": {"S": "U#1"}, "SK": {"S": "O#1"}, **stored})
        write.send(client)
    assert orders.get(KEY).fetch(client) is None
    assert list(orders.scan().items(client)) == [{"PK": "UNIQ#PHONE#1", "SK": "LOCK", "owner": "U#1"}]
    unique.create(record).send(client)
    assert orders.get(KEY).fetch(client) == KEY


class Counted(BaseModel):
    id: str
    visits: int = 0
    version: int = 0
    tags: set[str] = set()
    anything: dict[str, Any] = {}


def counted(client: DynamoDBClient) -> TypedTable[Counted, Counted]:
    return TypedTable(Counted, orders, client, partition_key="C#{id}", sort_key="P", version="version").strict()


def test_a_blind_update_counts_the_version_up(client: DynamoDBClient) -> None:
    """https://github.com/pynamodb/PynamoDB/issues/1247"""
    table = counted(client)
    table.put(table.put(Counted(id="a")))
    updated = table.update({"id": "a"}, add={"visits": 1})
    assert (updated.version, updated.visits) == (3, 1)


def test_floats_inside_anything_are_stored_as_they_are_written(client: DynamoDBClient) -> None:
    """https://github.com/nayaverdier/dyntastic/issues/33"""
    table = counted(client)
    table.put(Counted(id="a", anything={"a": 0.1, "b": [1.5]}))
    stored = client.get_item(TableName="orders", Key={"PK": {"S": "C#a"}, "SK": {"S": "P"}})["Item"]["anything"]
    assert stored == {"M": {"a": {"N": "0.1"}, "b": {"L": [{"N": "1.5"}]}}}


def test_a_key_attribute_with_a_mark_in_its_name_goes_through_batches() -> None:
    """https://github.com/boto/boto3/issues/3829"""
    table = Table("trips", "FROM#TO")
    assert BatchWrite(table.put({"FROM#TO": "A#B"}), table.delete({"FROM#TO": "B#C"})).to_requests() == [
        {
            "RequestItems": {
                "trips": [
                    {"PutRequest": {"Item": {"FROM#TO": {"S": "A#B"}}}},
                    {"DeleteRequest": {"Key": {"FROM#TO": {"S": "B#C"}}}},
                ]
            }
        }
    ]


class Expiring(BaseModel):
    id: str
    until: int


def test_a_time_to_live_in_milliseconds_is_refused(client: DynamoDBClient) -> None:
    """https://github.com/amazon-connect/amazon-connect-realtime-transcription/issues/51"""
    table = TypedTable(Expiring, orders, client, partition_key="E#{id}", sort_key="P", ttl="until")
    with pytest.raises(ValidationFailed, match="seconds"):
        table.put(Expiring(id="a", until=1_764_500_000_000))
    assert table.get(id="a") is None


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"B": "AAEC"}, "base64"),
        ({"BOOL": "false"}, "BOOL"),
        ({"SS": "abc"}, "SS"),
        ({"N": "1_0"}, "number"),
        ({"N": "NaN"}, "number"),
        ({"N": "1E+999999999"}, "number"),
    ],
)
def test_an_exported_value_that_is_not_one_is_named(value: Any, words: str) -> None:
    """https://github.com/Boise-State-Development/agentcore-public-stack/pull/422"""
    assert words in str(refusal(lambda: from_attribute_value(value)))


WRAPPED = "1 validation error detected: "


@pytest.mark.parametrize(
    ("operation", "request_", "words"),
    [
        (
            "PutItem",
            {"TableName": "orders", "Item": {"PK": {"S": "a"}, "SK": {"S": "b"}, "n": {"NS": []}}},
            f"{WRAPPED}One or more parameter values were invalid: An number set  may not be empty",
        ),
        (
            "UpdateItem",
            {
                "TableName": "orders",
                "Key": {"PK": {"S": "a"}, "SK": {"S": "b"}},
                "UpdateExpression": "REMOVE a, a.b",
            },
            (
                f"{WRAPPED}Invalid UpdateExpression: Two document paths overlap with each other; "
                "must remove or rewrite one of these paths; path one: [a], path two: [a, b]"
            ),
        ),
        (
            "TransactWriteItems",
            {
                "TransactItems": [
                    {"Put": {"TableName": "orders", "Item": {"PK": {"S": "a"}, "SK": {"S": "b"}, "n": {"NS": []}}}}
                ]
            },
            "One or more parameter values were invalid: An number set  may not be empty",
        ),
    ],
)
def test_faults_of_single_writes_come_in_the_envelope_of_2026(operation: str, request_: Any, words: str) -> None:
    """https://github.com/nubo-db/dynoxide/pull/152"""
    assert [problem.message for problem in lint(request_, operation)] == [words]


@pytest.mark.parametrize(
    "beside",
    [{"ProjectionExpression": "a"}, {"FilterExpression": "attribute_exists(a)"}],
    ids=lambda it: next(iter(it)),
)
def test_legacy_key_conditions_go_with_a_projection_or_a_filter(beside: dict[str, str]) -> None:
    """https://github.com/scylladb/scylladb, its tests of the service"""
    conditions = {"PK": {"AttributeValueList": [{"S": "a"}], "ComparisonOperator": "EQ"}}
    assert lint({"TableName": "orders", "KeyConditions": conditions, **beside}, "Query", [orders]) == []


class Base(BaseModel):
    a: int


class Sub(Base):
    b: int


class Holder(BaseModel):
    id: str
    held: Base


def test_a_child_in_a_field_typed_as_its_parent_loses_nothing(client: DynamoDBClient) -> None:
    """https://github.com/pydantic/pydantic/issues/7366"""
    try:
        table = TypedTable(Holder, orders, client, partition_key="H#{id}", sort_key="P")
        table.put(Holder(id="x", held=Sub(a=1, b=2)))
    except (BuildError, ValidationFailed):
        return  # refused in words, and nothing is written
    stored = client.get_item(TableName="orders", Key={"PK": {"S": "H#x"}, "SK": {"S": "P"}})["Item"]
    assert stored["held"] == {"M": {"a": {"N": "1"}, "b": {"N": "2"}}}


def test_a_set_emptied_by_an_update_grows_again(client: DynamoDBClient) -> None:
    """https://github.com/pynamodb/PynamoDB/issues/962"""
    table = counted(client)
    table.put(Counted(id="a", tags={"x"}))
    assert table.update({"id": "a"}, delete={"tags": {"x"}}).tags == set()
    assert table.update({"id": "a"}, add={"tags": {"y"}}).tags == {"y"}
    emptied = table.update({"id": "a"}, set={"tags": set()})
    assert emptied.tags == set()
    table.put(emptied)
    assert table.update({"id": "a"}, add={"tags": {"z"}}).tags == {"z"}
