"""AttributeValues compared as DynamoDB compares them.

Values of different types are unequal and have no order. Numbers compare as numbers (``1`` = ``1.0``), text by its UTF-8
bytes, sets whatever their order. [HowItWorks.NamingRulesDataTypes] A missing value makes ``<>`` true and every other
comparison false, even against another missing value. [Alternator's tests, which pass on the service]
"""

from __future__ import annotations

from .numbers import load_decimal
from .values import ORDERED_TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .values import AttributeValue, Ranked


def to_comparable(value: AttributeValue) -> Ranked:
    """Return the type, and the content in a form that Python compares as DynamoDB does."""
    ((tag, content),) = value.items()
    if tag == "N":
        return tag, load_decimal()(content)
    if tag == "NS":
        return tag, frozenset(map(load_decimal(), content))
    if tag in ("SS", "BS"):
        return tag, frozenset(content)
    if tag == "L":
        # Each element with its type: to Python, True equals 1.
        return tag, list(map(to_comparable, content))
    if tag == "M":
        return tag, {name: to_comparable(entry) for name, entry in content.items()}
    return tag, content  # text too: the order of its code points, Python's, is the order of its UTF-8 bytes


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
    # a > b is b < a, so that two operators are left to tell apart.
    if operator[0] == ">":
        left_content, right_content = right_content, left_content
    return bool(left_content < right_content or (len(operator) == 2 and left_content == right_content))
