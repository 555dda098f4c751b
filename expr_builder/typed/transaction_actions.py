"""A typed table's writes and reads as plain actions, for transactions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from pydantic import BaseModel

from expr_builder.errors import BuildError

from .marker_writes import change_record, find_changed
from .write_drafts import guard_action

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, NoReturn

    from expr_builder.attribute_values.values import Item, StoredItem
    from expr_builder.expressions.nodes import Condition
    from expr_builder.expressions.updates import Target
    from expr_builder.requests.get import Get
    from expr_builder.requests.writes import Check, Delete, Put, Update, WriteAction
    from expr_builder.unique import Unique

    from .write_drafts import Drafts, Fields

M = TypeVar("M", bound=BaseModel)


class TypedActions(Generic[M]):
    """Actions for a ``TransactWrite`` or ``TransactGet``, made from models and keys: :attr:`TypedTable.actions`.

    Where the table has unique fields, a single action cannot keep their markers: ``put``, ``delete`` and an ``update``
    of such a field raise :class:`BuildError`. ``create``, ``change`` and ``discard`` return several actions instead.
    All raise :class:`ValidationFailed` and :class:`InvalidQuery` as the table's own methods do.

    See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html

    Example:
        ``TransactWrite(*accounts.actions.create(account), orders.actions.put(order))``
    """

    def __init__(self, drafts: Drafts[M], unique: Unique | None) -> None:
        self._drafts = drafts
        self._unique = unique

    def __repr__(self) -> str:
        return f"<TypedActions of {self._drafts.codec.name} in {self._drafts.table.name}>"

    def put(
        self,
        model: M | Item,
        *,
        if_not_exists: bool = False,
        if_field_equals: Fields | None = None,
        when: Condition | None = None,
    ) -> Put:
        """A put of a model; see :meth:`TypedTable.put`."""
        self._refuse_markers("put")
        _, _, action = self._drafts.put(model, if_not_exists=if_not_exists, if_field_equals=if_field_equals, when=when)
        return action

    def update(
        self,
        key: Fields,
        *,
        set: Mapping[Any, object] | None = None,  # noqa: A002  # the word of the expression
        remove: Iterable[Target] = (),
        add: Mapping[Any, object] | None = None,
        delete: Mapping[Any, object] | None = None,
        if_field_equals: Fields | None = None,
        when: Condition | None = None,
    ) -> Update:
        """An update of an existing item; see :meth:`TypedTable.update`."""
        update = self._drafts.update(key, sets=set, remove=remove, add=add, delete=delete)
        # An update of other fields leaves the markers alone.
        if self._unique is not None and find_changed(update).intersection(self._unique.attributes):
            self._refuse_markers("update")
        return guard_action(update, self._drafts.demand(if_exists=True, if_field_equals=if_field_equals, when=when))

    def delete(
        self,
        key: Fields,
        *,
        if_exists: bool = False,
        if_field_equals: Fields | None = None,
        when: Condition | None = None,
    ) -> Delete:
        """A deletion; see :meth:`TypedTable.delete`."""
        self._refuse_markers("delete")
        guard = self._drafts.demand(if_exists=if_exists, if_field_equals=if_field_equals, when=when)
        return self._drafts.delete(key, guard)

    def check(self, key: Fields, *, if_field_equals: Fields | None = None, when: Condition | None = None) -> Check:
        """A check that the item exists and fulfils the conditions; see :meth:`TypedTable.update` for them."""
        guard = self._drafts.demand(if_exists=True, if_field_equals=if_field_equals, when=when)
        return guard_action(self._drafts.table.check(self._drafts.key.make(key)), guard)

    def get(self, key: Fields) -> Get:
        """A read, for a ``TransactGet``; :meth:`TypedTable.read` turns the item that it finds into a model."""
        return self._drafts.table.get(self._drafts.key.make(key))

    def create(self, model: M | Item) -> tuple[WriteAction, ...]:
        """A new record with its markers, each only if it does not exist; slots as :meth:`Unique.create` names them."""
        _, item, version = self._drafts.encode(model)
        return tuple(self._need_unique().create(item, when=version).slots.values())

    def change(self, old: M | Item, new: M | Item) -> tuple[WriteAction, ...]:
        """A change of a record from ``old``, as it was read, to ``new`` with the same key; markers follow."""
        _, item, version = self._drafts.encode(new)
        write = change_record(self._need_unique(), self._drafts, self._encode_as_read(old), item, version)
        return tuple(write.slots.values())

    def discard(self, model: M | Item) -> tuple[WriteAction, ...]:
        """The removal of a record as it was read, with its markers."""
        item = self._encode_as_read(model)
        return tuple(self._need_unique().delete(item, when=self._drafts.require_version_of(item)).slots.values())

    def _encode_as_read(self, model: object) -> StoredItem:
        # The version as it is: encode() of the drafts would count it up.
        item = self._drafts.codec.encode(self._drafts.codec.check(model))
        return {**item, **self._drafts.key.derive(item)}

    def _need_unique(self) -> Unique:
        if self._unique is None:
            self._refuse("the table declares no unique fields", "use put, update and delete")
        return self._unique

    def _refuse_markers(self, method: str) -> None:
        if self._unique is not None:
            self._refuse(
                f"a single {method} would leave the markers of {', '.join(self._unique.markers)} behind",
                "*actions.create(model), *actions.change(old, new) and *actions.discard(model) bring them along",
            )

    def _refuse(self, message: str, fix: str) -> NoReturn:
        raise BuildError(message, rule="typed-unique", place=f'typed table "{self._drafts.table.name}"', fix=fix)
