"""AttributeValues in JSON text, where binary contents are base64: as the AWS CLI, exports and the wire have them."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from typing import TYPE_CHECKING

from .numbers import parse_number
from .values import from_attribute_value, to_attribute_value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .values import AttributeValue, TypedItem


def write_json(data: object) -> str:
    """Write data that holds AttributeValues, such as a request, as indented JSON text."""
    return json.dumps(data, indent=2, ensure_ascii=False, default=_encode)


def make_json(data: object) -> Any:
    """Turn data that holds AttributeValues into JSON data: binary contents become base64 text."""
    return json.loads(write_json(data))


def make_typed(value: object) -> Any:
    """A Python value as an AttributeValue in JSON data, from which :func:`read_typed` makes the same value again."""
    return make_json(to_attribute_value(value))


def read_typed(data: Mapping[str, Any]) -> Any:
    """Read what :func:`make_typed` made; raises as :func:`read_json_item` does, or BuildError."""
    return from_attribute_value(read_json_value(data))


def read_json_item(item: Mapping[str, Any]) -> TypedItem:
    """Read an item from JSON data: binary contents become bytes, and numbers take the form that DynamoDB stores.

    Raises:
        ValueError, TypeError, AttributeError: for what is no item; :func:`from_item` tells what is no AttributeValue.
    """
    return {name: read_json_value(value) for name, value in item.items()}


def read_json_value(value: Mapping[str, Any]) -> AttributeValue:
    """Read one AttributeValue from JSON data, as :func:`read_json_item` does."""
    return {tag: _DECODERS[tag](content) if tag in _DECODERS else content for tag, content in value.items()}


def _encode(content: object) -> str:
    if not isinstance(content, bytes):
        raise TypeError(f"a {type(content).__name__} has no form in JSON")
    return b64encode(content).decode()


_DECODERS: dict[str, Callable[[Any], object]] = {
    "B": b64decode,
    "BS": lambda contents: [*map(b64decode, contents)],
    "N": parse_number,
    "NS": lambda contents: [*map(parse_number, contents)],
    "L": lambda contents: [*map(read_json_value, contents)],
    "M": read_json_item,
}
