"""Models and keys as the plain builder's actions, guarded by what the table maintains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import BaseModel

from expr_builder.attribute_values.values import item_size, size_of, to_item
from expr_builder.errors import BuildError
from expr_builder.expressions.attr import Attr
from expr_builder.expressions.joining import all_of
from expr_builder.expressions.nodes import Literal, Operand, Path, UpdateValue
from expr_builder.expressions.paths import write_path
from expr_builder.limits import MAX_ITEM_BYTES

from .errors import FieldProblem, InvalidQuery, ItemTooLarge, ValidationFailed
from .key_templates import listed
from .storing import storable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from expr_builder.expressions.nodes import Condition
    from expr_builder.expressions.updates import Target
    from expr_builder.requests.table import Table
    from expr_builder.requests.writes import Check, Delete, Put, Update

    from .key_templates import KeySchema
    from .models import Codec
    from .rows import Reader

M = TypeVar("M", bound=BaseModel)

_LARGEST = 5


def joined(*conditions: Condition | None) -> Condition | None:
    """All conditions that there are, or ``None``."""
    return all_of(*conditions) if any(condition is not None for condition in conditions) else None


def _too_large(error: BuildError, size: int, sizes: Mapping[str, int]) -> ItemTooLarge:
    return ItemTooLarge(
        error.message,
        place=error.place,
        fix=error.fix,
        size=size,
        limit=MAX_ITEM_BYTES,
        largest=sorted(sizes.items(), key=lambda one: -one[1])[:_LARGEST],
    )


def _counts(codec: Codec[Any], version: str) -> bool:
    try:
        return codec.encode_fields({version: 1}) == {codec.stored_names[version]: 1}
    except ValidationFailed:
        return False


class Drafts(Generic[M]):
    """Makes actions for one typed table.

    Args:
        table: The plain table.
        codec: The model's.
        schema: The key's.
        reader: Knows which rows are visible.
        version: The field that counts versions, if the table maintains one.
    """

    def __init__(
        self, table: Table, codec: Codec[M], schema: KeySchema, reader: Reader[M], version: str | None
    ) -> None:
        self.table = table
        self.codec = codec
        self.schema = schema
        self._reader = reader
        self._version = version
        self.version_attribute = "" if version is None else codec.stored_names[version]
        if version is not None and not _counts(codec, version):
            raise BuildError(
                f"{version} is no whole number",
                rule="typed-table",
                place=f'typed table "{table.name}", version',
                fix=f"{version}: int = 0",
            )

    # --- whole items

    def row(
        self, model: Any, *, counted_from: Mapping[str, Any] | None = None
    ) -> tuple[M, dict[str, Any], Condition | None]:
        """A model checked and, where versions are maintained, counted up; its row; and the guard of its version.

        Args:
            model: The model, or a raw row.
            counted_from: The row whose version is counted up, when it is not the model's own that counts.

        Raises:
            ValidationFailed: when it does not fit.
        """
        checked = self.codec.check(model)
        guard = None
        if self._version is not None:
            now = getattr(checked, self._version) if counted_from is None else counted_from.get(self.version_attribute)
            guard = self._version_is(now or 0)
            checked = checked.model_copy(update={self._version: (now or 0) + 1})
        row = self.codec.encode(checked)
        row.update(self.schema.of_row(row))
        return checked, row, guard

    def put_row(self, row: Mapping[str, Any], guard: Condition | None = None) -> Put:
        """A put of a row.

        Raises:
            ItemTooLarge: with its largest attributes.
        """
        try:
            action = self.table.put(row)
        except BuildError as error:
            if error.rule != "item-size":
                raise
            sizes = {name: item_size({name: value}) for name, value in to_item(row).items()}
            raise _too_large(error, sum(sizes.values()), sizes) from None
        return action if guard is None else action.when(guard)

    def guard(
        self,
        *,
        if_exists: bool = False,
        if_not_exists: bool = False,
        if_field_equals: Mapping[str, Any] | None = None,
        when: Condition | None = None,
    ) -> Condition | None:
        """What the caller demands of the stored item, as one condition.

        Raises:
            InvalidQuery: for demands that contradict each other, or name no field.
        """
        if if_not_exists and (if_exists or if_field_equals is not None):
            raise self._refused("an item that does not exist has no fields to compare", "leave if_not_exists out")
        return joined(
            self.present() if if_exists else None,
            self.absent() if if_not_exists else None,
            None if if_field_equals is None else self._fields_equal(if_field_equals),
            when,
        )

    def present(self) -> Condition:
        """The item exists, and has not expired."""
        expires = self._reader.expires
        if expires is None:
            return self.table.key_schema.present
        return self.table.key_schema.present & (
            Attr(expires).not_exists() | (Attr(expires) > int(self._reader.clock()))
        )

    def absent(self) -> Condition:
        """There is no such item, or it has expired and only waits to be swept."""
        expires = self._reader.expires
        if expires is None:
            return self.table.key_schema.absent
        return self.table.key_schema.absent | (Attr(expires) <= int(self._reader.clock()))

    def version_of(self, row: Mapping[str, Any]) -> Condition | None:
        """The stored version is that of a row as it was read, if versions are maintained."""
        return None if self._version is None else self._version_is(row.get(self.version_attribute) or 0)

    def same_as(self, row: Mapping[str, Any]) -> Condition:
        """Everything is stored as it was read."""
        values = (Attr(name).eq(value) for name, value in row.items() if name not in self.table.key_schema.types)
        return all_of(self.table.key_schema.present, *values)

    def refuse_other_key(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
        """Refuse to turn an item into one with another key.

        Raises:
            InvalidQuery: when the keys differ.
        """
        if any(old.get(name) != new.get(name) for name in self.table.key_schema.types):
            raise self._refused("the key was changed", "put a new item and delete the old one")

    def _version_is(self, version: int) -> Condition:
        """Nothing stored, or a row from before there were versions, counts as 0."""
        attribute = Attr(self.version_attribute)
        return attribute.eq(version) if version else attribute.not_exists() | attribute.eq(0)

    # --- by key

    def update(
        self,
        key: Mapping[str, Any],
        *,
        sets: Mapping[Any, Any] | None,
        remove: Iterable[Target],
        add: Mapping[str, Any] | None,
        delete: Mapping[str, Any] | None,
    ) -> Update:
        """An update without its guard; the version is counted up.

        Raises:
            ValidationFailed: for a value that does not fit its field, or a name that is none.
            InvalidQuery: for a field that is part of the key, or the version that the table maintains.
        """
        action = self.table.update(self.schema.key(key))
        paths, values = self._sorted_out(sets or {})
        removed = [self._target(target) for target in ([remove] if isinstance(remove, (str, Path)) else remove)]
        for stored in removed:
            self._refuse_required(stored)
        removed += [stored for stored, value in values.items() if self.codec.is_left_out(stored, value)]
        values = {stored: value for stored, value in values.items() if not self.codec.is_left_out(stored, value)}
        if self._version is not None:
            paths[Attr(self.version_attribute)] = Attr(self.version_attribute).increment()
        if paths or values:
            action = action.set([*paths.items(), *values.items()])
        if removed:
            action = action.remove(*removed)
        if add:
            action = action.add([(self._target(name), storable(value)) for name, value in add.items()])
        if delete:
            action = action.delete([(self._target(name), storable(value)) for name, value in delete.items()])
        if action.size > MAX_ITEM_BYTES:
            self._refuse_size(action)
        return action

    def changes(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
        """What of a row must be set, and which attributes removed, to make it another one with the same key."""
        before, after = to_item(old), to_item(new)
        keys = self.table.key_schema.types
        sets = {name: new[name] for name, value in after.items() if name not in keys and before.get(name) != value}
        return sets, [name for name in before if name not in after]

    def delete(self, key: Mapping[str, Any]) -> Delete:
        """A deletion without its guard."""
        return self.table.delete(self.schema.key(key))

    def check(self, key: Mapping[str, Any]) -> Check:
        """A check without its condition."""
        return self.table.check(self.schema.key(key))

    # --- small change

    def _sorted_out(self, sets: Mapping[Any, Any]) -> tuple[dict[Any, Any], dict[str, Any]]:
        """What is set by path or computed by DynamoDB, and the plain values of fields, checked, by attribute."""
        paths: dict[Any, Any] = {}
        fields: dict[str, Any] = {}
        for target, value in sets.items():
            known = self._target(target)
            computed = isinstance(value, (Operand, UpdateValue))
            if isinstance(target, Path) or computed or known not in self.codec.names:
                paths[known if isinstance(known, Path) else Attr(known)] = value if computed else storable(value)
            else:
                fields[self.codec.names[known]] = value
        return paths, self.codec.encode_fields(fields) if fields else {}

    def _target(self, target: Any) -> Any:
        """An attribute's name for a field's; paths as they are. Refuses what is no field, part of the key, or ours."""
        name = str(target.segments[0]) if isinstance(target, Path) else str(target)
        field = self.codec.names.get(name, name)
        if field in self.schema.fields or name in self.table.key_schema.types:
            raise self._refused(f"{field} is part of the key", "put a new item and delete the old one")
        if field == self._version:
            raise self._refused(f"{field} is counted by the table", "leave it out; compare it with if_field_equals")
        is_known = name in self.codec.names or name in self.codec.stored_names.values()
        if not is_known and self.codec.model.model_config.get("extra") != "allow":
            raise ValidationFailed(
                self.codec.name,
                [FieldProblem(name, "unknown_field", f"the fields are {listed(self.codec.stored_names)}")],
            )
        return target if isinstance(target, Path) else self.codec.stored_names.get(field, name)

    def _refuse_size(self, action: Update) -> None:
        try:
            action.to_request()
        except BuildError as error:
            if error.rule != "item-size":
                raise
            sizes = {
                write_path(one.path.segments): size_of(one.value.value)
                for one in action.actions
                if isinstance(one.value, Literal)
            }
            raise _too_large(error, action.size, sizes) from None

    def _refuse_required(self, target: Any) -> None:
        field = self.codec.names.get(target) if isinstance(target, str) else None
        if field is None or not self.codec.model.model_fields[field].is_required():
            return
        nothing: tuple[Any, ...] = (None, set())
        if not any(self.codec.is_left_out(target, empty) for empty in nothing):
            raise ValidationFailed(
                self.codec.name, [FieldProblem(field, "missing", "is required, so it cannot be removed")]
            )

    def _fields_equal(self, fields: Mapping[str, Any]) -> Condition:
        unknown = [name for name in fields if name not in self.codec.names]
        if unknown or not fields:
            raise self._refused(
                f"if_field_equals names {listed(unknown)}, which is no field",
                f"the fields are {listed(self.codec.stored_names)}; other attributes go into when=Attr(…)",
            )
        stored = self.codec.encode_fields({self.codec.names[name]: value for name, value in fields.items()})
        return all_of(*(self._equals(name, value) for name, value in stored.items()))

    def _equals(self, name: str, value: Any) -> Condition:
        if not self.codec.is_left_out(name, value):
            return Attr(name).eq(value)
        return Attr(name).not_exists() if value is not None else Attr(name).not_exists() | Attr(name).eq(None)

    def _refused(self, message: str, fix: str) -> InvalidQuery:
        return InvalidQuery(
            message, rule="typed-write", place=f'{self.codec.name} in table "{self.table.name}"', fix=fix
        )
