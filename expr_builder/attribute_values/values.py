"""AttributeValues and items: their types, to and from Python values, and their sizes in bytes."""

from __future__ import annotations

from expr_builder.limits import CONTAINER_OVERHEAD_BYTES, ELEMENT_OVERHEAD_BYTES

from .deserializing import read_map, read_value
from .numbers import measure_number
from .serializing import serialize, serialize_item
from .text import measure_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
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

    Args:
        value: As a client returns it: ``{"S": "text"}``, numbers as text, binary values as bytes, sets as lists.

    Raises:
        BuildError: when ``value`` is no AttributeValue that DynamoDB could return. Its place is the path of the bad
            value inside ``value``.

    Example:
        ``from_attribute_value({"N": "1.5"})`` is ``Decimal("1.5")``.

    See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_AttributeValue.html
    """
    return read_value(value, 1)


def from_item(item: Mapping[str, Mapping[str, object]]) -> StoredItem:
    """Turn an item of AttributeValues into a dictionary of Python values, each as :func:`from_attribute_value` does.

    Raises:
        BuildError: with the place of the bad value, such as ``.tags[2]``.

    Example:
        ``from_item({"PK": {"S": "A#1"}, "logins": {"N": "3"}})`` is ``{"PK": "A#1", "logins": 3}``.
    """
    return read_map(item, 0)


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
