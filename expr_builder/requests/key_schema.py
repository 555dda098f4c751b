"""The keys of tables and indexes: how they are declared, and what they demand of items and key conditions.

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.CoreComponents.html
"""

from __future__ import annotations

from collections.abc import Mapping

from expr_builder.attribute_values.serializing import serialize_item
from expr_builder.attribute_values.values import measure_value
from expr_builder.errors import BuildError
from expr_builder.expressions.attr import Attr
from expr_builder.expressions.nodes import Comparison, Path, conjuncts, list_children
from expr_builder.limits import (
    MAX_INDEX_KEYS,
    MAX_KEY_NAME_BYTES,
    MAX_PARTITION_KEY_BYTES,
    MAX_SORT_KEY_BYTES,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from expr_builder.attribute_values.values import AttributeValue, Item, TypedItem
    from expr_builder.expressions.nodes import Condition

    Target: TypeAlias = tuple[str | bytes, ...]
    """What identifies an item: its table's name or ARN, as declared, and the contents of its key."""
    KeyPart: TypeAlias = str | tuple[str, str]
    """A key attribute: its name, or its name and type."""

KEY_TYPES = ("S", "N", "B")
"""The types that a key attribute can have."""

UNSUPPORTED = "Query key condition not supported"
"""The service's words for a key condition with the right attributes and an operator that it cannot use."""


class KeySchema:
    """The key attributes of a table or an index, by role.

    Attributes:
        partition_keys: The attributes of the partition key: one, or up to four of a global index.
        sort_keys: The attributes of the sort key, in order; none, one, or up to four of a global index.
    """

    __slots__ = ("partition_keys", "sort_keys")

    def __init__(self, partition_keys: tuple[str, ...], sort_keys: tuple[str, ...]) -> None:
        self.partition_keys = partition_keys
        self.sort_keys = sort_keys

    @property
    def names(self) -> tuple[str, ...]:
        """All key attributes, the partition key first."""
        return self.partition_keys + self.sort_keys


def find_misfit(keys: KeySchema, operators: Mapping[str, str]) -> tuple[str, str] | None:
    """Find what makes a key condition unfit for these keys.

    Args:
        keys: The keys of the table or index that is queried.
        operators: For each attribute that the condition is about, its operator (:func:`read_operators`).

    Returns:
        What is wrong in DynamoDB's words, and the fix; ``None`` when it fits.
    """
    equals = "each partition key attribute is compared with eq(…)"
    for name in keys.partition_keys:
        if name not in operators:
            return _say_missed(name), equals
        if operators[name] != "=":
            return UNSUPPORTED, equals
    # The service wants the sort key's attributes from the left, without a gap, and = for all but the last.
    others = [name for name in operators if name not in keys.partition_keys]
    used = keys.sort_keys[: len(others)]
    foreign = [name for name in others if name not in keys.sort_keys]
    if foreign:
        # It names the sort key attribute that is missing, if there is one, not the foreign one.
        fix = f"{foreign[0]} is no key attribute here: filter(…) takes the rest"
        missed = next((name for name in used if name not in others), None)
        return (_say_missed(missed) if missed is not None else UNSUPPORTED), fix
    left_to_right = "sort key attributes are used from the left, all but the last with eq(…)"
    for name in used:
        if name not in others:
            return _say_missed(name), left_to_right
    if any(operators[name] != "=" for name in used[:-1]):
        return UNSUPPORTED, left_to_right
    return None


def _say_missed(name: str) -> str:
    return f"Query condition missed key schema element: {name}"


def read_operators(condition: Condition) -> dict[str, str]:
    """Each attribute of a sound key condition, with its operator: ``""`` for ``BETWEEN`` and ``begins_with``."""
    operators = {}
    for part in conjuncts(condition):
        path = next(child for child in list_children(part) if isinstance(child, Path))
        operators[str(path.segments[0])] = part.operator if isinstance(part, Comparison) else ""
    return operators


class Index(KeySchema):
    """What a query needs to know about a secondary index.

    Args:
        partition_key: The name of its partition key, or up to four names.
        sort_key: The name of its sort key, or up to four names, if it has one.
        local: Whether it is a local secondary index: only that can be read consistently.

    Raises:
        BuildError: for more than four names, or an empty one.

    Example:
        ``Table("accounts", "PK", indexes={"by_email": Index("email", ("team", "joined"))})``

    See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/SecondaryIndexes.html
    """

    __slots__ = ("local",)

    def __init__(
        self,
        partition_key: str | tuple[str, ...],
        sort_key: str | tuple[str, ...] | None = None,
        *,
        local: bool = False,
    ) -> None:
        super().__init__(
            (partition_key,) if isinstance(partition_key, str) else tuple(partition_key),
            (sort_key,) if isinstance(sort_key, str) else tuple(sort_key or ()),
        )
        self.local = local
        valid = 1 <= len(self.partition_keys) <= MAX_INDEX_KEYS and len(self.sort_keys) <= MAX_INDEX_KEYS
        if not valid or not all(isinstance(name, str) and name for name in self.names):
            raise BuildError(
                f"an index has 1 to {MAX_INDEX_KEYS} partition key names and up to {MAX_INDEX_KEYS} sort key names",
                rule="key-definition",
                place="Index",
            )

    def __repr__(self) -> str:
        return f"Index({', '.join(self.names)}{', local' if self.local else ''})"


def find_index(indexes: Mapping[str, Index], name: str) -> Index:
    """Find a declared index.

    Raises:
        BuildError: when there is none of this name; the fix lists those that there are.
    """
    if name not in indexes:
        raise BuildError(
            f"the table declares no index {name}",
            rule="index-unknown",
            place="IndexName",
            fix=f"declared are {' and '.join(indexes) or 'none'}",
        )
    return indexes[name]


class PrimaryKey(KeySchema):
    """A table's primary key, against which every action on its items is checked.

    Attributes:
        types: The key attributes, partition key first, each with its type: ``{"PK": "S", "SK": "S"}``.
        absent: ``attribute_not_exists(partition key)``: no item has this key.
        present: ``attribute_exists(partition key)``: an item has this key.
    """

    __slots__ = ("_checks", "_table", "absent", "present", "types")

    def __init__(self, table: str, partition_key: KeyPart, sort_key: KeyPart | None) -> None:
        keys = [_define(key, table) for key in (partition_key, sort_key) if key is not None]
        if len(keys) == 2 and keys[0][0] == keys[1][0]:
            raise BuildError("both keys have one name", rule="key-definition", place=f'table "{table}"')
        self.types: dict[str, str] = dict(keys)
        first, *others = self.types
        super().__init__((first,), tuple(others))
        self.absent: Condition = Attr(first).not_exists()
        self.present: Condition = Attr(first).exists()
        self._table = table
        limits = (MAX_PARTITION_KEY_BYTES, MAX_SORT_KEY_BYTES)
        self._checks = tuple((name, kind, limit) for (name, kind), limit in zip(keys, limits, strict=False))

    def __repr__(self) -> str:
        return f"PrimaryKey({', '.join(self.types)})"


def identify(keys: PrimaryKey, item: TypedItem) -> Target:
    """What identifies an item, given the item or its key."""
    return (keys._table, *[item[name][kind] for name, kind, _ in keys._checks])


def check_key(keys: PrimaryKey, item: TypedItem) -> Target:
    """Refuse an item whose key attributes are missing, empty, too long, or of another type.

    Returns:
        The same as :func:`identify`.

    Raises:
        BuildError: with the place of what is wrong, inside the item.
    """
    target = [keys._table]
    for name, kind, limit in keys._checks:
        value = item.get(name)
        content = value.get(kind) if value is not None else None
        if not content or (len(content) * 4 > limit and kind != "N"):  # no character takes more than four bytes
            _refuse(keys, name, kind, limit, value)  # returns when it is short enough after all
        target.append(content)  # type: ignore[arg-type]  # what is missing was refused
    return tuple(target)


def serialize_key(keys: PrimaryKey, key: Item) -> TypedItem:
    """Serialise and check a key: exactly the key attributes, of the right types.

    Raises:
        BuildError: with the place of what is wrong, inside the key.
    """
    if not isinstance(key, Mapping):
        raise make_type_error(keys, key)
    typed, _ = serialize_item(key)
    check_key(keys, typed)  # first: a missing key attribute says more than a foreign one
    refuse_others(keys, typed)
    return typed


def refuse_others(keys: PrimaryKey, key: TypedItem) -> None:
    """Refuse a complete key that holds other attributes as well."""
    if len(key) > len(keys.types):
        others = [name for name in key if name not in keys.types]
        raise BuildError(
            f"{' and '.join(others)}: no key attribute of the table",
            rule="key-schema",
            fix=f"give exactly {' and '.join(keys.types)}",
        )


def make_type_error(keys: PrimaryKey, key: object) -> BuildError:
    """The error for a key that is not a mapping."""
    return BuildError(
        f"a key is a mapping, not a {type(key).__name__}",
        rule="key-schema",
        fix=f"{{{', '.join(repr(name) + ': …' for name in keys.types)}}}",
    )


def _refuse(keys: PrimaryKey, name: str, kind: str, limit: int, value: AttributeValue | None) -> None:
    if value is None:
        raise BuildError(
            f"the key attribute {name} is missing", rule="key-schema", fix=f"give {' and '.join(keys.types)}"
        )
    if kind not in value:
        raise BuildError(
            f"a value of type {next(iter(value))}, the table's key is of type {kind}",
            rule="key-type",
            place=f".{name}",
            fix="convert it, or declare the key's type with the table: (name, type)",
        )
    size = measure_value(value)
    if not size:
        raise BuildError("a key attribute is empty", rule="key-empty", place=f".{name}", fix="a key must have a value")
    if size > limit:
        raise BuildError(
            f"a key of {size} bytes, {limit} are allowed",
            rule="key-length",
            place=f".{name}",
            fix="shorten it, or use a hash of it",
        )


def _define(key: KeyPart, table: str) -> tuple[str, str]:
    name, kind = key if isinstance(key, tuple) and len(key) == 2 else (key, "S")
    valid_name = isinstance(name, str) and 0 < len(name.encode()) <= MAX_KEY_NAME_BYTES
    if not valid_name or kind not in KEY_TYPES:
        raise BuildError(
            f"a key is a name of 1 to {MAX_KEY_NAME_BYTES} bytes, or (name, type) with type S, N or B",
            rule="key-definition",
            place=f'table "{table}"',
        )
    return name, kind
