"""Writes of records with unique fields: each is one transaction that keeps the markers right.

Markers follow the values that are stored, so a change or a deletion reads the record first. When somebody else was
faster, it starts again, as long as what the caller demands still holds.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import BaseModel

from expr_builder.attribute_values.values import from_attribute_value
from expr_builder.errors import TransactionCanceled
from expr_builder.expressions.evaluate import evaluate
from expr_builder.expressions.nodes import Literal
from expr_builder.sending.conversation import back_off
from expr_builder.unique import RECORD

from .errors import InvalidQuery
from .sending import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from expr_builder.expressions.nodes import Condition
    from expr_builder.requests.writes import Update
    from expr_builder.unique import Unique, UniqueWrite

    from .rows_and_guards import Drafts

M = TypeVar("M", bound=BaseModel)

_ROUNDS = 8


def touched(update: Update) -> set[Any]:
    """The attributes that an update changes, or changes something inside."""
    return {action.path.segments[0] for action in update.actions}


def change_record(
    unique: Unique, drafts: Drafts[Any], old: Mapping[str, Any], new: Mapping[str, Any], guard: Condition | None
) -> UniqueWrite:
    """The transaction that turns one row into another with the same key, and swaps the markers that differ.

    Raises:
        InvalidQuery: when the keys differ.
    """
    drafts.refuse_other_key(old, new)
    sets, removed = drafts.changes(old, new)
    update = drafts.table.update({name: old[name] for name in drafts.table.key_schema.types})
    rest = {name: value for name, value in sets.items() if name not in unique.markers}
    gone = [name for name in removed if name not in unique.markers]
    update = update.set(rest) if rest else update
    update = update.remove(*gone) if gone else update
    fields = {field: new.get(field) for field in unique.markers}
    return unique.change(old, update=update, when=guard, **fields)


class MarkedWrites(Generic[M]):
    """Put, update and delete for a typed table with unique fields.

    Args:
        unique: Says which.
        drafts: Makes rows and actions.
        fetch: Reads a row consistently by the table's key, ``None`` when there is none.
        send: Sends a transaction.
    """

    def __init__(
        self,
        unique: Unique,
        drafts: Drafts[M],
        fetch: Callable[[Mapping[str, Any]], dict[str, Any] | None],
        send: Callable[[UniqueWrite], object],
    ) -> None:
        self._unique = unique
        self._drafts = drafts
        self._fetch = fetch
        self._send = send

    @property
    def fields(self) -> list[str]:
        """The unique fields."""
        return list(self._unique.markers)

    def concerns(self, attributes: Iterable[Any]) -> bool:
        """Whether a unique field is among the attributes."""
        return any(attribute in self._unique.markers for attribute in attributes)

    def create(self, row: Mapping[str, Any], guard: Condition | None) -> None:
        """Write a new record with its markers.

        Raises:
            UniqueViolation: with all taken fields.
            Refused: when the record exists.
        """
        try:
            self._send(self._unique.create(row, when=guard))
        except TransactionCanceled as error:
            if RECORD in error.failed:
                raise _refused(error) from error
            raise

    def put(self, row: Mapping[str, Any], guard: Condition | None) -> None:
        """Write a record, whether it exists or not.

        Raises:
            UniqueViolation: with all taken fields.
            Refused: when the guard does not hold.
        """

        def draft(old: dict[str, Any] | None) -> UniqueWrite:
            if old is None:
                return self._unique.create(row, when=guard)
            return change_record(self._unique, self._drafts, old, row, guard)

        self._settle({name: row.get(name) for name in self._drafts.table.key_schema.types}, guard, draft)

    def change(self, old: Mapping[str, Any], new: Mapping[str, Any], guard: Condition | None) -> None:
        """Turn the row that was read into another, once.

        Raises:
            UniqueViolation: with all taken fields.
            Refused: when the record has changed since.
        """
        try:
            self._send(change_record(self._unique, self._drafts, old, new, guard))
        except TransactionCanceled as error:
            if RECORD in error.failed:
                raise _refused(error) from error
            raise

    def update(self, key: Mapping[str, Any], update: Update, guard: Condition) -> None:
        """Carry out an update that changes unique fields.

        Raises:
            UniqueViolation: with all taken fields.
            Refused: when the guard does not hold.
        """
        fields = self._new_values(update)
        others = tuple(action for action in update.actions if action.path.segments[0] not in fields)
        rest = self._drafts.table.update(key).apply(others).when(guard)

        def draft(old: dict[str, Any] | None) -> UniqueWrite:
            if old is None:
                raise Refused(None, sent_again=False)
            return self._unique.change(old, update=rest, **fields)

        self._settle(key, guard, draft)

    def delete(self, key: Mapping[str, Any], guard: Condition | None) -> None:
        """Delete a record with its markers; nothing happens when there is none, unless the guard minds.

        Raises:
            Refused: when the guard does not hold.
        """

        def draft(old: dict[str, Any] | None) -> UniqueWrite | None:
            if old is not None:
                return self._unique.delete(old, when=guard)
            if guard is not None and not evaluate(guard, None):
                raise Refused(None, sent_again=False)
            return None

        self._settle(key, guard, draft)

    def _settle(
        self,
        key: Mapping[str, Any],
        guard: Condition | None,
        draft: Callable[[dict[str, Any] | None], UniqueWrite | None],
    ) -> None:
        """Read, draft and send, again and again while only the reading was out of date."""
        attempt = 0
        while (write := draft(self._fetch(key))) is not None:
            attempt += 1
            try:
                self._send(write)
            except TransactionCanceled as error:
                if RECORD not in error.failed:
                    raise
                refused = _refused(error)
                minded = guard is not None and not evaluate(guard, refused.row)
                if minded or attempt == _ROUNDS:
                    raise refused from error
            else:
                return
            time.sleep(back_off(attempt))

    def _new_values(self, update: Update) -> dict[str, Any]:
        """The new values of unique fields, ``None`` for those that are removed."""
        values: dict[str, Any] = {}
        for action in update.actions:
            field, *inner = action.path.segments
            if field not in self._unique.markers:
                continue
            plain = action.keyword == "REMOVE" or (action.keyword == "SET" and isinstance(action.value, Literal))
            if inner or not plain:
                raise InvalidQuery(
                    f"the unique field {field} can only be set to a value, or removed",
                    rule="typed-write",
                    place=f'{self._drafts.codec.name} in table "{self._drafts.table.name}"',
                    fix="read the record and set the whole value",
                )
            values[str(field)] = from_attribute_value(action.value.value) if isinstance(action.value, Literal) else None
        return values


def _refused(error: TransactionCanceled) -> Refused:
    return Refused(error.slots[RECORD].item, sent_again=error.retried)
