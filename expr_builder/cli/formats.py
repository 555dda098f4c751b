"""Requests as text: JSON, a command for a shell, Python code."""

from __future__ import annotations

import shlex

from expr_builder.attribute_values.json_form import write_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_INDENT = "    "


def write_request(form: str, operation: str, request: Mapping[str, object]) -> str:
    """Write the request of an operation, such as ``"PutItem"``, in one of the ``FORMATS``."""
    return f"{_WRITERS[form](operation, request)}\n"


def _write_json(operation: str, request: Mapping[str, object]) -> str:
    return write_json(request)


def _write_command(operation: str, request: Mapping[str, object]) -> str:
    # Version 1 of the AWS CLI would store the base64 text itself; it does not know this option, and so refuses to run.
    base64 = "--cli-binary-format base64 " if _has_binary(request) else ""
    return f"aws dynamodb {_spell(operation, '-')} {base64}--cli-input-json {shlex.quote(write_json(request))}"


def _has_binary(value: object) -> bool:
    if isinstance(value, (dict, list)):
        return any(map(_has_binary, value.values() if isinstance(value, dict) else value))
    return isinstance(value, bytes)


def _write_python(operation: str, request: Mapping[str, object]) -> str:
    arguments = "".join(f"{_INDENT}{name}={_write_literal(value, 1)},\n" for name, value in request.items())
    return (
        'import boto3\n\nclient = boto3.client("dynamodb")\n'
        f"response = client.{_spell(operation, '_')}(\n{arguments})\nprint(response)"
    )


def _spell(operation: str, joint: str) -> str:
    """Write ``PutItem`` as ``put-item``."""
    return "".join(f"{joint}{letter.lower()}" if letter.isupper() else letter for letter in operation)[1:]


def _write_literal(value: object, depth: int) -> str:
    """Write a Python literal: one line for a scalar, also for a typed one such as ``{"S": "text"}``."""
    if isinstance(value, dict):
        lines = [f"{_write_literal(name, 0)}: {_write_literal(entry, depth + 1)}" for name, entry in value.items()]
        return f"{{{', '.join(lines)}}}" if _is_short(value) else _write_block("{", lines, "}", depth)
    if isinstance(value, list) and value:
        return _write_block("[", [_write_literal(element, depth + 1) for element in value], "]", depth)
    text = repr(value)
    # repr prefers single quotes; formatters of code prefer double ones.
    return f'"{text[1:-1]}"' if isinstance(value, str) and '"' not in value and text[0] == "'" else text


def _is_short(value: dict[str, object]) -> bool:
    return len(value) <= 1 and not any(isinstance(entry, (dict, list)) for entry in value.values())


def _write_block(opening: str, lines: list[str], closing: str, depth: int) -> str:
    inner = "".join(f"{_INDENT * (depth + 1)}{line},\n" for line in lines)
    return f"{opening}\n{inner}{_INDENT * depth}{closing}"


_WRITERS: dict[str, Callable[[str, Mapping[str, object]], str]] = {
    "json": _write_json,
    "cli": _write_command,
    "python": _write_python,
}

FORMATS = tuple(_WRITERS)
"""How a request can be written."""
