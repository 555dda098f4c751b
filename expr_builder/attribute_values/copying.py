"""Copies of AttributeValues, so that what is handed out belongs to whoever asked for it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .values import AttributeValue, TypedItem


def copy_item(item: TypedItem) -> TypedItem:
    """Copy an item, a key, or any other names with AttributeValues: the copy shares nothing that can be changed.

    Example:
        After ``copy = copy_item(item)``, ``copy["tags"]["SS"].append("x")`` leaves ``item`` as it is.
    """
    # Most values are text: save the call.
    return {name: value.copy() if "S" in value or "N" in value else copy_value(value) for name, value in item.items()}


def copy_value(value: AttributeValue) -> AttributeValue:
    """Copy one AttributeValue, in the same way."""
    if _NESTED.isdisjoint(value):  # text, numbers and bytes cannot be changed
        return value.copy()
    ((tag, content),) = value.items()
    if tag == "M":
        return {"M": copy_item(content)}
    if tag == "L":
        return {"L": [copy_value(element) for element in content]}
    return {tag: content.copy()}


_NESTED = frozenset(("SS", "NS", "BS", "L", "M"))
