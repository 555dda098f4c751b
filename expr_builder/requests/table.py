"""``Table``, whose methods make writes, reads, queries and scans."""

from __future__ import annotations

from expr_builder.attribute_values.text import to_text
from expr_builder.errors import BuildError
from expr_builder.expressions.render import Placeholders, render
from expr_builder.limits import MAX_TABLE_NAME_LENGTH

from .get import Get
from .key_schema import Index, PrimaryKey, declare_indexes, list_index_checks
from .search import Query, Scan
from .table_name import is_table_name
from .writes import Check, Delete, Put, Update

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, Self

    from expr_builder.attribute_values.values import Item
    from expr_builder.expressions.nodes import Condition
    from expr_builder.expressions.updates import Target

    from .key_schema import KeyPart


class Table:
    """A table's name and primary key, from which actions are made.

    Args:
        name: The table's name, or its ARN.
        partition_key: The name of the partition key; ``("id", "N")`` when it is not a string.
        sort_key: The same for the sort key, if the table has one.
        alias: ``"auto"`` writes names bare where DynamoDB allows it; ``"always"`` aliases every name.
        indexes: The secondary indexes by name, so that whatever is done with them is checked: the values of their keys
            in puts and updates, key conditions, start keys, projections. ``None``: nothing is known of them, and
            nothing said; ``{}``: there are none.

    Raises:
        BuildError: for names that DynamoDB would refuse, and keys and indexes that do not fit together.

    Example:
        ``Table("accounts", partition_key="PK", sort_key="SK").put({"PK": "A#1", "SK": "P"}).if_not_exists()`` is a Put
        with ``ConditionExpression`` ``attribute_not_exists(PK)``.

    Attributes:
        name: The table's name or ARN.
        key_schema: The primary key: its attributes with their types.
        indexes: What was declared of the table's secondary indexes; ``None`` when nothing was.

    See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.CoreComponents.html
    """

    __slots__ = ("_always_alias", "_index_checks", "_plain_guard", "indexes", "key_schema", "name")

    def __init__(
        self,
        name: str,
        partition_key: KeyPart,
        sort_key: KeyPart | None = None,
        *,
        alias: str = "auto",
        indexes: Mapping[str, Index] | None = None,
    ) -> None:
        name = _read_name(name)
        if alias not in ("auto", "always"):
            raise BuildError("alias is neither 'auto' nor 'always'", rule="table-alias", place=f'table "{name}"')
        self.name = name
        self.key_schema = PrimaryKey(name, partition_key, sort_key)
        self.indexes = declare_indexes(indexes, self.key_schema, f'table "{name}"')
        self._index_checks = list_index_checks(self.indexes, self.key_schema)
        self._always_alias = alias == "always"
        # Most puts have "no such item" as their only condition: render it once, unless it needs an alias.
        placeholders = Placeholders(always=self._always_alias)
        guard = render(self.key_schema.absent, placeholders)
        self._plain_guard = None if placeholders.names else guard

    @classmethod
    def from_description(cls, description: Mapping[str, Any], *, alias: str = "auto") -> Self:
        """Read the table's keys and indexes from the answer of ``client.describe_table(…)``, or its ``Table`` member.

        Args:
            description: The answer.
            alias: See :class:`Table`.

        Raises:
            BuildError: for anything else.

        Example:
            ``Table.from_description(client.describe_table(TableName="accounts"))``

        See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TableDescription.html
        """
        try:
            found = description.get("Table", description)
            types = {one["AttributeName"]: one["AttributeType"] for one in found["AttributeDefinitions"]}
            partition, sort = _read_key_schema(found["KeySchema"], types)
            indexes = {
                one["IndexName"]: _read_index(one, types, local=local)
                for member, local in (("GlobalSecondaryIndexes", False), ("LocalSecondaryIndexes", True))
                for one in found.get(member) or ()
            }
            return cls(found["TableName"], *partition, *sort, alias=alias, indexes=indexes)
        except (AttributeError, KeyError, TypeError):
            raise BuildError(
                "this describes no table",
                rule="table-description",
                place="Table.from_description",
                fix="give the answer of client.describe_table(TableName=…)",
            ) from None

    @property
    def partition_key(self) -> str:
        """The partition key's name."""
        return self.key_schema.partition_keys[0]

    @property
    def sort_key(self) -> str | None:
        """The sort key's name, or ``None``."""
        return next(iter(self.key_schema.sort_keys), None)

    def __repr__(self) -> str:
        return f"Table({self.name!r}, {', '.join(self.key_schema.names)})"

    def put(self, item: Item) -> Put:
        """Write a whole item. It replaces one with the same key, unless :meth:`~WriteAction.if_not_exists`.

        Args:
            item: Attribute names to Python values, the key attributes among them; up to 400 KB.

        Raises:
            BuildError: for a value that cannot be stored, or a key that is missing, empty, too long or of another type.

        See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Put.html
        """
        return Put(self, item)

    def update(self, key: Item) -> Update:
        """Change attributes of one item; it is **created** when it is missing, unless :meth:`~WriteAction.if_exists`.

        Args:
            key: Exactly the key attributes.

        See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Update.html
        """
        return Update(self, key)

    def delete(self, key: Item) -> Delete:
        """Remove one item; removing a missing one succeeds, unless :meth:`~WriteAction.if_exists`.

        See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Delete.html
        """
        return Delete(self, key)

    def check(self, key: Item) -> Check:
        """Test a condition on one item as part of a transaction, without changing the item.

        See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_ConditionCheck.html
        """
        return Check(self, key)

    def get(self, key: Item, project: Iterable[Target] | None = None, *, consistent: bool = False) -> Get:
        """Read one item.

        Args:
            key: Exactly the key attributes.
            project: Names or ``Attr`` paths to read; the whole item when left out.
            consistent: Ask for a strongly consistent read.

        See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_GetItem.html
        """
        return Get(self, key, project, consistent=consistent)

    def query(self, key_condition: Condition) -> Query:
        """Read the items under one partition key.

        Args:
            key_condition: The partition key equals a value; the sort key, if it is named, is compared, between two
                values, or begins with one: ``Key("PK").eq("ACCT#1") & Key("SK").begins_with("ORDER#")``.

        Returns:
            A query to refine (``filter``, ``project``, ``descending``, ``limit``, ``on_index`` …) and then to read:
            ``for item in query.items(client)``.

        See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Query.html
        """
        return Query(self, key_condition)

    def scan(self) -> Scan:
        """Read every item of the table or of an index.

        See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Scan.html
        """
        return Scan(self)


def _read_name(name: object) -> str:
    if not isinstance(name, str):
        raise BuildError(f"a table's name is a string, not a {type(name).__name__}", rule="table-name")
    text = to_text(name)
    if not is_table_name(text):
        raise BuildError(
            f"a table's name has 1 to {MAX_TABLE_NAME_LENGTH} letters, digits, _ . or -",
            rule="table-name",
            fix="or give the table's whole ARN",
        )
    return text


def _read_index(found: Mapping[str, Any], types: Mapping[str, str], *, local: bool) -> Index:
    partition, sort = _read_key_schema(found["KeySchema"], types)
    projection = found.get("Projection") or {}
    kind = projection.get("ProjectionType")
    # Without attributes of its own, INCLUDE holds the keys only.
    held = (list(projection.get("NonKeyAttributes") or ()) or "KEYS_ONLY") if kind == "INCLUDE" else kind
    return Index(partition, sort or None, projection=held, local=local)


def _read_key_schema(
    elements: Iterable[Mapping[str, str]], types: Mapping[str, str]
) -> tuple[list[KeyPart], list[KeyPart]]:
    parts: dict[str, list[KeyPart]] = {"HASH": [], "RANGE": []}
    for element in elements:
        name = element["AttributeName"]
        parts[element["KeyType"]].append((name, types[name]))
    return parts["HASH"], parts["RANGE"]
