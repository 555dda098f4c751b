"""Turns a model's values into ones that DynamoDB can store; ``docs/typed-table.md`` has the table of types.

What :mod:`expr_builder.attribute_values.values` takes stays as it is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from datetime import UTC, datetime, time
from decimal import Decimal
from enum import Enum
from numbers import Number
from pathlib import PurePath
from typing import Any

from pydantic import BaseModel, NameEmail, SecretBytes, SecretStr
from pydantic_core import PydanticSerializationError, to_jsonable_python

from expr_builder.attribute_values.numbers import to_number
from expr_builder.attribute_values.text import measure_text, to_text
from expr_builder.errors import BuildError
from expr_builder.limits import MAX_NUMBER_DIGITS

_AS_THEY_ARE = frozenset({bool, bytes, type(None)})
# Common types that are no Enum, and so need not be asked whether they are one.
_USUAL = frozenset({list, tuple, set, frozenset, datetime, dict})
_EVERYDAY_INT = 2**62  # below it there are surely no 38 digits to count
_SMALLEST, _LARGEST = 1e-129, 9e125  # floats between them are in DynamoDB's range
_LAST_SECOND = 20_000_000_000  # in the year 2603: pydantic takes a larger number for milliseconds
_SURELY_MILLISECONDS = 100_000_000_000


def to_stored_form(value: Any) -> Any:
    """Convert a value to the form in which a typed table stores it, such as for a filter.

    Args:
        value: What a field of a model holds: a ``datetime``, a ``UUID``, an enumeration's member, a model …

    Returns:
        What the plain builder takes: an aware ``datetime`` as text in UTC with microseconds, a set of UUIDs as a set of
        strings. (The field with the time to live is the exception: it is stored as whole seconds since 1970.)

    Raises:
        BuildError: for a number or text that DynamoDB cannot hold, for a secret, whose text pydantic masks, and for a
            type that even JSON text cannot hold.

    Example:
        ``accounts.scan(filter=Attr("joined") > to_stored_form(datetime(2026, 1, 31, tzinfo=UTC)))`` compares with
        ``"2026-01-31T00:00:00.000000Z"``.
    """
    kind = type(value)
    if kind is str:
        return value if value.isascii() else _check_text(value)
    if kind in _AS_THEY_ARE:  # nearly all values are: each field of each item comes through here
        return value
    if kind is int:
        return value if -_EVERYDAY_INT < value < _EVERYDAY_INT else _check_number(value)
    if kind is float or kind is Decimal:
        return _check_number(value)
    if kind not in _USUAL and isinstance(value, Enum):  # first: an IntEnum is a number, too
        return to_stored_form(value.value)
    if isinstance(value, (list, tuple, deque)):
        return [to_stored_form(element) for element in value]
    if kind is set or kind is frozenset:
        return _store_set(value)
    if isinstance(value, datetime):
        return _write_moment(value)
    if kind is dict or isinstance(value, Mapping):
        return _store_map(value)
    if isinstance(value, BaseModel):
        return to_stored_form(value.model_dump(by_alias=True, warnings=False))
    for plain, convert in _BASES:
        if isinstance(value, plain):
            return to_stored_form(convert(value))
    return _write_text(value)


# How a value of a subclass becomes one of its base; the subclass's own __str__ and __int__ are not asked.
_BASES: tuple[tuple[Any, Any], ...] = (
    (str, to_text),
    (int, int.__pos__),
    (float, float.__pos__),
    (Decimal, Decimal),
    ((bytes, bytearray), lambda value: bytes(memoryview(value))),
)


def to_epoch_seconds(value: object) -> int | None:
    """Write a time to live as DynamoDB wants it, in seconds since 1970; ``None`` stays.

    Raises:
        BuildError: for anything but an aware datetime or a whole number, and for a number that is surely milliseconds:
            DynamoDB would take it for a time thousands of years ahead, and never delete the item.
    """
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise _refuse("a time to live needs a time zone", "datetime.now(UTC) + …")
        seconds = int(value.timestamp())
        if seconds > _LAST_SECOND:
            raise _refuse("a time to live after the year 2603 would be read back as another", "leave it out: no end")
        return seconds
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise _refuse("a time to live is an aware datetime, or whole seconds since 1970", "int(time.time()) + …")
    if value > _SURELY_MILLISECONDS:
        raise _refuse("a time to live in milliseconds never expires", "whole seconds since 1970: divide it by 1000")
    return value


def to_zoned_form(value: object) -> object:
    """Write a value of a field that is part of a key.

    Refuse a datetime without a zone, which names no moment, and a time of day with one: ``10:00+02:00`` is before
    ``09:00+00:00``, and its text behind it.
    """
    if isinstance(value, datetime) and value.tzinfo is None:
        raise _refuse("a datetime without a time zone is no key: it has no order", "declare AwareDatetime")
    if isinstance(value, time) and value.tzinfo is not None:
        raise _refuse("a time of day with a time zone is no key: as text it has another order", "leave the zone out")
    return to_stored_form(value)


def _refuse(message: str, fix: str) -> BuildError:
    return BuildError(message, rule="value-type", fix=fix)


def _check_number(value: int | float | Decimal) -> int | float | Decimal:
    fits = False
    if isinstance(value, float):
        fits = _SMALLEST < abs(value) < _LARGEST
    elif isinstance(value, Decimal):
        text = str(value)
        fits = len(text) <= MAX_NUMBER_DIGITS and value.is_finite() and "E" not in text
    if not fits:
        to_number(value)  # refuses what DynamoDB does not take: here the field is known
    return value


def _check_text(value: str) -> str:
    measure_text(value)  # refuses half a surrogate pair
    return value


def _store_set(value: set[Any] | frozenset[Any]) -> set[object] | list[object]:
    elements = [to_stored_form(element) for element in value]
    kinds = {_find_set_type(element) for element in elements}
    if len(kinds) == 1 and None not in kinds:
        stored = set(elements)
        if len(stored) < len(elements):
            raise _refuse("two elements of a set have one stored form", "a list")
        return stored
    # DynamoDB has no set of these; pydantic reads a list back into a set. By repr, as mixed types do not compare.
    return sorted(elements, key=repr)


def _find_set_type(element: object) -> type | None:
    """Find the kind of set that takes the element, if there is one."""
    if isinstance(element, bool):  # a Number to Python; DynamoDB has no sets of BOOL
        return None
    return next((kind for kind in (str, bytes, Number) if isinstance(element, kind)), None)


def _store_map(value: Mapping[Any, object]) -> dict[str, object]:
    stored = {_write_key(key): to_stored_form(entry) for key, entry in value.items()}
    if len(stored) < len(value):
        raise _refuse("two keys of a map are one text", "keys of one type, or a list of pairs")
    return stored


def _write_moment(value: datetime) -> str:
    # UTC, and always with microseconds: the order of such texts is the order of times. By the methods of datetime, as a
    # subclass may write itself in another way.
    if value.tzinfo is None:
        return datetime.isoformat(value, timespec="microseconds")
    try:
        moment = datetime.astimezone(value, UTC)
    except OverflowError:
        raise _refuse("a moment before the year 1 or after 9999 in UTC", "None, or a moment in between") from None
    return datetime.isoformat(moment, timespec="microseconds").removesuffix("+00:00") + "Z"


def _write_text(value: object) -> object:
    """Write what only JSON has a form for, such as a UUID; mostly as text."""
    if isinstance(value, (SecretStr, SecretBytes)):
        raise _refuse("a secret is not stored by itself", "say how with a field_serializer")
    if isinstance(value, (PurePath, NameEmail)):
        return _check_text(str(value))
    try:
        return to_jsonable_python(value)
    except (PydanticSerializationError, ValueError):
        kind = type(value).__name__
        raise _refuse(f"DynamoDB has no type for a {kind}", "say how with a field_serializer") from None


def _write_key(key: object) -> str:
    if type(key) is str:
        text: object = key if key.isascii() else _check_text(key)
    else:
        text = to_stored_form(key)
    if isinstance(text, (int, float, Decimal)):
        text = str(text)
    if not isinstance(text, str):
        raise _refuse(f"a key of a map is text, not {type(key).__name__}", "a list of pairs")
    if not text:
        raise BuildError("an empty key in a map", rule="attribute-name", fix="a key of at least one character")
    return text
