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

Subclasses count as their base, by what the base holds and not by what they say of themselves: an ``IntEnum`` member is
a number, a ``StrEnum`` member a string, and a ``Decimal`` that writes itself as ``EUR 1.50`` is ``1.5``.
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

from .numbers import is_decimal, load_decimal, measure_number, parse_number, read_number, to_number, to_plain_number
from .text import measure_text, show_text, to_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from decimal import Decimal
    from typing import Any, TypeAlias

    from .values import AttributeValue, Item, TypedItem

    Sized: TypeAlias = tuple[AttributeValue, int]
    Serializer: TypeAlias = Callable[[Any, int], Sized]
    Members: TypeAlias = set[Any] | frozenset[Any]

_EVERYDAY_INT = 2**62  # below it there are surely no 38 digits to count
_SURELY_SHORT_NAME = MAX_ATTRIBUTE_NAME_BYTES // 4  # no character takes more than four bytes


def serialize(value: object) -> Sized:
    """Serialise one value and return it with its size in bytes."""
    return (_SERIALIZERS.get(type(value)) or _find_serializer(value))(value, 1)


def serialize_item(item: Item, depth: int = 1) -> tuple[TypedItem, int]:
    """Serialise an item, or the entries of a map, and return it with its size in bytes, names included."""
    if type(item) is not dict:
        item = to_plain_mapping(item)
    try:
        names = sorted(item)  # equal items must give equal bytes: a token stands for the bytes of its request
        together = "".join(names)  # all names measured at once
    except TypeError:  # a name is not a string, or compares like none
        return serialize_item(to_plain_mapping(item), depth)
    total = len(together) if together.isascii() else measure_text(together)
    typed: TypedItem = {}
    for name in names:
        if type(name) is not str:  # hardly ever: once more, with plain names
            return serialize_item(to_plain_mapping(item), depth)
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


def to_plain_mapping(item: object) -> dict[str, Any]:
    """Take a mapping's entries, each name as a plain ``str``; refuse names of other types, and two that are one."""
    entries: Iterable[tuple[object, object]]
    if isinstance(item, dict):
        entries = dict.items(item)
    elif isinstance(item, Mapping):  # last, as it is slow to ask
        entries = item.items()
    else:
        raise BuildError(
            f"a mapping of attribute names to values is expected, not a {type(item).__name__}",
            rule="attribute-name",
            fix="pass a dictionary",
        )
    plain: dict[str, Any] = {}
    for name, value in entries:
        if not isinstance(name, str):
            raise BuildError(
                f"attribute names are strings, not {type(name).__name__}", rule="attribute-name", fix="rename the key"
            )
        text = to_text(name)
        if text in plain:  # their class says that they differ; to DynamoDB they are one
            raise BuildError(
                "two keys of one mapping are the same text",
                rule="attribute-name",
                place=f".{show_text(text)}",
                fix="keep one of them",
            )
        plain[text] = value
    return plain


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
        text = str(value)
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
    # Elements that differ in Python may be one to DynamoDB, which refuses duplicates: 0.1 and Decimal("0.1").
    typed = [_write_element(element, value) for element in value]
    kinds = {kind for kind, _ in typed}
    if len(kinds) > 1:
        raise _make_set_error(value)
    contents = {content for _, content in typed}
    if "S" in kinds:
        texts = sorted(contents)
        return {"SS": texts}, measure_text("".join(texts))
    if "B" in kinds:
        return {"BS": sorted(contents)}, sum(map(len, contents))
    return {"NS": sorted(contents, key=read_number)}, sum(map(measure_number, contents))


def _write_element(element: object, among: Members) -> tuple[str, Any]:
    """The type and content of one element of a set."""
    kind = type(element)
    try:
        ((tag, content),) = (_SERIALIZERS.get(kind) or _find_serializer(element))(element, 1)[0].items()
    except BuildError as error:
        # A number out of range is a fault of its own.
        raise _make_set_error(among) if error.rule == "value-type" else error from None
    if tag not in ("S", "N", "B"):
        raise _make_set_error(among)
    return tag, content


def _make_set_error(value: Members) -> BuildError:
    kinds = sorted(set(map(type, value)), key=lambda kind: kind.__name__)
    fix = next(filter(None, map(_find_fix, kinds)), "")
    return BuildError(
        f"a set of {' and '.join(kind.__name__ for kind in kinds)}",
        rule="set-mixed",
        fix=f"of each element, {fix}"
        if fix
        else "a set holds only strings, only numbers or only bytes; use a list for anything else",
    )


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


_PLAIN: dict[type, Callable[[Any], Any]] = {
    # The base's own methods: a subclass may have others, as enumerations do.
    str: to_text,
    int: to_plain_number,
    float: to_plain_number,
    bytes: lambda value: bytes.__getitem__(value, slice(None)),
    bytearray: lambda value: bytearray.__getitem__(value, slice(None)),
    list: lambda value: list(list.__iter__(value)),
    tuple: lambda value: tuple(tuple.__iter__(value)),
    dict: lambda value: dict(dict.items(value)),
    set: lambda value: set(set.__iter__(value)),
    frozenset: lambda value: frozenset(frozenset.__iter__(value)),
}
"""What a subclass holds, as its base."""


def _find_serializer(value: object) -> Serializer:
    """Find the serializer for a type that is not in the table; the first ``Decimal`` enters it there."""
    kind = type(value)
    if is_decimal(kind):
        decimal = load_decimal()
        _SERIALIZERS[decimal] = _write_decimal
        return _write_decimal if kind is decimal else _write_number
    # Enumerations, named tuples, ordered dictionaries: as their base.
    for base in kind.__mro__:
        to_plain = _PLAIN.get(base)
        if to_plain is not None:
            write = _SERIALIZERS[base]
            return lambda special, depth: write(to_plain(special), depth)
    if isinstance(value, Mapping):  # last, as it is slow to ask
        return _write_map
    if kind.__name__ == "Binary" and isinstance(getattr(value, "value", None), (bytes, bytearray)):
        return lambda wrapped, depth: serialize(wrapped.value)  # boto3's wrapper for binary values
    raise BuildError(
        f"DynamoDB has no type for a {kind.__name__}",
        rule="value-type",
        fix=_find_fix(kind) or "convert it to a string, number, bytes, bool, None, list, dict or set",
    )


def _find_fix(kind: type) -> str:
    """What to store instead of a value of this type, if it is a usual one."""
    # By the bases' names, too: libraries have datetimes of their own.
    return next((_FIXES[base.__name__] for base in kind.__mro__ if base.__name__ in _FIXES), "")


_FIXES = {
    # In the form that the typed table stores, so that comparisons are right with either.
    "datetime": "store text of one form and zone, such as "
    'value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"), or int(value.timestamp()) for a time to live',
    "date": "store .isoformat()",
    "time": "store .isoformat()",
    "timedelta": "store .total_seconds()",
    "UUID": "store str(…)",
    "PurePath": "store str(…)",
    "Enum": "store .value",
    "Fraction": "store a Decimal",
    "complex": "store a list of two numbers",
    "generator": "store list(…)",
    "range": "store list(…)",
    "deque": "store list(…)",
}
