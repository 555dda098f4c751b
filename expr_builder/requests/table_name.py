"""What may stand where a request names a table: a name, or an ARN; and where it names an index.

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
"""

from __future__ import annotations

from expr_builder.limits import (
    MAX_INDEX_NAME_LENGTH,
    MAX_TABLE_ARN_LENGTH,
    MAX_TABLE_NAME_LENGTH,
    MIN_INDEX_NAME_LENGTH,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def is_table_name(text: str) -> bool:
    """Tell whether a text is a table's name or ARN (``arn:aws-cn:dynamodb:cn-north-1:111122223333:table/orders``)."""
    if not text.startswith("arn:"):
        return has_name_characters(text) and len(text) <= MAX_TABLE_NAME_LENGTH
    parts = text.split(":")
    if len(text) > MAX_TABLE_ARN_LENGTH or len(parts) != 6:
        return False
    _, partition, service, region, account, resource = parts
    kind, _, name = resource.partition("/")  # of an index's ARN, the name would be "orders/index/by_date"
    is_ours = partition.startswith("aws") and service == "dynamodb" and kind == "table"
    return is_ours and bool(region) and account.isdigit() and is_table_name(name)


def is_index_name(text: str) -> bool:
    """Tell whether a text is a name that an index can have."""
    return has_name_characters(text) and MIN_INDEX_NAME_LENGTH <= len(text) <= MAX_INDEX_NAME_LENGTH


def has_name_characters(text: str) -> bool:
    """Tell whether a text consists of letters, digits, ``_``, ``.`` and ``-``, as names of tables and indexes do."""
    # Not by a regular expression: the module is slow to import.
    return text.isascii() and text.replace("_", "a").replace(".", "a").replace("-", "a").isalnum()


def find_two_homes(tables: Iterable[str]) -> tuple[int, int] | None:
    """The positions of the first two tables that are in two Regions or accounts; a plain name is in any."""
    first: tuple[int, tuple[str, str]] | None = None
    for position, table in enumerate(tables):
        home = _find_home(table)
        if home is not None and first is not None and home != first[1]:
            return first[0], position
        if home is not None and first is None:
            first = (position, home)
    return None


def _find_home(text: str) -> tuple[str, str] | None:
    """The Region and account of a table that is given by its ARN; ``None`` for a name."""
    parts = text.split(":")
    return (parts[3], parts[4]) if text.startswith("arn:") and is_table_name(text) else None
