"""Turns Python values into AttributeValues, checking and measuring them on the way.

One pass serialises a value, checks it against the rules for attribute values and adds up its size, by
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html and
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

from .numbers import measure_number, parse_number, to_number
from .text import measure_text, to_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from decimal import Decimal
    from typing import Any, TypeAlias

    from .values import AttributeValue, Item, TypedItem

    Sized: TypeAlias = tuple[AttributeValue, int]
    Serializer: TypeAlias = Callable[[Any, int], Sized]
    Members: TypeAlias = Collection[Any]

_EVERYDAY_INT = 2**62  # below it there are surely no 38 digits to count
_SURELY_SHORT_NAME = MAX_ATTRIBUTE_NAME_BYTES // 4  # no character takes more than four bytes


def serialize(value: object) -> Sized:
    """Serialise one value and return it with its size in bytes."""
    return (_SERIALIZERS.get(type(value)) or _find_serializer(value))(value, 1)


def serialize_item(item: Item, depth: int = 1) -> tuple[TypedItem, int]:
    """Serialise an item, or the entries of a map, and return it with its size in bytes, names included."""
    # type() first: isinstance with an abstract class is slow.
    if type(item) is not dict and not isinstance(item, Mapping):
        raise BuildError(
            f"a mapping of attribute names to values is expected, not a {type(item).__name__}",
            rule="attribute-name",
            fix="pass a dictionary",
        )
    try:
        names = sorted(item)  # equal items must give equal bytes: a token stands for the bytes of its request
        together = "".join(names)  # all names measured at once; it also fails where a name is not a string
    except TypeError:
        odd: object = next(name for name in item if not isinstance(name, str))
        raise BuildError(
            f"attribute names are strings, not {type(odd).__name__}", rule="attribute-name", fix="rename the key"
        ) from None
    total = len(together) if together.isascii() else measure_text(together)
    typed: TypedItem = {}
    for name in names:
        value = item[name]
        if type(value) is str and value.isascii():  # most values: save the calls
            typed[name] = {"S": value}
            total += len(value)
            continue
        try:
            typed[name], size = (_SERIALIZERS.get(type(value)) or _find_serializer(value))(value, depth)
        except BuildError as error:
            raise error.within(f".{name}") from None  # the same error, so there is no cause to show
        total += size
    # One by one only where a name can be too long or empty.
    if len(together) > _SURELY_SHORT_NAME or "" in typed:
        for name in names:
            _check_name(name)
    return typed, total


def _check_name(name: str) -> None:
    if not 0 < measure_text(name) <= MAX_ATTRIBUTE_NAME_BYTES:
        raise BuildError(
            f"an attribute name of {measure_text(name)} bytes, 1 to {MAX_ATTRIBUTE_NAME_BYTES} are allowed",
            rule="attribute-name",
            fix="rename it",
        )


# --- One function for each type: takes the value and how deep it is nested, returns it with its size


def _write_text(value: str, depth: int) -> Sized:
    return {"S": value}, measure_text(value)


def _write_boolean(value: bool, depth: int) -> Sized:
    return {"BOOL": value}, 1


def _write_null(value: None, depth: int) -> Sized:
    return {"NULL": True}, 1


def _write_number(value: int | float | Decimal, depth: int) -> Sized:
    text = to_number(value)
    return {"N": text}, measure_number(text)


def _write_integer(value: int, depth: int) -> Sized:
    if 0 <= value < _EVERYDAY_INT:
        text = int.__repr__(value)
        return {"N": text}, (len(text.rstrip("0")) + 1) // 2 + 1  # measure_number, spelled out to save the call
    return _write_number(value, depth)


def _write_decimal(value: Decimal, depth: int) -> Sized:
    text = str(value)
    # A Decimal writes no leading zeros. Without trailing zeros and exponent, too, it is in canonical form already.
    whole, _, fraction = text.partition(".")
    plain = fraction.isdigit() and fraction[-1] != "0" if fraction else whole.isdigit()
    if not plain or len(text) > MAX_NUMBER_DIGITS:
        text = parse_number(text)
    return {"N": text}, measure_number(text)


def _write_binary(value: bytes | bytearray | memoryview, depth: int) -> Sized:
    raw = bytes(value)
    return {"B": raw}, len(raw)


def _write_list(value: list[object] | tuple[object, ...], depth: int) -> Sized:
    if depth > MAX_DEPTH:  # also where a list that contains itself ends
        raise _make_depth_error()
    elements: list[AttributeValue] = []
    total = CONTAINER_OVERHEAD_BYTES + ELEMENT_OVERHEAD_BYTES * len(value)
    try:
        for element in value:
            if type(element) is str and element.isascii():  # as in serialize_item
                elements.append({"S": element})
                total += len(element)
                continue
            typed, size = (_SERIALIZERS.get(type(element)) or _find_serializer(element))(element, depth + 1)
            elements.append(typed)
            total += size
    except BuildError as error:
        raise error.within(f"[{len(elements)}]") from None
    return {"L": elements}, total


def _write_map(value: Item, depth: int) -> Sized:
    if depth > MAX_DEPTH:
        raise _make_depth_error()
    entries, total = serialize_item(value, depth + 1)
    return {"M": entries}, total + CONTAINER_OVERHEAD_BYTES + ELEMENT_OVERHEAD_BYTES * len(entries)


def _make_depth_error() -> BuildError:
    return BuildError(
        f"nested deeper than {MAX_DEPTH} levels",
        rule="value-depth",
        fix="flatten the value (does it contain itself?), or store it as JSON text",
    )


def _write_set(value: Members, depth: int) -> Sized:
    if not value:
        raise BuildError(
            "an empty set, which DynamoDB cannot store",
            rule="set-empty",
            fix="leave the attribute out, or remove it in an update",
        )
    # Sorted below: the order of a set differs between processes, and the bytes of a request must not.
    types = set(map(type, value))
    if types == _STRINGS:
        texts = sorted(value)
        return {"SS": texts}, measure_text("".join(texts))
    if types == _INTEGERS:
        numbers = [to_number(element) for element in sorted(value)]  # ints of a set are distinct numbers
        return {"NS": numbers}, sum(map(measure_number, numbers))
    return _write_unusual_set(value)


def _write_unusual_set(value: Members) -> Sized:
    kinds = {_find_set_type(element) for element in value}
    if len(kinds) > 1 or None in kinds:
        raise BuildError(
            f"a set of {' and '.join(sorted({type(element).__name__ for element in value}))}",
            rule="set-mixed",
            fix="a set holds only strings, only numbers or only bytes; use a list for anything else",
        )
    kind = kinds.pop()
    if kind == "SS":
        texts = sorted(map(to_text, value))
        return {"SS": texts}, measure_text("".join(texts))
    if kind == "BS":
        binaries = sorted({bytes(element) for element in value})
        return {"BS": binaries}, sum(map(len, binaries))
    # 0.1 and Decimal("0.1") are two elements in Python, but one number in DynamoDB, which refuses duplicates.
    by_text = {to_number(element): element for element in value}
    numbers = sorted(by_text, key=by_text.__getitem__)
    return {"NS": numbers}, sum(map(measure_number, numbers))


def _find_set_type(element: object) -> str | None:
    """The type of set for an element; ``None`` when there is none (a bool is not a number)."""
    if isinstance(element, str):
        return "SS"
    if isinstance(element, bytes):
        return "BS"
    is_number = (isinstance(element, (int, float)) and not isinstance(element, bool)) or _is_decimal(element)
    return "NS" if is_number else None


_STRINGS = {str}
_INTEGERS = {int}
_SERIALIZERS: dict[type, Serializer] = {
    str: _write_text,
    bool: _write_boolean,
    type(None): _write_null,
    int: _write_integer,
    float: _write_number,
    bytes: _write_binary,
    bytearray: _write_binary,
    memoryview: _write_binary,
    list: _write_list,
    tuple: _write_list,
    dict: _write_map,
    set: _write_set,
    frozenset: _write_set,
}


def _find_serializer(value: object) -> Serializer:
    """Find the serializer for a type that is not in the table; the first ``Decimal`` enters its own type there."""
    if _is_decimal(value):
        _SERIALIZERS.setdefault(type(value), _write_decimal)
        return _write_decimal
    if isinstance(value, str):
        return lambda text, depth: _write_text(to_text(text), depth)
    # Enumerations, named tuples, ordered dictionaries: as their base. Mapping comes last, as it is slow to ask.
    for base, serializer in (*_SERIALIZERS.items(), (Mapping, _write_map)):
        if isinstance(value, base):
            return serializer
    if type(value).__name__ == "Binary" and isinstance(getattr(value, "value", None), bytes):
        return lambda wrapped, depth: _write_binary(wrapped.value, depth)  # boto3's wrapper for binary values
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


def _is_decimal(value: object) -> bool:
    # By name, so that the decimal module is loaded only by programs that use it.
    return any(base.__module__ == "decimal" and base.__name__ == "Decimal" for base in type(value).__mro__)
