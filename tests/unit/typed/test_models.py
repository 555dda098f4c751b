"""Models as items: names, computed fields, single fields, and what may be said of a mistake."""

from __future__ import annotations

from collections import deque
from typing import Annotated, Any, Generic, TypeVar

import pytest
from pydantic import (
    AliasChoices,
    AliasPath,
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    computed_field,
    field_validator,
    model_serializer,
    model_validator,
)
from typing_extensions import TypeAliasType

from expr_builder import BuildError
from expr_builder.typed import ValidationFailed, read_unknown_attributes
from expr_builder.typed.model_codec import Codec

T = TypeVar("T")


def codec_of(model: type[Any], *keys: str) -> Codec[Any]:
    return Codec(model, ttl=None, keys=keys)


class Aliased(BaseModel):
    user_id: str = Field(alias="userId")
    colour: str = Field(default="red", validation_alias=AliasChoices("colour", "color", AliasPath("paint", 0)))
    size: int = Field(default=1, validation_alias=AliasChoices("s", "n"), serialization_alias="n")


def test_attributes_have_the_names_of_aliases_and_old_names_are_read() -> None:
    codec = codec_of(Aliased)
    item = {"userId": "u1", "color": "blue", "n": 5}
    assert codec.encode(codec.decode(item)) == {"userId": "u1", "colour": "blue", "n": 5}
    assert codec.encode_fields({"user_id": "u2", "size": 3}) == {"userId": "u2", "n": 3}
    assert codec.names == {"userId": "user_id", "colour": "colour", "color": "colour", "s": "size", "n": "size"}


def test_fields_may_be_read_by_their_names_where_the_model_allows_it() -> None:
    class Both(BaseModel):
        model_config = ConfigDict(populate_by_name=True)

        user_id: str = Field(alias="userId")

    codec = codec_of(Both)
    assert codec.encode(codec.decode({"user_id": "u1"})) == {"userId": "u1"}


def test_a_field_that_cannot_be_read_by_the_name_it_is_written_under_is_refused() -> None:
    class Split(BaseModel):
        value: str = Field(validation_alias="in", serialization_alias="out")

    class Outer(BaseModel):
        inner: list[Split] = []

    for model in (Split, Outer):
        with pytest.raises(BuildError, match="Split: value would be written as out") as caught:
            codec_of(model)
        assert caught.value.rule == "typed-alias"


def test_computed_fields_are_written_never_read_and_left_out_when_none() -> None:
    class Person(BaseModel):
        model_config = ConfigDict(extra="allow")

        name: str

        @computed_field  # type: ignore[prop-decorator]
        @property
        def key(self) -> str | None:
            return self.name.upper() or None

    codec = codec_of(Person)
    ada = codec.decode({"name": "ada", "key": "OLD"})
    assert ada.model_extra == {}
    assert codec.encode(codec.check(ada)) == {"name": "ada", "key": "ADA"}
    assert codec.encode(codec.check(Person(name=""))) == {"name": ""}


def test_computed_fields_of_nested_models_are_not_kept_as_unknown() -> None:
    class Inner(BaseModel):
        number: int

        @computed_field  # type: ignore[prop-decorator]
        @property
        def double(self) -> int:
            return 2 * self.number

    class Outer(BaseModel):
        inner: Inner

    codec = codec_of(Outer)
    outer = codec.decode({"inner": {"number": 1, "double": 2}})
    assert read_unknown_attributes(outer.inner) == {}
    changed = outer.model_copy(update={"inner": Inner(number=5)})
    assert codec.encode(codec.check(changed)) == {"inner": {"number": 5, "double": 10}}


def test_nested_models_are_found_through_generics_and_named_types() -> None:
    class Inner(BaseModel):
        number: int

    class Box(BaseModel, Generic[T]):
        content: T

    named = TypeAliasType("named", list[Inner])

    class Outer(BaseModel):
        box: Box[Inner]
        alias: named = []
        anything: Any = None
        several: set[str] | tuple[Inner, ...] = ()
        queue: deque[Inner] = deque()
        either: Inner | int = 0

    codec = codec_of(Outer)
    item = {
        "box": {"content": {"number": 1, "a": 1}, "b": 2},
        "alias": [{"number": 2, "c": 3}],
        "anything": {"d": 4},
        "several": [{"number": 3, "e": 5}],
        "queue": [{"number": 4, "g": 7}],
        "either": 8,
        "f": 6,
    }
    assert codec.encode(codec.check(codec.decode(item))) == item


def test_an_order_of_a_list_that_changed_keeps_what_is_still_in_place() -> None:
    class Inner(BaseModel):
        number: int

    class Outer(BaseModel):
        inners: list[Inner]

    codec = codec_of(Outer)
    outer = codec.decode({"inners": [{"number": 1, "a": 1}, {"number": 2, "a": 2}]})
    swapped = outer.model_copy(update={"inners": [outer.inners[1], Inner(number=9)]})
    assert codec.encode(codec.check(swapped)) == {"inners": [{"number": 2, "a": 2}, {"number": 9}]}


def test_private_attributes_live_beside_what_is_kept() -> None:
    class Secretive(BaseModel):
        name: str
        _calls: int = PrivateAttr(default=3)

    codec = codec_of(Secretive)
    ada = codec.decode({"name": "ada", "old": 1})
    assert (ada._calls, read_unknown_attributes(ada)) == (3, {"old": 1})
    assert codec.encode(codec.check(ada)) == {"name": "ada", "old": 1}


def test_keys_that_the_model_does_not_know_are_not_kept() -> None:
    class Item(BaseModel):
        SK: str
        name: str = ""

    codec = codec_of(Item, "PK", "SK")
    assert read_unknown_attributes(codec.decode({"PK": "p", "SK": "s", "x": 1})) == {"x": 1}


class Whole(BaseModel):
    """A model whose validators of the whole would mind a single field."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    low: int = Field(ge=0)
    high: Annotated[int, Field(ge=0)]
    name: str = "x"
    _touched: bool = PrivateAttr(default=False)

    @field_validator("name")
    @classmethod
    def _stripped(cls, value: str) -> str:
        if not value.strip():
            raise ValueError(f"{value!r} is blank")
        return value.strip()

    @model_validator(mode="before")
    @classmethod
    def _given(cls, data: Any) -> Any:
        assert data["low"] is not None
        return data

    @model_validator(mode="after")
    def _ordered(self) -> Whole:
        if self.low > self.high:
            raise ValueError("low is above high")
        return self

    @model_serializer
    def _all(self) -> dict[str, Any]:
        return {"low": self.low + 0, "high": self.high + 0, "name": self.name}

    def model_post_init(self, context: Any) -> None:
        assert self.low + self.high >= 0


def test_single_fields_are_checked_by_their_own_rules_alone() -> None:
    codec = codec_of(Whole)
    assert codec.encode_fields({"low": "7"}) == {"low": 7}
    assert codec.encode_fields({"name": " ada "}) == {"name": "ada"}
    for wrong in ({"low": -1}, {"name": " "}, {"high": "much"}):
        with pytest.raises(ValidationFailed):
            codec.encode_fields(wrong)
    assert Whole(low=1, high=2).model_dump() == {"low": 1, "high": 2, "name": "x"}
    with pytest.raises(ValidationFailed):
        codec.check(Whole.model_construct(low=3, high=2))


def test_nested_models_in_single_fields_keep_what_they_do_not_know() -> None:
    class Inner(BaseModel):
        number: int

    class Outer(BaseModel):
        inner: Inner

    codec = codec_of(Outer)
    outer = codec.decode({"inner": {"number": 1, "old": 2}})
    assert codec.encode_fields({"inner": outer.inner}) == {"inner": {"number": 1, "old": 2}}


# --- what is said of mistakes


def test_a_message_tells_what_is_expected_and_never_the_value() -> None:
    class Talkative(BaseModel):
        name: str = Field(max_length=3)
        count: int
        names: dict[str, int] = {}
        wholes: list[Whole] = []

        @field_validator("count")
        @classmethod
        def _even(cls, value: int) -> int:
            if value % 2:
                raise ValueError(f"{value} is odd")
            return value

    secret = {"name": "hunter2", "count": 8675309, "names": {"hunter2": "x"}, "wholes": [{"low": "hunter2", "high": 1}]}
    with pytest.raises(ValidationFailed) as caught:
        codec_of(Talkative).decode(secret)
    error = caught.value
    assert str(error) == (
        "Talkative: name: String should have at most 3 characters [string_too_long]; count [value_error]; "
        "names.*: Input should be a valid integer, unable to parse string as an integer [int_parsing]; "
        "wholes[0].low: Input should be a valid integer, unable to parse string as an integer [int_parsing]"
    )
    assert repr(error.problems[1]) == "FieldProblem('count', 'value_error', '')"


def test_a_fault_of_the_whole_is_said_to_be_one() -> None:
    with pytest.raises(ValidationFailed) as caught:
        codec_of(Whole).decode({"low": 3, "high": 2})
    assert [(one.field, one.code) for one in caught.value.problems] == [("the whole", "value_error")]
