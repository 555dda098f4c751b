"""Requests as text: JSON, a command for a shell, Python code."""

from __future__ import annotations

import shlex

from expr_builder.requests.transactions import write_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

_INDENT = "    "


def write_request(form: str, operation: str, request: Mapping[str, Any]) -> str:
    """Write a request.

    Args:
        form: One of ``FORMATS``.
        operation: Such as ``"PutItem"``.
        request: The arguments of the client call.
    """
    return f"{_WRITERS[form](operation, request)}\n"


def _json(operation: str, request: Mapping[str, Any]) -> str:
    return write_json(request)


def _command(operation: str, request: Mapping[str, Any]) -> str:
    # Version 1 of the AWS CLI would store the base64 text itself; it does not know this option, and so it stops.
    base64 = "--cli-binary-format base64 " if _has_binary(request) else ""
    return f"aws dynamodb {_words(operation, '-')} {base64}--cli-input-json {shlex.quote(write_json(request))}"


def _has_binary(value: Any) -> bool:
    if isinstance(value, (dict, list)):
        return any(map(_has_binary, value.values() if isinstance(value, dict) else value))
    return isinstance(value, bytes)


def _python(operation: str, request: Mapping[str, Any]) -> str:
    arguments = "".join(f"{_INDENT}{name}={_literal(value, 1)},\n" for name, value in request.items())
    return (
        'import boto3\n\nclient = boto3.client("dynamodb")\n'
        f"response = client.{_words(operation, '_')}(\n{arguments})\nprint(response)"
    )


def _words(operation: str, joint: str) -> str:
    """``PutItem`` as ``put-item``."""
    return "".join(f"{joint}{letter.lower()}" if letter.isupper() else letter for letter in operation)[1:]


def _literal(value: Any, depth: int) -> str:
    """A Python literal; one line for a scalar, also for a typed one such as ``{"S": "text"}``."""
    if isinstance(value, dict) and _is_short(value):
        return f"{{{', '.join(f'{_literal(name, 0)}: {_literal(entry, 0)}' for name, entry in value.items())}}}"
    if isinstance(value, dict):
        lines = [f"{_literal(name, 0)}: {_literal(entry, depth + 1)}" for name, entry in value.items()]
        return _block("{", lines, "}", depth)
    if isinstance(value, list) and value:
        return _block("[", [_literal(element, depth + 1) for element in value], "]", depth)
    text = repr(value)
    # Double quotes where Python would choose single ones for no need: as most code is formatted.
    return f'"{text[1:-1]}"' if isinstance(value, str) and '"' not in value and text[0] == "'" else text


def _is_short(value: dict[str, Any]) -> bool:
    return len(value) <= 1 and not any(isinstance(entry, (dict, list)) for entry in value.values())


def _block(opening: str, lines: list[str], closing: str, depth: int) -> str:
    inner = "".join(f"{_INDENT * (depth + 1)}{line},\n" for line in lines)
    return f"{opening}\n{inner}{_INDENT * depth}{closing}"


_WRITERS: dict[str, Callable[[str, Mapping[str, Any]], str]] = {"json": _json, "cli": _command, "python": _python}

FORMATS = tuple(_WRITERS)
"""How a request can be written."""
