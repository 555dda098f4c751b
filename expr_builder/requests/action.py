"""What every action has: a table, and a name for its slot in a transaction."""

from __future__ import annotations

from expr_builder.errors import BuildError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, Self

    from expr_builder.attribute_values.values import TypedItem

    from .key_schema import TableKeys


class Action:
    """What reads and writes have in common: a table and a slot name."""

    __slots__ = ("_slot", "_table", "_target")

    operation: ClassVar[str] = ""
    """Its name within ``TransactItems``: ``"Put"``, ``"Update"``, ``"Delete"``, ``"ConditionCheck"`` or ``"Get"``."""

    _slot: str | None
    _table: TableKeys
    _target: tuple[Any, ...]

    @property
    def table(self) -> TableKeys:
        """The table."""
        return self._table

    @property
    def slot(self) -> str | None:
        """The name given with :meth:`named`."""
        return self._slot

    @property
    def key(self) -> TypedItem:
        """The key of the item that the action addresses, as AttributeValues."""
        raise NotImplementedError

    @property
    def target(self) -> tuple[Any, ...]:
        """The item that the action is on, to compare: one for a table's name and its ARN, one for ``1`` and ``1.0``."""
        return self._target

    def named(self, slot: str) -> Self:
        """Name the action's slot in its transaction: a refusal is reported under this name."""
        if not isinstance(slot, str) or not slot:
            raise BuildError("a slot's name is a non-empty string", rule="slot-name", place=self._place)
        copy = self._copy()
        copy._slot = slot
        return copy

    @property
    def _place(self) -> str:
        return f'slot "{self._slot}"' if self._slot else f'{self.operation} "{self._table.name}"'

    def _copy(self) -> Self:
        """A new action with the same parts, for a method to change one of.

        Each class that can be made copies its slots by name, also those of its bases: this is what building a request
        consists of, and a loop over the slots, or one call for each base, takes several times as long.
        """
        raise NotImplementedError

    def _replace(self, **changes: Any) -> Self:
        copy = self._copy()
        for slot, value in changes.items():
            setattr(copy, slot, value)
        return copy

    def to_transact_item(self) -> dict[str, Any]:
        """The action as one entry of ``TransactItems``, such as ``{"Put": {…}}``."""
        raise NotImplementedError
