"""Turns items into models and back; ``docs/typed-table.md`` says what is promised of that."""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import TYPE_CHECKING, Generic, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticSerializationError

from expr_builder.errors import BuildError

from .errors import NO_JSON, FieldProblem, ValidationFailed, list_problems
from .field_types import SAY_HOW, has_own_form, judge_fields, list_models
from .model_shapes import collect_names, find_empty, read_shape
from .round_trips import is_same, read_back
from .single_fields import make_partial, try_samples
from .stored_forms import to_epoch_seconds, to_stored_form, to_zoned_form
from .unknown_attributes import Narrowed, carry_over, restore, tuck_away

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, NoReturn

    from expr_builder.attribute_values.values import Item, StoredItem

M = TypeVar("M", bound=BaseModel)


class Codec(Generic[M]):
    """Converts between one model and its items; raises :class:`ValidationFailed` for what does not fit the model.

    Args:
        model: The model.
        ttl: The field that holds the time to live.
        keys: The table's key attributes, which a model need not know.

    Raises:
        BuildError: for a field that would be written under a name by which it cannot be read, or that would not come
            back as it was.
    """

    def __init__(self, model: type[M], *, ttl: str | None, keys: Iterable[str]) -> None:
        self.model = model
        self.name = model.__name__
        marks = judge_fields(model)
        for held in list_models(model):
            read_shape(held)
            try_samples(held)
        # Each value of these is read back before it is written, and compared where what comes back is known.
        self._tried = [name for name, found in marks.items() if "tried" in found]
        self._compared = [name for name in self._tried if "open" not in marks[name]]
        self._with_json = [name for name, found in marks.items() if "json" in found]
        shape = read_shape(model)
        self._holders = shape.holders
        self.stored_names = shape.stored_names
        self.names = shape.names
        self.computed = shape.computed
        self._known = collect_names(model)
        self._ttl = None if ttl is None else self.stored_names[ttl]
        self._forms: dict[str, Callable[[Any], object]] = {} if self._ttl is None else {self._ttl: to_epoch_seconds}
        fields = [(stored, model.model_fields[name]) for name, stored in self.stored_names.items()]
        self._left_out = {stored: empty for stored, field in fields if (empty := find_empty(field)) is not None}
        # A required field has no default to fall back on: it gets its empty value, unless an alias of it is there.
        self._filled_in = {
            stored: ([name for name, field in self.names.items() if self.stored_names[field] == stored], empty)
            for stored, empty in self._left_out.items()
            if dict(fields)[stored].is_required()
        }
        # Not unknown attributes either: each write derives the key and the computed fields anew.
        self._not_read = frozenset(keys).difference(self.names) | self.computed

    @property
    def ttl(self) -> str | None:
        """The attribute that holds the time to live."""
        return self._ttl

    def require_zone(self, fields: Iterable[str]) -> None:
        """Refuse datetimes without a time zone in these fields from now on: they are parts of keys."""
        for name in fields:
            stored = self.stored_names[name]
            if stored != self._ttl and not has_own_form(self.model, name):
                self._forms[stored] = to_zoned_form

    def decode(self, item: Item) -> M:
        """Read an item: defaults filled in, types narrowed, unknown attributes kept."""
        known = dict(item)
        for name in self._not_read:
            known.pop(name, None)
        for stored, (accepted, empty) in self._filled_in.items():
            if not any(name in known for name in accepted):
                known[stored] = empty()
        try:
            # What model_validate calls, without its overhead: this runs for each item of a scan. Not strict: DynamoDB
            # has fewer types than the model. Extras allowed: they are the unknown attributes.
            model: M = self.model.__pydantic_validator__.validate_python(known, strict=False, extra="allow")
        except ValidationError as error:
            raise ValidationFailed(self.name, list_problems(error, self._known)) from None
        tuck_away(model)
        return model

    def check(self, model: object) -> M:
        """Validate a model, nested ones too, or an item as a mapping; unknown attributes come along."""
        if isinstance(model, Mapping):
            return self.decode(model)
        if not isinstance(model, self.model):
            self._fail("the whole", "model_type", f"a {self.name} is expected, not a {type(model).__name__}")
        # Validating the model itself would trust what was assigned, or constructed, without validation. round_trip
        # leaves computed fields out, which cannot be validated; pydantic's warnings would quote values.
        dumped = self._dump(lambda: model.model_dump(by_alias=True, round_trip=True, warnings=False))
        if self._ttl is not None:
            dumped[self._ttl] = self._store(self._ttl, dumped.get(self._ttl))
        try:
            checked = self.model.model_validate(dumped, strict=False)
        except ValidationError as error:
            raise ValidationFailed(self.name, list_problems(error, self._known)) from None
        self._carry_over(model, checked)
        for name in self._compared:
            given = getattr(model, name, None)
            if not is_same(given, getattr(checked, name)) and self._is_valid(name, given):
                self._refuse_changed(name, json=name in self._with_json)
        return checked

    def encode(self, checked: M) -> StoredItem:
        """Make the item of a model that was checked; key templates are not filled in yet."""
        dumped = self._dump(lambda: checked.model_dump(by_alias=True, warnings=False))
        item: StoredItem = {}
        for stored, value in dumped.items():
            if not self.is_left_out(stored, value):
                item[stored] = self._store(stored, value)
        restore(checked, item)
        if self._tried:
            self._try(checked, self.decode, item)
        return item

    def encode_fields(self, values: Mapping[str, object]) -> StoredItem:
        """Check some fields by themselves, as far as types, constraints and validators of fields go.

        Values come by the names of fields; their stored forms are returned by the names of attributes.
        """
        model = self._validate_fields(values)
        dumped = self._dump(lambda: model.model_dump(by_alias=True, include=set(values), warnings=False))
        found: StoredItem = {stored: self._store(stored, value) for stored, value in dumped.items()}
        for name in values:
            restore(getattr(model, name), found.get(self.stored_names[name]))
        if any(name in values for name in (*self._tried, *self._holders)):
            self._try(model, self._validate_fields, found)
        return found

    def encode_value(self, attribute: str, value: object) -> object:
        """Make the stored form of a value of an attribute that is no field, such as a computed one."""
        return self._store(attribute, value)

    def is_left_out(self, stored: str, value: object) -> bool:
        """Tell whether a field with this value is stored by leaving its attribute out, as a computed ``None`` is."""
        empty = self._left_out.get(stored)
        if empty is None:
            return value is None and stored in self.computed
        if empty is types.NoneType:
            return value is None
        # An empty set may be in its stored form already, a list: DynamoDB has no empty sets.
        return isinstance(value, (set, frozenset, list)) and not value

    def _validate_fields(self, values: Mapping[str, object]) -> BaseModel:
        try:
            model = make_partial(self.model).model_validate(dict(values), strict=False, extra="allow")
        except ValidationError as error:
            raise ValidationFailed(self.name, list_problems(error, self._known)) from None
        tuck_away(model)
        return model

    def _is_valid(self, name: str, value: object) -> bool:
        """Tell whether a field may hold a value as it is. What was assigned without validation may be none."""
        try:
            validated = make_partial(self.model).model_validate({name: value}, strict=False)
        except Exception:  # noqa: BLE001  # a validator of the model's own, which expects what is stored
            return False
        return is_same(getattr(validated, name), value)

    def _try(self, written: BaseModel, read: Callable[[Item], BaseModel], item: StoredItem) -> None:
        """Refuse what would be read back as something else, where the model cannot promise that it is not."""
        given = written.model_fields_set
        try:
            back = read(read_back(item))
        except ValidationFailed as error:
            problem = error.problems[0]
            self._refuse_changed(problem.field, json=problem.code == NO_JSON)
        self._carry_over(written, back)
        for name in self._compared:
            if name in given and not is_same(getattr(written, name), getattr(back, name)):
                self._refuse_changed(name, json=name in self._with_json)

    def _carry_over(self, source: BaseModel, target: BaseModel) -> None:
        try:
            carry_over(source, target)
        except Narrowed as narrowed:
            self._fail(narrowed.path or "the whole", "round_trip", str(narrowed))

    def _refuse_changed(self, field: str, *, json: bool) -> NoReturn:
        hint = "; a float in a JsonValue does not, in Any it comes back as a Decimal" if json else ""
        self._fail(field, "round_trip", f"would not come back as it is: declare one type, or {SAY_HOW}{hint}")

    def _store(self, stored: str, value: object) -> object:
        try:
            to_form: Callable[[Any], object] = self._forms.get(stored, to_stored_form)
            return to_form(value)
        except BuildError as error:
            message = f"{error.message}: {error.fix}"
            self._fail(self.names.get(stored, stored), error.rule, message)
        except RecursionError:
            self._fail(self.names.get(stored, stored), "value-depth", "is nested deeper than DynamoDB allows")

    def _dump(self, dump: Callable[[], StoredItem]) -> StoredItem:
        try:
            return dump()
        except (PydanticSerializationError, ValueError, RecursionError):  # a ValueError for what contains itself
            self._fail("the whole", "serialization", "a serializer of the model refuses what it is given")

    def _fail(self, field: str, code: str, message: str) -> NoReturn:
        raise ValidationFailed(self.name, [FieldProblem(field, code, message)]) from None
