"""Python values <-> AttributeValue, with sizes in bytes.

One pass serialises a value, checks it against the rules for attribute values and adds up its size, by the rules
of https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html and
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html.

======================  =====================================================================================
Python                  AttributeValue
======================  =====================================================================================
``str``                 ``{"S": …}``
``bool``                ``{"BOOL": …}``
``int``, ``Decimal``    ``{"N": …}``, canonical text: ``1.50`` and ``1.5`` are one number
``float``               ``{"N": …}``, by its shortest repr: ``0.1`` is ``0.1``
``None``                ``{"NULL": true}``
``bytes``, …            ``{"B": …}``, raw; base64 comes in only where JSON text is written
``list``, ``tuple``     ``{"L": […]}``
a mapping               ``{"M": {…}}``, keys sorted
``set``, ``frozenset``  ``{"SS": […]}``, ``{"NS": […]}`` or ``{"BS": […]}``, elements sorted
======================  =====================================================================================

Subclasses count as their base (an ``IntEnum`` member is a number, a ``StrEnum`` member a string).
"""

from __future__ import annotations

from collections.abc import Mapping

from expr_builder.errors import BuildError
from expr_builder.limits import (
    CONTAINER_OVERHEAD_BYTES,
    ELEMENT_OVERHEAD_BYTES,
    MAX_ATTRIBUTE_NAME_BYTES,
    MAX_DEPTH,
    MAX_NUMBER_DIGITS,
)

from .numbers import number_size, parse_number, read_number, to_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from decimal import Decimal
    from typing import Any, TypeAlias

    AttributeValue: TypeAlias = dict[str, Any]
    """One typed value as the client takes it: ``{"S": "text"}``, ``{"N": "42"}`` …"""
    TypedItem: TypeAlias = dict[str, AttributeValue]
    """An item, or a key, as the client takes it: attribute names to AttributeValues."""
    Item: TypeAlias = Mapping[str, Any]
    """An item, or a key, as people give it: attribute names to Python values."""
    StoredItem: TypeAlias = dict[str, Any]
    """An item as it was read: attribute names to Python values."""
    Sized: TypeAlias = tuple[AttributeValue, int]

_EVERYDAY_INT = 2**62
_SURELY_SHORT_NAME = MAX_ATTRIBUTE_NAME_BYTES // 4  # no character takes more than four bytes


def to_attribute_value(value: Any) -> AttributeValue:
    """Serialise one value.

    Args:
        value: Any Python value of the module's table, nested up to 32 levels.

    Returns:
        The AttributeValue, such as ``{"M": {"tags": {"SS": ["a", "b"]}}}``.

    Raises:
        BuildError: for a value that DynamoDB has no type for or would refuse; its place is the path of the bad value
            inside ``value``.
    """
    return sized(value)[0]


def to_item(item: Mapping[str, Any]) -> dict[str, AttributeValue]:
    """Serialise an item (or a key): each attribute by :func:`to_attribute_value`, attributes sorted by name.

    Raises:
        BuildError: with the place of the bad value, such as ``.tags[2]``.
    """
    return sized_item(item)[0]


def sized(value: Any) -> Sized:
    """Serialise one value and return it with its size in bytes."""
    return (_SERIALIZERS.get(type(value)) or _serializer_of(value))(value, 1)


def sized_item(item: Mapping[str, Any], depth: int = 1) -> tuple[dict[str, AttributeValue], int]:
    """Serialise an item, or the entries of a map, and return it with its size in bytes, names included.

    Names are sorted, so that equal items give equal bytes.
    """
    if type(item) is not dict and not isinstance(item, Mapping):
        raise BuildError(
            f"a mapping of attribute names to values is expected, not a {type(item).__name__}",
            rule="attribute-name",
            fix="pass a dictionary",
        )
    try:
        names = sorted(item)
        together = "".join(names)
    except TypeError:
        odd: Any = next(name for name in item if not isinstance(name, str))
        raise BuildError(
            f"attribute names are strings, not {type(odd).__name__}", rule="attribute-name", fix="rename the key"
        ) from None
    total = len(together) if together.isascii() else _text_size(together)
    typed: dict[str, AttributeValue] = {}
    for name in names:
        value = item[name]
        if type(value) is str and value.isascii():  # nearly all there is: no calls for it
            typed[name] = {"S": value}
            total += len(value)
            continue
        try:
            typed[name], size = (_SERIALIZERS.get(type(value)) or _serializer_of(value))(value, depth)
        except BuildError as error:
            raise error.within(f".{name}") from None
        total += size
    if len(together) > _SURELY_SHORT_NAME or "" in typed:
        for name in names:
            _check_name(name)
    return typed, total


def from_attribute_value(value: Mapping[str, Any]) -> Any:
    """Turn an AttributeValue into a Python value.

    Numbers come back as ``int`` when they are whole, else as ``Decimal`` (exact, whatever the decimal context says);
    sets as ``set``, binary values as ``bytes``.

    Raises:
        BuildError: when ``value`` is not an AttributeValue.
    """
    try:
        (tag,) = value
        return _READERS[tag](value[tag])
    except _NOT_TYPED:
        raise _not_an_attribute_value() from None


def from_item(item: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Turn an item of AttributeValues into a dictionary of Python values.

    Raises:
        BuildError: when a value is not an AttributeValue.
    """
    try:
        return _read_map(item)
    except _NOT_TYPED:
        raise _not_an_attribute_value() from None


def size_of(value: Mapping[str, Any]) -> int:
    """Size of one AttributeValue in bytes, by DynamoDB's formula; a name that leads to it is not included."""
    ((tag, content),) = value.items()
    if tag == "S":
        return _text_size(content)
    if tag == "N":
        return number_size(content)
    if tag == "B":
        return len(content)
    if tag in ("BOOL", "NULL"):
        return 1
    if tag == "SS":
        return sum(map(_text_size, content))
    if tag == "NS":
        return sum(map(number_size, content))
    if tag == "BS":
        return sum(map(len, content))
    if tag == "L":
        return CONTAINER_OVERHEAD_BYTES + sum(size_of(element) + ELEMENT_OVERHEAD_BYTES for element in content)
    entries = ((_text_size(name), size_of(element)) for name, element in content.items())
    return CONTAINER_OVERHEAD_BYTES + sum(name + size + ELEMENT_OVERHEAD_BYTES for name, size in entries)


def item_size(item: Mapping[str, Mapping[str, Any]]) -> int:
    """Size of an item of AttributeValues in bytes, attribute names included: what the 400 KB limit counts."""
    return sum(_text_size(name) + size_of(value) for name, value in item.items())


def _text_size(text: str) -> int:
    return len(text) if text.isascii() else len(_utf8(text))


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise BuildError(
            "text with half a surrogate pair, which UTF-8 cannot hold",
            rule="text-utf8",
            fix="repair the text where it is read, or store bytes",
        ) from None


def _check_name(name: str) -> None:
    if not 0 < _text_size(name) <= MAX_ATTRIBUTE_NAME_BYTES:
        raise BuildError(
            f"an attribute name of {_text_size(name)} bytes, 1 to {MAX_ATTRIBUTE_NAME_BYTES} are allowed",
            rule="attribute-name",
            fix="rename it",
        )


# --- Python -> AttributeValue. Each takes the value and how deep it is nested, and returns it with its size.


def _string(value: str, depth: int) -> Sized:
    return {"S": value}, _text_size(value)


def _boolean(value: bool, depth: int) -> Sized:
    return {"BOOL": value}, 1


def _null(value: None, depth: int) -> Sized:
    return {"NULL": True}, 1


def _number(value: int | float | Decimal, depth: int) -> Sized:
    text = to_number(value)
    return {"N": text}, number_size(text)


def _integer(value: int, depth: int) -> Sized:
    if 0 <= value < _EVERYDAY_INT:
        text = int.__repr__(value)
        return {"N": text}, (len(text.rstrip("0")) + 1) // 2 + 1
    return _number(value, depth)


def _decimal(value: Decimal, depth: int) -> Sized:
    text = str(value)
    # A Decimal writes no leading zeros: without trailing ones, and an exponent, it is in canonical form already.
    whole, _, fraction = text.partition(".")
    plain = fraction.isdigit() and fraction[-1] != "0" if fraction else whole.isdigit()
    if not plain or len(text) > MAX_NUMBER_DIGITS:
        text = parse_number(text)
    return {"N": text}, number_size(text)


def _binary(value: bytes | bytearray | memoryview, depth: int) -> Sized:
    raw = bytes(value)
    return {"B": raw}, len(raw)


def _list(value: list[Any] | tuple[Any, ...], depth: int) -> Sized:
    if depth > MAX_DEPTH:
        raise _too_deep()
    elements: list[AttributeValue] = []
    total = CONTAINER_OVERHEAD_BYTES + ELEMENT_OVERHEAD_BYTES * len(value)
    try:
        for element in value:
            if type(element) is str and element.isascii():
                elements.append({"S": element})
                total += len(element)
                continue
            typed, size = (_SERIALIZERS.get(type(element)) or _serializer_of(element))(element, depth + 1)
            elements.append(typed)
            total += size
    except BuildError as error:
        raise error.within(f"[{len(elements)}]") from None
    return {"L": elements}, total


def _map(value: Mapping[str, Any], depth: int) -> Sized:
    if depth > MAX_DEPTH:
        raise _too_deep()
    entries, total = sized_item(value, depth + 1)
    return {"M": entries}, total + CONTAINER_OVERHEAD_BYTES + ELEMENT_OVERHEAD_BYTES * len(entries)


def _set(value: set[Any] | frozenset[Any], depth: int) -> Sized:
    if not value:
        raise BuildError(
            "an empty set, which DynamoDB cannot store",
            rule="set-empty",
            fix="leave the attribute out, or remove it in an update",
        )
    types = set(map(type, value))
    if types == _STRINGS:
        texts = sorted(value)
        return {"SS": texts}, _text_size("".join(texts))
    if types == _INTEGERS:
        numbers = [to_number(element) for element in sorted(value)]  # no two of them are one number
        return {"NS": numbers}, sum(map(number_size, numbers))
    return _unusual_set(value)


def _unusual_set(value: set[Any] | frozenset[Any]) -> Sized:
    kinds = {_set_type_of(element) for element in value}
    if len(kinds) > 1 or None in kinds:
        raise BuildError(
            f"a set of {' and '.join(sorted({type(element).__name__ for element in value}))}",
            rule="set-mixed",
            fix="a set holds only strings, only numbers or only bytes; use a list for anything else",
        )
    kind = kinds.pop()
    if kind == "SS":
        texts = sorted(map(str.__str__, value))
        return {"SS": texts}, _text_size("".join(texts))
    if kind == "BS":
        binaries = sorted({bytes(element) for element in value})
        return {"BS": binaries}, sum(map(len, binaries))
    # 0.1 and Decimal("0.1") are two elements to Python and one number to DynamoDB.
    by_text = {to_number(element): element for element in value}
    numbers = sorted(by_text, key=by_text.__getitem__)
    return {"NS": numbers}, sum(map(number_size, numbers))


def _too_deep() -> BuildError:
    return BuildError(
        f"nested deeper than {MAX_DEPTH} levels",
        rule="value-depth",
        fix="flatten the value (does it contain itself?), or store it as JSON text",
    )


_SERIALIZERS: dict[type, Callable[[Any, int], Sized]] = {
    str: _string,
    bool: _boolean,
    type(None): _null,
    int: _integer,
    float: _number,
    bytes: _binary,
    bytearray: _binary,
    memoryview: _binary,
    list: _list,
    tuple: _list,
    dict: _map,
    set: _set,
    frozenset: _set,
}

_STRINGS = {str}
_INTEGERS = {int}


def _set_type_of(element: Any) -> str | None:
    """The type of set that an element belongs into; ``None`` where there is none (a bool is not a number)."""
    if isinstance(element, str):
        return "SS"
    if isinstance(element, bytes):
        return "BS"
    is_number = (isinstance(element, (int, float)) and not isinstance(element, bool)) or _is_decimal(element)
    return "NS" if is_number else None


def _serializer_of(value: Any) -> Callable[[Any, int], Sized]:
    """Find the serializer for a type that is not in the table itself, and enter ``Decimal`` there when it comes up."""
    if _is_decimal(value):
        _SERIALIZERS.setdefault(type(value), _decimal)
        return _decimal
    if isinstance(value, str):
        return lambda text, depth: _string(str.__str__(text), depth)
    for base, serializer in (
        (int, _number),
        (float, _number),
        (Mapping, _map),
        (list, _list),
        (tuple, _list),
        (set, _set),
        (frozenset, _set),
        (bytes, _binary),
    ):
        if isinstance(value, base):
            return serializer
    if type(value).__name__ == "Binary" and isinstance(getattr(value, "value", None), bytes):
        return lambda wrapped, depth: _binary(wrapped.value, depth)  # boto3's wrapper for binary values
    raise BuildError(
        f"DynamoDB has no type for a {type(value).__name__}",
        rule="value-type",
        fix=_FIXES.get(type(value).__name__, "convert it to a string, number, bytes, bool, None, list, dict or set"),
    )


_FIXES = {
    "datetime": "store .isoformat(), or int(.timestamp()) for a time to live",
    "date": "store .isoformat()",
    "UUID": "store str(…)",
    "Fraction": "store a Decimal",
    "complex": "store a list of two numbers",
    "generator": "store list(…)",
}


def _is_decimal(value: Any) -> bool:
    # By name, so that the decimal module is loaded only by programs that use it.
    return any(base.__module__ == "decimal" and base.__name__ == "Decimal" for base in type(value).__mro__)


# --- AttributeValue -> Python. What is not an AttributeValue fails in one of a few ways, told apart at the top alone.

_NOT_TYPED = (ArithmeticError, AttributeError, KeyError, TypeError, ValueError)


def _not_an_attribute_value() -> BuildError:
    return BuildError(
        "not an AttributeValue", rule="attribute-value", fix='one of its types and a value, such as {"S": "text"}'
    )


def _read_map(content: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    read: dict[str, Any] = {}
    for name, value in content.items():
        (tag,) = value
        read[name] = value["S"] if tag == "S" else _READERS[tag](value[tag])
    return read


def _read_list(content: list[Mapping[str, Any]]) -> list[Any]:
    read: list[Any] = []
    for value in content:
        (tag,) = value
        read.append(value["S"] if tag == "S" else _READERS[tag](value[tag]))
    return read


def _read_null(content: Any) -> None:
    return None


_READERS: dict[str, Callable[[Any], Any]] = {
    "S": str,
    "N": read_number,
    "B": bytes,
    "BOOL": bool,
    "NULL": _read_null,
    "L": _read_list,
    "M": _read_map,
    "SS": set,
    "NS": lambda content: {read_number(element) for element in content},
    "BS": lambda content: {bytes(element) for element in content},
}
