"""Finds what a model allows at a path into its items: the types there, and the names under which they are stored.

The whole value of a field is checked by the model itself. A path leads inside: through nested models, dictionaries and
lists, down to something that no field holds by itself. What is there is checked by a small model with that one field.
"""

from __future__ import annotations

import types
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Mapping, MutableMapping, MutableSequence, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Generic, NotRequired, Required, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, JsonValue, PlainValidator, RootModel, create_model
from typing_extensions import ReadOnly, is_typeddict

from expr_builder.attribute_values.values import to_item
from expr_builder.errors import BuildError
from expr_builder.expressions.attr import Attr

from .errors import FieldProblem, ValidationFailed, list_names
from .field_types import has_own_form, read_hints, unwrap
from .model_codec import Codec
from .stored_forms import to_stored_form

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import NoReturn

    from pydantic.fields import FieldInfo

    from expr_builder.expressions.nodes import Path

M = TypeVar("M", bound=BaseModel)

LISTS = frozenset({list, deque, Sequence, MutableSequence, Collection})
MAPS = frozenset({dict, defaultdict, Mapping, MutableMapping, Counter})
_KEY_TYPES = {"S": str, "N": Decimal, "B": bytes}
_VALUE = "value"  # the one field of a small model


@dataclass(frozen=True, slots=True)
class Slot:
    """One type of value that may stand at a place. Several are there where a path leads through a union.

    Attributes:
        annotation: Its annotation, and in ``metadata`` what its field adds.
        codec: Checks a whole value, as the field ``field``; ``None`` where anything may stand.
        required: Whether an item without it could not be read.
        in_seconds: Whether it is the time to live, which is stored as a number.
    """

    annotation: Any
    metadata: tuple[object, ...] = ()
    codec: Codec[Any] | None = None
    field: str = _VALUE
    required: bool = False
    in_seconds: bool = False

    @property
    def is_foreign(self) -> bool:
        """Whether it is beside the model's fields, where a model takes further attributes."""
        return self.codec is None

    @property
    def is_open(self) -> bool:
        """Whether anything may stand here."""
        return self.codec is None or any(_is_open(kind) for kind, _ in self.members)

    @property
    def members(self) -> list[tuple[Any, tuple[object, ...]]]:
        """The types of a value, those that a union joins one by one, each with its constraints and validators."""
        if self.in_seconds:
            return [(int, ())]
        return list(_list_members(self.annotation, self.metadata))

    @property
    def has_own_form(self) -> bool:
        """Whether code of the model's own decides what is stored or read here, so that its type says nothing."""
        if self.codec is None:
            return False
        replaced = any(isinstance(one, PlainValidator) for one in self.metadata)
        plain = any(one.info.mode == "plain" for one in _find_validators(self.codec.model, self.field))
        return replaced or plain or has_own_form(self.codec.model, self.field)

    @property
    def is_validated(self) -> bool:
        """Whether validators of the model's own check the whole value."""
        return self.codec is not None and bool(_find_validators(self.codec.model, self.field))

    @property
    def is_empty_when_missing(self) -> bool:
        """Whether a set that is gone is read as an empty one, or as ``None`` where the field takes that."""
        return not self.required and (self.codec is None or _is_left_out(self.codec, self.field))

    @property
    def is_left_out_when_empty(self) -> bool:
        """Whether an empty set is stored here by leaving the attribute out, as a set that grows from nothing is."""
        return self.codec is not None and self.codec.is_left_out(self.codec.stored_names[self.field], set())

    def encode(self, value: object) -> object:
        """Check a whole value and return its stored form.

        Raises:
            ValidationFailed: the paths of its problems begin with the slot's ``field``.
            BuildError: for a value that has no stored form, where anything may stand.
        """
        if self.codec is None:
            return to_stored_form(value)
        return self.codec.encode_fields({self.field: value}).get(self.codec.stored_names[self.field])

    def narrow(self, annotation: Any) -> Slot:
        """The slot of a part of this value, or of this value with another type."""
        if _is_open(annotation):
            return Slot(Any)
        owner: type[BaseModel] = BaseModel if self.codec is None else self.codec.model
        try:
            codec = _make_codec(annotation, owner)
        except TypeError:  # metadata that cannot be hashed
            codec = _make_codec.__wrapped__(annotation, owner)
        return Slot(annotation, codec=codec)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a path leads to in an item.

    Attributes:
        path: The path, by the names under which things are stored.
        name: The same for errors, by the names of fields; the keys of dictionaries are data, and hidden.
        slots: What may stand there.
    """

    path: Attr
    name: str
    slots: tuple[Slot, ...]


class Places(Generic[M]):
    """The places in the items of one model; ``keys`` are the types of the table's key attributes."""

    def __init__(self, codec: Codec[M], keys: Mapping[str, str]) -> None:
        self._codec = codec
        self._keys = keys

    def find(self, path: Path) -> Place:
        """Find the place to which a path leads, by names of fields or of attributes.

        Raises:
            ValidationFailed: when the model has nothing there, or cannot tell what may stand there.
        """
        name, *inner = path.segments
        place = self._find_attribute(str(name))
        for segment in inner:
            place = self._enter(place, segment)
        return place

    def encode(self, place: Place, value: object) -> object:
        """Check a whole value for a place and return its stored form: it must fit whatever a union may have there."""
        first, *others = [self.encode_as(place, slot, value) for slot in place.slots]
        if any(to_item({_VALUE: first}) != to_item({_VALUE: other}) for other in others):
            self.refuse(place.name, "union", "is stored in several forms, and which one is there is not known")
        return first

    def encode_as(self, place: Place, slot: Slot, value: object) -> object:
        """Check a value as what one slot takes, and return its stored form; errors name the place."""
        try:
            return slot.encode(value)
        except ValidationFailed as error:
            self._rename(error, slot, place.name)
        except BuildError as error:
            self.refuse(place.name, error.rule, error.message)

    def refuse(self, name: str, code: str, message: str) -> NoReturn:
        """Refuse what is at a place, as :class:`ValidationFailed`."""
        raise ValidationFailed(self._codec.name, [FieldProblem(name, code, message)]) from None

    def refuse_all(self, names: list[str], code: str, message: str) -> None:
        """Refuse what is at several places, if there are any."""
        if names:
            raise ValidationFailed(self._codec.name, [FieldProblem(name, code, message) for name in names])

    def _find_attribute(self, name: str) -> Place:
        codec = self._codec
        field = find_field(codec, name)
        if field is not None:
            self._refuse_unstored(codec, field, field)
            stored = codec.stored_names[field]
            # A missing attribute is read as None or as an empty set where the field takes that.
            required = codec.model.model_fields[field].is_required() and not _is_left_out(codec, field)
            slot = replace(_make_field_slot(codec, field), required=required, in_seconds=stored == codec.ttl)
            return Place(Attr(stored), field, (slot,))
        if name in self._keys:
            return Place(Attr(name), name, (Slot(str).narrow(_KEY_TYPES[self._keys[name]]),))
        if name in codec.computed:
            self.refuse(name, "computed", "is computed by the model: put and modify write it")
        if codec.model.model_config.get("extra") != "allow":
            self._refuse_unknown(codec, name)
        return Place(Attr(name), name, (Slot(Any),))

    def _enter(self, place: Place, segment: str | int) -> Place:
        """Go one step further in, through whatever may stand there."""
        if any(slot.has_own_form for slot in place.slots):
            self.refuse(place.name, "path", "is stored in a form of its own: set the whole value, or use modify")
        found = [
            step
            for slot in place.slots
            for kind, _ in slot.members
            if (step := self._step(place, slot, kind, segment)) is not None
        ]
        if not found:
            self.refuse(place.name, "path", "has no part that this path names")
        if len({(stored, name) for stored, name, _ in found}) > 1:
            self.refuse(place.name, "union", "stores this under several names, and which one is there is not known")
        stored, name, _ = found[0]
        return Place(place.path[stored], place.name + name, tuple(slot for _, _, slot in found))

    def _step(self, place: Place, slot: Slot, kind: Any, segment: str | int) -> tuple[str | int, str, Slot] | None:
        """Find the stored name, the name for errors and the slot of a part; ``None`` if there is no such part."""
        shown = f"[{segment}]" if isinstance(segment, int) else ".*"
        container, parts = get_origin(kind) or kind, get_args(kind)
        if kind is JsonValue or _is_open(kind):
            return segment, shown, slot.narrow(kind)
        if isinstance(segment, int):
            element = _find_element(container, parts, segment)
            return None if element is None else (segment, shown, replace(slot.narrow(element[0]), required=element[1]))
        if container in MAPS:
            key, value = _find_entry(container, parts)
            return self._write_key(place, slot, key, segment), shown, slot.narrow(value)
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            return self._find_nested(place, read_codec(kind), segment)
        return self._find_member(place, slot, kind, segment)

    def _find_nested(self, place: Place, codec: Codec[Any], name: str) -> tuple[str, str, Slot] | None:
        field = find_field(codec, name)
        if field is not None:
            self._refuse_unstored(codec, field, f"{place.name}.{field}")
            return codec.stored_names[field], f".{field}", _make_field_slot(codec, field)
        if codec.model.model_config.get("extra") == "allow":
            return name, f".{name}", Slot(Any)
        if len(place.slots) == 1 and sum(not _is_none(kind) for kind, _ in place.slots[0].members) == 1:
            self._refuse_unknown(codec, f"{place.name}.{name}")
        return None  # another member of the union may have it

    def _find_member(self, place: Place, slot: Slot, kind: Any, name: str) -> tuple[str, str, Slot] | None:
        """Find a part of a dataclass or TypedDict."""
        if not (is_typeddict(kind) or is_dataclass(kind)):
            return None
        hints = read_hints(kind)
        declared = getattr(kind, "__pydantic_fields__", {})
        own = getattr(kind, "__pydantic_decorators__", None)
        if not hints or any(_is_renamed(field) for field in declared.values()) or (own and own.field_validators):
            self.refuse(place.name, "path", "cannot be checked in part: set the whole value, or use modify")
        if name not in hints:
            return None
        if is_dataclass(kind):
            (field,) = [one for one in fields(kind) if one.name == name]
            required = field.default is MISSING and field.default_factory is MISSING
        else:
            # __required_keys__ does not know a NotRequired in an annotation that is text.
            required = name in kind.__required_keys__ and get_origin(hints[name]) is not NotRequired
        return name, f".{name}", replace(slot.narrow(_strip(hints[name])), required=required)

    def _write_key(self, place: Place, slot: Slot, annotation: Any, segment: str) -> str:
        """Write the key of an entry as it is stored: a number or a date can be written in several ways."""
        if annotation is str or _is_open(annotation):
            return segment
        key = self.encode_as(Place(place.path, f"{place.name}.*", ()), slot.narrow(annotation), segment)
        (stored,) = to_stored_form({key: None})
        return str(stored)

    def _refuse_unstored(self, codec: Codec[Any], field: str, name: str) -> None:
        if codec.model.model_fields[field].exclude:
            self.refuse(name, "not_stored", "is excluded by the model, so it is not stored")

    def _refuse_unknown(self, codec: Codec[Any], name: str) -> NoReturn:
        self.refuse(name, "unknown_field", f"the fields are {list_names(codec.stored_names)}")

    def _rename(self, error: ValidationFailed, slot: Slot, name: str) -> NoReturn:
        """Let the problems of a slot's value name the place."""
        inner = [(problem, problem.field.removeprefix(slot.field)) for problem in error.problems]
        # What is about "the whole" is about all of the value.
        problems = [
            FieldProblem(name + (rest if rest[:1] in ("", ".", "[") else ""), problem.code, problem.message)
            for problem, rest in inner
        ]
        raise ValidationFailed(self._codec.name, problems) from None


def find_field(codec: Codec[Any], name: str) -> str | None:
    """Find the field that a name means: one of its aliases, or its own name."""
    return codec.names.get(name, name if name in codec.stored_names else None)


@lru_cache(maxsize=512)
def read_codec(model: type[BaseModel]) -> Codec[Any]:
    """The codec of a nested model."""
    return Codec(model, ttl=None, keys=())


def list_constraints(metadata: Iterable[object]) -> Iterator[object]:
    """List what narrows or checks a type, without its documentation."""
    for one in metadata:
        inner: list[object] | None = getattr(one, "metadata", None)  # Annotated[int, Field(ge=0)]
        if inner is not None:
            yield from list_constraints(inner)
        elif not isinstance(one, str):
            yield one


def _list_members(annotation: Any, metadata: tuple[object, ...]) -> Iterator[tuple[Any, tuple[object, ...]]]:
    plain, inner = unwrap(annotation)
    metadata = (*inner, *metadata)
    if get_origin(plain) in (Union, types.UnionType):
        for member in get_args(plain):
            yield from _list_members(member, metadata)
    elif isinstance(plain, type) and issubclass(plain, RootModel):
        yield from _list_members(plain.model_fields["root"].annotation, metadata)
    elif isinstance(plain, TypeVar) and plain.__bound__ is not None:
        yield from _list_members(plain.__bound__, metadata)
    else:
        yield plain, metadata


def _is_open(kind: Any) -> bool:
    return kind is Any or kind is object or isinstance(kind, TypeVar)


def _is_none(kind: Any) -> bool:
    return kind is None or kind is types.NoneType


def _make_field_slot(codec: Codec[Any], name: str) -> Slot:
    field = codec.model.model_fields[name]
    return Slot(field.annotation, tuple(field.metadata), codec, name, field.is_required())


def _is_left_out(codec: Codec[Any], field: str) -> bool:
    nothing: tuple[object, ...] = (None, set())
    return any(codec.is_left_out(codec.stored_names[field], empty) for empty in nothing)


def _find_element(container: Any, parts: tuple[Any, ...], index: int) -> tuple[Any, bool] | None:
    """Find the annotation of a list's or tuple's element, and whether its place must not be empty."""
    if container in LISTS:
        return (parts[0] if parts else Any), False
    if container is tuple:
        if not parts or (len(parts) == 2 and parts[1] is Ellipsis):
            return (parts[0] if parts else Any), False
        return (parts[index], True) if index < len(parts) else None
    if isinstance(container, type) and issubclass(container, tuple) and hasattr(container, "_fields"):
        hints = list(read_hints(container).values())
        return (hints[index], True) if index < len(hints) else None
    return None


def _find_entry(container: Any, parts: tuple[Any, ...]) -> tuple[Any, Any]:
    """Find the annotations of a mapping's keys and values."""
    if container is Counter:
        return (parts[0] if parts else Any), int
    return (parts[0], parts[1]) if parts else (Any, Any)


def _find_validators(model: type[BaseModel], field: str) -> list[Any]:
    own = model.__pydantic_decorators__
    return [one for one in own.field_validators.values() if {field, "*"}.intersection(one.info.fields)]


def _is_renamed(field: FieldInfo) -> bool:
    return bool(field.alias or field.validation_alias or field.serialization_alias)


def _strip(annotation: Any) -> Any:
    """Take away what only a TypedDict's entries have, such as ``NotRequired``."""
    while get_origin(annotation) in (Required, NotRequired, ReadOnly):
        (annotation,) = get_args(annotation)
    return annotation


@lru_cache(maxsize=512)
def _make_codec(annotation: Any, owner: type[BaseModel]) -> Codec[Any]:
    """Make a codec for a model with one field of this annotation, which reads and writes as its owner does."""
    config = {**owner.model_config, "extra": "ignore", "alias_generator": None, "validate_by_name": True}
    config.pop("populate_by_name", None)
    small: type[BaseModel] = create_model(owner.__name__, __config__=ConfigDict(**config), value=(annotation, ...))  # type: ignore[typeddict-item]
    return Codec(small, ttl=None, keys=())
