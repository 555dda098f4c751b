"""A table's name and primary key: what every action on its items is checked against.

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.CoreComponents.html
"""

from __future__ import annotations

from collections.abc import Mapping

from expr_builder.attribute_values.serializing import serialize_item
from expr_builder.attribute_values.values import size_of
from expr_builder.errors import BuildError
from expr_builder.expressions.attr import Attr
from expr_builder.expressions.render import Placeholders, render
from expr_builder.limits import (
    MAX_INDEX_KEYS,
    MAX_KEY_NAME_BYTES,
    MAX_PARTITION_KEY_BYTES,
    MAX_SORT_KEY_BYTES,
    MAX_TABLE_ARN_LENGTH,
    MAX_TABLE_NAME_LENGTH,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from expr_builder.attribute_values.values import AttributeValue, Item, TypedItem
    from expr_builder.expressions.nodes import Condition

_KEY_TYPES = ("S", "N", "B")


class Index:
    """What a query needs to know of a secondary index.

    Args:
        partition_key: The name of its partition key, or up to four names.
        sort_key: The name of its sort key, or up to four names, if it has one.
        local: Whether it is a local secondary index (which alone can be read consistently).

    Raises:
        BuildError: for more than four names, or names that are empty.

    See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/SecondaryIndexes.html
    """

    __slots__ = ("local", "partition_keys", "sort_keys")

    def __init__(
        self,
        partition_key: str | tuple[str, ...],
        sort_key: str | tuple[str, ...] | None = None,
        *,
        local: bool = False,
    ) -> None:
        self.partition_keys = (partition_key,) if isinstance(partition_key, str) else tuple(partition_key)
        self.sort_keys = (sort_key,) if isinstance(sort_key, str) else tuple(sort_key or ())
        self.local = local
        valid = 1 <= len(self.partition_keys) <= MAX_INDEX_KEYS and len(self.sort_keys) <= MAX_INDEX_KEYS
        if not valid or not all(isinstance(name, str) and name for name in (*self.partition_keys, *self.sort_keys)):
            raise BuildError(
                f"an index has 1 to {MAX_INDEX_KEYS} partition key names and up to {MAX_INDEX_KEYS} sort key names",
                rule="key-definition",
                place="Index",
            )


class TableKeys:
    """A table's name and primary key. ``Table`` is the fluent face of it.

    Attributes:
        name: The table's name or ARN.
        key_types: The key attributes, partition key first, each with its type: ``{"PK": "S", "SK": "S"}``.
        absent: ``attribute_not_exists(partition key)``: no item has this key.
        present: ``attribute_exists(partition key)``: an item has this key.
        plain_guard: ``absent`` as text, when it needs no alias: nearly every put has this condition and no other.
        indexes: What was declared of the table's secondary indexes.
        always_alias: Whether every name is aliased.
    """

    __slots__ = (
        "_keys",
        "_plain_name",
        "absent",
        "always_alias",
        "indexes",
        "key_types",
        "name",
        "plain_guard",
        "present",
    )

    def __init__(
        self,
        name: str,
        partition_key: str | tuple[str, str],
        sort_key: str | tuple[str, str] | None = None,
        *,
        alias: str = "auto",
        indexes: Mapping[str, Index] | None = None,
    ) -> None:
        _check_table_name(name)
        if alias not in ("auto", "always"):
            raise BuildError("alias is neither 'auto' nor 'always'", rule="table-alias", place=f'table "{name}"')
        keys = [_key_definition(key, name) for key in (partition_key, sort_key) if key is not None]
        if len(keys) == 2 and keys[0][0] == keys[1][0]:
            raise BuildError("both keys have one name", rule="key-definition", place=f'table "{name}"')
        self.name = name
        self.always_alias = alias == "always"
        self.key_types: dict[str, str] = dict(keys)
        self.indexes: dict[str, Index] = dict(indexes or {})
        first = Attr(keys[0][0])
        self.absent: Condition = first.not_exists()
        self.present: Condition = first.exists()
        limits = (MAX_PARTITION_KEY_BYTES, MAX_SORT_KEY_BYTES)
        self._keys = tuple((key, kind, limit) for (key, kind), limit in zip(keys, limits, strict=False))
        self._plain_name = name.rpartition("/")[2]
        placeholders = Placeholders(always=self.always_alias)
        guard = render(self.absent, placeholders)
        self.plain_guard = None if placeholders.names else guard

    @property
    def partition_key(self) -> str:
        """The partition key's name."""
        return next(iter(self.key_types))

    @property
    def sort_key(self) -> str | None:
        """The sort key's name, or ``None``."""
        names = list(self.key_types)
        return names[1] if len(names) == 2 else None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {', '.join(self.key_types)})"

    def target_of(self, item: TypedItem) -> tuple[Any, ...]:
        """What tells the item from all others: the table's name (also of an ARN) and the key's contents."""
        return (self._plain_name, *[item[name][key_type] for name, key_type, _ in self._keys])

    def typed_key(self, key: Item) -> TypedItem:
        """Serialise and check a key: exactly the key attributes, of the right types.

        Raises:
            BuildError: with the place of what is wrong, inside the key.
        """
        if not isinstance(key, Mapping):
            raise self.not_a_key(key)
        typed, _ = serialize_item(key)
        self.check_key(typed)
        self.refuse_others(typed)
        return typed

    def not_a_key(self, key: Any) -> BuildError:
        """The error for a key that is no mapping at all."""
        return BuildError(
            f"a key is a mapping, not a {type(key).__name__}",
            rule="key-schema",
            fix=f"{{{', '.join(repr(name) + ': …' for name in self.key_types)}}}",
        )

    def refuse_others(self, key: TypedItem) -> None:
        """Refuse a key, complete by itself, that holds other attributes as well."""
        if len(key) > len(self.key_types):
            others = [name for name in key if name not in self.key_types]
            raise BuildError(
                f"{' and '.join(others)}: no key attribute of the table",
                rule="key-schema",
                fix=f"give exactly {' and '.join(self.key_types)}",
            )

    def check_key(self, item: TypedItem) -> tuple[Any, ...]:
        """Refuse an item whose key attributes are missing, empty, too long, or of another type.

        Returns:
            The same as :meth:`target_of`.

        Raises:
            BuildError: with the place of what is wrong, inside the item.
        """
        target = [self._plain_name]
        for name, key_type, limit in self._keys:
            value = item.get(name)
            content = value.get(key_type) if value is not None else None
            if not content or (len(content) * 4 > limit and key_type != "N"):  # no character takes more than four bytes
                self._refuse_key(name, key_type, limit, value)
            target.append(content)  # type: ignore[arg-type]  # what is missing was refused
        return tuple(target)

    def _refuse_key(self, name: str, key_type: str, limit: int, value: AttributeValue | None) -> None:
        if value is None:
            raise BuildError(
                f"the key attribute {name} is missing", rule="key-schema", fix=f"give {' and '.join(self.key_types)}"
            )
        if key_type not in value:
            raise BuildError(
                f"a value of type {next(iter(value))}, the table's key is of type {key_type}",
                rule="key-type",
                place=f".{name}",
                fix="convert it, or declare the key's type with the table: (name, type)",
            )
        size = size_of(value)
        if not size:
            raise BuildError(
                "a key attribute is empty", rule="key-empty", place=f".{name}", fix="a key must have a value"
            )
        if size > limit:
            raise BuildError(
                f"a key of {size} bytes, {limit} are allowed",
                rule="key-length",
                place=f".{name}",
                fix="shorten it, or use a hash of it",
            )


def _check_table_name(name: Any) -> None:
    if not isinstance(name, str):
        raise BuildError(f"a table's name is a string, not a {type(name).__name__}", rule="table-name")
    if name.startswith("arn:"):
        valid = len(name) <= MAX_TABLE_ARN_LENGTH and ":table/" in name
    else:
        plain = name.isascii() and name.replace("_", "a").replace(".", "a").replace("-", "a").isalnum()
        valid = plain and len(name) <= MAX_TABLE_NAME_LENGTH
    if not valid:
        raise BuildError(
            "a table's name has 1 to 255 letters, digits, _ . or -",
            rule="table-name",
            fix="or give the table's whole ARN",
        )


def _key_definition(key: Any, table: str) -> tuple[str, str]:
    name, key_type = key if isinstance(key, tuple) and len(key) == 2 else (key, "S")
    valid_name = isinstance(name, str) and 0 < len(name.encode()) <= MAX_KEY_NAME_BYTES
    if not valid_name or key_type not in _KEY_TYPES:
        raise BuildError(
            "a key is a name of 1 to 255 bytes, or (name, type) with type S, N or B",
            rule="key-definition",
            place=f'table "{table}"',
        )
    return name, key_type
