"""Turns items into models and back, and keeps the attributes that a model does not know.

They are kept, at every level of nested models, in pydantic's own place for private data (``__pydantic_private__``): it
is copied by ``model_copy``, ``copy`` and ``pickle``, survives assignments, and is never dumped or shown. A model
without unknown attributes equals one made by hand.
"""

from __future__ import annotations

import types
from collections.abc import Mapping, MutableSet
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Generic, TypeVar, Union, get_args, get_origin

from pydantic import AliasChoices, BaseModel, ConfigDict, ValidationError
from pydantic_core import PydanticSerializationError

from expr_builder.errors import BuildError

from .errors import NO_JSON, FieldProblem, ValidationFailed, list_problems
from .field_types import SAY_HOW, has_own_form, judge_fields, list_models, list_sampled, unwrap
from .round_trips import SEQUENCES, is_same, make_samples, read_back
from .stored_forms import to_epoch_seconds, to_stored_form, to_zoned_form

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, NoReturn

    from pydantic.fields import FieldInfo

    from expr_builder.attribute_values.values import Item, StoredItem

M = TypeVar("M", bound=BaseModel)

_UNKNOWN = "__unknown_attributes__"
_SETS = (set, frozenset, AbstractSet, MutableSet)


def read_unknown_attributes(model: BaseModel) -> Item:
    """Return what was stored beside the fields of a model that was read; it is written back with the model.

    Args:
        model: A model that a typed table returned, or one nested in it.

    Returns:
        Names and Python values, as a plain read gives them; empty when there are none.
    """
    return (model.__pydantic_private__ or {}).get(_UNKNOWN) or {}


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
            _read_shape(held)
            _try_samples(held)
        # Each value of these is read back before it is written, and compared where what comes back is known.
        self._tried = [name for name, found in marks.items() if "tried" in found]
        self._compared = [name for name in self._tried if "open" not in marks[name]]
        self._with_json = [name for name, found in marks.items() if "json" in found]
        shape = _read_shape(model)
        self._holders = shape.holders
        self.stored_names = shape.stored_names
        self.names = shape.names
        self.computed = shape.computed
        self._known = _collect_names(model)
        self._ttl = None if ttl is None else self.stored_names[ttl]
        self._forms: dict[str, Callable[[Any], object]] = {} if self._ttl is None else {self._ttl: to_epoch_seconds}
        fields = [(stored, model.model_fields[name]) for name, stored in self.stored_names.items()]
        self._left_out = {stored: empty for stored, field in fields if (empty := _find_empty(field)) is not None}
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
        _tuck_away(model)
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
        _restore(checked, item)
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
            _restore(getattr(model, name), found.get(self.stored_names[name]))
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
            model = _make_partial(self.model).model_validate(dict(values), strict=False, extra="allow")
        except ValidationError as error:
            raise ValidationFailed(self.name, list_problems(error, self._known)) from None
        _tuck_away(model)
        return model

    def _is_valid(self, name: str, value: object) -> bool:
        """Tell whether a field may hold a value as it is. What was assigned without validation may be none."""
        try:
            validated = _make_partial(self.model).model_validate({name: value}, strict=False)
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
            _carry_over(source, target)
        except _Narrowed as narrowed:
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


class _Shape:
    """What the codec needs to know of a model class: how its fields are stored, and which may hold further models."""

    __slots__ = ("computed", "holders", "names", "nested", "open", "stored_names")

    def __init__(self, model: type[BaseModel]) -> None:
        self.open = model.model_config.get("extra") == "allow"
        self.stored_names = {name: _find_stored_name(name, field) for name, field in model.model_fields.items()}
        self.names: dict[str, str] = {}
        for name, field in model.model_fields.items():
            stored = self.stored_names[name]
            accepted = _find_accepted_names(model, name, field)
            if stored not in accepted:
                _refuse_name(model, f"{name} would be written as {stored}, by which the model cannot read it")
            for one in accepted:
                if self.names.setdefault(one, name) != name:
                    _refuse_name(model, f"{self.names[one]} and {name} would both be read from {one}")
        self.computed = frozenset(field.alias or name for name, field in model.model_computed_fields.items())
        for stored in self.computed.intersection(self.names):
            _refuse_name(model, f"{self.names[stored]} and a computed field would both be stored as {stored}")
        holders = [name for name, field in model.model_fields.items() if _holds(field.annotation, _is_model)]
        self.nested = tuple((name, self.stored_names[name]) for name in holders)
        # Here a value may be of a subclass, which is not what is read back.
        self.holders = tuple(name for name, field in model.model_fields.items() if _holds(field.annotation, _is_object))


_read_shape = lru_cache(maxsize=512)(_Shape)  # needed for each model in every item


def _refuse_name(model: type[BaseModel], message: str) -> NoReturn:
    raise BuildError(
        message,
        rule="typed-alias",
        place=model.__name__,
        fix="declare one alias=… for each field, or name it among the AliasChoices",
    )


def _find_stored_name(name: str, field: FieldInfo) -> str:
    return field.serialization_alias or field.alias or name


def _find_accepted_names(model: type[BaseModel], name: str, field: FieldInfo) -> list[str]:
    alias = field.validation_alias
    choices = alias.choices if isinstance(alias, AliasChoices) else [alias]
    config = model.model_config
    # An AliasPath leads into a map: no name.
    by_alias = config.get("validate_by_alias") is not False
    accepted = [choice for choice in choices if isinstance(choice, str) and by_alias]
    # The second is pydantic's newer name for the first.
    if alias is None or config.get("populate_by_name") or config.get("validate_by_name"):
        accepted.append(name)
    return accepted


def _holds(annotation: object, wanted: Callable[[type], bool]) -> bool:
    if isinstance(annotation, type):
        return wanted(annotation)
    return any(_holds(part, wanted) for part in _unfold(annotation))


def _is_model(kind: type) -> bool:
    return issubclass(kind, BaseModel)


def _is_object(kind: type) -> bool:
    return issubclass(kind, BaseModel) or is_dataclass(kind)


def _unfold(annotation: object) -> tuple[object, ...]:
    """List the parts of an annotation; a named alias has one, what it stands for."""
    # Python 3.12's "type X = …"; the standard library of 3.11 has no class to ask for.
    named = getattr(annotation, "__value__", None)
    return get_args(annotation) if named is None else (named,)


def _collect_names(model: type[BaseModel]) -> frozenset[str]:
    """Collect the names of all fields, nested models' included: what an error may show of a path."""
    found: set[str] = set()
    seen: set[object] = set()
    waiting: list[object] = [model]
    while waiting:
        annotation = waiting.pop()
        if annotation in seen:  # models may nest themselves
            continue
        seen.add(annotation)
        waiting += _unfold(annotation)
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            shape = _read_shape(annotation)
            found.update(shape.names, shape.stored_names)
            waiting += [field.annotation for field in annotation.model_fields.values()]
    return frozenset(found)


def _find_empty(field: FieldInfo) -> type | None:
    """Find the type of the value that is stored by leaving the attribute out: ``None``, or an empty set.

    That is right only where reading gives the same value again: by the default, or filled in for a required field.
    """
    annotation, _ = unwrap(field.annotation)
    kind = get_origin(annotation) or annotation
    if kind in _SETS:
        default = field.default_factory in (set, frozenset) or field.default in (set(), frozenset())
        return (frozenset if kind is frozenset else set) if field.is_required() or default else None
    if field.is_required():
        is_optional = kind in (Union, types.UnionType) and types.NoneType in get_args(annotation)
        return types.NoneType if is_optional else None
    return types.NoneType if field.default_factory is None and field.default is None else None


# --- attributes that a model does not know


def _find_models(value: object) -> Iterator[BaseModel]:
    if isinstance(value, BaseModel):
        yield value
    elif isinstance(value, Mapping):
        for entry in value.values():
            yield from _find_models(entry)
    elif isinstance(value, (*SEQUENCES, set, frozenset)):
        for element in value:
            yield from _find_models(element)


def _tuck_away(model: BaseModel) -> None:
    """Move what pydantic let through as extra to the private data; see the module."""
    shape = _read_shape(type(model))
    if not shape.open:
        extra = model.__pydantic_extra__
        object.__setattr__(model, "__pydantic_extra__", None)  # else it would be dumped, shown and compared
        if extra:
            _keep(model, {name: value for name, value in extra.items() if name not in shape.computed})
    for name, _ in shape.nested:
        value = model.__dict__[name]
        if isinstance(value, BaseModel):
            _tuck_away(value)
        elif value:
            for inner in _find_models(value):
                _tuck_away(inner)


def _keep(model: BaseModel, unknown: Item) -> None:
    if unknown:
        private = {**(model.__pydantic_private__ or {}), _UNKNOWN: dict(unknown)}
        object.__setattr__(model, "__pydantic_private__", private)  # a frozen model refuses plain assignment


class _Narrowed(Exception):
    """A value of a subclass is where its base is declared: what comes back is the base, without what was added."""

    def __init__(self, source: object, target: object) -> None:
        super().__init__(
            f"holds a {type(source).__name__} where the model reads a {type(target).__name__}: declare what it holds, "
            "or a union of models that a discriminator tells apart"
        )
        self.path = ""


def _carry_over(source: object, target: object) -> None:
    """Give a validated copy what its original kept, in the same places as far as they still exist."""
    if type(source) is not type(target) and _is_other(source, target):
        raise _Narrowed(source, target)
    if isinstance(source, BaseModel) and isinstance(target, BaseModel):
        _keep(target, read_unknown_attributes(source))
        for name in _read_shape(type(target)).holders:
            try:
                _carry_over(getattr(source, name, None), getattr(target, name))
            except _Narrowed as narrowed:
                narrowed.path = f"{name}.{narrowed.path}".removesuffix(".")
                raise
    elif isinstance(source, Mapping) and isinstance(target, Mapping):
        for key in source.keys() & target.keys():
            _carry_over(source[key], target[key])
    elif isinstance(source, SEQUENCES) and isinstance(target, SEQUENCES):
        for one, other in zip(source, target, strict=False):  # a validator may have dropped or added elements
            _carry_over(one, other)
    elif isinstance(source, (set, frozenset)) and isinstance(target, (set, frozenset)) and target:
        kinds = {type(element): element for element in target}
        for element in source:
            _carry_over(element, kinds.get(type(element), next(iter(target))))
    elif is_dataclass(source) and is_dataclass(target):
        for field in fields(target):
            _carry_over(getattr(source, field.name, None), getattr(target, field.name))


def _is_other(source: object, target: object) -> bool:
    """Tell whether one object became another, with other fields; a subclass that adds no field loses none."""
    both_models = isinstance(source, BaseModel) and isinstance(target, BaseModel)
    if not both_models and not (is_dataclass(source) and is_dataclass(target)):
        return False
    if _find_generic(source) is _find_generic(target):  # with and without type arguments
        return False
    return not isinstance(source, type(target)) or not _name_fields(source) <= _name_fields(target)


def _find_generic(value: object) -> object:
    generic = getattr(value, "__pydantic_generic_metadata__", None) or {}
    return generic.get("origin") or type(value)


def _name_fields(value: object) -> set[str]:
    if isinstance(value, BaseModel):
        return set(type(value).model_fields)
    return {field.name for field in fields(value)}  # type: ignore[arg-type]  # a dataclass, as is asked above


def _restore(model: object, stored: object) -> None:
    """Put what was kept back into an item and the maps inside it; what the model itself writes wins."""
    if isinstance(model, BaseModel) and isinstance(stored, dict):
        for name, value in read_unknown_attributes(model).items():
            stored.setdefault(name, to_stored_form(value))
        for name, attribute in _read_shape(type(model)).nested:
            _restore(getattr(model, name), stored.get(attribute))
    elif isinstance(model, Mapping) and isinstance(stored, dict):
        for inner, value in zip(model.values(), stored.values(), strict=False):
            _restore(inner, value)
    elif isinstance(model, SEQUENCES) and isinstance(stored, list):
        for inner, value in zip(model, stored, strict=False):
            _restore(inner, value)


# --- single fields


def _try_samples(model: type[BaseModel]) -> None:
    """Refuse a model with a field for which a sample of its own type does not come back."""
    fault = _find_fault(model)
    if fault is not None:
        raise BuildError(
            fault, rule="typed-model", place=model.__name__, fix=f"declare one type that says what it is, or {SAY_HOW}"
        )


@lru_cache(maxsize=512)
def _find_fault(model: type[BaseModel]) -> str | None:
    for name in list_sampled(model):
        for sample in make_samples(model.model_fields[name].annotation):
            fault = _try_sample(_make_partial(model), name, sample)
            if fault is not None:
                return f"{name} may hold a {type(sample).__name__}, {fault}"
    return None


def _try_sample(partial: type[BaseModel], name: str, sample: object) -> str | None:
    try:
        model = partial.model_validate({name: sample}, strict=False)
        dumped = model.model_dump(by_alias=True, include={name}, warnings=False)
        item = read_back({stored: to_stored_form(value) for stored, value in dumped.items()})
    except Exception:  # noqa: BLE001  # the model's own code, or a constraint: this sample tells nothing
        return None
    try:
        back = partial.model_validate(item, strict=False)
    except Exception:  # noqa: BLE001  # as above, but what was written must be read
        return "which cannot be read from what is stored"
    given, found = getattr(model, name), getattr(back, name)
    if is_same(given, found):
        return None
    return f"which comes back as {'another' if type(given) is type(found) else f'a {type(found).__name__}'}"


@lru_cache(maxsize=512)  # it compiles a second validator
def _make_partial(model: type[BaseModel]) -> type[BaseModel]:
    """Make a variant of the model to check single fields: all optional, without validators of the whole model."""
    metaclass: Any = type(model)  # a model may have one of its own
    # Subclassing keeps aliases, constraints and validators of fields. What concerns the whole model is removed: its
    # validators and serializers (hence defer_build), and its model_post_init, which may need every field.
    partial: type[BaseModel] = metaclass(
        model.__name__,
        (model,),
        {
            "__module__": model.__module__,
            "model_config": ConfigDict(defer_build=True, frozen=False, validate_by_name=True, validate_default=False),
            "model_post_init": lambda self, context: None,
        },
    )
    decorators = partial.__pydantic_decorators__
    decorators.model_validators.clear()
    decorators.model_serializers.clear()
    for field in partial.model_fields.values():
        field.default, field.default_factory = None, None
    partial.model_rebuild(force=True)
    return partial
