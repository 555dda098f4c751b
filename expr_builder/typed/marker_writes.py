"""Writes of records with unique fields: each is one transaction that keeps their markers in step.

Which markers to release depends on the stored values, so a change or a deletion reads the record first. When another
writer was faster, it starts again, as long as the caller's conditions still hold.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from expr_builder.attribute_values.values import from_attribute_value
from expr_builder.errors import ConditionFailed, TransactionCanceled
from expr_builder.expressions.evaluate import evaluate
from expr_builder.expressions.nodes import Literal
from expr_builder.unique import RECORD

from .errors import InvalidQuery
from .optimistic_writes import settle
from .write_drafts import guard_action

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from mypy_boto3_dynamodb.client import DynamoDBClient

    from expr_builder.attribute_values.values import Item, StoredItem
    from expr_builder.expressions.nodes import Condition
    from expr_builder.requests.writes import Update
    from expr_builder.unique import Unique, UniqueWrite

    from .optimistic_writes import SendOptions
    from .write_drafts import Drafts


def find_changed(update: Update) -> set[str | int]:
    """Find the attributes that an update changes, or changes something inside."""
    return {action.path.segments[0] for action in update.actions}


def change_record(unique: Unique, drafts: Drafts[Any], old: Item, new: Item, guard: Condition | None) -> UniqueWrite:
    """Draft the transaction that turns a record into another with the same key, and swaps the markers that differ."""
    sets, removed = drafts.compare(old, new)
    # The marked fields are Unique's to change, together with their markers.
    rest = {name: value for name, value in sets.items() if name not in unique.attributes}
    update = drafts.replace(old, rest, [name for name in removed if name not in unique.attributes])
    fields = {attribute: new.get(attribute) for attribute in unique.attributes}
    return unique.change(old, fields, update=update, when=guard)


class MarkedWrites:
    """Put, update and delete for a typed table with unique fields.

    Each raises :class:`ConditionFailed` when its guard does not hold, and :class:`UniqueViolation` with all fields that
    are taken.
    """

    def __init__(self, unique: Unique, drafts: Drafts[Any], client: DynamoDBClient, options: SendOptions) -> None:
        self.fields = unique.attributes
        self._unique = unique
        self._drafts = drafts
        self._client = client
        self._options = options

    def concerns(self, attributes: Iterable[str | int]) -> bool:
        """Tell whether a unique field is among the attributes."""
        return any(attribute in self.fields for attribute in attributes)

    def create(self, item: Item, guard: Condition | None) -> None:
        """Write a new record with its markers."""
        self._send(self._unique.create(item, when=guard))

    def put(self, item: Item, guard: Condition | None) -> None:
        """Write a record, whether it exists or not."""

        def draft(old: StoredItem | None) -> UniqueWrite:
            if old is None:
                # Refused when somebody creates the record meanwhile: it is read again, and then changed.
                return self._unique.create(item, when=guard)
            return change_record(self._unique, self._drafts, old, item, guard)

        self._settle(self._drafts.key.derive(item), guard, draft)

    def change(self, old: Item, new: Item, guard: Condition | None) -> None:
        """Turn the record that was read into another, once."""
        self._send(change_record(self._unique, self._drafts, old, new, guard))

    def update(self, key: Item, update: Update, guard: Condition | None) -> None:
        """Carry out an update that changes unique fields."""
        fields = self._read_new_values(update)
        # Unique sets the unique fields itself, together with their markers; the update keeps the rest.
        others = tuple(action for action in update.actions if action.path.segments[0] not in fields)
        rest = guard_action(self._drafts.table.update(key).apply(others), guard)

        def draft(old: StoredItem | None) -> UniqueWrite:
            if old is None:  # an update never creates an item here, whatever the guard says
                raise ConditionFailed(self._drafts.table.name, None)
            return self._unique.change(old, fields, update=rest)

        self._settle(key, guard, draft)

    def delete(self, key: Item, guard: Condition | None) -> None:
        """Delete a record with its markers; a missing one is no error, unless the guard refuses it."""

        def draft(old: StoredItem | None) -> UniqueWrite | None:
            if old is not None:
                return self._unique.delete(old, when=guard)
            # No marker is known, so there is nothing to send: the guard is evaluated here, on an absent item.
            if guard is not None and not evaluate(guard, None):
                raise ConditionFailed(self._drafts.table.name, None)
            return None

        self._settle(key, guard, draft)

    def _settle(
        self, key: Item, guard: Condition | None, draft: Callable[[StoredItem | None], UniqueWrite | None]
    ) -> None:
        settle(
            self._drafts.table.get(key, consistent=True),
            lambda old: partial(self._send, draft(old)),
            self._client,
            self._options,
            # When the caller's own condition does not hold, reading again does not help.
            is_final=lambda refused: guard is not None and not evaluate(guard, refused.item),
        )

    def _send(self, write: UniqueWrite | None) -> None:
        if write is None:
            return
        try:
            write.send(self._client, **self._options)
        except TransactionCanceled as error:
            if RECORD not in error.failed:
                raise  # a taken value, or markers that do not fit the record: not the guard's doing
            item = error.slots[RECORD].item
            # Not retried, whatever answers were lost: of an attempt that was carried out the token would have told.
            raise ConditionFailed(self._drafts.table.name, item, explain=error.explain) from error

    def _read_new_values(self, update: Update) -> StoredItem:
        """Extract the new values of unique fields from an update, ``None`` for those that are removed."""
        values: StoredItem = {}
        for action in update.actions:
            field, *inner = action.path.segments
            if field not in self.fields:
                continue
            plain = action.keyword == "REMOVE" or (action.keyword == "SET" and isinstance(action.value, Literal))
            if inner or not plain:  # the marker's key would depend on what DynamoDB computes
                raise InvalidQuery(
                    f"the unique field {field} can only be set to a value, or removed",
                    rule="typed-write",
                    place=f'{self._drafts.codec.name} in table "{self._drafts.table.name}"',
                    fix="read the record and set the whole value",
                )
            values[str(field)] = from_attribute_value(action.value.value) if isinstance(action.value, Literal) else None
        return values
