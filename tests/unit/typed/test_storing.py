"""How each type of field is stored, and that it is read back as it was."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from ipaddress import IPv4Address
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal, NamedTuple
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AnyUrl, BaseModel, ConfigDict, Field, SecretStr, create_model, field_serializer

from expr_builder import BuildError, to_item
from expr_builder.typed import ValidationFailed
from expr_builder.typed.model_codec import Codec
from expr_builder.typed.stored_forms import to_stored_form

FIVE_EAST = timezone(timedelta(hours=5))


class Colour(Enum):
    RED = "red"
    NUMBER = 5


class Level(IntEnum):
    HIGH = 3


class Word(StrEnum):
    YES = "yes"


class Point(NamedTuple):
    x: int
    y: int


@dataclass
class Size:
    width: Decimal
    seen: datetime


class Inner(BaseModel):
    number: int
    note: str | None = None


class Text(str):
    __slots__ = ()


class Moment(datetime):
    pass


NOON = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
ID = UUID("12345678-1234-5678-1234-567812345678")

CASES: list[tuple[Any, Any, Any]] = [
    (str, "text", {"S": "text"}),
    (int, 5, {"N": "5"}),
    (int, 10**30, {"N": "1" + "0" * 30}),
    (float, 0.1, {"N": "0.1"}),
    (float, 2.0, {"N": "2"}),
    (Decimal, Decimal("1.50"), {"N": "1.5"}),
    (bool, True, {"BOOL": True}),
    (bytes, b"\x00\xff", {"B": b"\x00\xff"}),
    (datetime, NOON, {"S": "2026-01-31T12:00:00.000000Z"}),
    (datetime, datetime(2026, 1, 31, 17, 0, 0, 5, tzinfo=FIVE_EAST), {"S": "2026-01-31T12:00:00.000005Z"}),
    (datetime, datetime(2026, 1, 31, 12), {"S": "2026-01-31T12:00:00.000000"}),  # noqa: DTZ001  # on purpose
    (date, date(2026, 1, 31), {"S": "2026-01-31"}),
    (time, time(12, 30), {"S": "12:30:00"}),
    (timedelta, timedelta(hours=1, seconds=1), {"S": "PT1H1S"}),
    (UUID, ID, {"S": str(ID)}),
    (Colour, Colour.RED, {"S": "red"}),
    (Colour, Colour.NUMBER, {"N": "5"}),
    (Level, Level.HIGH, {"N": "3"}),
    (Word, Word.YES, {"S": "yes"}),
    (Literal["a", "b"], "a", {"S": "a"}),
    (AnyUrl, AnyUrl("https://example.com/a"), {"S": "https://example.com/a"}),
    (IPv4Address, IPv4Address("127.0.0.1"), {"S": "127.0.0.1"}),
    (PurePosixPath, PurePosixPath("/a/b"), {"S": "/a/b"}),
    (Inner, Inner(number=1), {"M": {"note": {"NULL": True}, "number": {"N": "1"}}}),
    (list[int], [1, 2], {"L": [{"N": "1"}, {"N": "2"}]}),
    (list[int], [], {"L": []}),
    (tuple[int, str], (1, "a"), {"L": [{"N": "1"}, {"S": "a"}]}),
    (Point, Point(1, 2), {"L": [{"N": "1"}, {"N": "2"}]}),
    (deque[datetime], deque([NOON]), {"L": [{"S": "2026-01-31T12:00:00.000000Z"}]}),
    (
        dict[str, Inner],
        {"a": Inner(number=1, note="n")},
        {"M": {"a": {"M": {"note": {"S": "n"}, "number": {"N": "1"}}}}},
    ),
    (dict[int, float], {1: 0.5}, {"M": {"1": {"N": "0.5"}}}),
    (dict[UUID, bool], {ID: False}, {"M": {str(ID): {"BOOL": False}}}),
    (set[str], {"b", "a"}, {"SS": ["a", "b"]}),
    (frozenset[int], frozenset({2, 1}), {"NS": ["1", "2"]}),
    (set[float], {0.5}, {"NS": ["0.5"]}),
    (set[bytes], {b"a"}, {"BS": [b"a"]}),
    (set[UUID], {ID}, {"SS": [str(ID)]}),
    (set[Colour], {Colour.RED}, {"SS": ["red"]}),
    (set[bool], {True}, {"L": [{"BOOL": True}]}),
    (set[int | str], {"a", 1}, {"L": [{"S": "a"}, {"N": "1"}]}),
    (set[tuple[int, int]], {(1, 2)}, {"L": [{"L": [{"N": "1"}, {"N": "2"}]}]}),
    (list[set[int]], [{1}, set()], {"L": [{"NS": ["1"]}, {"L": []}]}),
    (Size, Size(Decimal("1.5"), NOON), {"M": {"seen": {"S": "2026-01-31T12:00:00.000000Z"}, "width": {"N": "1.5"}}}),
    (str | None, "text", {"S": "text"}),
    (str | None, None, None),
    (set[str], set(), None),
    (Annotated[str | None, Field(max_length=3)], None, None),
]


def codec_of(annotation: Any, **field: Any) -> Codec[Any]:
    config = ConfigDict(arbitrary_types_allowed=True)
    model = create_model("Example", __config__=config, value=(annotation, Field(**field)))
    return Codec(model, ttl=None, keys=())


@pytest.mark.parametrize(("annotation", "value", "stored"), CASES, ids=[f"{case[0]}-{case[1]!r}" for case in CASES])
def test_each_type_has_its_stored_form_and_comes_back(annotation: Any, value: Any, stored: Any) -> None:
    codec = codec_of(annotation)
    model = codec.check(codec.model(value=value))
    item = codec.encode(model)
    assert to_item(item) == ({} if stored is None else {"value": stored})
    assert codec.decode(item).value == value
    assert type(codec.decode(item).value) is type(value)
    alone = codec.encode_fields({"value": value})
    assert ({} if codec.is_left_out("value", alone["value"]) else alone) == item


@given(st.datetimes(timezones=st.timezones()), st.datetimes(timezones=st.timezones()))
def test_the_order_of_stored_moments_is_the_order_of_time(one: datetime, other: datetime) -> None:
    try:
        texts = to_stored_form(one), to_stored_form(other)
    except BuildError:  # before the year 1 or after 9999 in UTC
        return
    assert (texts[0] < texts[1]) == (one < other)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**9), max_value=10**9), st.binary())
def test_numbers_and_bytes_come_back_exactly(number: Decimal, binary: bytes) -> None:
    codec = codec_of(tuple[Decimal, bytes])
    assert codec.decode(codec.encode(codec.model(value=(number, binary)))).value == (number, binary)


def test_values_of_subclasses_are_stored_as_their_base() -> None:
    assert to_stored_form(Text("a")) == "a"
    assert to_stored_form(bytearray(b"a")) == b"a"
    assert to_stored_form(Moment(2026, 1, 31, tzinfo=UTC)) == "2026-01-31T00:00:00.000000Z"


@pytest.mark.parametrize(
    ("annotation", "default", "value"),
    [
        (str | None, {"default": "x"}, None),
        (set[str], {"default": {"x"}}, set()),
        (set[str] | None, {}, set()),
        (int | None, {"default_factory": lambda: 5}, None),
    ],
)
def test_nothing_is_left_out_that_would_come_back_as_something_else(
    annotation: Any, default: dict[str, Any], value: Any
) -> None:
    codec = codec_of(annotation, **default)
    item = codec.encode(codec.check(codec.model(value=value)))
    assert "value" in item
    assert codec.decode(item).value == value


def test_a_secret_is_not_stored_masked() -> None:
    with pytest.raises(BuildError, match="value holds a secret, which is not stored by itself") as caught:
        codec_of(SecretStr)
    assert caught.value.rule == "typed-model"
    codec = codec_of(Any)  # says nothing: found when it is written
    with pytest.raises(ValidationFailed, match="value: a secret is not stored by itself") as failed:
        codec.encode(codec.check(codec.model(value=SecretStr("hunter2"))))
    assert "hunter2" not in str(failed.value)


def test_a_serializer_decides_how_a_secret_or_anything_else_is_stored() -> None:
    class Login(BaseModel):
        password: SecretStr
        at: datetime

        @field_serializer("password")
        def _plain(self, password: SecretStr) -> str:
            return password.get_secret_value()

        @field_serializer("at")
        def _local(self, at: datetime) -> str:
            return at.isoformat(" ")

    codec = Codec(Login, ttl=None, keys=())
    login = Login(password=SecretStr("hunter2"), at=NOON)
    assert codec.encode(codec.check(login)) == {"password": "hunter2", "at": "2026-01-31 12:00:00+00:00"}
    assert codec.encode_fields({"at": NOON}) == {"at": "2026-01-31 12:00:00+00:00"}


def test_a_type_without_any_stored_form_is_refused_by_name() -> None:
    class Opaque:
        pass

    with pytest.raises(BuildError, match="value holds Opaque, which cannot be read from what is stored"):
        codec_of(Opaque)
    codec = codec_of(Any)
    with pytest.raises(ValidationFailed, match="value: DynamoDB has no type for a Opaque"):
        codec.encode(codec.check(codec.model(value=Opaque())))


def test_a_serializer_that_fails_is_a_failed_validation_without_the_value() -> None:
    class Broken(BaseModel):
        value: str

        @field_serializer("value")
        def _refuse(self, value: str) -> str:
            raise ValueError(value)

    codec = Codec(Broken, ttl=None, keys=())
    with pytest.raises(ValidationFailed, match="the whole: a serializer of the model refuses") as caught:
        codec.check(Broken(value="hunter2"))
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("value", [True, "soon", 1.5])
def test_a_time_to_live_is_a_moment_or_whole_seconds(value: Any) -> None:
    model = create_model("Example", until=(Any, None))
    codec = Codec(model, ttl="until", keys=())
    with pytest.raises(ValidationFailed, match="until: a time to live is an aware datetime, or whole seconds"):
        codec.check(model(until=value))
    assert codec.encode(codec.check(model(until=NOON))) == {"until": 1769860800}
    assert codec.encode(codec.check(model(until=None))) == {}
