"""Checks what an update writes at a place, and turns it into its stored form.

DynamoDB computes without asking the model: a fraction added to a whole number, or a text appended to a list of numbers,
would be stored and could not be read any more. So each operand must have the type of the place. The bounds of a result
(``ge``, ``max_length``, a validator of the whole) cannot be known before: they are the business of a condition.
"""

from __future__ import annotations

from decimal import Decimal
from enum import Enum
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin

from pydantic import Field

from expr_builder.attribute_values.values import from_attribute_value
from expr_builder.expressions.functions import IfMissing, JoinedLists
from expr_builder.expressions.nodes import Arithmetic, Operand, Path, UpdateValue
from expr_builder.expressions.nodes import Literal as LiteralOperand
from expr_builder.expressions.operands import make_literal, take_number

from .errors import ValidationFailed
from .field_types import SETS
from .item_places import LISTS, Slot, list_constraints

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from expr_builder.expressions.nodes import Value

    from .item_places import Place, Places

_NUMBERS = (int, float, Decimal)
_WIDER: dict[Any, tuple[Any, ...]] = {int: (int, float, Decimal), float: (float, Decimal), Decimal: (Decimal, float)}
"""For each type of number those that take each of its values, and its sums."""
_WHOLE = "set the whole value, or use modify"


class Operands:
    """Checks the operands of updates of one model's items; all raise :class:`ValidationFailed` with the place."""

    def __init__(self, places: Places[Any]) -> None:
        self._places = places

    def check_set(self, place: Place, value: object) -> object:
        """Check what SET writes: a whole value, or what DynamoDB computes from other attributes."""
        if isinstance(value, (Operand, UpdateValue)):
            return self._check_computed(place, value)
        return self._places.encode(place, value)

    def check_add(self, place: Place, value: object) -> object:
        """Check what ADD adds: a number, or elements of a set."""
        given = _read_literal(value)
        if isinstance(given, (Operand, UpdateValue)):
            return given  # the builder says that ADD computes nothing
        if isinstance(given, (set, frozenset)):
            return self._check_elements(place, given)
        if any(_list_sets(slot) for slot in place.slots) and not any(_list_numbers(slot) for slot in place.slots):
            self._places.refuse(place.name, "set_type", "takes a set of the elements to add")
        return self._check_number(place, given)

    def check_delete(self, place: Place, value: object) -> object:
        """Check what DELETE takes out of a set."""
        given = _read_literal(value)
        if isinstance(given, (Operand, UpdateValue)):
            return given
        if not isinstance(given, (set, frozenset)):
            self._places.refuse(place.name, "set_type", "takes a set of the elements to remove")
        # DynamoDB removes the attribute with the last element.
        if not all(slot.is_empty_when_missing for slot in place.slots):
            self._places.refuse(place.name, "update_operand", "is not read as empty when it is missing: use modify")
        return self._check_elements(place, given)

    def refuse_required(self, place: Place) -> None:
        """Refuse to remove what an item cannot be read without."""
        if any(slot.required for slot in place.slots):
            self._places.refuse(place.name, "missing", "is required, so it cannot be removed")

    def refuse_lists(self, changes: Iterable[tuple[Place, object]]) -> None:
        """Refuse what adds to sets or removes from them, and was not taken, where they may be stored as lists.

        DynamoDB has no empty sets. Only a field's own value can be left out instead, as long as that reads as empty.
        """
        listed = [
            place.name
            for place, value in changes
            if isinstance(_read_literal(value), (set, frozenset))
            and not (len(place.path.segments) == 1 and place.slots[0].is_left_out_when_empty)
        ]
        self._places.refuse_all(listed, "set_type", f"may be stored as a list or NULL, which is no set: {_WHOLE}")

    # --- computed values

    def _check_computed(self, place: Place, value: Value) -> Value:
        if isinstance(value, LiteralOperand):
            return make_literal(self._places.encode(place, _read_literal(value)), of=place.path)
        if isinstance(value, Path):
            return self._copy(place, value)
        if isinstance(value, IfMissing):
            path, default = value.operands
            return IfMissing(value.name, self._check_computed(place, path), self._check_computed(place, default))
        if isinstance(value, JoinedLists):
            return JoinedLists(value.name, *(self._check_list(place, part) for part in value.operands))
        if isinstance(value, Arithmetic):
            left, right = (self._check_addend(place, side) for side in (value.left, value.right))
            return Arithmetic(left, value.operator, right)
        return value  # such as size(…): the builder says that only conditions use it

    def _copy(self, place: Place, path: Path) -> Path:
        source = self._places.find(path)
        if source.path.segments != place.path.segments:
            self._refuse_own_form(source, place)
            for slot in place.slots:
                checked = slot.is_validated or not all(_admits(slot, other) for other in source.slots)
                if checked and not slot.is_open:
                    self._places.refuse(
                        place.name, "update_operand", f"does not surely take what {source.name} holds: use modify"
                    )
        return source.path

    def _check_list(self, place: Place, part: Value) -> Value:
        """Check one side of ``list_append``: a list of elements for the place, or a path to one."""
        self._refuse_own_form(place)
        if isinstance(part, LiteralOperand):
            elements = self._check_as(place, _read_literal(part), _list_lists, "holds no list to which this appends")
            return make_literal(elements, of=place.path)
        if isinstance(part, IfMissing):
            path, default = part.operands
            return IfMissing(part.name, self._check_list(place, path), self._check_list(place, default))
        return self._check_computed(place, part)

    def _check_addend(self, place: Place, side: Value) -> Value:
        """Check one side of ``+`` or ``-``."""
        self._refuse_own_form(place)
        if isinstance(side, LiteralOperand):
            return take_number(self._check_number(place, _read_literal(side)), place.path)
        if isinstance(side, IfMissing):
            path, default = side.operands
            return IfMissing(side.name, self._check_addend(place, path), self._check_addend(place, default))
        if not isinstance(side, Path):
            return side
        source = self._places.find(side)
        self._refuse_own_form(source)
        for slot in place.slots:
            wanted = [number for number, _ in _find_numbers(slot)]
            for other in source.slots:
                given = [number for number, _ in _find_numbers(other)]
                surely = given and all(any(kind in _WIDER[one] for kind in wanted) for one in given)
                anything = other.is_open and any(kind is not int for kind in wanted)  # any number is a Decimal
                if not (slot.is_open or surely or anything):
                    self._places.refuse(
                        place.name, "update_operand", f"cannot be computed from {source.name}: use modify"
                    )
        return source.path

    # --- plain operands

    def _check_number(self, place: Place, value: object) -> object:
        message = "holds no number with which DynamoDB computes"
        return self._check_as(place, value, _list_numbers, message)

    def _check_elements(self, place: Place, elements: set[Any] | frozenset[Any]) -> object:
        if not elements:
            return elements  # the builder says that a set has elements
        stored = self._check_as(place, elements, _list_sets, "holds no set")
        mixed = any(_is_mixed(kind) for slot in place.slots for kind in _list_sets(slot))
        if mixed or not isinstance(stored, (set, frozenset)):
            self._places.refuse(place.name, "update_operand", f"may be stored as a list, not as a set: {_WHOLE}")
        return stored

    def _check_as(self, place: Place, value: object, find: Callable[[Slot], list[Any]], message: str) -> object:
        """Check an operand as one of the types that ``find`` gives for a slot, in each slot; return its stored form."""
        self._refuse_own_form(place)
        stored: object = None
        for slot in place.slots:
            kinds = [Any] if slot.is_open else find(slot)
            if not kinds:
                self._places.refuse(place.name, "update_operand", message)
            stored = self._check_any(place, slot, kinds, value)
        return stored

    def _check_any(self, place: Place, slot: Slot, kinds: list[Any], value: object) -> object:
        *others, last = kinds
        for kind in others:
            try:
                return self._places.encode_as(place, slot.narrow(kind), value)
            except ValidationFailed:
                continue
        return self._places.encode_as(place, slot.narrow(last), value)

    def _refuse_own_form(self, *places: Place) -> None:
        for place in places:
            if any(slot.has_own_form for slot in place.slots):
                self._places.refuse(place.name, "update_operand", f"is stored in a form of its own: {_WHOLE}")


def _read_literal(value: object) -> Any:
    """Give the Python value of an operand that is one; anything else stays."""
    return from_attribute_value(value.value) if isinstance(value, LiteralOperand) else value


def _find_numbers(slot: Slot) -> Iterator[tuple[Any, tuple[object, ...]]]:
    """Find the types of numbers that a slot takes; not those with fixed values, with which nobody computes."""
    for kind, metadata in slot.members:
        plain = isinstance(kind, type) and issubclass(kind, _NUMBERS) and not issubclass(kind, (bool, Enum))
        if plain:
            base = next(number for number in _NUMBERS if issubclass(kind, number))
            yield base, metadata


def _list_numbers(slot: Slot) -> list[Any]:
    """List the types of numbers that a slot takes, with the constraints that a sum keeps if both sides have them."""
    found: list[Any] = []
    for base, metadata in _find_numbers(slot):
        kept: dict[str, Any] = {}
        for one in list_constraints(metadata):
            for name in ("multiple_of", "decimal_places"):
                if getattr(one, name, None) is not None:
                    kept[name] = getattr(one, name)
        found.append(Annotated[base, Field(**kept)] if kept else base)
    return found


def _list_sets(slot: Slot) -> list[Any]:
    """List the types of sets that a slot takes, without bounds of their size."""
    return [kind for kind, _ in slot.members if (get_origin(kind) or kind) in SETS]


def _list_lists(slot: Slot) -> list[Any]:
    """List the types of lists that a slot takes; a tuple of fixed length takes no more elements."""
    found: list[Any] = []
    for kind, _ in slot.members:
        container, parts = get_origin(kind) or kind, get_args(kind)
        if container in LISTS or (container is tuple and (not parts or parts[-1] is Ellipsis)):
            found.append(list[parts[0]] if parts else list)  # type: ignore[valid-type]
    return found


def _is_mixed(kind: Any) -> bool:
    """Tell whether sets of this type may have elements of several types, for which DynamoDB has no set."""
    parts = get_args(kind)
    stored: set[str] = set()
    for member, _ in Slot(parts[0]).members if parts else ():
        if get_origin(member) is Literal:
            stored.update(_find_set_type(type(value)) for value in get_args(member))
        elif isinstance(member, type) and issubclass(member, Enum):
            stored.update(_find_set_type(type(one.value)) for one in member)
        else:
            stored.add(_find_set_type(member))
    return len(stored) > 1 or "" in stored


def _find_set_type(kind: Any) -> str:
    """Find the type of the set that takes elements of a type; what is no number and no bytes is stored as text."""
    if kind is NoneType or kind is bool:
        return ""
    if isinstance(kind, type) and issubclass(kind, _NUMBERS):
        return "N"
    return "B" if isinstance(kind, type) and issubclass(kind, bytes) else "S"


def _admits(slot: Slot, source: Slot) -> bool:
    """Tell whether a slot takes every value that another may hold, by their annotations alone."""
    return all(any(_takes(kind, metadata, *member) for kind, metadata in slot.members) for member in source.members)


def _takes(kind: Any, metadata: tuple[object, ...], source: Any, source_metadata: tuple[object, ...]) -> bool:
    given = [repr(one) for one in list_constraints(source_metadata)]
    if any(repr(one) not in given for one in list_constraints(metadata)):
        return False
    if kind == source:
        return True
    if get_origin(source) is Literal:
        return all(value in get_args(kind) or type(value) is kind for value in get_args(source))
    return source in _NUMBERS and kind in _WIDER[source]
