"""Checks the AttributeValues of a request, and brings them into the form in which DynamoDB stores them.

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html
"""

from __future__ import annotations

from expr_builder.attribute_values.numbers import parse_number
from expr_builder.attribute_values.text import to_text
from expr_builder.errors import BuildError
from expr_builder.limits import MAX_ATTRIBUTE_NAME_BYTES, MAX_DEPTH, MAX_ITEM_BYTES, MAX_NUMBER_DIGITS
from expr_builder.requests.key_schema import INVALID

from .problems import CLIENT, SHAPE, VALUES, has_lone_surrogate, is_mapping
from .shapes import SURROGATE_WORDS, describe_type_fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from expr_builder.attribute_values.values import AttributeValue

    from .problems import Place

    Reader: TypeAlias = Callable[[object, Place, "_Reading", int], object]
    """Checks the content of a value of one type, nested as deep as the number says."""

    Say: TypeAlias = Callable[[str, str], str]
    """Puts the words for the fault of a rule (the rule, then the words) into the sentence around them."""

_BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
_MAX_FAULTY_ELEMENTS = 1_000  # read behind the first fault of a value
_SHOWN_BASE64 = 100  # characters of a faulty binary value


def say_alone(rule: str, words: str) -> str:
    """The words with no sentence around them."""
    return words


def say_of_start_key(rule: str, words: str) -> str:
    """The words for a fault of an ``ExclusiveStartKey``: some come with a sentence of their own."""
    if rule == "set-duplicate" or rule.startswith("number-") or "An number set" in words:
        return words
    return f"The provided starting key is invalid: {words}"


def make_placeholder_say(member: str, name: str, *, is_in_single_write: bool) -> Say:
    """Make what puts the words for a value behind a placeholder into their sentence.

    Since the envelope is used, only some words have that sentence inside it.
    """

    def say(rule: str, words: str) -> str:
        if is_in_single_write and (rule in ("null-true", "value-depth") or rule.startswith("number-")):
            return words
        return f"{member} contains invalid value: {words} for key {name}"

    return say


class _Reading:
    """The state of reading one value.

    Attributes:
        say: Puts the service's words for a fault into the sentence around them.
        sound: Whether no fault was found so far.
        left: How many more elements are read. Each takes a byte of the item at least; of a faulty value, fewer are
            read. So reading ends, even where Python objects stand in each other many times over.
    """

    __slots__ = ("left", "say", "sound")

    def __init__(self, say: Say) -> None:
        self.say = say
        self.sound = True
        self.left = MAX_ITEM_BYTES

    def refuse(self, place: Place, rule: str, words: str) -> None:
        """Report a value that DynamoDB cannot store."""
        self._spoil()
        place.report(VALUES, rule, self.say(rule, words))

    def refuse_client(self, place: Place, words: str) -> None:
        """Report what AWS clients do not send, and the service would not look at."""
        self._spoil()
        place.report(CLIENT, "attribute-value", words)

    def refuse_shape(self, place: Place, words: str, rule: str = "attribute-value") -> None:
        """Report JSON that is not even an AttributeValue, in these words and no sentence around them."""
        self._spoil()
        place.report(SHAPE, rule, words)

    def _spoil(self) -> None:
        self.sound = False
        self.left = min(self.left, _MAX_FAULTY_ELEMENTS)


def read_item(raw: object, place: Place, say: Say = say_alone) -> dict[str, AttributeValue | None] | None:
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


def read_value(raw: object, place: Place, say: Say = say_alone) -> AttributeValue | None:
    """Read one AttributeValue; ``None`` when it is faulty, which is reported."""
    reading = _Reading(say)
    typed = _read_value(raw, place, reading, 1)
    return typed if reading.sound else None


def _read_value(raw: object, place: Place, reading: _Reading, depth: int) -> AttributeValue:
    reading.left -= 1
    if reading.left < 0:
        if reading.sound:
            reading.refuse(place, "item-size", "Item size has exceeded the maximum allowed size")
        return {}
    if not is_mapping(raw):
        reading.refuse_shape(place, describe_type_fault(raw, "AttributeValue"))
        return {}
    # Null is the same as absent. Each content is read, whether or not there may be more than one.
    value = {
        tag: _READERS[tag](content, place.at(tag), reading, depth)
        for tag, content in raw.items()
        if tag in _READERS and content is not None
    }
    if len(value) != 1:
        how = "has more than one datatypes set" if value else "is empty"
        words = f"Supplied AttributeValue {how}, must contain exactly one of the supported datatypes"
        reading.refuse(place, "attribute-value", words)
    else:
        for tag in raw:
            if tag not in _READERS:  # the service does not look at it, but clients do not send it
                known = ", ".join(_READERS)
                reading.refuse_client(
                    place, f'Unknown parameter in {place.parameter}: "{tag}", must be one of: {known}'
                )
    return value


def _check_name(name: str, place: Place, reading: _Reading) -> None:
    if not name:
        reading.refuse(place, "attribute-name", f"{INVALID}An attribute name may not be empty")
    elif has_lone_surrogate(name):
        reading.refuse_shape(place, SURROGATE_WORDS, "text-utf8")
    elif len(name.encode()) > MAX_ATTRIBUTE_NAME_BYTES:
        reading.refuse(place, "attribute-name", f"{INVALID}Attribute name is too large")


# --- One function for each type. For faulty content each returns a sound stand-in, so that reading can go on.


def _read_text(content: object, place: Place, reading: _Reading, depth: int) -> str:
    if not isinstance(content, str):
        reading.refuse_shape(place, describe_type_fault(content, "String"))
        return ""
    if has_lone_surrogate(content):
        reading.refuse_shape(place, SURROGATE_WORDS, "text-utf8")
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
    shown = f": {to_text(content)}" if content else ""
    return f"The parameter cannot be converted to a numeric value{shown}"


def _read_binary(content: object, place: Place, reading: _Reading, depth: int) -> bytes:
    if isinstance(content, (bytes, bytearray)):
        return bytes(content)
    if not isinstance(content, str):
        reading.refuse_shape(place, describe_type_fault(content, "Blob"))
        return b""
    from base64 import b64decode, b64encode  # most requests hold no binary values

    try:
        decoded = b64decode(content, validate=True)
    except ValueError:
        decoded = b""
    if b64encode(decoded).decode() != content:  # also when bits are set that no byte has
        shown = content if len(content) <= _SHOWN_BASE64 else f"{content[:_SHOWN_BASE64]}…"
        words = f"'{shown}' can not be converted to a Blob: {_describe_base64_fault(content)}"
        reading.refuse_shape(place, words, "binary-base64")
        return b""
    return decoded


def _describe_base64_fault(content: str) -> str:
    if len(content) % 4:
        return f"Base64 encoded length is expected a multiple of 4 bytes but found: {len(content)}"
    body = content.rstrip("=") if content.endswith("=") and not content.endswith("===") else content
    bad = next((character for character in body if character not in _BASE64), None)
    if bad is not None:
        return f"Invalid Base64 character: '{bad}'"
    return "Invalid last non-pad Base64 character dectected"  # the service's spelling


def _read_boolean(content: object, place: Place, reading: _Reading, depth: int) -> bool:
    if not isinstance(content, bool):
        reading.refuse_shape(place, describe_type_fault(content, "Boolean"))
    return content is True


def _read_null(content: object, place: Place, reading: _Reading, depth: int) -> bool:
    _read_boolean(content, place, reading, depth)
    if content is False:
        reading.refuse(place, "null-true", f"{INVALID}Null attribute value types must have the value of true")
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
            words = "Binary sets should not be empty" if kind == "binary" else f"An {kind} set  may not be empty"
            reading.refuse(place, "set-empty", f"{INVALID}{words}")
        was_sound, reading.sound = reading.sound, True
        found = [read_element(element, place.at(index), reading, depth) for index, element in enumerate(content)]
        if reading.sound and len(set(found)) < len(found):  # stand-ins of faulty elements would be duplicates
            reading.refuse(place, "set-duplicate", _describe_duplicates(kind, found))
        reading.sound = reading.sound and was_sound
        return found

    return read


def _describe_duplicates(kind: str, elements: Sequence[str | bytes]) -> str:
    if kind == "number":
        return "Input collection contains duplicates"
    from base64 import b64encode

    shown = ", ".join(b64encode(one).decode() if isinstance(one, bytes) else one for one in elements)
    end = "of type BS contains duplicates." if kind == "binary" else " contains duplicates."
    return f"{INVALID}Input collection [{shown}]{end}"


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
