"""Checks the AttributeValues of a request, and brings them into the form in which DynamoDB stores them.

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html
"""

from __future__ import annotations

from expr_builder.attribute_values.numbers import parse_number
from expr_builder.errors import BuildError
from expr_builder.limits import MAX_ATTRIBUTE_NAME_BYTES, MAX_DEPTH, MAX_NUMBER_DIGITS

from .problems import SHAPE, VALUES, is_mapping
from .shapes import describe_type_fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from expr_builder.attribute_values.values import AttributeValue

    from .problems import Place

    Reader: TypeAlias = Callable[[object, Place, "_Reading", int], object]
    """Checks the content of a value of one type, nested as deep as the number says."""

_INVALID = "One or more parameter values were invalid: "


class _Reading:
    """The state of reading one value.

    Attributes:
        say: Puts the service's words for a fault into the sentence around them.
        sound: Whether no fault was found so far.
    """

    __slots__ = ("say", "sound")

    def __init__(self, say: Callable[[str], str]) -> None:
        self.say = say
        self.sound = True

    def refuse(self, place: Place, rule: str, words: str) -> None:
        """Report a value that DynamoDB cannot store."""
        self.sound = False
        place.report(VALUES, rule, self.say(words))

    def refuse_shape(self, place: Place, words: str, rule: str = "attribute-value") -> None:
        """Report JSON that is not even an AttributeValue, in these words and no sentence around them."""
        self.sound = False
        place.report(SHAPE, rule, words)


def read_item(
    raw: object, place: Place, say: Callable[[str], str] = lambda words: words
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
    item: dict[str, AttributeValue | None] = {}
    for name, value in raw.items():
        reading = _Reading(say)
        _check_name(name, place.at(name), reading)
        typed = _read_value(value, place.at(name), reading, 1)
        item[name] = typed if reading.sound else None
    return item


def read_value(raw: object, place: Place, say: Callable[[str], str] = lambda words: words) -> AttributeValue | None:
    """Read one AttributeValue; ``None`` when it is faulty, which is reported."""
    reading = _Reading(say)
    typed = _read_value(raw, place, reading, 1)
    return typed if reading.sound else None


def _read_value(raw: object, place: Place, reading: _Reading, depth: int) -> AttributeValue:
    if not is_mapping(raw):
        reading.refuse_shape(place, describe_type_fault(raw, "AttributeValue"))
        return {}
    given = [tag for tag, content in raw.items() if tag in _READERS and content is not None]  # null is absent
    if len(given) != 1 or len(raw) != 1:
        how = "has more than one datatypes set" if len(given) > 1 else "is empty"
        words = f"Supplied AttributeValue {how}, must contain exactly one of the supported datatypes"
        reading.refuse(place, "attribute-value", words)
        return {}
    (tag,) = given
    return {tag: _READERS[tag](raw[tag], place.at(tag), reading, depth)}


def _check_name(name: str, place: Place, reading: _Reading) -> None:
    if not name:
        reading.refuse(place, "attribute-name", f"{_INVALID}An attribute name may not be empty")
    elif len(name.encode(errors="surrogatepass")) > MAX_ATTRIBUTE_NAME_BYTES:
        reading.refuse(place, "attribute-name", f"{_INVALID}Attribute name is too large")


# --- One function for each type. For faulty content each returns a sound stand-in, so that reading can go on.


def _read_text(content: object, place: Place, reading: _Reading, depth: int) -> str:
    if not isinstance(content, str):
        reading.refuse_shape(place, describe_type_fault(content, "String"))
        return ""
    if not content.isascii() and any("\ud800" <= character <= "\udfff" for character in content):
        words = "The text contains half a surrogate pair, which UTF-8 cannot hold"
        reading.refuse_shape(place, words, "text-utf8")
    return content


def _read_number(content: object, place: Place, reading: _Reading, depth: int) -> str:
    if not isinstance(content, str):
        reading.refuse_shape(place, describe_type_fault(content, "String"))
        return "0"
    try:
        return parse_number(content)
    except BuildError as error:
        reading.refuse(place, error.rule, _describe_number_fault(error.rule, content))
        return "0"


def _describe_number_fault(rule: str, content: str) -> str:
    if rule == "number-precision":
        return f"Attempting to store more than {MAX_NUMBER_DIGITS} significant digits in a Number"
    if rule == "number-range":
        # The rule says "out of range", the service in which direction.
        small = "e-" in content.lower() or content.lstrip("+-").startswith(("0.", "."))
        direction, size = ("underflow", "smaller") if small else ("overflow", "larger")
        return f"Number {direction}. Attempting to store a number with magnitude {size} than supported range"
    shown = f": {content}" if content else ""
    return f"The parameter cannot be converted to a numeric value{shown}"


def _read_binary(content: object, place: Place, reading: _Reading, depth: int) -> bytes:
    if isinstance(content, (bytes, bytearray)):
        return bytes(content)
    if not isinstance(content, str):
        reading.refuse_shape(place, describe_type_fault(content, "Blob"))
        return b""
    from base64 import b64decode  # most requests hold no binary values

    try:
        return b64decode(content, validate=True)
    except ValueError:
        words = f"'{content}' can not be converted to a Blob: it is not base64 text"
        reading.refuse_shape(place, words, "binary-base64")
        return b""


def _read_boolean(content: object, place: Place, reading: _Reading, depth: int) -> bool:
    if not isinstance(content, bool):
        reading.refuse_shape(place, describe_type_fault(content, "Boolean"))
    return content is True


def _read_null(content: object, place: Place, reading: _Reading, depth: int) -> bool:
    _read_boolean(content, place, reading, depth)
    if content is False:
        reading.refuse(place, "null-true", f"{_INVALID}Null attribute value types must have the value of true")
    return True


def _read_list(content: object, place: Place, reading: _Reading, depth: int) -> list[AttributeValue]:
    if not isinstance(content, (list, tuple)):
        reading.refuse_shape(place, describe_type_fault(content, "List"))
        return []
    if _is_too_deep(place, reading, depth):
        return []
    return [_read_value(element, place.at(index), reading, depth + 1) for index, element in enumerate(content)]


def _read_map(content: object, place: Place, reading: _Reading, depth: int) -> dict[str, AttributeValue]:
    if not is_mapping(content):
        reading.refuse_shape(place, describe_type_fault(content, "Map"))
        return {}
    if _is_too_deep(place, reading, depth):
        return {}
    entries = {}
    for name, element in content.items():
        _check_name(name, place.at(name), reading)
        entries[name] = _read_value(element, place.at(name), reading, depth + 1)
    return entries


def _is_too_deep(place: Place, reading: _Reading, depth: int) -> bool:
    if depth <= MAX_DEPTH:
        return False
    words = "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported"
    reading.refuse(place, "value-depth", f"{words} limit")
    return True


def _make_set_reader(kind: str, read_element: Callable[[object, Place, _Reading, int], str | bytes]) -> Reader:
    def read(content: object, place: Place, reading: _Reading, depth: int) -> list[str | bytes]:
        if not isinstance(content, (list, tuple)):
            reading.refuse_shape(place, describe_type_fault(content, "List"))
            return []
        if not content:
            # Two spaces: the service's own words.
            reading.refuse(place, "set-empty", f"{_INVALID}An {kind} set  may not be empty")
        found = [read_element(element, place.at(index), reading, depth) for index, element in enumerate(content)]
        if reading.sound and len(set(found)) < len(found):  # stand-ins of faulty elements would be duplicates
            shown = ", ".join(map(str, content))
            reading.refuse(place, "set-duplicate", f"{_INVALID}Input collection [{shown}] contains duplicates.")
        return found

    return read


_READERS: dict[str, Reader] = {
    "S": _read_text,
    "N": _read_number,
    "B": _read_binary,
    "BOOL": _read_boolean,
    "NULL": _read_null,
    "L": _read_list,
    "M": _read_map,
    "SS": _make_set_reader("string", _read_text),
    "NS": _make_set_reader("number", _read_number),
    "BS": _make_set_reader("binary", _read_binary),
}
