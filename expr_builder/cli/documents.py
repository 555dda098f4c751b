"""Reads the command's input as data, with errors that name file, line and column.

Values in drafts are plain JSON; what JSON lacks is written ``{"$set": ["a", "b"]}`` and ``{"$binary": "AAEC"}``
(base64). A map whose single key starts with ``$`` is written ``{"$map": {…}}``.
"""

from __future__ import annotations

import json
import sys
from base64 import b64decode
from decimal import Decimal
from pathlib import Path

_INT_DIGITS = 100  # longer ones go through Decimal, which has no limit on digits; both are refused later


class CommandError(Exception):
    """The command cannot do its work, and ends with status 2. The message says what, where, and why."""


def read_document(name: str) -> object:
    """Read a JSON file, or a YAML file where PyYAML is installed; ``-`` is JSON from standard input."""
    text = read_text(name)
    if name.lower().endswith((".yaml", ".yml")):
        return _parse_yaml(text, name)
    return parse_json(text, name_file(name))


def read_text(name: str) -> str:
    """Read a file of UTF-8 text; ``-`` is standard input."""
    try:
        raw = _read_stdin() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise CommandError(f"{name_file(name)}: {error.strerror}") from None
    except ValueError:  # it has a NUL
        raise CommandError(f"{name_file(name)!a} is not a file name") from None
    try:
        return raw.decode("utf-8-sig")  # Windows' editors put a byte order mark first
    except UnicodeDecodeError as error:
        raise CommandError(f"{name_file(name)}: byte {error.start + 1} is not UTF-8 text") from None


def _read_stdin() -> bytes:
    if sys.stdin is None:  # so Python shows that it was started with a closed one
        raise CommandError("standard input is closed")
    if hasattr(sys.stdin, "buffer"):
        return sys.stdin.buffer.read()
    return sys.stdin.read().encode("utf-8", "surrogatepass")  # a caller from Python has put text in its place


def parse_json(text: str, name: str) -> object:
    """Read JSON text: numbers exactly, no key twice in one object; ``name`` is for errors."""
    try:
        document: object = json.loads(
            text,
            parse_float=Decimal,  # a float would lose digits that DynamoDB keeps
            parse_int=_parse_integer,
            parse_constant=_refuse_constant,
            object_pairs_hook=_build_object,
        )
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise CommandError(f"{name}: {place}: not JSON: {error.msg}") from None
    except _JsonFault as fault:
        raise CommandError(f"{name}: {fault}") from None
    return document


class _JsonFault(Exception):
    """Python's json module accepts it, but JSON or DynamoDB does not."""


def _parse_integer(text: str) -> int | Decimal:
    return int(text) if len(text) < _INT_DIGITS else Decimal(text)


def _refuse_constant(name: str) -> object:
    raise _JsonFault(f"{name} is not a JSON number; use a string or null")


def _build_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    entries: dict[str, object] = {}
    for key, value in pairs:
        # Python would silently take the last one, and so hide a typo.
        if key in entries:
            raise _JsonFault(f"an object has the key {json.dumps(key)} twice")
        entries[key] = value
    return entries


def _parse_yaml(text: str, name: str) -> object:
    try:
        import yaml  # here, as it is optional and seldom needed
    except ImportError:
        raise CommandError(f"{name}: reading YAML needs PyYAML: install it, or write the file as JSON") from None
    try:
        document: object = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise CommandError(f"{name}: {place}not YAML: {getattr(error, 'problem', None) or error}") from None
    except ValueError as error:  # what looks like a date or number and is none, such as 2026-02-30
        raise CommandError(f"{name}: not YAML: {error}") from None
    return document


def read_value(value: object, place: str) -> object:
    """Turn a value in the notation of drafts, as JSON text was read, into a Python value; ``place`` is for errors."""
    if isinstance(value, list):
        return [read_value(element, f"{place}[{position}]") for position, element in enumerate(value)]
    if not isinstance(value, dict):
        return value
    # Only a map with a single key can be one of the forms.
    ((key, content),) = value.items() if len(value) == 1 else ((None, None),)
    if not (isinstance(key, str) and key.startswith("$")):
        return {name: read_value(entry, f"{place}.{name}") for name, entry in value.items()}
    if key == "$map" and isinstance(content, dict):
        return {name: read_value(entry, f"{place}.{name}") for name, entry in content.items()}
    if key == "$binary":
        return _read_binary(content, place)
    if key == "$set":
        return _read_set(content, place)
    raise CommandError(f'{place}: {key} is not one of $set, $binary, $map; a map with that key is {{"$map": {{…}}}}')


def _read_binary(content: object, place: str) -> bytes:
    try:
        return b64decode(content, validate=True)  # type: ignore[arg-type]  # a TypeError is what tells
    except (TypeError, ValueError):
        raise CommandError(f"{place}: $binary takes base64 text") from None


def _read_set(content: object, place: str) -> frozenset[object]:
    elements = [read_value(element, f"{place}.$set") for element in content] if isinstance(content, list) else None
    if elements is None or any(isinstance(element, (list, dict)) for element in elements):
        raise CommandError(f"{place}: $set takes a list of strings, of numbers, or of $binary values")
    unique = frozenset(elements)
    if len(unique) != len(elements):
        raise CommandError(f"{place}: $set has an element twice")
    return unique


def name_file(name: str) -> str:
    """Name a file in a message."""
    return "standard input" if name == "-" else name
