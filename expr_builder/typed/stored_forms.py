"""Turns a model's values into ones that DynamoDB can store; ``docs/typed-table.md`` has the table of types.

What :mod:`expr_builder.attribute_values.values` takes stays as it is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from numbers import Number
from pathlib import PurePath
from typing import Any

from pydantic import SecretBytes, SecretStr
from pydantic_core import PydanticSerializationError, to_jsonable_python

_AS_THEY_ARE = frozenset({str, int, float, Decimal, bool, bytes, type(None)})
# Common types that are no Enum, and so need not be asked whether they are one.
_USUAL = frozenset({list, tuple, set, frozenset, datetime, dict})


class NotStorable(ValueError):
    """A value that has no stored form. ``code`` and ``str()`` say why, without the value."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def to_stored_form(value: Any) -> Any:
    """Convert a value to the form in which it is stored.

    Raises:
        NotStorable: for a secret, whose text pydantic masks, and for a type that even JSON text cannot hold.
    """
    kind = type(value)
    if kind in _AS_THEY_ARE:  # nearly all values are: each field of each item comes through here
        return value
    if kind not in _USUAL and isinstance(value, Enum):  # first: an IntEnum is a number, too
        return to_stored_form(value.value)
    if isinstance(value, (list, tuple, deque)):
        return [to_stored_form(element) for element in value]
    if kind is set or kind is frozenset:
        return _store_set(value)
    if isinstance(value, datetime):
        return _write_moment(value)
    if kind is dict or isinstance(value, Mapping):
        return {_write_key(key): to_stored_form(entry) for key, entry in value.items()}
    if isinstance(value, (str, int, float, Decimal, bytes)):
        return value
    return bytes(value) if isinstance(value, bytearray) else _write_text(value)


def to_epoch_seconds(value: object) -> int | None:
    """Write a time to live as DynamoDB wants it, in seconds since 1970; ``None`` stays.

    Raises:
        NotStorable: for anything but an aware datetime or a whole number.
    """
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise NotStorable("timezone_aware", "a time to live needs a time zone: datetime.now(UTC) + …")
        return int(value.timestamp())
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise NotStorable("time_to_live", "a time to live is an aware datetime, or whole seconds since 1970")


def _store_set(value: set[Any] | frozenset[Any]) -> set[object] | list[object]:
    elements = [to_stored_form(element) for element in value]
    kinds = {_find_set_type(element) for element in elements}
    if len(kinds) == 1 and None not in kinds:
        return set(elements)
    # DynamoDB has no set of these; pydantic reads a list back into a set. By repr, as mixed types do not compare.
    return sorted(elements, key=repr)


def _find_set_type(element: object) -> type | None:
    """Find the kind of set that takes the element, if there is one."""
    if isinstance(element, bool):  # a Number to Python; DynamoDB has no sets of BOOL
        return None
    return next((kind for kind in (str, bytes, Number) if isinstance(element, kind)), None)


def _write_moment(value: datetime) -> str:
    # UTC, and always with microseconds: the order of such texts is the order of times.
    if value.tzinfo is None:
        return value.isoformat(timespec="microseconds")
    return f"{value.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='microseconds')}Z"


def _write_text(value: object) -> object:
    """Write what only JSON has a form for, such as a UUID; mostly as text."""
    if isinstance(value, (SecretStr, SecretBytes)):
        raise NotStorable("secret", "a secret is not stored by itself: say how with a field_serializer")
    if isinstance(value, PurePath):
        return str(value)
    try:
        return to_jsonable_python(value)
    except (PydanticSerializationError, ValueError):
        raise NotStorable(
            "not_storable", f"DynamoDB has no type for a {type(value).__name__}: say how with a field_serializer"
        ) from None


def _write_key(key: object) -> str:
    if isinstance(key, str):
        return key
    text = to_stored_form(key)
    return text if isinstance(text, str) else str(text)
