"""What the reads and the writes of a typed table share."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Generic, Union

from pydantic import BaseModel
from typing_extensions import TypeVar

from expr_builder.errors import BatchIncomplete, ConditionFailed

from .errors import InvalidQuery
from .item_reader import RawItem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, NoReturn

    from mypy_boto3_dynamodb.client import DynamoDBClient

    from expr_builder.attribute_values.values import StoredItem
    from expr_builder.requests.table import Table

    from .item_reader import Expiry, ItemReader
    from .marker_writes import MarkedWrites
    from .model_codec import Codec
    from .model_key import ModelKey
    from .optimistic_writes import SendOptions
    from .write_drafts import Drafts

# typing_extensions has the TypeVar with a default for Python below 3.13. A table only returns R and only takes K: hence
# a strict table serves wherever raw items are allowed too.
M = TypeVar("M", bound=BaseModel)
R = TypeVar("R", default=Union[M, RawItem], covariant=True)  # noqa: UP007  # evaluated, with a variable of 3.11
K = TypeVar("K", bound=Mapping[str, object], default=Mapping[str, object], contravariant=True)


class TableParts(Generic[M, R, K]):
    """The parts of a typed table, which :class:`TypedTable` puts together."""

    _client: DynamoDBClient
    _options: SendOptions
    _table: Table
    _codec: Codec[M]
    _expiry: Expiry
    _reader: ItemReader[M]
    _key: ModelKey
    _drafts: Drafts[M]
    _marked: MarkedWrites | None

    def _show(self, item: StoredItem) -> R:
        return self._reader.read(item)  # type: ignore[return-value]  # R is what the reader's mode makes of it

    @contextmanager
    def _show_refusals(self) -> Iterator[None]:
        """Show the stored item of a refused write as a model where it can be one."""
        try:
            yield
        except ConditionFailed as error:
            if type(error.item) is dict:  # else another table's refusal, raised in the function given to modify
                error.item = self._reader.show(error.item)
            raise

    @contextmanager
    def _show_left(self, show: Callable[[Any], object]) -> Iterator[None]:
        """Show what is left of a batch in the caller's terms, as models or keys instead of actions."""
        try:
            yield
        except BatchIncomplete as error:
            raise BatchIncomplete([show(action) for action in error.left], attempts=error.attempts) from None

    def _refuse(self, message: str, fix: str) -> NoReturn:
        raise InvalidQuery(message, rule="typed-table", place=f'typed table "{self._table.name}"', fix=fix)
