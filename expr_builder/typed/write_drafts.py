"""Turns models and keys into the plain builder's actions, with the guards that a typed table maintains."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Generic, TypeVar

from pydantic import BaseModel

from expr_builder.attribute_values.values import item_size, measure_value, to_item
from expr_builder.errors import BuildError
from expr_builder.expressions.attr import Attr
from expr_builder.expressions.joining import all_of
from expr_builder.expressions.nodes import Literal, Operand, Path, UpdateValue
from expr_builder.expressions.paths import write_path
from expr_builder.expressions.updates import take_path
from expr_builder.limits import MAX_ITEM_BYTES

from .errors import InvalidQuery, ItemTooLarge, ValidationFailed, list_names
from .item_places import Places, find_field
from .update_operands import Operands

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, NoReturn, TypeAlias

    from expr_builder.attribute_values.values import Item, StoredItem
    from expr_builder.expressions.nodes import Condition
    from expr_builder.expressions.updates import Target
    from expr_builder.requests.table import Table
    from expr_builder.requests.writes import Delete, Put, Update, WriteAction

    from .item_places import Place
    from .item_reader import Expiry
    from .model_codec import Codec
    from .model_key import ModelKey

    W = TypeVar("W", bound=WriteAction)
    Fields: TypeAlias = Mapping[str, object]
    """Values by the names of fields."""

M = TypeVar("M", bound=BaseModel)

_LARGEST = 5  # how many attributes the error lists of an item that is too large


def guard_action(action: W, guard: Condition | None) -> W:
    """Guard an action, if there is a guard."""
    return action if guard is None else action.when(guard)


def join_conditions(*conditions: Condition | None) -> Condition | None:
    """Join the conditions that are not ``None``; ``None`` when all are."""
    return all_of(*conditions) if any(condition is not None for condition in conditions) else None


class Drafts(Generic[M]):
    """Makes actions for one typed table; ``version`` is the field that counts versions, if the table maintains one."""

    def __init__(self, table: Table, codec: Codec[M], key: ModelKey, expiry: Expiry, version: str | None) -> None:
        self.table = table
        self.codec = codec
        self.key = key
        self._expiry = expiry
        self._version = version
        self.version_attribute = "" if version is None else codec.stored_names[version]
        self._places = Places(codec, table.key_schema.types)
        self._operands = Operands(self._places)
        if version is not None and not _is_counter(codec, version):
            raise BuildError(
                f"{version} is no whole number",
                rule="typed-table",
                place=f'typed table "{table.name}", version',
                fix=f"{version}: int = 0",
            )

    def encode(self, model: object, *, counted_from: Item | None = None) -> tuple[M, StoredItem, Condition | None]:
        """Check a model (or an item as a mapping) and, where versions are maintained, count its version up.

        Returns:
            The model as it will be stored, its item, and the guard of its version. The version is counted from that of
            the item ``counted_from`` if there is one, else from the model's own.

        Raises:
            ValidationFailed: when it does not fit the model.
        """
        checked = self.codec.check(model)
        guard = None
        if self._version is not None:
            now = getattr(checked, self._version) if counted_from is None else counted_from.get(self.version_attribute)
            guard = self._require_version(now or 0)
            # A copy, as the model may be frozen; it keeps the unknown attributes.
            checked = checked.model_copy(update={self._version: (now or 0) + 1})
        item = self.codec.encode(checked)
        item.update(self.key.derive(item))
        return checked, item, guard

    def put(
        self,
        model: object,
        *,
        if_not_exists: bool = False,
        if_field_equals: Fields | None = None,
        when: Condition | None = None,
    ) -> tuple[M, StoredItem, Put]:
        """Draft the put of a model under all its conditions: the model as it will be stored, its item, and the action.

        Raises:
            ValidationFailed: when it does not fit the model.
            ItemTooLarge: names its largest attributes.
        """
        checked, item, version = self.encode(model)
        guard = self.demand(if_not_exists=if_not_exists, if_field_equals=if_field_equals, when=when)
        return checked, item, guard_action(self._draft_put(item), join_conditions(version, guard))

    def put_unguarded(self, model: object) -> Put:
        """Draft a put for a batch, which has no conditions."""
        return self._draft_put(self.encode(model)[1])

    def _draft_put(self, item: Item) -> Put:
        try:
            return self.table.put(item)
        except BuildError as error:
            if error.rule != "item-size":
                raise
            # The builder knows only the sum. Attributes are measured here, where an error is certain: it takes time.
            sizes = {name: item_size({name: value}) for name, value in to_item(item).items()}
            _refuse_too_large(error, sum(sizes.values()), sizes)

    def compare(self, old: Item, new: Item) -> tuple[StoredItem, list[str]]:
        """Find what must be set and what removed to turn an item into another one; refuse another key."""
        keys = self.key.attributes
        if any(old.get(name) != new.get(name) for name in keys):
            self._refuse("the key was changed", "put a new item and delete the old one")
        # Compared in DynamoDB's form: 1 and Decimal("1.0") are one value there.
        before, after = to_item(old), to_item(new)
        sets = {name: new[name] for name, value in after.items() if name not in keys and before.get(name) != value}
        return sets, [name for name in before if name not in after]

    def replace(self, old: Item, sets: Item, removed: list[str]) -> Update:
        """Draft the update for what :meth:`compare` found."""
        update = self.table.update({name: old[name] for name in self.key.attributes})
        update = update.set(sets) if sets else update
        return update.remove(*removed) if removed else update

    def demand(
        self,
        *,
        if_exists: bool = False,
        if_not_exists: bool = False,
        if_field_equals: Fields | None = None,
        when: Condition | None = None,
    ) -> Condition | None:
        """Join the caller's conditions on the stored item; refuse those that contradict each other or name no field."""
        if if_not_exists and (if_exists or if_field_equals is not None):
            self._refuse("an item that does not exist has no fields to compare", "leave if_not_exists out")
        return join_conditions(
            self.require_present() if if_exists else None,
            self._require_absent() if if_not_exists else None,
            None if if_field_equals is None else self._require_fields(if_field_equals),
            when,
        )

    def require_present(self) -> Condition:
        """Demand that the item exists, and has not expired."""
        present, expires = self.table.key_schema.present, self._expiry.attribute
        if expires is None:
            return present
        # Whole seconds, as DynamoDB counts a time to live.
        return present & (Attr(expires).not_exists() | (Attr(expires) > int(self._expiry.clock())))

    def require_version_of(self, item: Item) -> Condition | None:
        """Demand that the stored version is that of an item as it was read, if versions are maintained."""
        return None if self._version is None else self._require_version(item.get(self.version_attribute) or 0)

    def require_unchanged(self, item: Item) -> Condition:
        """Demand that the item is stored as it was read: by its version, else by all its attributes."""
        version = self.require_version_of(item)
        if version is not None:
            return version
        values = (Attr(name).eq(value) for name, value in item.items() if name not in self.key.attributes)
        return all_of(self.table.key_schema.present, *values)

    def _require_absent(self) -> Condition:
        # An expired item that is not deleted yet may be overwritten: readers do not see it either.
        absent, expires = self.table.key_schema.absent, self._expiry.attribute
        return absent if expires is None else absent | (Attr(expires) <= int(self._expiry.clock()))

    def _require_version(self, version: int) -> Condition:
        # Nothing stored, or an item from before there were versions, counts as 0.
        attribute = Attr(self.version_attribute)
        return attribute.eq(version) if version else attribute.not_exists() | attribute.eq(0)

    def _require_fields(self, fields: Fields) -> Condition:
        found = {name: find_field(self.codec, name) for name in fields}
        unknown = [name for name, field in found.items() if field is None]
        if unknown or not fields:
            self._refuse(
                f"if_field_equals names {list_names(unknown)}, which is no field",
                f"the fields are {list_names(self.codec.stored_names)}; other attributes go into when=Attr(…)",
            )
        stored = self.codec.encode_fields({found[name] or name: value for name, value in fields.items()})
        return all_of(*(self._require_value(name, value) for name, value in stored.items()))

    def _require_value(self, name: str, value: object) -> Condition:
        if not self.codec.is_left_out(name, value):
            return Attr(name).eq(value)
        # None may be stored either way: left out by this model, or as NULL by another program.
        return Attr(name).not_exists() if value is not None else Attr(name).not_exists() | Attr(name).eq(None)

    def update(
        self,
        key: Fields,
        *,
        sets: Mapping[Any, object] | None,
        remove: Iterable[Target],
        add: Mapping[Any, object] | None,
        delete: Mapping[Any, object] | None,
    ) -> Update:
        """Draft an update without its guard; the version is counted up.

        Raises:
            ValidationFailed: for a value that does not fit its field, or an unknown field.
            InvalidQuery: for a field that is part of the key, or the version that the table maintains.
            ItemTooLarge: when what is set alone is over 400 KB.
        """
        for name, given in (("set", sets), ("add", add), ("delete", delete)):
            if given is not None and not isinstance(given, Mapping):
                raise InvalidQuery(
                    f"{name} is a mapping of fields to values, not a {type(given).__name__}",
                    rule="typed-write",
                    place=f'{self.codec.name} in table "{self.table.name}"',
                    fix=f"{name}={{field: value}}",
                )
        action = self.table.update(self.key.make(key))
        pairs, left_out = self._check_sets(sets or {})
        # One name is text, and text is an iterable of letters.
        removed = [self._find(target) for target in ([remove] if isinstance(remove, (str, Path)) else remove)]
        for place in removed:
            self._operands.refuse_required(place)
        if self._version is not None:
            pairs.append((Attr(self.version_attribute), Attr(self.version_attribute).increment()))  # from 0
        action = action.set(pairs) if pairs else action
        action = action.remove(*(place.path for place in removed), *left_out) if removed or left_out else action
        if add:
            action = action.add(self._check_all(add, self._operands.check_add))
        if delete:
            action = action.delete(self._check_all(delete, self._operands.check_delete))
        if action.size > MAX_ITEM_BYTES:
            self._refuse_size(action)
        return action

    def refuse_lists(self, *changes: Mapping[Any, object] | None) -> None:
        """Refuse what an update that DynamoDB did not take adds to sets, or takes out, that may be stored as lists."""
        given = [item for changed in changes for item in (changed or {}).items()]
        self._operands.refuse_lists((self._find(target), value) for target, value in given)

    def delete(self, key: Fields, guard: Condition | None = None) -> Delete:
        """Draft a deletion."""
        return guard_action(self.table.delete(self.key.make(key)), guard)

    def _check_sets(self, sets: Mapping[Any, object]) -> tuple[list[tuple[Path, object]], list[Path]]:
        """Check what is to be set; setting a field to what is stored by leaving it out removes its attribute."""
        pairs: list[tuple[Path, object]] = []
        fields: dict[str, object] = {}
        for target, value in sets.items():
            place = self._find(target)
            if len(place.path.segments) > 1 or isinstance(value, (Operand, UpdateValue)) or place.slots[0].is_foreign:
                pairs.append((place.path, self._operands.check_set(place, value)))
            elif place.name in fields:
                self._refuse(f"{place.name} is set twice", "name it once, by its name or by its alias")
            else:
                fields[place.name] = value
        stored = self.codec.encode_fields(fields) if fields else {}  # together: an error names all that do not fit
        left_out: list[Path] = []
        for name in map(self.codec.stored_names.__getitem__, fields):
            if name not in stored or self.codec.is_left_out(name, stored[name]):
                left_out.append(Attr(name))
            else:
                pairs.append((Attr(name), stored[name]))
        return pairs, left_out

    def _check_all(
        self, values: Mapping[Any, object], check: Callable[[Place, object], object]
    ) -> list[tuple[Path, object]]:
        places = [(self._find(target), value) for target, value in values.items()]
        return [(place.path, check(place, value)) for place, value in places]

    def _find(self, target: Target) -> Place:
        """Find the place that a name or a path means; refuse the key and the version."""
        path = take_path(target, "update")
        name = str(path.segments[0])
        field = find_field(self.codec, name) or name
        if field in self.key.fields or name in self.key.attributes:
            self._refuse(f"{field} is part of the key", "put a new item and delete the old one")
        if field == self._version:
            self._refuse(f"{field} is counted by the table", "leave it out; compare it with if_field_equals")
        return self._places.find(path)

    def _refuse_size(self, action: Update) -> None:
        try:
            action.to_request()
        except BuildError as error:
            if error.rule != "item-size":
                raise
            given = [(one.path, one.value) for one in action.actions if isinstance(one.value, Literal)]
            sizes = {write_path(path.segments): measure_value(value.value) for path, value in given}
            _refuse_too_large(error, action.size, sizes)

    def _refuse(self, message: str, fix: str) -> NoReturn:
        place = f'{self.codec.name} in table "{self.table.name}"'
        raise InvalidQuery(message, rule="typed-write", place=place, fix=fix)


def _is_counter(codec: Codec[Any], version: str) -> bool:
    # Tried, as annotations can say int in many ways: the condition and the increment need 1 to be stored as 1.
    try:
        return codec.encode_fields({version: 1}) == {codec.stored_names[version]: 1}
    except ValidationFailed:
        return False


def _refuse_too_large(error: BuildError, size: int, sizes: Mapping[str, int]) -> NoReturn:
    largest = sorted(sizes.items(), key=lambda one: -one[1])[:_LARGEST]
    raise ItemTooLarge(
        error.message, place=error.place, fix=error.fix, size=size, limit=MAX_ITEM_BYTES, largest=largest
    ) from None
