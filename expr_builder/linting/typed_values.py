"""AttributeValues as they stand in a request: checked, and brought into the form in which DynamoDB stores them.

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html
"""

from __future__ import annotations

from expr_builder.attribute_values.numbers import parse_number
from expr_builder.errors import BuildError
from expr_builder.limits import MAX_ATTRIBUTE_NAME_BYTES, MAX_DEPTH

from .problems import ACTION, SHAPE, is_mapping
from .shapes import type_fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from expr_builder.attribute_values.values import AttributeValue

    from .problems import Place

_INVALID = "One or more parameter values were invalid: "


class _Reading:
    """How to report what is found while one value is read.

    Attributes:
        say: Puts the service's words for a fault into the sentence around them.
        sound: Whether nothing was found yet.
    """

    __slots__ = ("say", "sound")

    def __init__(self, say: Callable[[str], str]) -> None:
        self.say = say
        self.sound = True

    def invalid(self, place: Place, rule: str, words: str) -> None:
        """Report a value that is refused for what it is."""
        self.sound = False
        place.problem(ACTION, rule, self.say(words))

    def misshapen(self, place: Place, value: Any, wanted: str, rule: str = "attribute-value") -> None:
        """Report a value of the wrong JSON type."""
        self.sound = False
        place.problem(SHAPE, rule, type_fault(value, wanted))


def read_item(
    raw: Any, place: Place, say: Callable[[str], str] = lambda words: words
) -> dict[str, AttributeValue | None] | None:
    """Read an item or a key.

    Args:
        raw: The JSON value.
        place: Where it stands.
        say: Puts the words for a fault into the sentence around them.

    Returns:
        Each attribute with its value, ``None`` for a faulty one; ``None`` when ``raw`` is no JSON object.
    """
    if not is_mapping(raw):
        return None
    item = {}
    for name, value in raw.items():
        reading = _Reading(say)
        _check_name(name, place.at(name), reading)
        typed = _value(value, place.at(name), reading, 1)
        item[name] = typed if reading.sound else None
    return item


def read_value(raw: Any, place: Place, say: Callable[[str], str] = lambda words: words) -> AttributeValue | None:
    """Read one AttributeValue; ``None`` when it is faulty, which is reported."""
    reading = _Reading(say)
    typed = _value(raw, place, reading, 1)
    return typed if reading.sound else None


def _value(raw: Any, place: Place, reading: _Reading, depth: int) -> AttributeValue:
    if not is_mapping(raw):
        reading.misshapen(place, raw, "AttributeValue")
        return {}
    given = [tag for tag, content in raw.items() if tag in _CONTENTS and content is not None]
    if len(given) != 1 or len(raw) != 1:
        how = "has more than one datatypes set" if len(given) > 1 else "is empty"
        words = f"Supplied AttributeValue {how}, must contain exactly one of the supported datatypes"
        reading.invalid(place, "attribute-value", words)
        return {}
    (tag,) = given
    return {tag: _CONTENTS[tag](raw[tag], place.at(tag), reading, depth)}


def _check_name(name: str, place: Place, reading: _Reading) -> None:
    if not name:
        reading.invalid(place, "attribute-name", f"{_INVALID}An attribute name may not be empty")
    elif len(name.encode(errors="surrogatepass")) > MAX_ATTRIBUTE_NAME_BYTES:
        reading.invalid(place, "attribute-name", f"{_INVALID}Attribute name is too large")


# --- One function for each kind of content


def _text(content: Any, place: Place, reading: _Reading, depth: int) -> str:
    if not isinstance(content, str):
        reading.misshapen(place, content, "String")
        return ""
    if not content.isascii() and any("\ud800" <= character <= "\udfff" for character in content):
        reading.sound = False
        place.problem(SHAPE, "text-utf8", "The text contains half a surrogate pair, which UTF-8 cannot hold")
    return content


def _number(content: Any, place: Place, reading: _Reading, depth: int) -> str:
    if not isinstance(content, str):
        reading.misshapen(place, content, "String")
        return "0"
    try:
        return parse_number(content)
    except BuildError as error:
        reading.invalid(place, error.rule, _number_words(error.rule, content))
        return "0"


def _number_words(rule: str, content: str) -> str:
    if rule == "number-precision":
        return "Attempting to store more than 38 significant digits in a Number"
    if rule == "number-range":
        small = "e-" in content.lower() or content.lstrip("+-").startswith(("0.", "."))
        direction, size = ("underflow", "smaller") if small else ("overflow", "larger")
        return f"Number {direction}. Attempting to store a number with magnitude {size} than supported range"
    shown = f": {content}" if content else ""
    return f"The parameter cannot be converted to a numeric value{shown}"


def _binary(content: Any, place: Place, reading: _Reading, depth: int) -> bytes:
    if isinstance(content, (bytes, bytearray)):
        return bytes(content)
    if not isinstance(content, str):
        reading.misshapen(place, content, "Blob")
        return b""
    from base64 import b64decode

    try:
        return b64decode(content, validate=True)
    except ValueError:
        reading.sound = False
        place.problem(SHAPE, "binary-base64", f"'{content}' can not be converted to a Blob: it is not base64 text")
        return b""


def _boolean(content: Any, place: Place, reading: _Reading, depth: int) -> bool:
    if not isinstance(content, bool):
        reading.misshapen(place, content, "Boolean")
    return content is True


def _null(content: Any, place: Place, reading: _Reading, depth: int) -> bool:
    if not isinstance(content, bool):
        reading.misshapen(place, content, "Boolean")
    elif not content:
        reading.invalid(place, "null-true", f"{_INVALID}Null attribute value types must have the value of true")
    return True


def _list(content: Any, place: Place, reading: _Reading, depth: int) -> list[Any]:
    if not isinstance(content, (list, tuple)):
        reading.misshapen(place, content, "List")
        return []
    if _too_deep(place, reading, depth):
        return []
    return [_value(element, place.at(index), reading, depth + 1) for index, element in enumerate(content)]


def _map(content: Any, place: Place, reading: _Reading, depth: int) -> dict[str, Any]:
    if not is_mapping(content):
        reading.misshapen(place, content, "Map")
        return {}
    if _too_deep(place, reading, depth):
        return {}
    entries = {}
    for name, element in content.items():
        _check_name(name, place.at(name), reading)
        entries[name] = _value(element, place.at(name), reading, depth + 1)
    return entries


def _too_deep(place: Place, reading: _Reading, depth: int) -> bool:
    if depth > MAX_DEPTH:
        reading.invalid(
            place,
            "value-depth",
            "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported "
            "limit",
        )
    return depth > MAX_DEPTH


def _set_of(kind: str, element: Callable[..., Any]) -> Callable[..., list[Any]]:
    def read(content: Any, place: Place, reading: _Reading, depth: int) -> list[Any]:
        if not isinstance(content, (list, tuple)):
            reading.misshapen(place, content, "List")
            return []
        if not content:
            reading.invalid(place, "set-empty", f"{_INVALID}An {kind} set  may not be empty")
        found = [element(one, place.at(index), reading, depth) for index, one in enumerate(content)]
        if reading.sound and len(set(found)) < len(found):
            shown = ", ".join(map(str, content))
            reading.invalid(place, "set-duplicate", f"{_INVALID}Input collection [{shown}] contains duplicates.")
        return found

    return read


_CONTENTS: dict[str, Callable[[Any, Place, _Reading, int], Any]] = {
    "S": _text,
    "N": _number,
    "B": _binary,
    "BOOL": _boolean,
    "NULL": _null,
    "L": _list,
    "M": _map,
    "SS": _set_of("string", _text),
    "NS": _set_of("number", _number),
    "BS": _set_of("binary", _binary),
}
