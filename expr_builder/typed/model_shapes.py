"""Tells of a model class under which names its fields are stored, and which of them may hold further models."""

from __future__ import annotations

import types
from dataclasses import is_dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Union, get_args, get_origin

from pydantic import AliasChoices, BaseModel

from expr_builder.errors import BuildError

from .field_types import SETS, unwrap

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from pydantic.fields import FieldInfo


class Shape:
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


read_shape = lru_cache(maxsize=512)(Shape)  # needed for each model in every item


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


def collect_names(model: type[BaseModel]) -> frozenset[str]:
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
            shape = read_shape(annotation)
            found.update(shape.names, shape.stored_names)
            waiting += [field.annotation for field in annotation.model_fields.values()]
    return frozenset(found)


def find_empty(field: FieldInfo) -> type | None:
    """Find the type of the value that is stored by leaving the attribute out: ``None``, or an empty set.

    That is right only where reading gives the same value again: by the default, or filled in for a required field.
    """
    annotation, _ = unwrap(field.annotation)
    kind = get_origin(annotation) or annotation
    if kind in SETS:
        default = field.default_factory in (set, frozenset) or field.default in (set(), frozenset())
        return (frozenset if kind is frozenset else set) if field.is_required() or default else None
    if field.is_required():
        is_optional = kind in (Union, types.UnionType) and types.NoneType in get_args(annotation)
        return types.NoneType if is_optional else None
    return types.NoneType if field.default_factory is None and field.default is None else None
