"""AttributeValues and items: their types, to and from Python values, and their sizes in bytes."""

from __future__ import annotations

from expr_builder.errors import BuildError
from expr_builder.limits import CONTAINER_OVERHEAD_BYTES, ELEMENT_OVERHEAD_BYTES

from .numbers import measure_number, read_number
from .serializing import serialize, serialize_item
from .text import measure_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias

    AttributeValue: TypeAlias = dict[str, Any]
    """One typed value as the client takes it: ``{"S": "text"}``, ``{"N": "42"}`` …"""
    TypedItem: TypeAlias = dict[str, AttributeValue]
    """An item, or a key, as the client takes it: attribute names to AttributeValues."""
    Item: TypeAlias = Mapping[str, Any]
    """An item, or a key, as people give it: attribute names to Python values."""
    StoredItem: TypeAlias = dict[str, Any]
    """An item as it was read: attribute names to Python values."""
    Ranked: TypeAlias = tuple[str, Any]
    """A type, and content that Python compares as DynamoDB does."""

TYPES = ("S", "SS", "N", "NS", "B", "BS", "BOOL", "NULL", "L", "M")
"""The types of AttributeValues."""
ORDERED_TYPES = ("S", "N", "B")
"""Those whose values have an order."""
SET_TYPES = ("SS", "NS", "BS")


def to_attribute_value(value: object) -> AttributeValue:
    """Turn a Python value into an AttributeValue.

    Args:
        value: ``str``, ``int``, ``float``, ``Decimal``, ``bytes``, ``bool``, ``None``, a list, tuple, mapping or set,
            nested up to 32 levels.

    Returns:
        The AttributeValue, such as ``{"M": {"tags": {"SS": ["a", "b"]}}}``.

    Raises:
        BuildError: for a value that DynamoDB has no type for or would refuse. Its place is the path of the bad value
            inside ``value``.

    See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_AttributeValue.html
    """
    return serialize(value)[0]


def to_item(item: Item) -> TypedItem:
    """Turn an item, or a key, into AttributeValues, sorted by attribute name.

    Args:
        item: Attribute names to Python values, as :func:`to_attribute_value` takes them.

    Raises:
        BuildError: with the place of the bad value, such as ``.tags[2]``.

    Example:
        ``to_item({"PK": "A#1", "logins": 3})`` is ``{"PK": {"S": "A#1"}, "logins": {"N": "3"}}``.
    """
    return serialize_item(item)[0]


def from_attribute_value(value: Mapping[str, object]) -> Any:
    """Turn an AttributeValue into a Python value.

    A number becomes an ``int`` when it is whole, else an exact ``Decimal`` (whatever the decimal context); a set a
    ``set``, a binary value ``bytes``.

    Raises:
        BuildError: when ``value`` is not an AttributeValue.

    Example:
        ``from_attribute_value({"N": "1.5"})`` is ``Decimal("1.5")``.
    """
    try:
        (tag,) = value
        return _READERS[tag](value[tag])
    except _NOT_TYPED:
        raise _make_type_error() from None


def from_item(item: Mapping[str, Mapping[str, object]]) -> StoredItem:
    """Turn an item of AttributeValues into a dictionary of Python values, each as :func:`from_attribute_value` does.

    Raises:
        BuildError: when a value is not an AttributeValue.
    """
    try:
        return _read_map(item)
    except _NOT_TYPED:
        raise _make_type_error() from None


# Whatever is not an AttributeValue fails in one of these ways. They are caught at the top only, so that reading a sound
# item costs no checks.
_NOT_TYPED = (ArithmeticError, AttributeError, KeyError, TypeError, ValueError)


def _make_type_error() -> BuildError:
    return BuildError(
        "not an AttributeValue", rule="attribute-value", fix='one of its types and a value, such as {"S": "text"}'
    )


def _read_map(content: Mapping[str, Mapping[str, object]]) -> StoredItem:
    read: StoredItem = {}
    for name, value in content.items():
        (tag,) = value
        # Text is the usual case, and needs no call.
        read[name] = value["S"] if tag == "S" else _READERS[tag](value[tag])
    return read


def _read_list(content: list[Mapping[str, object]]) -> list[object]:
    read: list[object] = []
    for value in content:
        (tag,) = value
        read.append(value["S"] if tag == "S" else _READERS[tag](value[tag]))
    return read


def _read_null(content: object) -> None:
    return None


_READERS: dict[str, Callable[[Any], object]] = {
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


def item_size(item: Mapping[str, AttributeValue]) -> int:
    """Compute the size of an item of AttributeValues in bytes, attribute names included: what the 400 KB limit counts.

    Example:
        ``item_size({"PK": {"S": "A#1"}})`` is 5.

    See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
    """
    return sum(measure_text(name) + measure_value(value) for name, value in item.items())


def measure_value(value: AttributeValue) -> int:
    """Size of one AttributeValue in bytes, by DynamoDB's formula; a name that leads to it is not included."""
    ((tag, content),) = value.items()
    if tag == "S":
        return measure_text(content)
    if tag == "N":
        return measure_number(content)
    if tag == "B":
        return len(content)
    if tag in ("BOOL", "NULL"):
        return 1
    if tag in SET_TYPES:
        return sum(
            measure_value({tag[0]: element}) for element in content
        )  # unlike a list, a set adds nothing of its own
    if tag == "L":
        return CONTAINER_OVERHEAD_BYTES + sum(measure_value(element) + ELEMENT_OVERHEAD_BYTES for element in content)
    return CONTAINER_OVERHEAD_BYTES + item_size(content) + ELEMENT_OVERHEAD_BYTES * len(content)
