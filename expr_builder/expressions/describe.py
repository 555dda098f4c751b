"""Values, paths, conditions and updates as text for people, with the values filled in.

:func:`.parse_condition` reads this text again, as long as every value has a literal form (strings, numbers, ``true``,
``false``, ``null``) and none was cut. It shows people's data: for a terminal, never for a log.
"""

from __future__ import annotations

from .render import Placeholders, make_depth_error, write_update

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from expr_builder.attribute_values.values import AttributeValue

    from .nodes import Literal, Node
    from .updates import UpdateAction

_LONGEST_VALUE = 100  # one clause stays about one line
# Names that parse_condition would take for something else; reserved words it takes for names.
_WORDS = {"and", "or", "not", "between", "in", "true", "false", "null"}


class _FilledIn(Placeholders):
    """Writes names and values themselves where a request has placeholders."""

    __slots__ = ()

    def name(self, name: str) -> str:
        return _write_name(name)

    def value(self, literal: Literal) -> str:
        return describe_value(literal.value)


def describe(node: Node) -> str:
    """A condition, or any part of one: ``email = 'a@example.com' AND size(tags) < 5``."""
    try:
        return node._write(_FilledIn())
    except RecursionError:
        raise make_depth_error() from None


def describe_update(actions: tuple[UpdateAction, ...]) -> str:
    """An update: ``SET version = version + 1 REMOVE pending``."""
    return write_update(actions, _FilledIn())


def describe_item(item: Mapping[str, AttributeValue]) -> str:
    """An item, or a key: ``PK = 'ACCT#1', SK = 'PROFILE'``."""
    return ", ".join(f"{_write_name(name)} = {describe_value(value)}" for name, value in item.items())


def describe_value(value: AttributeValue) -> str:
    """One value in one line: ``'text'``, ``42``, ``true``, ``{'a', 'b'}``, ``[1, {city: 'London'}]``; cut when long."""
    text = _write_value(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"


def _write_value(value: AttributeValue) -> str:
    ((tag, content),) = value.items()
    if tag in ("SS", "NS", "BS"):
        return f"{{{', '.join(_write_scalar(tag[0], element) for element in content)}}}"
    if tag == "L":
        return f"[{', '.join(map(_write_value, content))}]"
    if tag == "M":
        return f"{{{', '.join(f'{_write_name(name)}: {_write_value(entry)}' for name, entry in content.items())}}}"
    return _write_scalar(tag, content)


def _write_scalar(tag: str, content: Any) -> str:
    if tag == "S":
        return "'" + _escape(content).replace("'", "''") + "'"
    if tag == "B":
        return f"<{len(content)} bytes>" if len(content) != 1 else "<1 byte>"
    if tag == "BOOL":
        return "true" if content else "false"
    return "null" if tag == "NULL" else str(content)


def _write_name(name: str) -> str:
    plain = name.isascii() and name.isidentifier() and name.lower() not in _WORDS
    return name if plain else f"`{_escape(name).replace('`', '``')}`"


def _escape(text: str) -> str:
    """Control characters as escapes: a stored value must not move the cursor of the terminal that it is shown on."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in text
    )
