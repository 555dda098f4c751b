"""Reading one item by its key.

See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_GetItem.html
"""

from __future__ import annotations

from expr_builder.attribute_values.values import from_item
from expr_builder.errors import BuildError
from expr_builder.expressions.render import Placeholders, render_projection
from expr_builder.expressions.updates import as_path
from expr_builder.sending.blocking import carry_out
from expr_builder.sending.conversation import Ask, Patience, converse

from .action import Action

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
    """Read one item. Made by :meth:`Table.get`."""

    __slots__ = ("_consistent", "_key", "_paths")

    operation = "Get"

    def __init__(self, table: Table, key: Item, project: Iterable[Target] | None, *, consistent: bool) -> None:
        self._table = table
        self._slot = None
        try:
            self._key = table.key_schema.serialize(key)
            self._target = table.key_schema.target_of(self._key)
        except BuildError as error:
            raise error.within("Key").within(self._place) from None
        if isinstance(project, str):
            project = (project,)
        self._paths = tuple(as_path(path, "project") for path in project or ())
        self._consistent = consistent

    @property
    def key(self) -> TypedItem:
        """The key."""
        return self._key

    @property
    def paths(self) -> tuple[Path, ...]:
        """What is projected; empty for the whole item."""
        return self._paths

    def to_request(self) -> GetItemInputTypeDef:
        """The arguments of ``client.get_item``."""
        body = self._make_body()
        if self._consistent:
            body["ConsistentRead"] = True
        return body  # type: ignore[return-value]  # built dictionary by dictionary

    def to_transact_item(self) -> Body:
        """The read as one entry of ``TransactItems``: ``{"Get": {…}}``. Transactional reads are always consistent."""
        return {"Get": self._make_body()}

    def fetch(
        self, client: DynamoDBClient, *, time_left: Callable[[], float] | None = None, max_attempts: int = 8
    ) -> StoredItem | None:
        """Read the item with ``client.get_item``; throttling and lost answers are retried.

        Returns:
            The item as Python values, or ``None`` when there is none.

        Raises:
            RequestUnfinished: no answer in the attempts and time allowed.
        """
        return carry_out(client, self._converse(Patience(time_left, max_attempts)))

    def _converse(self, patience: Patience) -> Conversation[StoredItem | None]:
        answer = yield from converse(Ask("get_item", self.to_request()), patience)
        return from_item(answer["Item"]) if "Item" in answer else None

    def _make_body(self) -> Body:
        body: Body = {"TableName": self._table.name, "Key": self._key}
        if self._paths:
            placeholders = Placeholders(always=self._table._always_alias)
            body["ProjectionExpression"] = render_projection(self._paths, placeholders)
            placeholders.into(body)
        return body
