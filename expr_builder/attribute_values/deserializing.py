"""Turns AttributeValues into Python values, and says what is wrong with what is none.

Nothing is guessed: ``{"BOOL": "false"}`` is not true, and ``{"SS": "abc"}`` is not three letters. Every read of items
goes through here, so what is sound is checked by types alone, and text without a call.

See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_AttributeValue.html
"""

from __future__ import annotations

from collections.abc import Mapping

from expr_builder.errors import BuildError
from expr_builder.limits import MAX_DEPTH

from .numbers import read_number
from .text import show_text, to_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .values import StoredItem

_EVERYDAY_DIGITS = 18  # whole numbers of no more are read at once
_NO_VALUE = (KeyError, TypeError, ValueError)  # how what is not a mapping of one known type fails


def read_value(value: Mapping[str, Any], depth: int) -> Any:
    """Read one AttributeValue, ``depth`` levels deep."""
    try:
        (tag,) = value
        return _READERS[tag](value[tag], depth)
    except BuildError:
        raise
    except _NO_VALUE:
        raise _make_type_error(value) from None


def read_map(content: Mapping[str, Mapping[str, Any]], depth: int) -> StoredItem:
    """Read a map that is ``depth`` levels deep, or an item, which is at 0."""
    if type(content) is not dict and not isinstance(content, Mapping):
        raise _make_content_error("M", content) if depth else _make_item_error(content)
    if depth > MAX_DEPTH:
        raise _make_depth_error()
    read: StoredItem = {}
    name, value = "", None
    try:
        for name, value in content.items():
            (tag,) = value
            if type(name) is not str:
                name = _read_name(name)  # for the errors below, too
            # Text is the usual case, and needs no call.
            if tag == "S" and type(text := value["S"]) is str:
                read[name] = text
            else:
                read[name] = _READERS[tag](value[tag], depth + 1)
    except BuildError as error:
        raise error.within(f".{_show_name(name)}") from None
    except _NO_VALUE:
        raise _make_type_error(value).within(f".{_show_name(name)}") from None
    return read


def _read_name(name: object) -> str:
    if isinstance(name, str):
        return to_text(name)
    raise _make_error(f"attribute names are strings, not {type(name).__name__}", "give an item as a client returns it")


def _show_name(name: object) -> str:
    return show_text(to_text(name)) if isinstance(name, str) else f"({type(name).__name__})"


def _read_list(content: list[Mapping[str, Any]], depth: int) -> list[Any]:
    if type(content) is not list and not isinstance(content, (list, tuple)):
        raise _make_content_error("L", content)
    if depth > MAX_DEPTH:
        raise _make_depth_error()
    read: list[Any] = []
    value = None
    try:
        for value in content:
            (tag,) = value
            if tag == "S" and type(text := value["S"]) is str:
                read.append(text)
            else:
                read.append(_READERS[tag](value[tag], depth + 1))
    except BuildError as error:
        raise error.within(f"[{len(read)}]") from None
    except _NO_VALUE:
        raise _make_type_error(value).within(f"[{len(read)}]") from None
    return read


def _read_text(content: str, depth: int) -> str:
    if isinstance(content, str):
        return to_text(content)
    raise _make_content_error("S", content)


def _read_number(content: str, depth: int) -> Any:
    if type(content) is str:
        if content.isdigit() and len(content) <= _EVERYDAY_DIGITS and content.isascii():
            return int(content)  # as read_number would, without its call
    elif isinstance(content, str):
        content = to_text(content)
    else:
        raise _make_content_error("N", content)
    try:
        return read_number(content)
    except BuildError as error:
        raise _make_error(f"N is {error.message}", error.fix) from None


def _read_binary(content: bytes | bytearray | memoryview, depth: int) -> bytes:
    if type(content) is bytes:
        return content
    content = getattr(content, "value", content)  # boto3's wrapper for binary values, and enumerations
    if isinstance(content, bytes):
        return bytes.__getitem__(content, slice(None))
    if isinstance(content, (bytearray, memoryview)):
        return bytes(content)
    raise _make_content_error("B", content)


def _read_boolean(content: bool, depth: int) -> bool:
    if content is True or content is False:
        return content
    raise _make_content_error("BOOL", content)


def _read_null(content: bool, depth: int) -> None:
    if content is not True:
        raise _make_content_error("NULL", content)


def _read_text_set(content: list[str], depth: int) -> set[Any]:
    if type(content) is list:
        texts = {text for text in content if type(text) is str}
        if len(texts) == len(content) > 0:  # all are text, and each is there once
            return texts
    return _read_set("SS", content, _read_text)


def _read_number_set(content: list[str], depth: int) -> set[Any]:
    return _read_set("NS", content, _read_number)


def _read_binary_set(content: list[bytes], depth: int) -> set[Any]:
    return _read_set("BS", content, _read_binary)


def _read_set(tag: str, content: list[Any], read: Callable[[Any, int], Any]) -> set[Any]:
    if not isinstance(content, (list, tuple, set, frozenset)):
        raise _make_content_error(tag, content)
    elements: set[Any] = set()
    for position, element in enumerate(content):
        try:
            elements.add(read(element, 1))
        except BuildError as error:
            raise error.within(f"[{position}]") from None
        if len(elements) == position:
            raise _make_error(f"{tag} with an element twice", "a set has each element once").within(f"[{position}]")
    if not elements:
        raise _make_error(f"{tag} without elements", "DynamoDB has no empty sets; an empty list is an L")
    return elements


_READERS: dict[str, Callable[[Any, int], Any]] = {
    "S": _read_text,
    "N": _read_number,
    "B": _read_binary,
    "BOOL": _read_boolean,
    "NULL": _read_null,
    "L": _read_list,
    "M": read_map,
    "SS": _read_text_set,
    "NS": _read_number_set,
    "BS": _read_binary_set,
}


# --- What is wrong, never with the value itself

_CONTENTS = {
    "S": "text",
    "N": 'a number as text, such as "1.5"',
    "B": "bytes",
    "BOOL": "true or false",
    "NULL": "true",
    "L": "a list of AttributeValues",
    "M": "a mapping of names to AttributeValues",
    "SS": "a list of texts",
    "NS": "a list of numbers as text",
    "BS": "a list of bytes",
}


def _make_content_error(tag: str, content: object) -> BuildError:
    found = "false" if content is False else f"a {type(content).__name__}"
    is_base64 = tag == "B" and isinstance(content, str)
    return _make_error(
        f"{tag} is {_CONTENTS[tag]}, not {found}",
        "in JSON, such as an export, it is base64 text: give base64.b64decode(text)" if is_base64 else "",
    )


def _make_item_error(content: object) -> BuildError:
    return _make_error(f"an item is {_CONTENTS['M']}, not a {type(content).__name__}", "")


def _make_type_error(value: object) -> BuildError:
    """The error for what is not even one type with its content."""
    fix = 'one of its types and a value, such as {"S": "text"}'
    if not isinstance(value, Mapping):
        return _make_error(f"a {type(value).__name__} is not an AttributeValue", fix)
    if len(value) == 1:
        return _make_error("not an AttributeValue: its type is unknown", fix)
    return _make_error(f"not an AttributeValue: it has {len(value)} types", fix)


def _make_depth_error() -> BuildError:
    return BuildError(f"nested deeper than {MAX_DEPTH} levels, which DynamoDB does not store", rule="value-depth")


def _make_error(message: str, fix: str) -> BuildError:
    return BuildError(message, rule="attribute-value", fix=fix)
