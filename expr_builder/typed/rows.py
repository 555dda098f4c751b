"""Reading rows in one of three ways, and which rows are there to be read at all."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import BaseModel

from .errors import ValidationFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from .errors import FieldProblem
    from .models import Codec

READS = ("coerce", "strict", "off")

M = TypeVar("M", bound=BaseModel)

_log = logging.getLogger("expr_builder.typed")


class RawItem(dict[str, Any]):
    """A row as it is stored, not as a model: because it cannot be one, or with ``read="off"``.

    Attributes:
        problems: Why it is no model; empty with ``read="off"``.
    """

    __slots__ = ("problems",)

    def __init__(self, row: Mapping[str, Any], problems: Iterable[FieldProblem] = ()) -> None:
        super().__init__(row)
        self.problems = list(problems)


class Reader(Generic[M]):
    """Turns rows into what a typed table returns.

    Args:
        codec: The model's.
        mode: ``"coerce"``, ``"strict"`` or ``"off"``.
        table: The table's name, for the warning.
        expires: The attribute with the time to live, when expired rows are hidden.
        clock: The time in seconds since 1970.
    """

    def __init__(
        self, codec: Codec[M], *, mode: str, table: str, expires: str | None, clock: Callable[[], float]
    ) -> None:
        self._codec = codec
        self._mode = mode
        self._table = table
        self.expires = expires
        self.clock = clock

    def is_visible(self, row: Mapping[str, Any]) -> bool:
        """Whether the row is there: not one that has expired and only waits to be swept."""
        if self.expires is None:
            return True
        until = row.get(self.expires)
        return isinstance(until, str) or until is None or until > self.clock()

    def read(self, row: dict[str, Any]) -> M | RawItem:
        """One row, as the mode says."""
        if self._mode == "off":
            return RawItem(row)
        try:
            return self._codec.decode(row)
        except ValidationFailed as error:
            if self._mode == "strict":
                raise
            return self._raw(row, error)

    def show(self, row: dict[str, Any]) -> M | RawItem:
        """One row for an error: a model if it can be one, whatever the mode."""
        try:
            return self._codec.decode(row)
        except ValidationFailed as error:
            return RawItem(row, error.problems)

    def _raw(self, row: dict[str, Any], error: ValidationFailed) -> RawItem:
        _log.warning('a row of table "%s" is no %s and is returned raw: %s', self._table, error.model, error)
        return RawItem(row, error.problems)
