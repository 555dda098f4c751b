"""How a model's values are stored: what pydantic leaves in a form of Python's, put into one of DynamoDB's.

======================================  ===================================================================
Python                                  stored as
======================================  ===================================================================
``str``, ``int``, ``float``,            as :mod:`expr_builder.attribute_values.values` says
``Decimal``, ``bool``, ``bytes``
``datetime`` with a time zone           S, in UTC with microseconds: ``2026-01-31T09:30:00.000000Z``, so that
                                        the order of texts is the order of times
``datetime`` without one                S, the same without ``Z``
an enum's member                        its value
a set of strings, numbers or bytes      SS, NS, BS; anything else in a set, and an empty one: L
``UUID``, ``date``, ``time``,           S, as pydantic writes them in JSON
``timedelta``, URLs, paths, …
======================================  ===================================================================
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


class NotStorable(ValueError):
    """A value that has no stored form. ``code`` and ``str()`` say why, without the value."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def to_stored_form(value: Any) -> Any:
    """Put a value into the form in which it is stored.

    Raises:
        NotStorable: for a secret, whose text pydantic masks, and for a type that even JSON text cannot hold.
    """
    # By exact type first: nearly all values are of these, and each field of each item comes through here.
    kind = type(value)
    if kind in _AS_THEY_ARE:
        return value
    if kind is dict:
        return {_write_key(key): to_stored_form(entry) for key, entry in value.items()}
    if kind is list or kind is tuple:
        return [to_stored_form(element) for element in value]
    if kind is set or kind is frozenset:
        return _store_set(value)
    if kind is datetime:
        return _write_moment(value)
    return _store_other(value)


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
    return sorted(elements, key=repr)  # DynamoDB has no set of these; pydantic reads a list back into a set


def _find_set_type(element: object) -> type | None:
    """Find the kind of set that takes the element, if there is one."""
    if isinstance(element, bool):
        return None
    return next((kind for kind in (str, bytes, Number) if isinstance(element, kind)), None)


def _write_moment(value: datetime) -> str:
    if value.tzinfo is None:
        return value.isoformat(timespec="microseconds")
    return f"{value.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='microseconds')}Z"


def _store_other(value: object) -> object:
    if isinstance(value, Enum):
        return to_stored_form(value.value)
    if isinstance(value, (str, int, float, Decimal, bytes)):
        return value
    if isinstance(value, bytearray):
        return bytes(value)
    if isinstance(value, datetime):
        return _write_moment(value)
    if isinstance(value, Mapping):
        return {_write_key(key): to_stored_form(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple, deque)):
        return [to_stored_form(element) for element in value]
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
