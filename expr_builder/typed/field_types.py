"""Tells from a model's annotations what comes back from DynamoDB as it was.

DynamoDB has fewer types than Python, so the model must tell again what a stored value was. For most annotations that is
certain. Some can never be read back and are refused; some cannot be judged by their annotation, and are tried: with
samples when a table is declared, and with each value that is written (:mod:`.round_trips`).
"""

from __future__ import annotations

import types
import typing
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import (
    Collection,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    MutableMapping,
    MutableSequence,
    MutableSet,
    Sequence,
)
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, Flag
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from pathlib import Path, PurePath, PurePosixPath
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    get_args,
    get_origin,
)
from uuid import UUID

import pydantic
from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter
from pydantic.fields import FieldInfo
from typing_extensions import ReadOnly, TypeAliasType, is_typeddict

from expr_builder.errors import BuildError

if TYPE_CHECKING:
    from typing import TypeAlias

    Marks: TypeAlias = frozenset[str]
    """What is to be done about a field; empty when its annotation says that it comes back."""

CERTAIN: Marks = frozenset()
SAMPLED: Marks = frozenset({"sampled"})
"""It has few values: samples tell for all of them."""
TRIED: Marks = frozenset({"sampled", "tried"})
"""Each value that is written is read back first."""
OPEN: Marks = frozenset({"open"})
"""It may hold anything, such as ``Any``: what comes back is what a plain read gives, and is not compared."""
JSON: Marks = TRIED | {"json"}
"""It may hold any JSON value: all of them come back but floats, as DynamoDB has one type of number."""
SERIALIZED: Marks = TRIED | {"serialized"}
"""A serializer of the model's own makes its stored form."""

_CERTAIN_KEYS = {
    *(str, int, float, bool, Decimal, date, datetime, UUID, Path, PurePath, PurePosixPath),
    *(IPv4Address, IPv4Network, IPv6Address, IPv6Network),
    *(pydantic.AwareDatetime, pydantic.NaiveDatetime, pydantic.PastDatetime, pydantic.PastDate, pydantic.EmailStr),
}
_CERTAIN = {*_CERTAIN_KEYS, bytes, types.NoneType}
_LISTS = {list, deque}
SETS = frozenset({set, frozenset, AbstractSet, MutableSet})
_MAPS = {dict, defaultdict}
# A tuple, or another mapping, is taken as it is, and comes back as a list or a dict.
_LOOSE = {Sequence, MutableSequence, Collection, Mapping, MutableMapping, Counter}
_WRAPPERS = {typing.Final, ClassVar, typing.Required, typing.NotRequired, ReadOnly}
# These come back as exactly what they were stored as, before pydantic tries anything else of a union.
_EXACT = {str: "S", int: "N", bool: "BOOL", bytes: "B", list: "L", dict: "M", set: "L", frozenset: "L"}

SAY_HOW = "say how it is written and read: a PlainSerializer and a BeforeValidator in an Annotated"
_PAIRS = "declare a list of pairs: list[tuple[…, …]]"


class _Field(NamedTuple):
    marks: Marks
    models: tuple[type[BaseModel], ...]


def judge_fields(model: type[BaseModel]) -> dict[str, Marks]:
    """Judge each field of a model, with the models that it holds.

    Raises:
        BuildError: for a field, here or in a nested model, that can never be read back as it was.
    """
    judged: dict[str, Marks] = {}
    for name, (marks, models) in _judge_own_fields(model).items():
        for held in _reach(models):
            for inner in _judge_own_fields(held).values():
                marks |= inner.marks - OPEN  # open parts of nested models are known when they are compared
        judged[name] = marks
    return judged


def list_models(model: type[BaseModel]) -> list[type[BaseModel]]:
    """List a model and all that it holds, at any depth."""
    return list(_reach((model,)))


def is_open(model: type[BaseModel], field: str) -> bool:
    """Tell whether a field may hold anything, so that what was written says nothing about what comes back."""
    return not OPEN.isdisjoint(_judge_own_fields(model)[field].marks)


def read_hints(kind: type) -> dict[str, Any]:
    """Read the annotations of a dataclass, TypedDict or NamedTuple; none where they cannot be resolved."""
    try:
        return typing.get_type_hints(kind, include_extras=True)
    except (NameError, TypeError):
        return {}


def unwrap(annotation: Any) -> tuple[Any, tuple[object, ...]]:
    """Find what an annotation stands for, behind named types and ``Annotated``, and the metadata on the way.

    ``JsonValue`` stands for itself: it is a union whose parts name it again, as a text.
    """
    metadata: tuple[object, ...] = ()
    while annotation is not JsonValue:
        origin = get_origin(annotation)
        if origin is Annotated:
            annotation, *inner = get_args(annotation)
            metadata = (*inner, *metadata)
        elif origin in _WRAPPERS:
            (annotation,) = get_args(annotation)
        elif isinstance(origin, TypeAliasType) or hasattr(origin, "__value__"):
            annotation = origin.__value__[get_args(annotation)]
        elif hasattr(annotation, "__value__"):  # Python 3.12's "type X = …"
            annotation = annotation.__value__
        elif hasattr(annotation, "__supertype__"):
            annotation = annotation.__supertype__
        else:
            break
    return annotation, metadata


def find_leaves(annotation: Any) -> Iterator[Any]:
    """Find the types that a value of an annotation may have itself: the members of a union, without its containers."""
    plain, _ = unwrap(annotation)
    if get_origin(plain) in (Union, types.UnionType):
        for member in get_args(plain):
            yield from find_leaves(member)
    else:
        yield plain


def list_sampled(model: type[BaseModel]) -> list[str]:
    """List the fields for which samples tell whether they come back."""
    return [name for name, field in _judge_own_fields(model).items() if field.marks >= SAMPLED]


def has_own_form(model: type[BaseModel], field: str) -> bool:
    """Tell whether a serializer of the model's own makes the stored form of a field."""
    return _judge_own_fields(model)[field].marks >= SERIALIZED


class _Refused(Exception):
    def __init__(self, what: str, fix: str) -> None:
        super().__init__(what)
        self.what = what
        self.fix = fix


def _reach(models: tuple[type[BaseModel], ...]) -> Iterator[type[BaseModel]]:
    seen: set[type[BaseModel]] = set()
    waiting = list(models)
    while waiting:
        model = waiting.pop()
        if model in seen:  # models may nest themselves
            continue
        seen.add(model)
        yield model
        for inner in _judge_own_fields(model).values():
            waiting += inner.models


@lru_cache(maxsize=512)
def _judge_own_fields(model: type[BaseModel]) -> dict[str, _Field]:
    decorators = model.__pydantic_decorators__
    whole = CERTAIN
    if decorators.model_validators or decorators.root_validators or model.__pydantic_custom_init__:
        whole |= TRIED - SAMPLED
    if decorators.model_serializers:
        whole |= SERIALIZED
    judged: dict[str, _Field] = {}
    for name, field in model.model_fields.items():
        judge = _Judge()
        try:
            marks = whole | _judge_field(judge, name, field, model)
        except _Refused as refused:
            raise BuildError(
                f"{name} holds {refused.what}", rule="typed-model", place=model.__name__, fix=refused.fix
            ) from None
        judged[name] = _Field(marks, tuple(judge.models))
    return judged


def _judge_field(judge: _Judge, name: str, field: FieldInfo, model: type[BaseModel]) -> Marks:
    if field.exclude:
        if field.is_required():
            raise _Refused("what exclude=True never writes, and cannot be read without", "give it a default")
        return OPEN
    decorators = model.__pydantic_decorators__
    writers = [one.info.when_used for one in decorators.field_serializers.values() if _concerns(one, name)]
    serialized = any(not used.startswith("json") for used in writers) or model.__pydantic_decorators__.model_serializers
    readers = [one.info.mode for one in decorators.field_validators.values() if _concerns(one, name)]
    readers += ["before" for one in decorators.validators.values() if _concerns(one, name)]
    marks = judge.judge(
        field.annotation,
        tuple(field.metadata),
        serialized=bool(serialized),
        validated=any(mode != "after" for mode in readers),
        told_apart=isinstance(field.discriminator, str),
    )
    if readers or getattr(field, "exclude_if", None) is not None:
        marks |= TRIED
    return marks


def _concerns(decorator: Any, field: str) -> bool:
    return field in decorator.info.fields or "*" in decorator.info.fields


class _Judge:
    """Judges one annotation, and collects the models in it."""

    def __init__(self) -> None:
        self.models: list[type[BaseModel]] = []
        self._inside: list[Any] = []

    def judge(
        self,
        annotation: Any,
        metadata: tuple[object, ...] = (),
        *,
        serialized: bool = False,
        validated: bool = False,
        told_apart: bool = False,
    ) -> Marks:
        plain, inner = unwrap(annotation)
        metadata = (*inner, *metadata)
        marks = CERTAIN
        for one in metadata:
            kind = one if isinstance(one, type) else type(one)
            if issubclass(kind, pydantic.PlainSerializer | pydantic.WrapSerializer):
                serialized = serialized or not str(getattr(one, "when_used", "always")).startswith("json")
                marks |= TRIED
            elif issubclass(kind, pydantic.BeforeValidator | pydantic.WrapValidator | pydantic.PlainValidator):
                validated = True
            elif kind is pydantic.Json and not serialized:
                raise _Refused("Json, which is written as what it holds", "declare what the JSON holds, or str")
            elif kind is pydantic.SerializeAsAny and not serialized:
                raise _Refused("SerializeAsAny, whose subclasses cannot be told apart", _tell_apart("Base"))
            elif kind.__name__ == "FieldInfo":
                told_apart = told_apart or isinstance(getattr(one, "discriminator", None), str)
                marks |= self.judge(object, tuple(getattr(one, "metadata", ()))) - OPEN
            if not _is_harmless(kind):
                marks |= TRIED
        try:
            marks |= self._judge_plain(plain, told_apart=told_apart)
        except _Refused:
            is_secret = isinstance(plain, type) and issubclass(plain, _SECRETS)
            if not serialized and (is_secret or not validated):
                raise
            marks |= TRIED
        return marks | SERIALIZED if serialized else marks

    def _judge_plain(self, annotation: Any, *, told_apart: bool) -> Marks:
        origin, parts = get_origin(annotation), get_args(annotation)
        if annotation is None or annotation in _CERTAIN:
            return CERTAIN
        if annotation is Any or annotation is object:
            return OPEN
        if annotation is JsonValue:
            return JSON
        if isinstance(annotation, TypeVar):
            return OPEN if annotation.__bound__ is None else self.judge(annotation.__bound__)
        if origin is Literal:
            return SAMPLED if {type(value) for value in parts} - {str, int, types.NoneType} else CERTAIN
        if origin in (Union, types.UnionType):
            return self._judge_union(parts, told_apart=told_apart)
        container = origin or annotation
        if container is OrderedDict:
            raise _Refused("an OrderedDict, whose order DynamoDB does not keep", f"declare a dict; or {_PAIRS}")
        if container in _MAPS or container in (Mapping, MutableMapping, Counter):
            return self._judge_map(container, parts)
        if container in _LISTS or container in SETS or container in _LOOSE or container is tuple:
            marks = TRIED if container in _LOOSE else CERTAIN
            if not parts:
                return marks | OPEN
            return marks.union(*(self.judge(part) for part in parts if part is not Ellipsis and part != ()))
        return self._judge_class(annotation, origin, parts)

    def _judge_map(self, container: Any, parts: tuple[Any, ...]) -> Marks:
        marks = CERTAIN if container in _MAPS else TRIED
        if not parts:
            return marks | OPEN
        if container is not Counter:
            marks |= self.judge(parts[1])
        return marks | self._judge_key(parts[0])

    def _judge_key(self, annotation: Any) -> Marks:
        plain, metadata = unwrap(annotation)
        if all(_is_harmless(type(one)) for one in metadata):
            if plain in _CERTAIN_KEYS:
                return CERTAIN
            if plain is Any or isinstance(plain, TypeVar):
                return OPEN
        leaves = list(find_leaves(plain))
        for leaf in leaves:
            bad = leaf is None or leaf is JsonValue or (isinstance(leaf, type) and issubclass(leaf, _NO_KEYS))
            if bad or get_origin(leaf) in (tuple, frozenset) or is_dataclass(leaf):
                raise _Refused(f"a dict with keys of type {_name(leaf)}, and keys are stored as text", _PAIRS)
        return self.judge(annotation) | (SAMPLED if len(leaves) == 1 and _is_finite(leaves[0]) else TRIED)

    def _judge_union(self, parts: tuple[Any, ...], *, told_apart: bool) -> Marks:
        members = [part for part in parts if part is not types.NoneType]
        marks = CERTAIN.union(*(self.judge(member) for member in members))
        if len(members) == 1:
            return marks
        if told_apart or marks & OPEN:
            return marks
        stored: dict[str, object] = {}
        for member in members:
            plain, metadata = unwrap(member)
            exact = _find_exact(plain) if not metadata else None
            form = _EXACT.get(exact) if exact is not None else None
            if form is None or stored.get(form, exact) is not exact or (form == "M" and "M" in stored):
                return marks | TRIED
            stored[form] = exact
        return marks

    def _judge_class(self, annotation: Any, origin: Any, parts: tuple[Any, ...]) -> Marks:
        kind = origin or annotation
        if not isinstance(kind, type):
            raise _Refused(f"{_name(annotation)}, which has no stored form", SAY_HOW)
        if issubclass(kind, BaseModel):
            self.models.append(kind)
            return CERTAIN
        if issubclass(kind, Flag):
            return TRIED
        if issubclass(kind, Enum):
            plain = {type(member.value) for member in kind}
            return CERTAIN if plain in ({str}, {int}) else SAMPLED
        if is_dataclass(kind) or is_typeddict(kind) or (issubclass(kind, tuple) and hasattr(kind, "_fields")):
            return self._judge_fields_of(kind, parts)
        if issubclass(kind, _SECRETS):
            raise _Refused("a secret, which is not stored by itself", "say how with a field_serializer")
        if kind in _REFUSED:
            what, fix = _REFUSED[kind]
            raise _Refused(what, fix)
        if kind in (time, timedelta) or hasattr(kind, "__get_pydantic_core_schema__"):
            return TRIED
        if _is_taken_by_instance(annotation):
            raise _Refused(f"{_name(annotation)}, which cannot be read from what is stored", SAY_HOW)
        return TRIED

    def _judge_fields_of(self, kind: type, parts: tuple[Any, ...]) -> Marks:
        if kind in self._inside:  # it holds itself
            return TRIED
        hints = read_hints(kind)
        # What runs when one is made may change it; a field without init is not set by reading.
        plain = is_typeddict(kind) or (is_dataclass(kind) and not hasattr(kind, "__post_init__"))
        plain = plain and bool(hints) and not parts
        if is_dataclass(kind):
            plain = plain and all(one.init and not isinstance(one.default, FieldInfo) for one in fields(kind))
        self._inside.append(kind)
        marks = CERTAIN.union(*(self.judge(hint) for hint in (*hints.values(), *parts)))
        self._inside.pop()
        return marks if plain else (marks | TRIED)


_SECRETS = (pydantic.SecretStr, pydantic.SecretBytes, pydantic.Secret)
_NO_KEYS = (bytes, bytearray, types.NoneType, tuple, frozenset, BaseModel)
_REFUSED: dict[Any, tuple[str, str]] = {
    pydantic.Json: ("Json, which is written as what it holds", "declare what the JSON holds, or str"),
    pydantic.FutureDate: ("a FutureDate, which cannot be read once it is past", "date, checked where it is made"),
    pydantic.FutureDatetime: (
        "a FutureDatetime, which cannot be read once it is past",
        "AwareDatetime, checked where it is made",
    ),
    bytearray: ("a bytearray, which comes back as bytes", "bytes; or Annotated[bytearray, BeforeValidator(bytearray)]"),
    **dict.fromkeys((Iterable, Iterator, Generator), ("an iterator, which is used up by writing it", "declare a list")),
}


def _tell_apart(base: str) -> str:
    return f"declare a union of models that a discriminator tells apart, instead of {base}"


def _is_harmless(kind: type) -> bool:
    """Tell whether metadata of this type leaves a valid value as it is: a constraint, or documentation."""
    if kind.__module__ == "annotated_types" or kind.__name__ in ("FieldInfo", "PydanticGeneralMetadata"):
        return True
    if kind.__module__ == "pydantic.types":
        return kind.__name__ in ("Strict", "StringConstraints", "AllowInfNan", "FailFast", "UuidVersion", "Tag")
    return not hasattr(kind, "__get_pydantic_core_schema__")


def _is_finite(kind: Any) -> bool:
    return get_origin(kind) is Literal or (
        isinstance(kind, type) and issubclass(kind, Enum) and not issubclass(kind, Flag)
    )


def _find_exact(annotation: Any) -> type | None:
    """Find the type to which pydantic takes what is stored without converting it, whatever else a union has."""
    if get_origin(annotation) is Literal:
        kinds = {type(value) for value in get_args(annotation)}
        return kinds.pop() if len(kinds) == 1 else None
    kind = get_origin(annotation) or annotation
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return dict
    return kind if isinstance(kind, type) else None


@lru_cache(maxsize=512)
def _is_taken_by_instance(annotation: Any) -> bool:
    """Tell whether pydantic does not know the type, and takes nothing but its instances."""
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(annotation, config=ConfigDict(arbitrary_types_allowed=True))
    except pydantic.PydanticUserError:
        return False
    return adapter.core_schema["type"] in ("is-instance", "is-subclass", "callable")


def _name(annotation: Any) -> str:
    return "None" if annotation is types.NoneType else str(getattr(annotation, "__name__", annotation))
