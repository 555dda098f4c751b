"""Reading one item by its key.

See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_GetItem.html
"""

from __future__ import annotations

from expr_builder.attribute_values.values import from_item
from expr_builder.errors import BuildError
from expr_builder.expressions.render import Placeholders, render_projection
from expr_builder.expressions.updates import as_path
from expr_builder.sending.conversation import refuse_unsuitable_client, send

from .action import Action

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Self

    from mypy_boto3_dynamodb.client import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import GetItemInputTypeDef

    from expr_builder.attribute_values.values import Item, TypedItem
    from expr_builder.expressions.nodes import Path
    from expr_builder.expressions.updates import Target

    from .key_schema import TableKeys


class Get(Action):
    """Read one item. Made by :meth:`Table.get`."""

    __slots__ = ("_consistent", "_key", "_paths")

    operation = "Get"

    def __init__(self, table: TableKeys, key: Item, project: Iterable[Target] | None, *, consistent: bool) -> None:
        self._table = table
        self._slot = None
        try:
            self._key = table.typed_key(key)
            self._target = table.target_of(self._key)
        except BuildError as error:
            raise error.within("Key").within(self._place) from None
        if isinstance(project, str):
            project = (project,)
        self._paths = tuple(as_path(path, "project") for path in project or ())
        self._consistent = consistent

    def _copy(self) -> Self:
        copy = object.__new__(type(self))
        copy._table = self._table
        copy._target = self._target
        copy._slot = self._slot
        copy._key = self._key
        copy._paths = self._paths
        copy._consistent = self._consistent
        return copy

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
        body = self._body()
        if self._consistent:
            body["ConsistentRead"] = True
        return body  # type: ignore[return-value]  # built dictionary by dictionary

    def to_transact_item(self) -> dict[str, Any]:
        """The read as one entry of ``TransactItems``: ``{"Get": {…}}``. Transactional reads are always consistent."""
        return {"Get": self._body()}

    def fetch(
        self, client: DynamoDBClient, *, time_left: Callable[[], float] | None = None, max_attempts: int = 8
    ) -> dict[str, Any] | None:
        """Read the item with ``client.get_item``; throttling and lost answers are retried.

        Returns:
            The item as Python values, or ``None`` when there is none.

        Raises:
            RequestUnfinished: no answer in the attempts and time allowed.
        """
        refuse_unsuitable_client(client)
        request = self.to_request()
        answer = send(lambda: client.get_item(**request), None, time_left=time_left, max_attempts=max_attempts)
        return from_item(answer["Item"]) if "Item" in answer else None

    def _body(self) -> dict[str, Any]:
        body: dict[str, Any] = {"TableName": self._table.name, "Key": self._key}
        if self._paths:
            placeholders = Placeholders(always=self._table.always_alias)
            body["ProjectionExpression"] = render_projection(self._paths, placeholders)
            placeholders.into(body)
        return body
