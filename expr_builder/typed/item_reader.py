"""Reads stored items as models, in one of three modes, and hides those that have expired."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import BaseModel

from .errors import ValidationFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from expr_builder.attribute_values.values import Item, StoredItem

    from .errors import FieldProblem
    from .model_codec import Codec

M = TypeVar("M", bound=BaseModel)

_log = logging.getLogger("expr_builder.typed")


class RawItem(dict[str, Any]):
    """An item as it is stored: it does not fit the model, or the table reads in raw mode (:meth:`TypedTable.raw`).

    Attributes:
        problems: Why it does not fit the model; empty in raw mode.
    """

    __slots__ = ("problems",)

    def __init__(self, item: Item, problems: Iterable[FieldProblem] = ()) -> None:
        super().__init__(item)
        self.problems = list(problems)

    def __repr__(self) -> str:
        problems = f" ({'; '.join(map(str, self.problems))})" if self.problems else ""
        return f"<RawItem with {', '.join(self)}{problems}>"  # names only: reprs end up in logs


@dataclass(frozen=True)
class Expiry:
    """Tells which items have expired: DynamoDB deletes them only some time later.

    See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html

    Attributes:
        attribute: The attribute with the time to live; ``None`` where items do not expire, or are shown until deleted.
        clock: Returns the time in seconds since 1970.
    """

    attribute: str | None
    clock: Callable[[], float]

    def is_visible(self, item: Item) -> bool:
        """Tell whether the item counts as stored: it has no time to live, or that is not over."""
        if self.attribute is None:
            return True
        until = item.get(self.attribute)
        # Anything but a number is no time to live for DynamoDB either: such an item never expires.
        return not isinstance(until, (int, Decimal)) or isinstance(until, bool) or until > self.clock()


class ItemReader(Generic[M]):
    """Turns stored items into what a typed table returns, in a mode: ``"coerce"``, ``"strict"`` or ``"raw"``."""

    def __init__(self, codec: Codec[M], table: str, mode: str) -> None:
        self.mode = mode
        self._codec = codec
        self._table = table

    def read(self, item: StoredItem) -> M | RawItem:
        """Read one item, as the mode says."""
        if self.mode == "raw":
            return RawItem(item)
        try:
            return self._codec.decode(item)
        except ValidationFailed as error:
            if self.mode == "strict":
                raise
            # Not warnings.warn(): that can be turned into an exception, and then one old item ends a whole scan.
            _log.warning('an item of table "%s" is no %s and is returned raw: %s', self._table, error.model, error)
            return RawItem(item, error.problems)

    def show(self, item: StoredItem) -> M | RawItem:
        """Read one item for an error: as a model if it can be one, in every mode."""
        try:
            return self._codec.decode(item)
        except ValidationFailed as error:
            return RawItem(item, error.problems)
