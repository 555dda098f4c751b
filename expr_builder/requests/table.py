"""A table, to make actions of: the fluent face of writes, reads and queries."""

from __future__ import annotations

from .get import Get
from .key_schema import TableKeys
from .search import Query, Scan
from .writes import Check, Delete, Put, Update

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from expr_builder.attribute_values.values import Item
    from expr_builder.expressions.nodes import Condition
    from expr_builder.expressions.updates import Target


class Table(TableKeys):
    """A table's name and primary key, to make actions of.

    Args:
        name: The table's name, or its ARN.
        partition_key: The name of the partition key; ``("id", "N")`` when it is not a string.
        sort_key: The same for the sort key, if the table has one.
        alias: ``"auto"`` writes names bare where DynamoDB allows it; ``"always"`` aliases every name.
        indexes: The secondary indexes by name, so that queries on them can be checked.

    Raises:
        BuildError: for names that DynamoDB would refuse.

    Example:
        ``Table("accounts", partition_key="PK", sort_key="SK").put({"PK": "A#1", "SK": "P"}).if_not_exists()`` is a Put
        with ``ConditionExpression`` ``attribute_not_exists(PK)``.

    See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.CoreComponents.html
    """

    __slots__ = ()

    def put(self, item: Item) -> Put:
        """Write a whole item, replacing one with the same key: guard it with :meth:`~WriteAction.if_not_exists`.

        Args:
            item: Attribute names to Python values, the key attributes among them; up to 400 KB.

        Raises:
            BuildError: for a value that cannot be stored or a key that is missing, empty, too long or of another type.

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
        """Only test a condition, within a transaction.

        See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_ConditionCheck.html
        """
        return Check(self, key)

    def get(self, key: Item, project: Iterable[Target] | None = None, *, consistent: bool = False) -> Get:
        """Read one item.

        Args:
            key: Exactly the key attributes.
            project: Names or paths to read; everything when left out.
            consistent: Ask for a strongly consistent read.

        See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_GetItem.html
        """
        return Get(self, key, project, consistent=consistent)

    def query(self, key_condition: Condition) -> Query:
        """Read the items under one partition key.

        Args:
            key_condition: ``Key("PK").eq("ACCT#1") & Key("SK").begins_with("ORDER#")``: the partition key equals a
                value; the sort key, if it is named, is compared, between two values, or begins with one.

        Returns:
            A query to refine (``filter``, ``project``, ``descending``, ``limit``, ``on_index`` …) and then to read:
            ``for item in query.pages(client)``.

        See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Query.html
        """
        return Query(self, key_condition)

    def scan(self) -> Scan:
        """Read every item of the table or of an index.

        See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Scan.html
        """
        return Scan(self)
