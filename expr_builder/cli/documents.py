"""Files and arguments -> data, with errors that name file, line and column.

Values in drafts are plain JSON; what JSON lacks is written ``{"$set": ["a", "b"]}`` and ``{"$binary": "AAEC"}``
(base64). A map whose single key begins with ``$`` is written ``{"$map": {…}}``.
"""

from __future__ import annotations

import json
import sys
from base64 import b64decode
from decimal import Decimal
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_INT_DIGITS = 100  # longer ones go through Decimal, which has no limit on digits; both are refused later


class InputError(Exception):
    """Something given to the command cannot be read. The message says what, where, and why."""


def read_document(name: str) -> Any:
    """Read a JSON file, or a YAML file where PyYAML is installed; ``-`` is JSON from standard input."""
    text = read_text(name)
    if name.lower().endswith((".yaml", ".yml")):
        return _parse_yaml(text, name)
    return parse_json(text, shown(name))


def read_text(name: str) -> str:
    """Read a file of UTF-8 text; ``-`` is standard input."""
    try:
        raw = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise InputError(f"{shown(name)}: {error.strerror}") from None
    except ValueError:
        raise InputError(f"{shown(name)!a} is not a file name") from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{shown(name)}: byte {error.start + 1} is not UTF-8 text") from None


def parse_json(text: str, name: str) -> Any:
    """Read JSON text: numbers exactly, no key twice in one object.

    Args:
        text: The text.
        name: What to call it in an error.
    """
    try:
        return json.loads(
            text,
            parse_float=Decimal,
            parse_int=_integer,
            parse_constant=_refuse_constant,
            object_pairs_hook=_unique_keys,
        )
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InputError(f"{name}: {place}: not JSON: {error.msg}") from None
    except _JsonFault as fault:
        raise InputError(f"{name}: {fault}") from None


class _JsonFault(Exception):
    """What the JSON module takes and JSON, or DynamoDB, does not."""


def _integer(text: str) -> int | Decimal:
    return int(text) if len(text) < _INT_DIGITS else Decimal(text)


def _refuse_constant(name: str) -> Any:
    raise _JsonFault(f"{name} is not a JSON number; use a string or null")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries: dict[str, Any] = {}
    for key, value in pairs:
        if key in entries:
            raise _JsonFault(f"an object has the key {json.dumps(key)} twice")
        entries[key] = value
    return entries


def _parse_yaml(text: str, name: str) -> Any:
    try:
        import yaml
    except ImportError:
        raise InputError(f"{name}: reading YAML needs PyYAML: install it, or write the file as JSON") from None
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise InputError(f"{name}: {place}not YAML: {getattr(error, 'problem', None) or error}") from None
    except ValueError as error:  # a date or number that has the form of one and is none
        raise InputError(f"{name}: not YAML: {error}") from None


def to_value(value: Any, place: str) -> Any:
    """Turn a value in the notation of drafts into a Python value.

    Args:
        value: What JSON text was read as.
        place: What to call it in an error.
    """
    if isinstance(value, list):
        return [to_value(element, f"{place}[{position}]") for position, element in enumerate(value)]
    if not isinstance(value, dict):
        return value
    ((key, content),) = value.items() if len(value) == 1 else ((None, None),)
    if not (isinstance(key, str) and key.startswith("$")):
        return {name: to_value(entry, f"{place}.{name}") for name, entry in value.items()}
    if key == "$map" and isinstance(content, dict):
        return {name: to_value(entry, f"{place}.{name}") for name, entry in content.items()}
    if key == "$binary":
        return _binary(content, place)
    if key == "$set":
        return _set(content, place)
    raise InputError(f'{place}: {key} is not one of $set, $binary, $map; a map with that key is {{"$map": {{…}}}}')


def _binary(content: Any, place: str) -> bytes:
    try:
        return b64decode(content, validate=True)
    except (TypeError, ValueError):
        raise InputError(f"{place}: $binary takes base64 text") from None


def _set(content: Any, place: str) -> frozenset[Any]:
    elements = [to_value(element, f"{place}.$set") for element in content] if isinstance(content, list) else None
    if elements is None or any(isinstance(element, (list, dict)) for element in elements):
        raise InputError(f"{place}: $set takes a list of strings, of numbers, or of $binary values")
    unique = frozenset(elements)
    if len(unique) != len(elements):
        raise InputError(f"{place}: $set has an element twice")
    return unique


def shown(name: str) -> str:
    """What to call a file in a message."""
    return "standard input" if name == "-" else name
