"""A typed table's writes as plain actions, for transactions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import BaseModel

from expr_builder.errors import BuildError
from expr_builder.expressions.joining import all_of

from .marked import change_record, touched
from .rows_and_guards import joined

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from expr_builder.expressions.nodes import Condition
    from expr_builder.expressions.updates import Target
    from expr_builder.requests.get import Get
    from expr_builder.requests.writes import Check, Delete, Put, Update, WriteAction
    from expr_builder.unique import Unique

    from .rows_and_guards import Drafts

M = TypeVar("M", bound=BaseModel)


class TypedActions(Generic[M]):
    """Made by :attr:`TypedTable.actions`: what goes into a ``TransactWrite`` (or ``TransactGet``) beside plain actions.

    Where the table has unique fields, a single action cannot bring their markers along: :meth:`create`, :meth:`change`
    and :meth:`discard` return several, to be unpacked: ``TransactWrite(*accounts.actions.create(account), …)``.
    """

    def __init__(self, drafts: Drafts[M], unique: Unique | None) -> None:
        self._drafts = drafts
        self._unique = unique

    def put(
        self,
        model: M | Mapping[str, Any],
        *,
        if_not_exists: bool = False,
        if_field_equals: Mapping[str, Any] | None = None,
        when: Condition | None = None,
    ) -> Put:
        """A put of a model; see :meth:`TypedTable.put`."""
        self._refuse_markers("put")
        _, row, version = self._drafts.row(model)
        guard = self._drafts.guard(if_not_exists=if_not_exists, if_field_equals=if_field_equals, when=when)
        return self._drafts.put_row(row, joined(version, guard))

    def update(
        self,
        key: Mapping[str, Any],
        *,
        set: Mapping[Any, Any] | None = None,  # noqa: A002  # the word of the expression
        remove: Iterable[Target] = (),
        add: Mapping[str, Any] | None = None,
        delete: Mapping[str, Any] | None = None,
        if_field_equals: Mapping[str, Any] | None = None,
        when: Condition | None = None,
    ) -> Update:
        """An update of an existing item; see :meth:`TypedTable.update`."""
        update = self._drafts.update(key, sets=set, remove=remove, add=add, delete=delete)
        if self._unique is not None and touched(update) & self._unique.markers.keys():
            self._refuse_markers("update")
        return update.when(self._present(if_field_equals, when))

    def delete(
        self,
        key: Mapping[str, Any],
        *,
        if_exists: bool = False,
        if_field_equals: Mapping[str, Any] | None = None,
        when: Condition | None = None,
    ) -> Delete:
        """A deletion; see :meth:`TypedTable.delete`."""
        self._refuse_markers("delete")
        guard = self._drafts.guard(if_exists=if_exists, if_field_equals=if_field_equals, when=when)
        action = self._drafts.delete(key)
        return action if guard is None else action.when(guard)

    def check(
        self,
        key: Mapping[str, Any],
        *,
        if_field_equals: Mapping[str, Any] | None = None,
        when: Condition | None = None,
    ) -> Check:
        """A check that the item exists and is as demanded."""
        return self._drafts.check(key).when(self._present(if_field_equals, when))

    def get(self, key: Mapping[str, Any]) -> Get:
        """A read, for a ``TransactGet``; :meth:`TypedTable.read` makes a model of what it finds."""
        return self._drafts.table.get(self._drafts.schema.key(key))

    # --- with markers

    def create(self, model: M | Mapping[str, Any]) -> tuple[WriteAction, ...]:
        """A new record with its markers, each only if it does not exist; slots as :meth:`Unique.create` names them."""
        _, row, version = self._drafts.row(model)
        return tuple(self._marked().create(row, when=version).slots.values())

    def change(self, old: M | Mapping[str, Any], new: M | Mapping[str, Any]) -> tuple[WriteAction, ...]:
        """A record turned from what was read into something else with the same key, markers swapped where they differ.

        Raises:
            BuildError: when the key differs.
        """
        _, row, version = self._drafts.row(new)
        return tuple(change_record(self._marked(), self._drafts, self._row_as_read(old), row, version).slots.values())

    def discard(self, model: M | Mapping[str, Any]) -> tuple[WriteAction, ...]:
        """The removal of a record as it was read, with its markers."""
        row = self._row_as_read(model)
        return tuple(self._marked().delete(row, when=self._drafts.version_of(row)).slots.values())

    def _row_as_read(self, model: Any) -> dict[str, Any]:
        row = self._drafts.codec.encode(self._drafts.codec.check(model))
        return {**row, **self._drafts.schema.of_row(row)}

    def _present(self, if_field_equals: Mapping[str, Any] | None, when: Condition | None) -> Condition:
        guard = self._drafts.guard(if_field_equals=if_field_equals, when=when)
        return all_of(self._drafts.present(), guard)

    def _marked(self) -> Unique:
        if self._unique is None:
            raise BuildError(
                "the table declares no unique fields",
                rule="typed-unique",
                place=f'typed table "{self._drafts.table.name}"',
                fix="use put, update and delete",
            )
        return self._unique

    def _refuse_markers(self, method: str) -> None:
        if self._unique is not None:
            raise BuildError(
                f"a single {method} would leave the markers of {', '.join(self._unique.markers)} behind",
                rule="typed-unique",
                place=f'typed table "{self._drafts.table.name}"',
                fix="*actions.create(model), *actions.change(old, new) and *actions.discard(model) bring them along",
            )
