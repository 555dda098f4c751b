"""Many items: batches, queries, scans."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from weakref import finalize

import pytest
from pydantic import BaseModel

from expr_builder import Attr, BuildError, Index, Key
from expr_builder.typed import BatchIncomplete, InvalidQuery, Operators, TypedTable, ValidationFailed
from tests.support.orders import Account, Order, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mypy_boto3_dynamodb import DynamoDBClient

    from expr_builder import Table

DAY_ONE = datetime(2026, 1, 1, 12, tzinfo=UTC)


def an_order(number: int, **fields: Any) -> Order:
    return Order(
        user_id="u1",
        order_id=f"o{number:03}",
        total=Decimal(number),
        created_at=DAY_ONE + timedelta(days=9 - number, microseconds=number),
        **fields,
    )


TEN = [an_order(number) for number in range(10)]


class Event(BaseModel):
    """One of several kinds of items in one table, its sort key made of two fields."""

    device: str
    day: str
    number: int
    note: str = ""


@pytest.fixture
def table(client: DynamoDBClient, orders: Table) -> TypedTable[Order]:
    table = TypedTable(Order, orders, client)
    table.put_batch([*TEN, Order(user_id="u2", order_id="o000")])
    return table


@pytest.fixture
def events(client: DynamoDBClient, plain: Table) -> TypedTable[Event]:
    """Events among items of other kinds, before and behind them under the same partition keys."""
    table = TypedTable(Event, plain, client, partition_key="DEV#{device}", sort_key="EVENT#{day}#{number:04d}")
    table.put_batch(Event(device="d1", day=f"0{day}", number=number) for day in (1, 2, 3) for number in (5, 10, 15))
    others = [plain.put({"PK": "DEV#d1", "SK": sort}) for sort in ("ALARM#1", "EVENS", "EVENT", "EVENU", "ZONE#1")]
    for other in others:
        client.put_item(**other.to_request())
    client.put_item(**plain.put({"PK": "ACCT#1", "SK": "EVENT#01#0005"}).to_request())
    return table


def places(found: Iterator[Any]) -> list[tuple[str, int]]:
    return [(event.day, event.number) for event in found]


# --- batches


def test_a_batch_comes_back_in_the_order_of_its_keys_with_gaps_and_repetitions(table: TypedTable[Order]) -> None:
    keys = [{"user_id": "u1", "order_id": order_id} for order_id in ("o003", "missing", "o001", "o003")]
    assert table.get_batch(keys) == [TEN[3], None, TEN[1], TEN[3]]
    assert table.get_batch([]) == []


def test_batches_of_any_size_are_split(client: DynamoDBClient, orders: Table) -> None:
    table = TypedTable(Order, orders, client)
    many = [an_order(number) for number in range(230)]
    keys = [{"user_id": order.user_id, "order_id": order.order_id} for order in many]

    assert table.put_batch(iter(many)) == 230
    assert table.get_batch(keys, consistent=True) == many
    assert table.delete_batch(iter(keys)) == 230
    assert table.get_batch(keys) == [None] * 230


def test_a_batch_validates_each_model(table: TypedTable[Order]) -> None:
    with pytest.raises(ValidationFailed, match="total"):
        table.put_batch([an_order(20), an_order(21).model_copy(update={"total": Decimal(-1)})])


def test_a_wrong_key_in_a_batch_is_refused_by_name(table: TypedTable[Order]) -> None:
    for call in (table.get_batch, table.delete_batch):
        with pytest.raises(InvalidQuery, match="lacks order_id"):
            call([{"user_id": "u1"}])


def test_what_stays_unprocessed_is_listed(
    client: DynamoDBClient, table: TypedTable[Order], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store takes all but the first action of each request."""
    impatient = TypedTable(Order, table.table, client, max_attempts=1)
    write: Any = client.batch_write_item
    get: Any = client.batch_get_item

    def write_most(**request: Any) -> Any:
        ((name, entries),) = request["RequestItems"].items()
        return {**write(RequestItems={name: entries[1:]}), "UnprocessedItems": {name: entries[:1]}}

    def get_most(**request: Any) -> Any:
        ((name, wanted),) = request["RequestItems"].items()
        answer = get(RequestItems={name: {**wanted, "Keys": wanted["Keys"][1:]}})
        return {**answer, "UnprocessedKeys": {name: {**wanted, "Keys": wanted["Keys"][:1]}}}

    monkeypatch.setattr(client, "batch_write_item", write_most)
    monkeypatch.setattr(client, "batch_get_item", get_most)
    keys = [{"user_id": "u1", "order_id": f"o00{number}"} for number in range(3)]

    with pytest.raises(BatchIncomplete) as caught:
        impatient.put_batch([an_order(number, status=Status.PAID) for number in range(3)])
    assert caught.value.left == [an_order(0, status=Status.PAID)]
    with pytest.raises(BatchIncomplete) as caught:
        impatient.get_batch(keys)
    assert caught.value.left == keys[:1]
    with pytest.raises(BatchIncomplete) as caught:
        impatient.delete_batch(keys)
    assert caught.value.left == keys[:1]
    assert table.get(keys[0]) == TEN[0]
    assert table.get(keys[1]) is None


# --- queries


@pytest.mark.parametrize(
    ("comparison", "expected"),
    [
        ({"equals": "o003"}, [3]),
        ({"less_than": "o002"}, [0, 1]),
        ({"less_than_or_equal": "o002"}, [0, 1, 2]),
        ({"greater_than": "o007"}, [8, 9]),
        ({"greater_than_or_equal": "o007"}, [7, 8, 9]),
        ({"between": ("o003", "o005")}, [3, 4, 5]),
        ({"begins_with": "o00"}, list(range(10))),
        ({"begins_with": "p"}, []),
    ],
)
def test_where_compares_the_sort_key(table: TypedTable[Order], comparison: Any, expected: list[int]) -> None:
    found = table.query(where={"user_id": {"equals": "u1"}, "order_id": comparison})
    assert list(found) == [TEN[number] for number in expected]


def test_a_query_takes_key_conditions_too(table: TypedTable[Order]) -> None:
    condition = Key("user_id").eq("u1") & Key("order_id").between("o003", "o005")
    assert list(table.query(condition)) == TEN[3:6]


def test_order_limit_and_filter(table: TypedTable[Order]) -> None:
    one: dict[str, Operators] = {"user_id": {"equals": "u1"}}
    assert list(table.query(where=one, order="desc", limit=3)) == TEN[:6:-1]
    assert list(table.query(where=one, filter=Attr("total") > 3, limit=2, consistent=True)) == TEN[4:6]
    assert list(table.query(where=one, limit=100)) == TEN


def test_an_index_is_queried_by_its_own_fields_in_the_order_of_times(table: TypedTable[Order]) -> None:
    late = table.query(
        where={
            "user_id": {"equals": "u1"},
            "created_at": {"greater_than": DAY_ONE + timedelta(days=6, microseconds=3)},
        },
        index="by_date",
    )
    assert list(late) == [TEN[2], TEN[1], TEN[0]]


def test_an_index_key_takes_enums_and_numbers(table: TypedTable[Order]) -> None:
    large = table.query(
        where={"status": {"equals": Status.OPEN}, "total": {"greater_than_or_equal": 8}},
        index="by_status",
        order="desc",
        limit=10,
    )
    assert list(large) == [TEN[9], TEN[8]]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"where": {"order_id": {"equals": "o1"}}}, "missed key schema element: user_id"),
        ({"where": {"user_id": {"begins_with": "u"}}}, r"condition not supported \(user_id with equals"),
        ({"where": {}}, "where names no field"),
        ({"where": {"user_id": {"equals": "u1"}, "total": {"equals": 1}}}, "where names total, which is no part"),
        (
            {"where": {"user_id": {"equals": "u1"}, "order_id": {"greater_than": "a", "less_than": "b"}}},
            "order_id is compared with exactly one of equals, less_than",
        ),
        ({"where": {"user_id": {"equals": "u1"}, "order_id": {"gt": "a"}}}, "order_id is compared with exactly one"),
        ({"where": {"user_id": "u1"}}, "user_id is compared with exactly one of"),
        (
            {"where": {"user_id": {"equals": "u1"}, "order_id": {"between": "a"}}},
            "order_id takes two bounds",
        ),
        ({"where": {"user_id": {"equals": "u1"}, "order_id": {"between": "ba"}}}, "order_id takes two bounds"),
        ({"where": {"user_id": {"equals": "u1"}, "order_id": {"between": ["b", "a"]}}}, "bounds swapped"),
        ({"where": {"user_id": {"equals": "u1"}, "order_id": {"begins_with": 1}}}, "takes text or bytes"),
        ({"where": {"user_id": {"equals": "u1"}}, "index": "by_day"}, "the table declares no index by_day"),
        ({"where": {"user_id": {"equals": "u1"}}, "index": "by_status"}, "where names user_id, which is no part"),
        ({"where": {"status": {"equals": "open"}}, "index": "by_status", "consistent": True}, "consistently"),
        ({"where": {"user_id": {"equals": "u1"}}, "order": "down"}, "order is asc or desc"),
        ({"where": {"user_id": {"equals": "u1"}}, "limit": 0}, "limit at least 1"),
        ({"where": {"user_id": {"equals": "u1"}}, "filter": Attr("user_id") == "u1"}, "part of the key"),
        ({}, "either a key condition or where"),
    ],
)
def test_a_wrong_query_is_refused_before_anything_is_sent(
    client: DynamoDBClient, orders: Table, monkeypatch: pytest.MonkeyPatch, query: dict[str, Any], said: str
) -> None:
    monkeypatch.setattr(client, "query", None)
    table = TypedTable(Order, orders, client)
    with pytest.raises(InvalidQuery, match=said):
        table.query(**query)


def test_a_refused_query_names_the_fields_that_would_be_right(table: TypedTable[Order]) -> None:
    with pytest.raises(InvalidQuery) as caught:
        table.query(where={"colour": {"equals": "red"}}, index="by_date")
    assert caught.value.fix == "user_id with equals, and created_at with one comparison if wanted"
    with pytest.raises(InvalidQuery) as caught:
        table.query(where={"status": {"equals": "open"}}, index="by_day")
    assert caught.value.fix == "declared are by_date and by_status"
    with pytest.raises(InvalidQuery, match="missed key schema element: user_id"):
        table.query(Key("order_id").eq("o1"))
    with pytest.raises(ValidationFailed, match="total"):
        table.query(where={"status": {"equals": "open"}, "total": {"less_than": "much"}}, index="by_status")


def test_pages_are_read_as_they_are_asked_for(
    client: DynamoDBClient, table: TypedTable[Order], monkeypatch: pytest.MonkeyPatch
) -> None:
    query, asked = client.query, []

    def two_at_once(**request: Any) -> Any:
        asked.append(request.get("ExclusiveStartKey", {}).get("order_id"))
        return query(**{**request, "Limit": 2})

    monkeypatch.setattr(client, "query", two_at_once)
    found = table.query(where={"user_id": {"equals": "u1"}})
    assert asked == []
    assert [next(found), next(found)] == TEN[:2]
    assert asked == [None]
    assert next(found) == TEN[2]
    assert asked == [None, {"S": "o001"}]


# --- keys made of several fields


DAYS = {day: [(day, number) for number in (5, 10, 15)] for day in ("01", "02", "03")}
ALL = [*DAYS["01"], *DAYS["02"], *DAYS["03"]]


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({}, ALL),
        ({"day": {"equals": "02"}}, DAYS["02"]),
        ({"day": {"begins_with": "0"}}, ALL),
        ({"day": {"equals": "02"}, "number": {"equals": 10}}, [("02", 10)]),
        ({"day": {"equals": "02"}, "number": {"greater_than": 5}}, [("02", 10), ("02", 15)]),
        ({"day": {"equals": "02"}, "number": {"greater_than_or_equal": 10}}, [("02", 10), ("02", 15)]),
        ({"day": {"equals": "02"}, "number": {"less_than": 10}}, [("02", 5)]),
        ({"day": {"equals": "02"}, "number": {"less_than_or_equal": 10}}, [("02", 5), ("02", 10)]),
        ({"day": {"equals": "02"}, "number": {"between": (6, 15)}}, [("02", 10), ("02", 15)]),
        ({"day": {"equals": "02"}, "number": {"begins_with": "001"}}, [("02", 10), ("02", 15)]),
        ({"SK": {"between": ["EVENT#03", "EVENT#04"]}}, DAYS["03"]),
    ],
)
def test_where_on_a_template_finds_this_kind_of_items_only(
    events: TypedTable[Event], where: dict[str, Any], expected: Any
) -> None:
    assert places(events.query(where={"device": {"equals": "d1"}, **where})) == expected
    assert places(events.query(where={"PK": {"equals": "DEV#d1"}, **where}, order="desc")) == expected[::-1]


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ({"number": {"equals": 5}}, "used from the left: day and number"),
        ({"day": {"begins_with": "0"}, "number": {"equals": 5}}, "only the last field of SK in use"),
        ({"day": {"greater_than": "01"}}, "day is followed by further text in SK: only equals and begins_with"),
    ],
)
def test_what_a_template_cannot_serve_is_refused(events: TypedTable[Event], where: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidQuery, match=said):
        events.query(where={"device": {"equals": "d1"}, **where})


def test_a_scan_finds_this_kind_of_items_only(events: TypedTable[Event]) -> None:
    assert sorted(places(events.scan())) == ALL
    assert sorted(places(events.scan(filter=Attr("number") > 10))) == [("01", 15), ("02", 15), ("03", 15)]
    assert len(list(events.scan(limit=4))) == 4


def test_a_text_without_fields_is_a_key_of_its_own(client: DynamoDBClient, plain: Table) -> None:
    accounts = TypedTable(Account, plain, client, partition_key="ACCT#{account_id}", sort_key="PROFILE")
    ada = accounts.put(Account(account_id="1", email="ada@example.com"))
    client.put_item(**plain.put({"PK": "ACCT#1", "SK": "ORDER#1"}).to_request())
    assert list(accounts.query(where={"account_id": {"equals": "1"}})) == [ada]
    assert list(accounts.scan()) == [ada]


def test_an_index_over_several_kinds_of_items_finds_this_kind_only(
    client: DynamoDBClient, create: Callable[..., Table]
) -> None:
    plain = create("PK", "SK", by_mail=Index("email"))
    accounts = TypedTable(Account, plain, client, partition_key="ACCT#{account_id}", sort_key="PROFILE")
    ada = accounts.put(Account(account_id="1", email="ada@example.com"))
    client.put_item(**plain.put({"PK": "NEWS#1", "SK": "PROFILE", "email": "ada@example.com"}).to_request())
    found = accounts.query(where={"email": {"equals": "ada@example.com"}}, index="by_mail", limit=1)
    assert list(found) == [ada]
    assert list(accounts.scan(index="by_mail")) == [ada]


def test_a_template_serves_an_index_that_shares_the_key(client: DynamoDBClient, create: Callable[..., Table]) -> None:
    plain = create("PK", "SK", by_day=Index("PK", "day", local=True))
    events = TypedTable(Event, plain, client, partition_key="DEV#{device}", sort_key="EVENT#{day}#{number}")
    events.put_batch([Event(device="d1", day="02", number=1), Event(device="d1", day="01", number=2)])
    client.put_item(**plain.put({"PK": "DEV#d1", "SK": "OTHER#1", "day": "01"}).to_request())
    assert places(events.query(where={"device": {"equals": "d1"}}, index="by_day")) == [("01", 2), ("02", 1)]


# --- scans


def test_a_scan_finds_everything(table: TypedTable[Order]) -> None:
    found = list(table.scan(consistent=True))
    assert sorted(order.order_id for order in found if isinstance(order, Order) and order.user_id == "u1") == [
        order.order_id for order in TEN
    ]
    assert len(found) == 11


def test_a_wrong_scan_is_refused(table: TypedTable[Order]) -> None:
    with pytest.raises(InvalidQuery, match="declares no index by_day"):
        table.scan(index="by_day")
    with pytest.raises(InvalidQuery, match="segments are counted"):
        table.scan(segments=0)


def test_segments_share_a_scan(engine: DynamoDBClient) -> None:
    """Needs an engine that threads can use; each page is small, so that every segment has several."""
    from tests.integration.typed.conftest import create_table

    table = TypedTable(Order, create_table(engine, "user_id", "order_id", {}, {}), engine)
    many = {f"o{number:03}" for number in range(150)}
    table.put_batch(Order(user_id=f"u{order_id}", order_id=order_id, tags={"x" * 50_000}) for order_id in sorted(many))

    found = [order.order_id for order in table.scan(segments=4) if isinstance(order, Order)]

    assert len(found) == 150
    assert set(found) == many
    some = table.scan(segments=4)
    next(some)
    del some
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("scan")]


def test_batches_hold_a_chunk_in_memory_not_the_whole_stream(client: DynamoDBClient, orders: Table) -> None:
    """Measured while the stream is made: what the store itself keeps does not count, for moto keeps it in process."""
    table = TypedTable(Order, orders, client)
    alive = 0
    highest = 0

    def forget() -> None:
        nonlocal alive
        alive -= 1

    def make(number: int) -> Order:
        nonlocal alive, highest
        order = Order(user_id="u1", order_id=f"o{number}")
        finalize(order, forget)
        alive += 1
        highest = max(highest, alive)
        return order

    def stream() -> Iterator[Order]:
        for number in range(300):
            yield make(number)

    assert table.put_batch(stream()) == 300
    assert highest <= 30


def test_a_unique_table_takes_no_batches(client: DynamoDBClient, plain: Table) -> None:
    from expr_builder import Marker, Unique

    unique = Unique(plain, owner="PK", email=Marker("UNIQ#EMAIL#{}"))
    accounts = TypedTable(Account, plain, client, partition_key="ACCT#{account_id}", sort_key="PROFILE", unique=unique)
    with pytest.raises(BuildError, match="put_batch cannot keep the markers of email"):
        accounts.put_batch([])
    with pytest.raises(BuildError, match="delete_batch cannot keep the markers of email"):
        accounts.delete_batch([])
