"""Templates of keys: two different keys never give one text, and keys sort as what they are made of."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from functools import partial
from ipaddress import IPv4Address
from typing import TYPE_CHECKING, Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AwareDatetime, BaseModel, NaiveDatetime, PlainSerializer, create_model

from expr_builder import BuildError, Index, Table
from expr_builder.typed import InvalidQuery, TypedTable, ValidationFailed

if TYPE_CHECKING:
    from collections.abc import Callable

RANGES = ["less_than", "less_than_or_equal", "greater_than", "greater_than_or_equal", "between"]
NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


class Level(IntEnum):
    HIGH = 3


class Word(StrEnum):
    YES = "yes"


class Plan(Enum):
    GOLD = "gold"


class Client:
    """Answers nothing, and keeps what it was asked."""

    def query(self, **request: Any) -> dict[str, Any]:
        self.request = request
        return {"Items": []}


def table_of(annotation: Any, sort_key: str, **others: Any) -> TypedTable[Any, Any, Any]:
    model = create_model("Thing", owner=(str, ...), value=(annotation, ...), **others)
    client: Any = Client()
    return TypedTable(model, Table("t", "PK", "SK"), client, partition_key="O#{owner}", sort_key=sort_key)


def put_key(table: TypedTable[Any, Any, Any], **values: Any) -> str:
    return str(table.actions.put(table.model(owner="o", **values)).item["SK"]["S"])


def ask(table: TypedTable[Any, Any, Any], operator: str, value: Any) -> dict[str, Any]:
    where: Any = {"owner": {"equals": "o"}, "value": {operator: (value, value) if operator == "between" else value}}
    list(table.query(where=where))
    client: Any = table._client
    request: dict[str, Any] = client.request
    return request


# --- formats


@pytest.mark.parametrize(
    ("annotation", "template"),
    [
        (str, "{value:>5}"),
        (str, "{value:5}"),
        (str, "{value:.3}"),
        (str, "{value:s}"),
        (str, "{value:0>8}"),
        (int, "{value:,}"),
        (int, "{value:_}"),
        (int, "{value:+d}"),
        (int, "{value:x}"),
        (int, "{value:b}"),
        (int, "{value:8d}"),
        (int, "{value:<8d}"),
        (int, "{value:0<8d}"),
        (int, "{value: d}"),
        (int, "{value:c}"),
        (float, "{value:.3g}"),
        (float, "{value:e}"),
        (float, "{value:%}"),
        (datetime, "{value:%Y}"),
        (date, "{value:%d}"),
        (Plan, "{value:08d}"),
        (bool, "{value:08d}"),
    ],
)
def test_a_format_that_could_give_two_keys_one_text_or_another_order_is_refused(annotation: Any, template: str) -> None:
    with pytest.raises(BuildError, match="does not keep all keys apart and in order") as caught:
        table_of(annotation, f"V#{template}")
    assert caught.value.rule == "typed-key"
    assert "{value:08d}" in caught.value.fix


class Either(Enum):
    """Members that are text, and members that are numbers."""

    ONE = 1
    TEXT = "1"


@pytest.mark.parametrize("annotation", [int | str, str | Decimal | None, Any, object, Either, Word | int])
def test_a_field_that_may_be_text_or_a_number_makes_no_key_without_a_format(annotation: Any) -> None:
    with pytest.raises(BuildError) as caught:
        table_of(annotation, "V#{value}")
    assert str(caught.value) == (
        'the template of SK: value may be text or a number, and "1" and 1 would be one key '
        "(give value one type) [typed-key]"
    )


@pytest.mark.parametrize(
    ("annotation", "template", "value", "key"),
    [
        (int, "{value:04d}", 7, "0007"),
        (int, "{value:04}", 7, "0007"),
        (int, "{value:0>4}", 9999, "9999"),
        (int, "{value:d}", -7, "-7"),
        (Decimal, "{value:04d}", Decimal("7.0"), "0007"),
        (Decimal, "{value:07.2f}", Decimal("1.5"), "0001.50"),
        (float, "{value:07.2f}", 0.5, "0000.50"),
        (float, "{value:.2f}", 0.25, "0.25"),
        (float, "{value}", 0.125, "0.125"),
        (Level, "{value:04d}", Level.HIGH, "0003"),
        (Word, "{value}", Word.YES, "yes"),
        (Plan, "{value}", Plan.GOLD, "gold"),
        (datetime, "{value}", NOON, "2026-01-31T12:00:00.000000Z"),
        (datetime, "{value}", NOON.astimezone(timezone(timedelta(hours=5))), "2026-01-31T12:00:00.000000Z"),
        (Any, "{value:04d}", 12, "0012"),
    ],
)
def test_a_template_writes_the_value_itself(annotation: Any, template: str, value: Any, key: str) -> None:
    assert put_key(table_of(annotation, f"V#{template}"), value=value) == f"V#{key}"


@pytest.mark.parametrize(
    ("annotation", "template", "value", "said"),
    [
        (int, "{value:04d}", 12345, "is wider than {value:04d} in the key SK: make the format wider"),
        (int, "{value:04d}", -5, "is negative, and the key SK would not sort as the number does"),
        (float, "{value:07.2f}", 0.125, "has more decimal places than {value:07.2f}"),
        (float, "{value:.2f}", 0.125, "has more decimal places"),
        (float, "{value:04d}", 0.5, "has more decimal places"),
        (Decimal, "{value:07.2f}", Decimal(10000), "is wider than"),
        (Decimal, "{value:07.2f}", Decimal(-1), "is negative"),
        (Any, "{value:04d}", "12", "is text, and {value:04d} in the key SK is for numbers"),
        (Any, "{value:04d}", True, "is part of the key SK, so it must be text or a number"),
        (datetime, "{value}", datetime(2026, 1, 31), "a datetime without a time zone is no key"),  # noqa: DTZ001
    ],
)
def test_what_would_break_the_order_of_keys_or_lose_a_part_is_refused_everywhere(
    annotation: Any, template: str, value: Any, said: str
) -> None:
    table = table_of(annotation, f"V#{template}")
    attempts: list[Callable[[], object]] = [
        lambda: put_key(table, value=value),
        lambda: table.actions.get({"owner": "o", "value": value}),
        lambda: table.actions.delete({"owner": "o", "value": value}),
        *(partial(ask, table, operator, value) for operator in ["equals", *RANGES]),
    ]
    for attempt in attempts:
        with pytest.raises(ValidationFailed) as caught:
            attempt()
        assert f"value: {said}" in str(caught.value)


@given(st.integers(0, 10**8 - 1), st.integers(0, 10**8 - 1))
def test_padded_keys_sort_as_their_numbers(one: int, other: int) -> None:
    table = table_of(int, "V#{value:08d}")
    assert (put_key(table, value=one) < put_key(table, value=other)) == (one < other)


@given(
    st.tuples(st.text("a#", min_size=1, max_size=4), st.text("a#", min_size=1, max_size=4)),
    st.tuples(st.text("a#", min_size=1, max_size=4), st.text("a#", min_size=1, max_size=4)),
    st.sampled_from(["#", "##", "#a#"]),
)
def test_two_keys_never_give_one_text(one: tuple[str, str], other: tuple[str, str], between: str) -> None:
    table = table_of(str, f"V#{{first}}{between}{{value}}", first=(str, ...))
    try:
        keys = [put_key(table, first=first, value=value) for first, value in (one, other)]
    except ValidationFailed as error:
        assert "which ends this part of the key" in str(error)  # noqa: PT017
        return
    assert (keys[0] == keys[1]) == (one == other)


# --- ranges


@pytest.mark.parametrize("operator", RANGES)
def test_numbers_without_zeros_in_front_are_compared_by_equals_alone(operator: str) -> None:
    table = table_of(int, "V#{value}")
    with pytest.raises(InvalidQuery, match="value is a number without zeros in front in SK") as caught:
        ask(table, operator, 9)
    assert "{value:08d}" in caught.value.fix
    assert ask(table, "equals", 9)["ExpressionAttributeValues"][":v1"] == {"S": "V#9"}
    padded = ask(table_of(int, "V#{value:08d}"), operator, 9)
    assert {"S": "V#00000009"} in padded["ExpressionAttributeValues"].values()


@pytest.mark.parametrize("operator", RANGES)
@pytest.mark.parametrize(
    ("annotation", "value"), [(timedelta, timedelta(hours=1)), (IPv4Address, IPv4Address("10.0.0.9"))]
)
def test_text_that_does_not_sort_as_its_values_is_compared_by_equals_alone(
    annotation: Any, value: Any, operator: str
) -> None:
    plain: Any = create_model("Plain", PK=(str, ...), SK=(annotation, ...))
    client: Any = Client()
    table = TypedTable(plain, Table("t", "PK", "SK"), client)
    bound = (value, value) if operator == "between" else value
    with pytest.raises(InvalidQuery, match="SK is stored as text that does not sort"):
        table.query(where={"PK": {"equals": "a"}, "SK": {operator: bound}})  # type: ignore[misc]
    with pytest.raises(InvalidQuery, match="value is stored as text that does not sort"):
        ask(table_of(annotation, "V#{value}"), operator, value)
    ask(table_of(annotation, "V#{value}"), "equals", value)


def test_a_where_uses_the_stored_form_of_moments() -> None:
    east = timezone(timedelta(hours=5))
    request = ask(table_of(AwareDatetime, "V#{value}"), "greater_than", datetime(2026, 1, 31, 17, tzinfo=east))
    assert {"S": "V#2026-01-31T12:00:00.000000Z"} in request["ExpressionAttributeValues"].values()


def test_begins_with_takes_the_text_of_a_string_and_no_bytes() -> None:
    table = table_of(str, "V#{value}")
    assert ask(table, "begins_with", Word.YES)["ExpressionAttributeValues"][":v1"] == {"S": "V#yes"}
    with pytest.raises(InvalidQuery, match="begins_with on value takes text"):
        ask(table, "begins_with", b"yes")


# --- key fields


def test_naive_datetimes_are_no_keys_of_tables_or_indexes() -> None:
    client: Any = Client()
    naive: Any = create_model("Naive", PK=(str, ...), SK=(NaiveDatetime, ...))
    with pytest.raises(BuildError, match="SK is part of a key and a datetime without a time zone") as caught:
        TypedTable(naive, Table("t", "PK", "SK"), client)
    assert (caught.value.rule, caught.value.fix) == ("typed-key", "SK: AwareDatetime")

    class Event(BaseModel):
        PK: str
        at: datetime
        seen: datetime = NOON

    table: Any = TypedTable(Event, Table("t", "PK", indexes={"by_at": Index("PK", "at")}), client)
    day = datetime(2026, 1, 31)  # noqa: DTZ001
    with pytest.raises(ValidationFailed, match="at: a datetime without a time zone is no key"):
        table.actions.put(Event(PK="a", at=day))
    with pytest.raises(ValidationFailed, match="at: a datetime without a time zone is no key"):
        table.query(where={"PK": {"equals": "a"}, "at": {"greater_than": day}}, index="by_at")
    assert table.actions.put(Event(PK="a", at=NOON, seen=day)).item["seen"] == {"S": "2026-01-31T00:00:00.000000"}


def test_a_serializer_of_its_own_makes_any_datetime_a_key() -> None:
    stamp = Annotated[datetime, PlainSerializer(lambda at: at.isoformat())]
    noon = datetime(2026, 1, 31, 12)  # noqa: DTZ001
    assert put_key(table_of(stamp, "V#{value}"), value=noon) == "V#2026-01-31T12:00:00"


def test_a_template_does_not_overwrite_a_field() -> None:
    class Thing(BaseModel):
        PK: str

    client: Any = Client()
    with pytest.raises(BuildError, match="PK is a field of Thing, and its template would overwrite it"):
        TypedTable(Thing, Table("t", "PK"), client, partition_key="T#{PK}")
    table = TypedTable(Thing, Table("t", "PK"), client, partition_key="{PK}")
    assert table.actions.put(Thing(PK="a")).item == {"PK": {"S": "a"}}


def test_times_of_day_sort_as_text_and_those_with_a_zone_are_no_keys() -> None:
    table = table_of(time, "V#{value}")
    assert put_key(table, value=time(9, 30)) == "V#09:30:00"
    with pytest.raises(ValidationFailed, match="value: a time of day with a time zone is no key"):
        put_key(table, value=time(10, tzinfo=timezone(timedelta(hours=2))))
    with pytest.raises(ValidationFailed, match="value: a time of day with a time zone is no key"):
        ask(table, "greater_than", time(9, tzinfo=UTC))
