"""Reads one item by its key."""

from __future__ import annotations

from expr_builder.attribute_values.copying import copy_item
from expr_builder.attribute_values.values import from_item
from expr_builder.errors import BuildError
from expr_builder.expressions.render import Placeholders, render_projection
from expr_builder.expressions.updates import take_path
from expr_builder.sending.blocking import carry_out
from expr_builder.sending.conversation import Ask, Patience, converse

from .action import Action
from .key_schema import identify, serialize_key
from .key_writes import check_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mypy_boto3_dynamodb.client import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import GetItemInputTypeDef

    from expr_builder.attribute_values.values import Item, StoredItem, TypedItem
    from expr_builder.expressions.nodes import Path
    from expr_builder.expressions.updates import Target
    from expr_builder.sending.conversation import Conversation

    from .action import Body
    from .table import Table


class Get(Action):
    """A read of one item by its key. Made by :meth:`Table.get`.

    Example:
        ``accounts.get({"PK": "A#1"}, ["email"]).fetch(client)`` is ``{"email": "a@example.com"}``.

    See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_GetItem.html
    """

    __slots__ = ("_consistent", "_key", "_paths")

    operation = "Get"

    def __init__(self, table: Table, key: Item, project: Iterable[Target] | None, *, consistent: bool) -> None:
        self._table = table
        self._slot = None
        try:
            self._key = serialize_key(table.key_schema, key)
            self._target = identify(table.key_schema, self._key)
        except BuildError as error:
            raise error.within("Key").within(self._place) from None
        if isinstance(project, str):  # a single name, not its letters
            project = (project,)
        self._paths = tuple(take_path(path, "project") for path in project or ())
        check_paths(table.key_schema, table._index_checks, (path.segments for path in self._paths), self._place)
        self._consistent = consistent

    @property
    def key(self) -> TypedItem:
        """The key, as AttributeValues: a copy."""
        return copy_item(self._key)

    @property
    def paths(self) -> tuple[Path, ...]:
        """The paths to read; empty for the whole item."""
        return self._paths

    def to_request(self) -> GetItemInputTypeDef:
        """The arguments of ``client.get_item``."""
        body = self._make_body()
        if self._consistent:
            body["ConsistentRead"] = True
        return body  # type: ignore[return-value]  # built dictionary by dictionary

    def to_transact_item(self) -> Body:
        """The read as one entry of ``TransactItems``: ``{"Get": {…}}``."""
        # Without ConsistentRead: transactional reads are always consistent, and do not know the member.
        return {"Get": self._make_body()}

    def fetch(
        self, client: DynamoDBClient, *, time_left: Callable[[], float] | None = None, max_attempts: int = 8
    ) -> StoredItem | None:
        """Read the item with ``client.get_item``; retry as :meth:`WriteAction.send` does, whose arguments these are.

        Returns:
            The item as Python values, or ``None`` when there is none.

        Raises:
            RequestUnfinished: no answer within the attempts and time allowed.
        """
        return carry_out(client, self._converse(Patience(time_left, max_attempts)))

    def _converse(self, patience: Patience) -> Conversation[StoredItem | None]:
        answer = yield from converse(Ask("get_item", self.to_request()), patience)
        return from_item(answer["Item"]) if "Item" in answer else None

    def _make_body(self) -> Body:
        body: Body = {"TableName": self._table.name, "Key": copy_item(self._key)}
        if self._paths:
            placeholders = Placeholders(always=self._table._always_alias)
            body["ProjectionExpression"] = render_projection(self._paths, placeholders)
            placeholders.into(body)
        return body
