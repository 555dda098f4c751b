"""An update writes only what the model can read again, wherever a path leads and whatever DynamoDB computes."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import IntEnum
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, NotRequired

import boto3
import pytest
from botocore.exceptions import ClientError
from pydantic import (
    BaseModel,
    Field,
    JsonValue,
    PlainSerializer,
    RootModel,
    computed_field,
    field_serializer,
    field_validator,
)
from typing_extensions import TypedDict

from expr_builder import Attr, BuildError, Table
from expr_builder.typed import InvalidQuery, TypedTable, ValidationFailed
from tests.support.moto import empty_moto

if TYPE_CHECKING:
    from collections.abc import Iterator

CLIENT: Any = object()
KEY = {"id": "1"}


class Place(BaseModel):
    zip: str = Field(alias="postcode")
    number: int = 0
    tags: set[int] = Field(default_factory=set)
    needed: set[int] = {0}
    since: date | None = None


class Cat(BaseModel):
    kind: Literal["cat"]
    age: int = 0
    name: str = Field("", alias="n")


class Dog(BaseModel):
    kind: Literal["dog"]
    age: float = 0
    name: str = ""


@dataclass
class Point:
    x: int
    y: float = 0


class Limits(TypedDict):
    low: int
    high: NotRequired[Annotated[int, Field(ge=0)]]


class Pair(NamedTuple):
    left: int
    right: str


class Level(IntEnum):
    LOW = 1


class Numbers(RootModel[list[int]]):
    pass


class Open(BaseModel, extra="allow"):
    known: int = 0


class Thing(BaseModel):
    id: str
    count: int = Field(0, alias="c")
    stock: Annotated[int, Field(ge=0, multiple_of=5)] = 0
    share: float = 0
    price: Annotated[Decimal, Field(max_digits=5, decimal_places=2)] = Decimal(0)
    note: str = ""
    short: Annotated[str, Field(max_length=3)] = ""
    brief: Annotated[str, Field(max_length=3)] = ""
    numbers: list[int] = []
    days: list[date] = []
    words: set[str] = Field(default_factory=set)
    ids: set[int] = Field(default_factory=set)
    flags: set[bool] = Field(default_factory=set)
    mixed: set[int | str] = Field(default_factory=set)
    initial: set[str] = {"x"}
    home: Place | None = None
    homes: dict[str, Place] = {}
    by_day: dict[date, int] = {}
    pair: tuple[int, str] = (0, "")
    named: Pair = Pair(0, "")
    point: Point | None = None
    limits: Limits | None = None
    pet: Annotated[Cat | Dog, Field(discriminator="kind")] | None = None
    root: Numbers = Numbers([])
    opened: Open = Open()
    anything: Any = None
    payload: JsonValue = None
    payloads: list[JsonValue] = []
    one_of: Literal[1, 2] = 1
    level: Level = Level.LOW
    at: datetime | None = None
    until: datetime | None = None
    maybe: int | None = None
    either: int | str = 0
    cents: Decimal = Decimal(0)
    even: int = 0
    secret: str = Field("", exclude=True)

    @computed_field
    def doubled(self) -> int:
        return 2 * self.count

    @field_serializer("cents")
    def _to_cents(self, cents: Decimal) -> str:
        return str(cents)

    @field_validator("even")
    @classmethod
    def _is_even(cls, even: int) -> int:
        if even % 2:
            raise ValueError("odd")
        return even


THINGS = TypedTable(Thing, Table("things", "id"), CLIENT, ttl="until", hide_expired=False)


def draft(**changes: Any) -> tuple[str, list[Any]]:
    """The update expression without placeholders for names, and the values in order."""
    request: Any = THINGS.actions.update(KEY, **changes).to_request()
    text = request["UpdateExpression"]
    for alias, name in request.get("ExpressionAttributeNames", {}).items():
        text = text.replace(alias, name)
    return text, list(request.get("ExpressionAttributeValues", {}).values())


REFUSED: list[tuple[dict[str, Any], str, str]] = [
    # computed by DynamoDB
    ({"set": {"numbers": Attr("numbers").append("x")}}, "numbers[0]", "int_parsing"),
    ({"set": {"numbers": Attr("numbers").prepend([1, 1.5])}}, "numbers[1]", "int_from_float"),
    ({"set": {"numbers": Attr("days").append([1])}}, "numbers", "update_operand"),
    ({"set": {"pair": Attr("pair").append(1)}}, "pair", "update_operand"),
    ({"set": {"words": Attr("words").append("a")}}, "words", "update_operand"),
    ({"set": {"count": Attr("count") + 0.5}}, "count", "int_from_float"),
    ({"set": {"count": 1 - Attr("share")}}, "count", "update_operand"),
    ({"set": {"count": Attr("anything") + 1}}, "count", "update_operand"),
    ({"set": {"count": Attr("count").if_not_exists("x")}}, "count", "int_parsing"),
    ({"set": {"count": Attr("count").if_not_exists(0.5) + 1}}, "count", "int_from_float"),
    ({"set": {"stock": Attr("stock") - 3}}, "stock", "multiple_of"),
    ({"set": {"price": Attr("price") + Decimal("0.001")}}, "price", "decimal_max_places"),
    ({"set": {"until": Attr("until") + 0.5}}, "until", "int_from_float"),
    ({"set": {"count": Attr("missing") + 1}}, "missing", "unknown_field"),
    ({"set": {"cents": Attr("cents") + 1}}, "cents", "update_operand"),
    # copies
    ({"set": {"count": Attr("note")}}, "count", "update_operand"),
    ({"set": {"count": Attr("share")}}, "count", "update_operand"),
    ({"set": {"count": Attr("maybe")}}, "count", "update_operand"),
    ({"set": {"short": Attr("note")}}, "short", "update_operand"),
    ({"set": {"one_of": Attr("count")}}, "one_of", "update_operand"),
    ({"set": {"even": Attr("count")}}, "even", "update_operand"),
    ({"set": {"at": Attr("until")}}, "at", "update_operand"),
    ({"set": {"note": Attr("cents")}}, "cents", "update_operand"),
    ({"set": {"note": Attr("home")["number"]}}, "note", "update_operand"),
    ({"set": {"count": Attr("numbers")[0].if_not_exists("x")}}, "count", "int_parsing"),
    # by path
    ({"set": {Attr("count"): "x"}}, "count", "int_parsing"),
    ({"set": {Attr("home")["zip"]: 5}}, "home.zip", "string_type"),
    ({"set": {Attr("home")["postcode"]: 5}}, "home.zip", "string_type"),
    ({"set": {Attr("home")["street"]: "x"}}, "home.street", "unknown_field"),
    ({"set": {Attr("numbers")[0]: "x"}}, "numbers[0]", "int_parsing"),
    ({"set": {Attr("homes")["secret key"]["zip"]: 5}}, "homes.*.zip", "string_type"),
    ({"set": {Attr("homes")["a"]: {"number": 1}}}, "homes.*.postcode", "missing"),
    ({"set": {Attr("by_day")["x"]: 1}}, "by_day.*", "date_from_datetime_parsing"),
    ({"set": {Attr("by_day")["2026-01-31"]: "x"}}, "by_day.*", "int_parsing"),
    ({"set": {Attr("pair")[0]: "x"}}, "pair[0]", "int_parsing"),
    ({"set": {Attr("pair")[2]: "x"}}, "pair", "path"),
    ({"set": {Attr("named")[0]: "x"}}, "named[0]", "int_parsing"),
    ({"set": {Attr("named")[2]: "x"}}, "named", "path"),
    ({"set": {Attr("point")["x"]: "x"}}, "point.x", "int_parsing"),
    ({"set": {Attr("point")["z"]: 1}}, "point", "path"),
    ({"set": {Attr("limits")["high"]: -1}}, "limits.high", "greater_than_equal"),
    ({"set": {Attr("root")[0]: "x"}}, "root[0]", "int_parsing"),
    ({"set": {Attr("pet")["kind"]: "dog"}}, "pet.kind", "literal_error"),
    ({"set": {Attr("pet")["age"]: 1.5}}, "pet.age", "int_from_float"),
    ({"set": {Attr("pet")["name"]: "Tom"}}, "pet", "union"),
    ({"set": {Attr("pet")["tail"]: 1}}, "pet", "path"),
    ({"set": {Attr("words")[0]: "a"}}, "words", "path"),
    ({"set": {Attr("note")["a"]: "a"}}, "note", "path"),
    ({"set": {Attr("cents")["a"]: "a"}}, "cents", "path"),
    ({"set": {Attr("opened")["known"]: "x"}}, "opened.known", "int_parsing"),
    ({"set": {Attr("anything")["x"]: Point}}, "anything.*", "value-type"),
    ({"set": {"payload": 0.5}}, "payload", "round_trip"),
    ({"set": {Attr("payload")["x"][3]: 1.0}}, "payload.*[3]", "round_trip"),
    ({"set": {Attr("payload")["x"]: {1}}}, "payload.*", "invalid-json-value"),
    ({"set": {"payload": Attr("payload").append(1)}}, "payload", "update_operand"),
    ({"set": {"payload": Attr("payload") + 1}}, "payload", "update_operand"),
    ({"set": {"payloads": Attr("payloads").append(0.5)}}, "payloads[0]", "invalid-json-value"),
    ({"set": {"doubled": 1}}, "doubled", "computed"),
    ({"set": {"secret": "x"}}, "secret", "not_stored"),
    # ADD and DELETE
    ({"add": {"count": 1.5}}, "count", "int_from_float"),
    ({"add": {"note": 1}}, "note", "update_operand"),
    ({"add": {"one_of": 1}}, "one_of", "update_operand"),
    ({"add": {"level": 1}}, "level", "update_operand"),
    ({"add": {"ids": {"x"}}}, "ids[0]", "int_parsing"),
    ({"add": {"words": {1}}}, "words[0]", "string_type"),
    ({"add": {"words": "x"}}, "words", "set_type"),
    ({"add": {"count": {1}}}, "count", "update_operand"),
    ({"add": {"flags": {True}}}, "flags", "update_operand"),
    ({"add": {"mixed": {1}}}, "mixed", "update_operand"),
    ({"add": {Attr("home")["number"]: 0.5}}, "home.number", "int_from_float"),
    ({"delete": {"ids": {"x"}}}, "ids[0]", "int_parsing"),
    ({"delete": {"ids": 1}}, "ids", "set_type"),
    ({"delete": {"initial": {"x"}}}, "initial", "update_operand"),
    ({"delete": {Attr("home")["needed"]: {0}}}, "home.needed", "update_operand"),
    # REMOVE
    ({"remove": [Attr("home")["zip"]]}, "home.zip", "missing"),
    ({"remove": [Attr("pair")[0]]}, "pair[0]", "missing"),
    ({"remove": [Attr("named")[0]]}, "named[0]", "missing"),
    ({"remove": [Attr("point")["x"]]}, "point.x", "missing"),
    ({"remove": [Attr("limits")["low"]]}, "limits.low", "missing"),
    ({"remove": [Attr("pet")["kind"]]}, "pet.kind", "missing"),
]


@pytest.mark.parametrize(("changes", "field", "code"), REFUSED)
def test_what_could_not_be_read_again_is_refused_with_the_path_of_the_field(
    changes: dict[str, Any], field: str, code: str
) -> None:
    with pytest.raises(ValidationFailed) as caught:
        THINGS.actions.update(KEY, **changes)
    assert [(problem.field, problem.code) for problem in caught.value.problems] == [(field, code)]


TAKEN: list[tuple[dict[str, Any], str, list[Any]]] = [
    (
        {"set": {"numbers": Attr("numbers").append(["5", 6])}},
        "SET numbers = list_append(if_not_exists(numbers, :v0), :v1)",
        [{"L": []}, {"L": [{"N": "5"}, {"N": "6"}]}],
    ),
    (
        {"set": {"numbers": Attr("numbers").append(Attr("root"))}},
        "SET numbers = list_append(if_not_exists(numbers, :v0), root)",
        [{"L": []}],
    ),
    ({"set": {"count": Attr("count") + 1}}, "SET c = c + :v0", [{"N": "1"}]),
    ({"set": {"count": Attr("c").increment()}}, "SET c = if_not_exists(c, :v0) + :v1", [{"N": "0"}, {"N": "1"}]),
    ({"set": {"stock": Attr("stock") - 5}}, "SET stock = stock - :v0", [{"N": "5"}]),
    ({"set": {"price": Attr("price") + Decimal("0.01")}}, "SET price = price + :v0", [{"N": "0.01"}]),
    ({"set": {"share": Attr("count") + Attr("price")}}, "SET share = c + price", []),
    ({"set": {"share": Attr("anything") + 1}}, "SET share = anything + :v0", [{"N": "1"}]),
    ({"set": {"until": Attr("until") + 3600}}, "SET until = until + :v0", [{"N": "3600"}]),
    ({"set": {"either": Attr("either") + 1}}, "SET either = either + :v0", [{"N": "1"}]),
    ({"set": {"maybe": Attr("count")}}, "SET maybe = c", []),
    ({"set": {"share": Attr("home")["number"]}}, "SET share = home.number", []),
    ({"set": {"note": Attr("id")}}, "SET note = id", []),
    ({"set": {"brief": Attr("short")}}, "SET brief = short", []),
    ({"set": {"maybe": Attr("one_of")}}, "SET maybe = one_of", []),
    ({"set": {"even": Attr("even").if_not_exists(2)}}, "SET even = if_not_exists(even, :v0)", [{"N": "2"}]),
    (
        {"set": {"at": Attr("at").if_not_exists("2026-01-31T10:00:00+01:00")}},
        "SET at = if_not_exists(at, :v0)",
        [{"S": "2026-01-31T09:00:00.000000Z"}],
    ),
    (
        {"set": {Attr("at"): datetime(2026, 1, 31, tzinfo=UTC)}},
        "SET at = :v0",
        [{"S": "2026-01-31T00:00:00.000000Z"}],
    ),
    (
        {"set": {"days": Attr("days").append("2026-01-31")}},
        "SET days = list_append(if_not_exists(days, :v0), :v1)",
        [{"L": []}, {"L": [{"S": "2026-01-31"}]}],
    ),
    ({"set": {Attr("home")["zip"]: "5"}}, "SET home.postcode = :v0", [{"S": "5"}]),
    ({"set": {Attr("home")["since"]: date(2026, 1, 31)}}, "SET home.since = :v0", [{"S": "2026-01-31"}]),
    ({"set": {Attr("home")["since"]: None}}, "SET home.since = :v0", [{"NULL": True}]),
    (
        {"set": {Attr("homes")["a"]["number"]: Attr("home")["number"] + 1}},
        "SET homes.a.number = home.number + :v0",
        [{"N": "1"}],
    ),
    ({"set": {Attr("pair")[1]: "x"}}, "SET pair[1] = :v0", [{"S": "x"}]),
    ({"set": {Attr("named")[1]: "x"}}, "SET named[1] = :v0", [{"S": "x"}]),
    ({"set": {Attr("point")["x"]: "1"}}, "SET point.x = :v0", [{"N": "1"}]),
    ({"set": {Attr("limits")["high"]: 1}}, "SET limits.high = :v0", [{"N": "1"}]),
    ({"set": {Attr("root")[0]: 1}}, "SET root[0] = :v0", [{"N": "1"}]),
    ({"set": {Attr("pet")["age"]: 2}}, "SET pet.age = :v0", [{"N": "2"}]),
    ({"set": {Attr("opened")["other"]: "x"}}, "SET opened.other = :v0", [{"S": "x"}]),
    ({"set": {Attr("anything")["x"][3]: {"a": 1}}}, "SET anything.x[3] = :v0", [{"M": {"a": {"N": "1"}}}]),
    ({"set": {"payload": Attr("payloads")[0]}}, "SET payload = payloads[0]", []),
    ({"set": {Attr("payload")["x"][3]: {"a": None}}}, "SET payload.x[3] = :v0", [{"M": {"a": {"NULL": True}}}]),
    (
        {"set": {"payloads": Attr("payloads").append([1, {"a": ["b"]}])}},
        "SET payloads = list_append(if_not_exists(payloads, :v0), :v1)",
        [{"L": []}, {"L": [{"N": "1"}, {"M": {"a": {"L": [{"S": "b"}]}}}]}],
    ),
    ({"set": {"anything": Attr("anything") + 1}}, "SET anything = anything + :v0", [{"N": "1"}]),
    ({"set": {"words": set()}}, "REMOVE words", []),
    ({"add": {"count": 1}}, "ADD c :v0", [{"N": "1"}]),
    ({"add": {"stock": -5}}, "ADD stock :v0", [{"N": "-5"}]),
    ({"add": {"anything": 0.5}}, "ADD anything :v0", [{"N": "0.5"}]),
    ({"add": {"ids": {"1"}}}, "ADD ids :v0", [{"NS": ["1"]}]),
    ({"add": {Attr("home")["tags"]: {1}}}, "ADD home.tags :v0", [{"NS": ["1"]}]),
    ({"delete": {"ids": {1}}}, "DELETE ids :v0", [{"NS": ["1"]}]),
    ({"delete": {Attr("home")["tags"]: {1}}}, "DELETE home.tags :v0", [{"NS": ["1"]}]),
    ({"remove": ["count", Attr("numbers")[0], Attr("home")["number"]]}, "REMOVE c, numbers[0], home.number", []),
    (
        {"remove": [Attr("homes")["a"], Attr("point")["y"], Attr("limits")["high"]]},
        "REMOVE homes.a, point.y, limits.high",
        [],
    ),
]


@pytest.mark.parametrize(("changes", "text", "values"), TAKEN)
def test_what_fits_is_written_in_its_stored_form_under_its_stored_name(
    changes: dict[str, Any], text: str, values: list[Any]
) -> None:
    assert draft(**changes) == (text, values)


def test_the_key_of_an_entry_is_written_as_it_is_stored() -> None:
    class Days(BaseModel):
        id: str
        by_number: dict[int, str] = {}

    days = TypedTable(Days, Table("t", "id"), CLIENT)
    update = days.actions.update(KEY, set={Attr("by_number")["007"]: "x"})
    assert update.actions[0].path.segments == ("by_number", "7")


def test_a_serializer_inside_an_annotation_keeps_paths_out() -> None:
    class Coded(BaseModel):
        id: str
        code: Annotated[int, PlainSerializer(lambda code: f"#{code}", return_type=str)] = 0

        @field_validator("code", mode="before")
        @classmethod
        def _read(cls, code: Any) -> Any:
            return int(code[1:]) if isinstance(code, str) else code

    coded = TypedTable(Coded, Table("t", "id"), CLIENT)
    assert coded.actions.update(KEY, set={"code": 5}).to_request()["ExpressionAttributeValues"] == {":v0": {"S": "#5"}}
    with pytest.raises(ValidationFailed, match="code: is stored in a form of its own"):
        coded.actions.update(KEY, add={"code": 1})


def test_what_is_no_operand_at_all_is_the_builders_to_refuse() -> None:
    changes: list[dict[str, Any]] = [
        {"set": {"count": Attr("count").size()}},
        {"add": {"count": Attr("count") + 1}},
        {"delete": {"ids": Attr("ids")}},
        {"add": {"ids": set()}},
        {"set": {5: 1}},
    ]
    for change in changes:
        with pytest.raises(BuildError):
            THINGS.actions.update(KEY, **change)


def test_one_field_is_set_once() -> None:
    with pytest.raises(InvalidQuery, match="count is set twice"):
        THINGS.actions.update(KEY, set={"count": 1, "c": 2})


# --- keys given by keyword


class Consistent(BaseModel):
    id: str
    consistent: str


def test_a_keyword_that_could_be_a_field_of_the_key_is_refused() -> None:
    flagged = TypedTable(Consistent, Table("t", "PK"), CLIENT, partition_key="X#{id}#{consistent}")
    own = TypedTable(Consistent, Table("t", "id", "consistent"), CLIENT)
    for table in (flagged, own):
        with pytest.raises(InvalidQuery, match="consistent is a field of the key and a parameter") as caught:
            table.get(id="1", consistent=True)
        assert caught.value.fix == 'pass the key as a mapping: get({"consistent": …})'
    assert own.actions.get({"id": "1", "consistent": "yes"}).key == {"id": {"S": "1"}, "consistent": {"S": "yes"}}


def test_a_key_is_given_in_one_way() -> None:
    with pytest.raises(InvalidQuery, match="not both: consistant"):
        THINGS.get(KEY, consistant=True)  # type: ignore[call-overload]


# --- a set that becomes empty


class Tagged(BaseModel):
    id: str
    tags: set[str] = Field(default_factory=set)
    needed: set[int]


@contextmanager
def create_table() -> Iterator[Any]:
    """A client of moto in this process, which has the table ``t``."""
    with empty_moto():
        client: Any = boto3.client("dynamodb", "us-east-1")
        client.create_table(
            TableName="t",
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )
        yield client


@pytest.fixture
def tagged() -> Iterator[TypedTable[Tagged, Tagged]]:
    with create_table() as client:
        table = TypedTable(Tagged, Table("t", "id"), client).strict()
        table.put(Tagged(id="1", tags={"a"}, needed={1}))
        yield table


EMPTY: dict[str, Any] = {
    "delete": lambda table: table.update(KEY, delete={"tags": {"a"}, "needed": {1}}),
    "set": lambda table: table.update(KEY, set={"tags": set(), "needed": set()}),
    "remove": lambda table: table.update(KEY, remove=["tags", "needed"]),
    "modify": lambda table: table.modify(KEY, lambda one: one.model_copy(update={"tags": set(), "needed": set()})),
    "put": lambda table: table.put(Tagged(id="1", needed=set())),
}
GROW: dict[str, Any] = {
    "add": lambda table: table.update(KEY, add={"tags": {"b"}, "needed": {2}}),
    "set": lambda table: table.update(KEY, set={"tags": {"b"}, "needed": {2}}),
    "modify": lambda table: table.modify(KEY, lambda one: one.model_copy(update={"tags": {"b"}, "needed": {2}})),
    "put": lambda table: table.put(Tagged(id="1", tags={"b"}, needed={2})),
}


@pytest.mark.parametrize("empty", EMPTY)
@pytest.mark.parametrize("grow", GROW)
def test_a_set_can_be_emptied_and_grow_again_in_every_way(
    tagged: TypedTable[Tagged, Tagged], empty: str, grow: str
) -> None:
    EMPTY[empty](tagged)
    assert tagged.get(KEY) == Tagged(id="1", needed=set())
    GROW[grow](tagged)
    assert tagged.update(KEY, add={"tags": {"c"}}) == Tagged(id="1", tags={"b", "c"}, needed={2})


class Shelf(BaseModel):
    tags: set[int] = Field(default_factory=set)


class Listed(BaseModel):
    id: str
    initial: set[str] = {"x"}
    maybe: set[str] | None = None
    needed: set[str] | None
    shelf: Shelf = Shelf()
    shelves: dict[str, set[str]] = {"a": set()}
    left_out: set[str] = Field(default_factory=set)


@pytest.fixture
def listed() -> Iterator[TypedTable[Listed, Listed]]:
    """An item whose sets are all empty; those that cannot be left out are stored as lists."""
    with create_table() as client:
        table = TypedTable(Listed, Table("t", "id"), client).strict()
        table.put(Listed(id="1", initial=set(), maybe=set(), needed=set()))
        yield table


@pytest.mark.parametrize("exactly_once", [False, True])
@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({"add": {"initial": {"y"}}}, ["initial"]),
        ({"add": {"maybe": {"y"}, "needed": {"z"}, "left_out": {"x"}}}, ["maybe", "needed"]),
        ({"add": {Attr("shelf")["tags"]: {1}}}, ["shelf.tags"]),
        ({"delete": {Attr("shelves")["a"]: {"x"}}}, ["shelves.*"]),
    ],
)
def test_a_set_that_is_stored_as_a_list_is_named_when_it_cannot_be_changed(
    listed: TypedTable[Listed, Listed], changes: dict[str, Any], names: list[str], exactly_once: bool
) -> None:
    before = listed.get(KEY)
    with pytest.raises(ValidationFailed) as caught:
        listed.update(KEY, **changes, exactly_once=exactly_once)
    said = "may be stored as a list or NULL, which is no set: set the whole value, or use modify [set_type]"
    assert str(caught.value) == "Listed: " + "; ".join(f"{name}: {said}" for name in names)
    assert "incorrect data type" in str(caught.value.__cause__)
    assert listed.get(KEY) == before


def test_what_the_error_advises_lets_the_set_grow(listed: TypedTable[Listed, Listed]) -> None:
    changed = listed.modify(KEY, lambda one: one.model_copy(update={"maybe": {"y"}, "shelf": Shelf(tags={1})}))
    assert (changed.maybe, changed.shelf.tags) == ({"y"}, {1})
    after = listed.update(KEY, set={"needed": {"z"}}, add={"maybe": {"z"}, Attr("shelf")["tags"]: {2}})
    assert (after.maybe, after.shelf.tags, after.needed) == ({"y", "z"}, {1, 2}, {"z"})


def test_another_refusal_of_an_update_stays_what_it_is(tagged: TypedTable[Tagged, Tagged]) -> None:
    Table("t", "id").put({"id": "1", "tags": ["of another program"]}).send(tagged._client)
    with pytest.raises(ClientError, match="incorrect data type"):
        tagged.update(KEY, add={"tags": {"a"}})


def test_the_plain_builder_writes_no_empty_set() -> None:
    with pytest.raises(BuildError) as caught:
        Table("t", "id").put({"id": "1", "tags": set()})
    assert str(caught.value) == (
        'Put "t", Item.tags: an empty set, which DynamoDB cannot store '
        "(leave the attribute out, or remove it in an update) [set-empty]"
    )
