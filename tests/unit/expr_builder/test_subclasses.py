"""Subclasses of str, int, Decimal, list … count as what they hold, whatever they say of themselves."""

from __future__ import annotations

import enum
import functools
from collections import UserDict
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from expr_builder import (
    Attr,
    BuildError,
    Condition,
    Key,
    Table,
    all_of,
    from_attribute_value,
    from_item,
    item_size,
    lint,
    parse_condition,
    parse_projection,
    parse_update,
    to_attribute_value,
    to_item,
)
from expr_builder.attribute_values.numbers import to_number
from expr_builder.attribute_values.serializing import serialize

if TYPE_CHECKING:
    from collections.abc import Callable

table = Table("t", "PK")
KEY = {"PK": "1"}


class Lying(str):
    """Text that says nothing true of itself."""

    __slots__ = ()

    def _lie(self, *_: object) -> Any:
        return "a lie"

    __str__ = __repr__ = __format__ = _lie
    encode = strip = replace = partition = lower = upper = _lie  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return self is other

    def __lt__(self, other: object) -> bool:
        return True

    __le__ = __gt__ = __ge__ = __lt__

    def __hash__(self) -> int:
        return id(self)

    def __len__(self) -> int:
        return 3

    def __iter__(self) -> Any:
        return iter("lie")

    def __getitem__(self, _: object) -> str:
        return "l"

    def __contains__(self, _: object) -> bool:
        return True

    def __bool__(self) -> bool:
        return False

    def isascii(self) -> bool:
        return False


_make_enum: Any = functools.partial(enum.Enum, "Field")  # type checkers read only enumerations that stand in a file
_make_str_enum: Any = functools.partial(enum.StrEnum, "Field")

TEXTS: dict[str, Callable[[str], str]] = {
    "StrEnum": lambda text: _make_str_enum([("NAME", text)])(text),
    "str and Enum": lambda text: _make_enum([("NAME", text)], type=str)(text),
    "lying": Lying,
}
"""Ways to carry text."""


class _LyingNumber:
    """Goes before a type of numbers, and says nothing true of it."""

    def _lie(self, *_: object) -> Any:
        return 7

    def _write(self, *_: object) -> str:
        return "EUR 1.5"

    def _differ(self, _: object) -> bool:
        return False

    __str__ = __repr__ = __format__ = _write
    __int__ = __index__ = __trunc__ = __abs__ = __neg__ = __round__ = bit_length = as_tuple = _lie

    def __float__(self) -> float:
        return 7.0

    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = _differ

    def __hash__(self) -> int:
        return id(self)

    def __bool__(self) -> bool:
        return False


class LyingInt(_LyingNumber, int):
    pass


class LyingFloat(_LyingNumber, float):
    pass


class LyingDecimal(_LyingNumber, Decimal):
    pass


def disguise(number: int | float | Decimal) -> int | float | Decimal:
    """The number, carried by a class that says nothing true of it."""
    if isinstance(number, int):
        return LyingInt(number)
    return LyingFloat(number) if isinstance(number, float) else LyingDecimal(number)


def walk(part: Any) -> Any:
    """Everything in a request, names included."""
    yield part
    if isinstance(part, dict):
        for name, value in part.items():
            yield name
            yield from walk(value)
    elif isinstance(part, (list, tuple)):
        for value in part:
            yield from walk(value)


def assert_plain(request: Any) -> None:
    assert {type(part) for part in walk(request)} <= {dict, list, str, bytes, bool, int, type(None)}


def condition_of(make: Callable[[Any], Condition]) -> Callable[[Any], Any]:
    return lambda text: table.scan().filter(make(text)).to_request()


def update_of(change: Callable[[Any, Any], Any]) -> Callable[[Any], Any]:
    return lambda text: change(table.update(KEY), text).to_request()


ENTRANCES: dict[str, Callable[[Any], Any]] = {
    "Attr": condition_of(lambda text: Attr(text).exists()),
    "a step": condition_of(lambda text: Attr("a")[text].exists()),
    "a name in path text": condition_of(lambda text: Attr.path(text).exists()),
    "Key": lambda text: table.query(Key(text).eq("1")).on_index("index").to_request(),
    "eq": condition_of(lambda text: Attr("a") == text),
    "ne": condition_of(lambda text: Attr("a") != text),
    "between": condition_of(lambda text: Attr("a").between(text, text)),
    "is_in": condition_of(lambda text: Attr("a").is_in([text, "x"])),
    "is_in of a set": condition_of(lambda text: Attr("a").is_in({text, "x"})),
    "begins_with": condition_of(lambda text: Attr("a").begins_with(text)),
    "contains": condition_of(lambda text: Attr("a").contains(text)),
    "a value in a list": condition_of(lambda text: Attr("a") == [text]),
    "a value in a map": condition_of(lambda text: Attr("a") == {"x": text}),
    "a name in a map": condition_of(lambda text: Attr("a") == {text: 1}),
    "a value in a set": condition_of(lambda text: Attr("a") == {text}),
    "set by name": update_of(lambda update, text: update.set({text: 1})),
    "set by pair": update_of(lambda update, text: update.set((text, 1))),
    "set to": update_of(lambda update, text: update.set(a=text)),
    "add": update_of(lambda update, text: update.add({text: 1})),
    "add to a set": update_of(lambda update, text: update.add(a={text})),
    "delete": update_of(lambda update, text: update.delete({text: {"x"}})),
    "remove": update_of(lambda update, text: update.remove(text)),
    "append": update_of(lambda update, text: update.set(a=Attr("a").append(text))),
    "if_not_exists": update_of(lambda update, text: update.set(a=Attr("a").if_not_exists(text))),
    "project": lambda text: table.scan().project(text).to_request(),
    "project of get": lambda text: table.get(KEY, project=[text]).to_request(),
    "an item's name": lambda text: to_item({text: 1}),
    "an item's value": lambda text: to_item({"a": text}),
    "a mapping's name": lambda text: to_item(UserDict({text: 1})),
    "a value in a put": lambda text: table.put({"PK": "1", "a": {text: [{text}]}}).to_request(),
    "a name in parse": condition_of(lambda text: parse_condition("#a = 1", names={"#a": text})),
    "a value in parse": condition_of(lambda text: parse_condition("a = :a", values={":a": text})),
}
"""Every place where text is taken, as what is sent for it."""


@pytest.mark.parametrize("entrance", ENTRANCES)
@pytest.mark.parametrize("carrier", TEXTS)
@given(text=st.text("abcé", min_size=1, max_size=4))
def test_text_is_its_text_whatever_class_carries_it(entrance: str, carrier: str, text: str) -> None:
    made = ENTRANCES[entrance](TEXTS[carrier](text))

    assert_plain(made)
    assert made == ENTRANCES[entrance](text)


@pytest.mark.parametrize("carrier", TEXTS)
def test_expressions_their_placeholders_and_types_may_be_carried_by_any_class(carrier: str) -> None:
    carry = TEXTS[carrier]
    text = carry("#a = :v AND attribute_type(b, 'N')")
    made = parse_condition(text, names={carry("#a"): "a"}, values={carry(":v"): 1})

    assert made == all_of(Attr("a") == 1, Attr("b").attribute_type(carry("N")))
    assert parse_projection(carry("a.b, c"))[0].segments == ("a", "b")
    assert parse_update(carry("SET a = 1"))[0].path.segments == ("a",)


def test_attribute_names_of_an_enumeration_are_its_values() -> None:
    class Field(str, enum.Enum):  # noqa: UP042  # what people have
        EMAIL = "email"

    request = table.put({"PK": "1", Field.EMAIL: "ada@example.com"}).if_not_exists().to_request()
    assert request["Item"] == {"PK": {"S": "1"}, "email": {"S": "ada@example.com"}}
    assert (Attr(Field.EMAIL) == 1) == (Attr("email") == 1)
    assert Attr(Field.EMAIL).segments == ("email",)


@pytest.mark.parametrize("mapping", [dict, UserDict])
def test_two_keys_that_become_one_name_are_refused(mapping: Any) -> None:
    with pytest.raises(BuildError) as caught:
        to_item({"m": mapping({Lying("a"): 1, "a": 2})})
    assert (caught.value.rule, caught.value.place) == ("attribute-name", ".m.a")
    with pytest.raises(BuildError) as caught:
        table.update(KEY).set({Lying("a"): 1, "a": 2})
    assert caught.value.rule == "update-overlap"


def test_elements_that_become_one_are_one_element_of_a_set() -> None:
    assert to_attribute_value({Lying("a"), "a"}) == {"SS": ["a"]}
    assert to_attribute_value({LyingInt(1), 1, Decimal("1.0")}) == {"NS": ["1"]}


_numbers = (
    st.integers(-(10**38) + 1, 10**38 - 1)
    | st.floats(allow_nan=False, allow_infinity=False, min_value=-1e100, max_value=1e100).filter(
        lambda number: not number or abs(number) > 1e-100
    )
    | st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-(10**20), max_value=10**20)
)


@given(_numbers)
def test_a_number_is_its_number_whatever_class_carries_it(number: Any) -> None:
    lying = disguise(number)
    for make in (
        lambda value: serialize(value),
        lambda value: to_number(value),
        lambda value: serialize([value, {"a": value}]),
        lambda value: serialize({value}),
        lambda value: table.scan().filter(Attr("a") > value).to_request(),
        lambda value: table.scan().filter(Attr("a").between(value, value)).to_request(),
        lambda value: table.update(KEY).set(a=Attr("a") + value).add(b=value).to_request(),
        lambda value: parse_condition("a = :v", values={":v": value}),
    ):
        assert make(lying) == make(number)
    assert_plain(to_attribute_value([lying, {lying}]))


@given(st.sets(_numbers, min_size=1, max_size=5))
def test_sets_of_numbers_are_sorted_by_their_numbers(numbers: set[Any]) -> None:
    content = to_attribute_value({disguise(number) for number in numbers})["NS"]

    assert content == to_attribute_value(numbers)["NS"]
    assert [*map(Decimal, content)] == sorted(map(Decimal, content))


def test_a_price_that_writes_itself_is_stored_by_its_amount() -> None:
    class Money(Decimal):
        def __str__(self) -> str:
            return f"EUR {Decimal.__str__(self)}"

    class Rounded(Decimal):
        def __str__(self) -> str:
            return f"{self:.2f}"

    assert to_attribute_value(Money("1.5")) == {"N": "1.5"}
    assert to_attribute_value({Rounded("0.125"), Money("3")}) == {"NS": ["0.125", "3"]}


class Place(enum.IntEnum):
    THIRD = 2


@pytest.mark.parametrize("index", [LyingInt(2), Place.THIRD])
def test_an_index_is_its_number_whatever_class_carries_it(index: int) -> None:
    assert Attr("a")[index].segments == ("a", 2)
    assert type(Attr("a")[index].segments[1]) is int
    with pytest.raises(BuildError):
        Attr("a")[LyingInt(-1)]


def test_lint_shows_what_is_sent_and_not_what_a_class_says() -> None:
    class Field(str, enum.Enum):  # noqa: UP042
        KEY = "PK"
        SIZE = "gold"

    class Shown(int):
        __str__ = __repr__ = lambda self: "lie"

        def __format__(self, spec: str) -> str:
            return "lie"

    key = {"TableName": "t", "Key": {"PK": {"S": "1"}}}
    requests: list[tuple[dict[str, Any], str, str]] = [
        ({"TableName": "t", "Item": {"PK": {"S": "1"}, "n": {"N": Field.SIZE}}}, "PutItem", "value: gold"),
        ({**key, "AttributeUpdates": {Field.KEY: {"Value": {"S": "x"}}}}, "UpdateItem", "attribute PK."),
        ({**key, "AttributesToGet": [Field.KEY, "PK"]}, "GetItem", "name: PK"),
        ({"TableName": "t", "Limit": Shown(-1)}, "Scan", "Value '-1' at 'limit'"),
        ({"TableName": "t", "Segment": Shown(5), "TotalSegments": Shown(2)}, "Scan", "Segment: 5 is not"),
    ]
    for request, operation, shown in requests:
        assert shown in "\n".join(problem.message for problem in lint(request, operation, [table]))


def test_names_of_an_item_that_is_read_are_plain_text() -> None:
    class Field(str, enum.Enum):  # noqa: UP042
        EMAIL = "email"

    read = from_item({Field.EMAIL: {"S": "x"}, "m": {"M": {Field.EMAIL: {"N": "1"}}}})
    assert read == {"email": "x", "m": {"email": 1}}
    assert {type(name) for name in (*read, *read["m"])} == {str}


class LyingList(list[Any]):
    def __iter__(self) -> Any:
        return iter("lie")

    def __len__(self) -> int:
        return 9


class LyingTuple(tuple[Any, ...]):
    __slots__ = ()

    def __iter__(self) -> Any:
        return iter("lie")


class LyingDict(dict[str, Any]):
    def __iter__(self) -> Any:
        return iter(["lie"])

    def __getitem__(self, name: str) -> str:
        return "lie"

    def items(self) -> Any:
        return [("lie", 1)]

    keys = __iter__


class LyingSet(set[Any]):
    def __iter__(self) -> Any:
        return iter("lie")

    def __len__(self) -> int:
        return 0


class LyingFrozenSet(frozenset[Any]):
    def __iter__(self) -> Any:
        return iter("lie")


class LyingBytes(bytes):
    def __bytes__(self) -> bytes:
        return b"lie"

    def __getitem__(self, _: object) -> Any:
        return b"l"

    def __len__(self) -> int:
        return 9


class LyingByteArray(bytearray):
    def __bytes__(self) -> bytes:
        return b"lie"

    def __getitem__(self, _: object) -> Any:
        return b"l"


@pytest.mark.parametrize(
    ("lying", "plain"),
    [
        (LyingList(["a", 1]), ["a", 1]),
        (LyingTuple(["a", 1]), ["a", 1]),
        (LyingDict(a=1), {"a": 1}),
        (LyingSet({"a", "b"}), {"a", "b"}),
        (LyingFrozenSet({1, 2}), {1, 2}),
        (LyingBytes(b"abc"), b"abc"),
        (LyingByteArray(b"abc"), b"abc"),
        ({LyingBytes(b"abc")}, {b"abc"}),
        (memoryview(b"abc"), b"abc"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_containers_and_bytes_are_what_they_hold(lying: Any, plain: Any) -> None:
    for wrap in (lambda value: value, lambda value: [value], lambda value: {"m": value}):
        assert serialize(wrap(lying)) == serialize(wrap(plain))
        assert_plain(to_attribute_value(wrap(lying)))
    assert to_item({"a": lying}) == to_item({"a": plain})
    assert item_size(to_item({"a": lying})) == item_size(to_item({"a": plain}))


@pytest.mark.parametrize("carrier", TEXTS)
def test_what_is_read_is_plain_whatever_class_carries_it(carrier: str) -> None:
    carry = TEXTS[carrier]
    read = from_item({"s": {"S": carry("a")}, "n": {"N": carry("1.5")}, "l": {"L": [{"SS": [carry("a")]}]}})
    assert read == {"s": "a", "n": Decimal("1.5"), "l": [{"a"}]}
    assert type(read["s"]) is str
    assert {type(element) for element in read["l"][0]} == {str}
    assert from_attribute_value({"B": LyingBytes(b"abc")}) == b"abc"


@pytest.mark.parametrize("value", ["1", None, b"1", 1j], ids=repr)
def test_what_is_no_number_is_not_written_as_one(value: Any) -> None:
    with pytest.raises(BuildError, match="is not a number"):
        to_number(value)


def test_an_item_of_another_class_is_what_it_holds() -> None:
    assert to_item(LyingDict(a=1)) == {"a": {"N": "1"}}
    assert table.update(KEY).set(a=Attr("a").append(LyingList(["x"]))).to_request()["ExpressionAttributeValues"] == {
        ":v0": {"L": []},
        ":v1": {"L": [{"S": "x"}]},
    }
