"""What every action on one item has: a table, a key, and a name for its slot in a transaction."""

from __future__ import annotations

from expr_builder.attribute_values.text import to_text
from expr_builder.errors import BuildError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, Self, TypeAlias

    from expr_builder.attribute_values.values import TypedItem

    from .key_schema import Target
    from .table import Table

    Body: TypeAlias = dict[str, Any]
    """A request, or one action of it, as the client takes it."""

UNPACK = "unpack it with a star: (*actions)"
"""The fix for a list of actions where each is an argument."""


class Immutable:
    """An object whose methods return a changed copy."""

    __slots__ = ()

    def _copy(self) -> Self:
        """Make a new object with the same parts, so that a method can change one of them."""
        copy = object.__new__(type(self))  # not by __init__, which serialises and checks
        for kind in type(self).__mro__:
            for slot in getattr(kind, "__slots__", ()):
                setattr(copy, slot, getattr(self, slot))
        return copy

    def _replace(self, **changes: object) -> Self:
        copy = self._copy()
        for slot, value in changes.items():
            setattr(copy, slot, value)
        return copy


class Action(Immutable):
    """What writes and reads of one item have in common."""

    __slots__ = ("_slot", "_table", "_target")

    operation: ClassVar[str] = ""
    """Its name within ``TransactItems``: ``"Put"``, ``"Update"``, ``"Delete"``, ``"ConditionCheck"`` or ``"Get"``."""

    _slot: str | None
    _table: Table
    _target: Target

    @property
    def table(self) -> Table:
        """The table."""
        return self._table

    @property
    def slot(self) -> str | None:
        """The name given with :meth:`named`, or ``None``."""
        return self._slot

    @property
    def key(self) -> TypedItem:
        """The key of the item that the action addresses, as AttributeValues: a copy."""
        raise NotImplementedError

    @property
    def target(self) -> Target:
        """The item that the action is on, for comparing: ``1`` equals ``1.0``, but a table's name is not its ARN."""
        return self._target

    def named(self, slot: str) -> Self:
        """Name the action's slot in its transaction, with a non-empty string: refusals are reported under this name."""
        if not isinstance(slot, str) or not slot:
            raise BuildError(
                "a slot's name is a non-empty string", rule="slot-name", place=self._place, fix='such as named("email")'
            )
        copy = self._copy()  # not _replace: its loop would cost every action of a transaction
        copy._slot = to_text(slot)
        return copy

    @property
    def _place(self) -> str:
        return f'slot "{self._slot}"' if self._slot else f'{self.operation} "{self._table.name}"'

    def to_transact_item(self) -> Body:
        """The action as one entry of ``TransactItems``, such as ``{"Put": {…}}``. It belongs to the caller."""
        raise NotImplementedError

    def __repr__(self) -> str:
        slot = f', slot "{self._slot}"' if self._slot else ""
        return f"<{self.operation} in {self._table.name}{slot}>"
