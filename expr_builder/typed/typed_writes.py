"""The writes of a typed table: put, update, delete, modify and batches."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from expr_builder.attribute_values.values import from_item, to_item
from expr_builder.errors import ConditionFailed, RequestUnfinished, TransactionCanceled
from expr_builder.expressions.joining import all_of
from expr_builder.requests.batches import BatchWrite
from expr_builder.sending.answers import read_code, read_response

from .errors import ValidationFailed, list_names
from .marker_writes import find_changed
from .optimistic_writes import settle
from .table_parts import K, M, R, TableParts
from .write_drafts import guard_action

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from expr_builder.attribute_values.values import Item, StoredItem
    from expr_builder.expressions.nodes import Condition
    from expr_builder.expressions.updates import Target
    from expr_builder.requests.writes import Put, Update

    from .write_drafts import Fields


class TypedWrites(TableParts[M, R, K]):
    """The writes of a :class:`TypedTable`."""

    def put(
        self,
        model: M | Item,
        *,
        if_not_exists: bool = False,
        if_field_equals: Fields | None = None,
        when: Condition | None = None,
        exactly_once: bool = False,
    ) -> M:
        """Write a whole item, with the unknown attributes that were read with the model.

        See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_PutItem.html

        Args:
            model: The model, or a raw item; either is validated.
            if_not_exists: Only when there is no such item (or it has expired).
            if_field_equals: Only when these fields are stored with these values.
            when: Only when this condition holds, written with names of attributes.
            exactly_once: Send it as a transaction of one, with a token, which can be repeated after a lost answer. It
                costs twice the write units. With unique fields, every write is such a transaction.

        Returns:
            The model as it is stored, its version counted up.

        Raises:
            ConditionFailed: with the stored item.
            ValidationFailed: for a model that is not valid.
            ItemTooLarge: for an item over 400 KB.
            UniqueViolation: naming all unique fields whose values are taken.
        """
        # With markers too: it refuses what is too large before anything is read.
        checked, item, action = self._drafts.put(
            model, if_not_exists=if_not_exists, if_field_equals=if_field_equals, when=when
        )
        with self._show_refusals():
            if self._marked is None:
                self._send(action, item, exactly_once=exactly_once)
            elif if_not_exists:  # needs no read: there are no markers to release
                self._marked.create(item, action.condition)
            else:
                self._marked.put(item, action.condition)
        return checked

    def update(
        self,
        key: K,
        *,
        set: Mapping[Any, object] | None = None,  # noqa: A002  # the word of the expression
        remove: Iterable[Target] = (),
        add: Mapping[Any, object] | None = None,
        delete: Mapping[Any, object] | None = None,
        if_field_equals: Fields | None = None,
        when: Condition | None = None,
        exactly_once: bool = False,
    ) -> R:
        """Change parts of an existing item: ``update({"account_id": "a1"}, set={"name": "Ada"}, add={"visits": 1})``.

        Everything is checked by the type that the model has there, inside nested models, dictionaries and lists too:
        ``Attr("address")["zip"]`` names fields (or their aliases) at every level. What DynamoDB computes is checked as
        far as types go; whether the result keeps to bounds (``ge``, ``max_length``, a validator) is for ``when``.

        After a lost answer, an update that counts (``add``, ``Attr("visits") + 1``, a version) is not repeated. But
        botocore itself repeats a call when the connection breaks, so that only ``exactly_once`` surely counts once.

        Only a change of unique fields reads the item first. See
        https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateItem.html

        Args:
            key: The fields of the key, or the table's key attributes.
            set: Fields (or ``Attr`` paths) and their values; or what DynamoDB computes, such as ``Attr("visits") + 1``.
            remove: Fields or paths to remove.
            add: Numbers to add to fields or paths, or elements to add to sets.
            delete: Elements to remove from sets. Neither this nor ``add`` changes a set that is stored as a list, as
                empty sets are inside other values, and in fields whose default is not an empty set.
            if_field_equals: See :meth:`put`.
            when: See :meth:`put`.
            exactly_once: See :meth:`put`. A transaction returns no attributes, so the item is read afterwards: that
                costs a consistent read, and may show what others have written since.

        Returns:
            The item as it is now.

        Raises:
            ConditionFailed: when there is no such item, or a condition does not hold.
            ValidationFailed: for a value that does not fit its place, an unknown field, a required one removed, or a
                set that is stored as a list.
            InvalidQuery: for a field that is part of the key.
            UniqueViolation: when a unique field's new value is taken.
            RequestUnfinished: when there was no final answer; ``outcome_unknown`` tells whether it may be done.
        """
        draft = self._drafts.update(key, sets=set, remove=remove, add=add, delete=delete)
        guard = self._drafts.demand(if_exists=True, if_field_equals=if_field_equals, when=when)
        with self._show_refusals(), self._explain_lists(add, delete):
            marked = self._marked
            if marked is not None and not marked.concerns(find_changed(draft)):
                marked = None  # the markers stay as they are
            if marked is None and not exactly_once:
                new = guard_action(draft, guard).returning("ALL_NEW").send(self._client, **self._options)
                return self._show(new or {})
            wanted = self._key.make(key)
            if marked is not None:
                marked.update(wanted, draft, guard)
            else:
                guard_action(draft, guard).send(self._client, **self._options, exactly_once=True)
            return self._show(self._read_written(wanted))

    def delete(
        self,
        key: K,
        *,
        if_exists: bool = False,
        if_field_equals: Fields | None = None,
        when: Condition | None = None,
        exactly_once: bool = False,
    ) -> None:
        """Delete an item; a missing one is no error, unless a condition makes it one.

        See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_DeleteItem.html

        Args:
            key: The fields of the key, or the table's key attributes.
            if_exists: Only when there is such an item.
            if_field_equals: See :meth:`put`.
            when: See :meth:`put`.
            exactly_once: See :meth:`put`.

        Raises:
            ConditionFailed: when a condition does not hold.
            RequestUnfinished: when there was no final answer; ``outcome_unknown`` tells whether it may be done.
        """
        guard = self._drafts.demand(if_exists=if_exists, if_field_equals=if_field_equals, when=when)
        with self._show_refusals():
            if self._marked is not None:
                self._marked.delete(self._key.make(key), guard)
            else:
                self._drafts.delete(key, guard).send(self._client, **self._options, exactly_once=exactly_once)

    def modify(self, key: K, change: Callable[[M], M], *, max_attempts: int = 8) -> M:
        """Read an item, change it and write what differs; start over when another writer was faster.

        The write is guarded by the version, if the table maintains one, else by everything that was read.

        Args:
            key: The fields of the key, or the table's key attributes.
            change: Takes the model as it is and returns it as it should be; may be called several times.
            max_attempts: How often to try at most.

        Returns:
            The model as it is stored; written only if it differs.

        Raises:
            ConditionFailed: when there is no such item, or other writers were faster each time.
            ValidationFailed: for an item or a result that does not fit the model, in every mode of reading.
            InvalidQuery: when the key was changed.
            UniqueViolation: when a unique field's new value is taken.

        Example:
            ``accounts.modify({"account_id": "a1"}, lambda account: account.model_copy(update={"name": "Ada"}))``
        """
        wanted = self._key.make(key)

        def draft(item: StoredItem | None) -> Callable[[], M]:
            if item is None or not self._expiry.is_visible(item):
                raise ConditionFailed(self._table.name, None)
            return partial(self._replace, item, change(self._codec.decode(item)))

        with self._show_refusals():
            read = self._table.get(wanted, consistent=True)
            return settle(
                read,
                draft,
                self._client,
                self._options,
                max_attempts=max_attempts,
                # A repetition by botocore was refused: the first attempt may be done, and must not be done again.
                is_final=lambda refused: refused.retried,
            )

    def put_batch(self, models: Iterable[M | Item]) -> int:
        """Write many items, 25 in a request; no more than 25 are held in memory.

        A batch has no conditions: versions are counted up, but not compared. See
        https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchWriteItem.html

        Returns:
            How many were written.

        Raises:
            BatchIncomplete: when some stay unprocessed; ``left`` are their models.
            BuildError: for a table with unique fields: a batch cannot keep markers.
        """
        self._refuse_batch("put_batch")
        puts = (self._drafts.put_unguarded(model) for model in models)
        with self._show_left(lambda put: self._reader.show(from_item(put.item))):
            return BatchWrite.stream(self._client, puts, **self._options)

    def delete_batch(self, keys: Iterable[K]) -> int:
        """Delete many items, 25 in a request; raises what :meth:`put_batch` does.

        Returns:
            How many keys were given.
        """
        self._refuse_batch("delete_batch")
        with self._show_left(lambda delete: from_item(delete.key)):
            return BatchWrite.stream(self._client, (self._drafts.delete(key) for key in keys), **self._options)

    def _replace(self, item: StoredItem, after: M) -> M:
        """Write what turns the item into the model ``after``, if it is still stored as it was read."""
        # Counted from the item, whatever the caller's function did to the version.
        checked, new, _ = self._drafts.encode(after, counted_from=item)
        sets, removed = self._drafts.compare(item, new)
        if not removed and sets.keys() <= {self._drafts.version_attribute}:
            return self._codec.decode(item)  # nothing but the version would change
        guard = self._drafts.require_unchanged(item)
        if self._marked is not None and self._marked.concerns([*sets, *removed]):
            self._marked.change(item, new, guard)
            return checked
        update = self._drafts.replace(item, sets, removed)
        # Version 0 holds of a deleted item too, which the update would create again with half of its attributes.
        self._send(update.when(all_of(self._drafts.require_present(), guard)), new)
        return checked

    def _send(self, action: Put | Update, meant: Item, *, exactly_once: bool = False) -> None:
        """Send a write after which the whole stored item is known: ``meant``."""
        try:
            action.send(self._client, **self._options, exactly_once=exactly_once)
        except ConditionFailed as error:
            # botocore repeats a call by itself after a lost connection: what refuses it may be its own first attempt.
            if not error.retried or error.item is None or to_item(error.item) != to_item(meant):
                raise

    @contextmanager
    def _explain_lists(self, *changes: Mapping[Any, object] | None) -> Iterator[None]:
        """Say which sets may be stored as lists, where DynamoDB only says that some operand has the wrong type."""
        try:
            yield
        except Exception as error:
            if _is_invalid(error):
                try:
                    self._drafts.refuse_lists(*changes)
                except ValidationFailed as explained:
                    raise explained from error
            raise

    def _read_written(self, key: Item) -> StoredItem:
        """Read an item that was just changed; an error says that the change took place, or may have."""
        try:
            item = self._table.get(key, consistent=True).fetch(self._client, **self._options)
        except RequestUnfinished as error:
            error.outcome_unknown = True  # of the update: that this read changes nothing is of no use to the caller
            raise
        if item is None:  # deleted by somebody else since
            raise ConditionFailed(self._table.name, None, retried=True)
        return item

    def _refuse_batch(self, method: str) -> None:
        if self._marked is not None:
            fields = list_names(self._marked.fields)
            self._refuse(f"{method} cannot keep the markers of {fields}", "one put or delete after the other")


def _is_invalid(error: Exception) -> bool:
    """Tell whether DynamoDB found a request invalid, as it does when an operand has a wrong type."""
    if isinstance(error, TransactionCanceled):
        return any(reason.code == "ValidationError" for reason in error.slots.values())
    return read_code(read_response(error)) == "ValidationException"
