"""AttributeValues compared as DynamoDB compares them.

Values of different types are unequal and have no order; numbers compare as numbers (``1`` = ``1.0``), text by its UTF-8
bytes, sets whatever their order. [HowItWorks.NamingRulesDataTypes] A missing value makes ``<>`` true and every other
comparison false, also against another missing one. [Alternator's tests, which pass on the service]
"""

from __future__ import annotations

from .numbers import load_decimal
from .values import ORDERED_TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .values import AttributeValue, Ranked


def to_comparable(value: AttributeValue) -> Ranked:
    """The type, and the content in a form that Python compares as DynamoDB does.

    Text stays as it is: Python compares it by code points, which is the order of its UTF-8 bytes.
    """
    ((tag, content),) = value.items()
    if tag == "N":
        return tag, load_decimal()(content)
    if tag == "NS":
        return tag, frozenset(map(load_decimal(), content))
    if tag in ("SS", "BS"):
        return tag, frozenset(content)
    if tag == "L":
        return tag, list(map(to_comparable, content))
    if tag == "M":
        return tag, {name: to_comparable(entry) for name, entry in content.items()}
    return tag, content


def is_true(left: AttributeValue | None, operator: str, right: AttributeValue | None) -> bool:
    """Tell whether ``left operator right`` holds; ``None`` is a missing value, which only ``<>`` holds for."""
    if left is None or right is None:
        return operator == "<>"
    left_type, left_content = to_comparable(left)
    right_type, right_content = to_comparable(right)
    if operator in ("=", "<>"):
        equal = left_type == right_type and left_content == right_content
        return bool(equal == (operator == "="))
    if left_type != right_type or left_type not in ORDERED_TYPES:
        return False
    if operator[0] == ">":
        left_content, right_content = right_content, left_content
    return bool(left_content < right_content or (len(operator) == 2 and left_content == right_content))
