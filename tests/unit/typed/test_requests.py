"""What a typed table would send, without a store; keys and templates."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypedDict
from uuid import UUID

import pytest
from pydantic import BaseModel

from expr_builder import Attr, BuildError, Key, Table
from expr_builder.typed import InvalidQuery, ItemTooLarge, TypedTable, ValidationFailed
from tests.support.orders import Order

if TYPE_CHECKING:
    from collections.abc import Callable

CLIENT: Any = object()


class Reading(BaseModel):
    device: UUID
    day: date
    number: int
    share: Decimal | None = None
    flag: bool = False
    note: str = ""
    blob: bytes = b""


DEVICE = UUID("12345678-1234-5678-1234-567812345678")


def readings(sort_key: str, **options: Any) -> TypedTable[Reading]:
    return TypedTable(
        Reading, Table("t", "PK", "SK"), CLIENT, partition_key="DEV#{device}", sort_key=sort_key, **options
    )


def sort_key_of(template: str, **fields: Any) -> str:
    reading = Reading(**{"device": DEVICE, "day": date(2026, 1, 31), "number": 7, **fields})
    item = readings(template).actions.put(reading).item
    assert item["PK"] == {"S": f"DEV#{DEVICE}"}
    return str(item["SK"]["S"])


@pytest.mark.parametrize(
    ("template", "key"),
    [
        ("R#{day}#{number}", "R#2026-01-31#7"),
        ("R#{number:05d}", "R#00007"),
        ("R#{share}", "R#1.5"),
        ("R{{}}#{number}#END", "R{}#7#END"),
        ("FIXED", "FIXED"),
        ("{number}", "7"),
        ("{share:08.2f}", "00001.50"),
    ],
)
def test_templates_fill_in_what_is_stored(template: str, key: str) -> None:
    assert sort_key_of(template, share=Decimal("1.50"), note="ab") == key


@pytest.mark.parametrize(
    ("template", "fields", "said"),
    [
        ("R#{share}", {"share": None}, "share: is part of the key SK, so it must be text or a number"),
        ("R#{flag}", {}, "flag: is part of the key SK, so it must be text or a number"),
        ("R#{blob}", {}, "blob: is part of the key SK, so it must be text or a number"),
        ("R#{note}", {}, "note: is empty, and part of the key SK"),
        ("R#{note}#{number}", {"note": "a#b"}, "note: contains '#', which ends this part of the key SK"),
    ],
)
def test_a_field_that_cannot_be_part_of_a_key_is_refused(template: str, fields: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationFailed, match=said):
        sort_key_of(template, **fields)


def test_the_last_field_of_a_key_may_hold_anything() -> None:
    assert sort_key_of("R#{number}#{note}", note="a#b") == "R#7#a#b"


def test_two_fields_need_something_between_them() -> None:
    with pytest.raises(BuildError, match="two keys could be one"):
        readings("R#{number}{note}")


def test_keys_are_given_by_field_of_any_type_that_the_model_takes() -> None:
    table = readings("R#{day}")
    key = {"PK": {"S": f"DEV#{DEVICE}"}, "SK": {"S": "R#2026-01-31"}}
    assert table.actions.get({"device": DEVICE, "day": date(2026, 1, 31)}).key == key
    assert table.actions.get({"device": str(DEVICE), "day": "2026-01-31"}).key == key
    assert table.actions.get({"PK": f"DEV#{DEVICE}", "SK": "R#2026-01-31"}).key == key
    with pytest.raises(ValidationFailed, match="day: Input should be a valid date"):
        table.actions.get({"device": DEVICE, "day": []})
    with pytest.raises(InvalidQuery, match="a key is a mapping, not a str") as caught:
        table.actions.get("d")  # type: ignore[arg-type]
    assert caught.value.fix == "exactly device and day, or PK and SK"
    with pytest.raises(InvalidQuery, match="the key lacks device and day; PK is no part of the key"):
        table.actions.get({"PK": "DEV#1"})


def test_a_key_attribute_that_is_a_field_is_checked_as_one() -> None:
    class Numbered(BaseModel):
        name: str
        SK: int

    table = TypedTable(Numbered, Table("t", "PK", ("SK", "N")), CLIENT, partition_key="N#{name}")
    assert table.actions.get({"name": "a", "SK": "7"}).key == {"PK": {"S": "N#a"}, "SK": {"N": "7"}}
    assert table.actions.get({"PK": "N#a", "SK": "7"}).key == {"PK": {"S": "N#a"}, "SK": {"N": "7"}}


def test_a_declared_key_has_the_names_of_the_key() -> None:
    class Right(TypedDict):
        device: UUID
        day: date

    class Raw(TypedDict):
        PK: str
        SK: str

    class Wrong(TypedDict):
        device: UUID

    assert readings("R#{day}", key=Right).model is Reading
    assert readings("R#{day}", key=Raw).model is Reading
    with pytest.raises(BuildError, match="Wrong declares device") as caught:
        readings("R#{day}", key=Wrong)
    assert caught.value.fix == "exactly device and day, or PK and SK"


def test_a_range_on_a_template_without_a_prefix_is_a_plain_comparison() -> None:
    client: Any = Recorder()
    table = TypedTable(Reading, Table("t", "PK", "SK"), client, partition_key="{device}", sort_key="{note}")
    for comparison in ({"less_than": "m"}, {"greater_than_or_equal": "m"}, None):
        where: Any = {"device": {"equals": DEVICE}, **({} if comparison is None else {"note": comparison})}
        assert list(table.query(where=where)) == []
    assert list(table.scan()) == []
    assert [request.get("KeyConditionExpression") for request in client.requests] == [
        "PK = :v0 AND SK < :v1",
        "PK = :v0 AND SK >= :v1",
        "PK = :v0",
        None,
    ]
    assert "FilterExpression" not in client.requests[-1]


class Recorder:
    """Finds nothing, and remembers what it was asked."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []

    def query(self, **request: Any) -> dict[str, Any]:
        self.requests.append(request)
        return {"Items": [], "Count": 0}

    scan = query


def test_an_index_that_the_plain_table_declares_is_known() -> None:
    from expr_builder import Index

    client: Any = Recorder()
    plain = Table("t", "user_id", "order_id", alias="always", indexes={"by_status": Index("status")})
    table = TypedTable(Order, plain, client)
    assert table.table is plain
    assert list(table.query(Key("status").eq("open"), index="by_status")) == []
    assert client.requests[0]["ExpressionAttributeNames"] == {"#n0": "status"}
    undeclared = TypedTable(Order, Table("t", "user_id"), client)
    queries: list[Callable[[], object]] = [
        lambda: undeclared.query(where={"status": {"equals": "open"}}, index="by_status"),
        lambda: undeclared.query(Key("status").eq("open"), index="by_status"),
    ]
    for query in queries:
        with pytest.raises(InvalidQuery, match=r"declares no index by_status \(declared are none\)"):
            query()


def test_where_takes_index_attributes_that_are_no_fields() -> None:
    from expr_builder import Index

    client: Any = Recorder()
    table = TypedTable(Order, Table("t", "user_id", "order_id", indexes={"gsi": Index("GSI1PK", "GSI1SK")}), client)
    list(table.query(where={"GSI1PK": {"equals": "x"}, "GSI1SK": {"begins_with": "y"}}, index="gsi"))
    assert client.requests[0]["ExpressionAttributeValues"] == {":v0": {"S": "x"}, ":v1": {"S": "y"}}


ORDERS = TypedTable(Order, Table("t", "user_id", "order_id"), CLIENT)
KEY = {"user_id": "u", "order_id": "o"}


def test_a_huge_deletion_from_a_set_is_no_huge_item() -> None:
    huge = {"x" * 450_000}
    assert ORDERS.actions.update(KEY, delete={"tags": huge}).actions[0].keyword == "DELETE"
    with pytest.raises(ItemTooLarge) as caught:
        ORDERS.actions.update(KEY, set={"total": Attr("total") + 1}, add={"tags": huge})
    assert caught.value.largest == [("tags", 450_000)]
    with pytest.raises(ValidationFailed, match="tags: takes a set of the elements to add"):
        ORDERS.actions.update(KEY, add={"tags": "x" * 450_000})


def test_a_put_that_breaks_another_rule_is_a_build_error() -> None:
    with pytest.raises(BuildError, match="a key attribute is empty"):
        ORDERS.actions.put(Order(user_id="", order_id="o"))


def test_a_huge_update_may_break_another_rule() -> None:
    class Open(BaseModel, extra="allow"):
        name: str
        tags: set[str] = set()

    table = TypedTable(Open, Table("t", "name"), CLIENT)
    with pytest.raises(BuildError) as caught:
        table.actions.update({"name": "a"}, set={"x" * 5_000: 1}, delete={"tags": {"x" * 450_000}})
    assert caught.value.rule == "expression-length"


def test_a_required_field_that_may_be_none_can_be_removed() -> None:
    class Person(BaseModel):
        name: str
        nick: str | None
        tags: set[str]

    table = TypedTable(Person, Table("t", "name"), CLIENT)
    removed = table.actions.update({"name": "a"}, remove=["nick", "tags"])
    assert removed.to_request()["UpdateExpression"] == "REMOVE nick, tags"


def test_a_removal_by_path_or_of_what_an_open_model_adds_is_no_matter_of_fields() -> None:
    class Open(BaseModel, extra="allow"):
        name: str

    table = TypedTable(Open, Table("t", "name"), CLIENT)
    removed = table.actions.update({"name": "a"}, remove=[Attr("extra")["x"], "old"], set={"new": 1})
    assert removed.to_request()["UpdateExpression"] == "SET #n0 = :v0 REMOVE extra.x, #n1"


def test_what_is_no_table_and_no_mapping_of_changes_is_refused_in_words() -> None:
    class Thing(BaseModel):
        PK: str
        n: int = 0

    nobody: Any = object()
    with pytest.raises(BuildError) as caught:
        TypedTable(Thing, "things", nobody)  # type: ignore[arg-type]
    assert str(caught.value) == (
        'TypedTable: a str is no Table (declare it: Table("accounts", partition_key="PK")) [typed-table]'
    )
    table = TypedTable(Thing, Table("things", "PK"), nobody)
    changes: list[Any] = [{"set": [("n", 1)]}, {"add": "n"}, {"delete": {"n"}}]
    for change in changes:
        with pytest.raises(InvalidQuery, match="is a mapping of fields to values"):
            table.update({"PK": "a"}, **change)
