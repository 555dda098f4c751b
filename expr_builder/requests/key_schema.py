"""The keys of tables and indexes: how they are declared, and how a table's key identifies an item.

What they demand of updates, and indexes of items, is in :mod:`expr_builder.requests.key_writes`; what of queries and
scans, in :mod:`expr_builder.requests.key_reads`. Both serve the builder and lint: a :class:`Fault` has the builder's
words and the service's.

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.CoreComponents.html
"""

from __future__ import annotations

from collections.abc import Mapping

from expr_builder.attribute_values.serializing import serialize_item
from expr_builder.attribute_values.text import measure_text, to_text
from expr_builder.attribute_values.values import measure_value
from expr_builder.errors import BuildError
from expr_builder.expressions.attr import Attr
from expr_builder.limits import (
    MAX_INDEX_KEYS,
    MAX_KEY_NAME_BYTES,
    MAX_PARTITION_KEY_BYTES,
    MAX_SORT_KEY_BYTES,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from expr_builder.attribute_values.values import AttributeValue, Item, TypedItem
    from expr_builder.expressions.nodes import Condition

    Target: TypeAlias = tuple[str | bytes, ...]
    """What identifies an item: its table's name or ARN, as declared, and the contents of its key."""
    KeyPart: TypeAlias = str | tuple[str, str]
    """A key attribute: its name, or its name and type."""
    KeyParts: TypeAlias = KeyPart | Sequence[KeyPart]
    """One key attribute, or a list of several."""
    IndexCheck: TypeAlias = tuple[str, str, int, str]
    """What an index demands of one attribute: its name, its type, its longest size in bytes; the index's name."""
    Values: TypeAlias = Mapping[str, AttributeValue | None]
    """An item or key; ``None`` for a value of which nothing can be said."""

KEY_TYPES = ("S", "N", "B")
"""The types that a key attribute can have."""

INVALID = "One or more parameter values were invalid: "
"""How many of the service's messages begin."""
NOT_VALID = "One or more parameter values are not valid. "
"""How those about empty keys begin."""


class Fault:
    """What a declared key or index refuses.

    Attributes:
        rule: The rule's id.
        name: The attribute that it is about, or ``""``.
        words: The service's words.
        message: The builder's words.
        fix: What to write instead.
    """

    __slots__ = ("fix", "message", "name", "rule", "words")

    def __init__(self, name: str, words: str, message: str, fix: str, *, rule: str) -> None:
        self.rule = rule
        self.name = name
        self.words = words
        self.message = message
        self.fix = fix

    def to_error(self, place: str = "") -> BuildError:
        """The error that the builder raises for it."""
        return BuildError(self.message, rule=self.rule, place=place, fix=self.fix)


# --- Declaring


class KeySchema:
    """The key attributes of a table or an index, by role.

    Attributes:
        partition_keys: The attributes of the partition key: one, or up to four of a global index.
        sort_keys: The attributes of the sort key, in order; none, one, or up to four of a global index.
        types: All of them with their types, partition key first: ``{"PK": "S", "SK": "S"}``.
    """

    __slots__ = ("partition_keys", "sort_keys", "types")

    def __init__(self, partition: list[tuple[str, str]], sort: list[tuple[str, str]], place: str) -> None:
        parts = [*partition, *sort]
        self.partition_keys = tuple(name for name, _ in partition)
        self.sort_keys = tuple(name for name, _ in sort)
        self.types: dict[str, str] = dict(parts)
        if len(self.types) < len(parts):
            raise BuildError("a key names one attribute twice", rule="key-definition", place=place)

    @property
    def names(self) -> tuple[str, ...]:
        """All key attributes, the partition key first."""
        return self.partition_keys + self.sort_keys

    def find_limit(self, name: str) -> int:
        """The longest size of a key attribute's value, in bytes."""
        return MAX_PARTITION_KEY_BYTES if name in self.partition_keys else MAX_SORT_KEY_BYTES


class Index(KeySchema):
    """What is declared of a secondary index.

    Args:
        partition_key: Its partition key: ``"status"`` (type S), ``("at", "N")``, or a list of up to four of those.
        sort: The same for its sort key, if it has one.
        projection: What it holds beside the keys: ``"ALL"``, ``"KEYS_ONLY"``, or a list of attribute names. When left
            out, nothing is known about it, and nothing checked.
        local: Whether it is a local secondary index: only that can be read consistently.

    Raises:
        BuildError: for anything else.

    Attributes:
        projection: What was given for it; a list as a tuple.
        local: What was given for it.

    Example:
        ``Table("accounts", "PK", indexes={"by_email": Index("email", [("year", "N"), "team"], projection="ALL")})``

    See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/SecondaryIndexes.html
    """

    __slots__ = ("local", "projection")

    def __init__(
        self,
        partition_key: KeyParts,
        sort: KeyParts | None = None,
        *,
        projection: str | list[str] | tuple[str, ...] | None = None,
        local: bool = False,
    ) -> None:
        super().__init__(_read_parts(partition_key), [] if sort is None else _read_parts(sort), "Index")
        self.projection = None if projection is None else _read_projection(projection)
        if not isinstance(local, bool):
            raise BuildError("local is neither True nor False", rule="index-definition", place="Index")
        self.local = local
        if local and (len(self.partition_keys), len(self.sort_keys)) != (1, 1):
            raise BuildError(
                "a local index has one partition key attribute, the table's, and one sort key attribute",
                rule="index-definition",
                place="Index",
            )

    def __repr__(self) -> str:
        return f"Index({', '.join(self.names)}{', local' if self.local else ''})"


def _read_parts(given: object) -> list[tuple[str, str]]:
    if not isinstance(given, list):
        return [_read_part(given, "Index", several=True)]
    if not 1 <= len(given) <= MAX_INDEX_KEYS:
        raise BuildError(f"a list of 1 to {MAX_INDEX_KEYS} key attributes", rule="key-definition", place="Index")
    return [_read_part(part, "Index", several=True) for part in given]


def _read_part(part: object, place: str, *, several: bool = False) -> tuple[str, str]:
    """Read one key attribute: its name and type."""
    name, kind = part if isinstance(part, tuple) and len(part) == 2 else (part, "S")
    if isinstance(name, str) and isinstance(kind, str):
        name, kind = to_text(name), to_text(kind)
        if kind in KEY_TYPES and 0 < _measure_name(name, place) <= MAX_KEY_NAME_BYTES:
            return name, kind
    raise BuildError(
        f"a key attribute is a name of 1 to {MAX_KEY_NAME_BYTES} bytes, or (name, type) with type S, N or B",
        rule="key-definition",
        place=place,
        fix='several are a list: ["country", ("number", "N")]' if several else "",
    )


def _measure_name(name: str, place: str) -> int:
    try:
        return measure_text(name)
    except BuildError as error:
        raise error.within(place) from None


def _read_projection(given: object) -> str | tuple[str, ...]:
    if isinstance(given, str) and given in ("ALL", "KEYS_ONLY"):
        return to_text(given)
    if isinstance(given, (list, tuple)) and given and all(isinstance(name, str) and name for name in given):
        return tuple(map(to_text, given))
    raise BuildError(
        "a projection is neither ALL, KEYS_ONLY nor a list of attribute names",
        rule="index-definition",
        place="Index, projection",
        fix="leave it out when it is not known",
    )


def declare_indexes(indexes: Mapping[str, Index] | None, keys: PrimaryKey, place: str) -> dict[str, Index] | None:
    """Check the indexes that are declared of a table, and copy them; ``None`` stays ``None``: nothing is declared.

    Raises:
        BuildError: for what is no index, or does not fit the table or another index.
    """
    if indexes is None:
        return None
    if not isinstance(indexes, Mapping):
        raise BuildError(
            f"indexes are a mapping of names to Index(…), not a {type(indexes).__name__}",
            rule="index-definition",
            place=place,
        )
    declared: dict[str, Index] = {}
    types = dict(keys.types)
    for name, index in indexes.items():
        # How long a name may be is looked at where it is sent: reading needs it, writing does not.
        if not isinstance(name, str) or not name or not isinstance(index, Index):
            raise BuildError("indexes are names with Index(…)", rule="index-definition", place=place)
        text = to_text(name)
        within = f'{place}, index "{text}"'
        if index.local and (index.partition_keys != keys.partition_keys or not keys.sort_keys):
            raise BuildError(
                f"a local index shares the table's partition key, {keys.partition_keys[0]}; both have a sort key",
                rule="index-definition",
                place=within,
            )
        for attribute, kind in index.types.items():
            if types.setdefault(attribute, kind) != kind:
                raise BuildError(
                    f"{attribute} is declared as {types[attribute]} and as {kind}: it has one type in all keys",
                    rule="key-definition",
                    place=within,
                    fix=f'write ("{attribute}", type) wherever it is a key',
                )
        declared[text] = index
    return declared


def list_index_checks(indexes: Mapping[str, Index] | None, keys: PrimaryKey) -> tuple[IndexCheck, ...]:
    """What the indexes demand of attributes beyond what the table's own key demands."""
    checks: dict[tuple[str, int], IndexCheck] = {}
    # By name: the service names the first index of the alphabet that has the attribute.
    for index_name, index in sorted((indexes or {}).items()):
        for name, kind in index.types.items():
            limit = index.find_limit(name)
            if name not in keys.types or limit < keys.find_limit(name):
                checks.setdefault((name, limit), (name, kind, limit, index_name))
    return tuple(checks.values())


def find_index(indexes: Mapping[str, Index] | None, name: str) -> Index:
    """Find a declared index.

    Raises:
        BuildError: when there is none of this name; the fix lists those that there are.
    """
    if not indexes or name not in indexes:
        raise BuildError(
            f"the table declares no index {name}",
            rule="index-unknown",
            place="IndexName",
            fix=f"declared are {' and '.join(indexes or ()) or 'none'}",
        )
    return indexes[name]


class PrimaryKey(KeySchema):
    """A table's primary key, against which every action on its items is checked.

    Attributes:
        absent: ``attribute_not_exists(partition key)``: no item has this key.
        present: ``attribute_exists(partition key)``: an item has this key.
    """

    __slots__ = ("_checks", "_table", "absent", "present")

    def __init__(self, table: str, partition_key: KeyPart, sort_key: KeyPart | None) -> None:
        place = f'table "{table}"'
        partition = _read_part(partition_key, place)
        sort = [] if sort_key is None else [_read_part(sort_key, place)]
        super().__init__([partition], sort, place)
        first = partition[0]
        self.absent: Condition = Attr(first).not_exists()
        self.present: Condition = Attr(first).exists()
        self._table = table
        self._checks = tuple((name, kind, self.find_limit(name)) for name, kind in self.types.items())

    def __repr__(self) -> str:
        return f"PrimaryKey({', '.join(self.types)})"


# --- Keys of items


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
