"""How a model's values are stored: what pydantic leaves in Python's form, in a form that DynamoDB has.

======================================  ===================================================================
Python                                  stored as
======================================  ===================================================================
``str``, ``int``, ``float``,            as :mod:`expr_builder.values` says
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


def storable(value: Any) -> Any:
    """The value in the form in which it is stored.

    Raises:
        NotStorable: for a secret, whose text pydantic masks, and for a type that even JSON text cannot hold.
    """
    kind = type(value)
    if kind in _AS_THEY_ARE:
        return value
    if kind is dict:
        return {_text(key): storable(entry) for key, entry in value.items()}
    if kind is list or kind is tuple:
        return [storable(element) for element in value]
    if kind is set or kind is frozenset:
        return _set(value)
    if kind is datetime:
        return _moment(value)
    return _of_another_type(value)


def epoch_seconds(value: Any) -> int | None:
    """A time to live as DynamoDB wants it, seconds since 1970; ``None`` stays.

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


def _set(value: Any) -> Any:
    elements = [storable(element) for element in value]
    kinds = {_kind(element) for element in elements}
    if len(kinds) == 1 and None not in kinds:
        return set(elements)
    return sorted(elements, key=repr)  # DynamoDB has no set of these; pydantic reads a list back into a set


def _kind(element: Any) -> type | None:
    """What kind of set takes the element, if any."""
    if isinstance(element, bool):
        return None
    return next((kind for kind in (str, bytes, Number) if isinstance(element, kind)), None)


def _moment(value: datetime) -> str:
    if value.tzinfo is None:
        return value.isoformat(timespec="microseconds")
    return f"{value.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='microseconds')}Z"


def _of_another_type(value: Any) -> Any:
    if isinstance(value, Enum):
        return storable(value.value)
    if isinstance(value, (str, int, float, Decimal, bytes)):
        return value
    if isinstance(value, bytearray):
        return bytes(value)
    if isinstance(value, datetime):
        return _moment(value)
    if isinstance(value, Mapping):
        return {_text(key): storable(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple, deque)):
        return [storable(element) for element in value]
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


def _text(key: Any) -> str:
    if isinstance(key, str):
        return key
    text = storable(key)
    return text if isinstance(text, str) else str(text)
