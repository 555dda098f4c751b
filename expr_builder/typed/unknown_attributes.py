"""Keeps the attributes that a model does not know.

They are kept, at every level of nested models, in pydantic's own place for private data (``__pydantic_private__``): it
is copied by ``model_copy``, ``copy`` and ``pickle``, survives assignments, and is never dumped or shown. A model
without unknown attributes equals one made by hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING

from pydantic import BaseModel

from .model_shapes import read_shape
from .round_trips import SEQUENCES
from .stored_forms import to_stored_form

if TYPE_CHECKING:
    from collections.abc import Iterator

    from expr_builder.attribute_values.values import Item

_UNKNOWN = "__unknown_attributes__"


def read_unknown_attributes(model: BaseModel) -> Item:
    """Return what was stored beside the fields of a model that was read; it is written back with the model.

    Args:
        model: A model that a typed table returned, or one nested in it.

    Returns:
        Names and Python values, as a plain read gives them; empty when there are none.
    """
    return (model.__pydantic_private__ or {}).get(_UNKNOWN) or {}


def _find_models(value: object) -> Iterator[BaseModel]:
    if isinstance(value, BaseModel):
        yield value
    elif isinstance(value, Mapping):
        for entry in value.values():
            yield from _find_models(entry)
    elif isinstance(value, (*SEQUENCES, set, frozenset)):
        for element in value:
            yield from _find_models(element)


def tuck_away(model: BaseModel) -> None:
    """Move what pydantic let through as extra to the private data; see the module."""
    shape = read_shape(type(model))
    if not shape.open:
        extra = model.__pydantic_extra__
        object.__setattr__(model, "__pydantic_extra__", None)  # else it would be dumped, shown and compared
        if extra:
            _keep(model, {name: value for name, value in extra.items() if name not in shape.computed})
    for name, _ in shape.nested:
        value = model.__dict__[name]
        if isinstance(value, BaseModel):
            tuck_away(value)
        elif value:
            for inner in _find_models(value):
                tuck_away(inner)


def _keep(model: BaseModel, unknown: Item) -> None:
    if unknown:
        private = {**(model.__pydantic_private__ or {}), _UNKNOWN: dict(unknown)}
        object.__setattr__(model, "__pydantic_private__", private)  # a frozen model refuses plain assignment


class Narrowed(Exception):
    """A value of a subclass is where its base is declared: what comes back is the base, without what was added."""

    def __init__(self, source: object, target: object) -> None:
        super().__init__(
            f"holds a {type(source).__name__} where the model reads a {type(target).__name__}: declare what it holds, "
            "or a union of models that a discriminator tells apart"
        )
        self.path = ""


def carry_over(source: object, target: object) -> None:
    """Give a validated copy what its original kept, in the same places as far as they still exist."""
    if type(source) is not type(target) and _is_other(source, target):
        raise Narrowed(source, target)
    if isinstance(source, BaseModel) and isinstance(target, BaseModel):
        _keep(target, read_unknown_attributes(source))
        for name in read_shape(type(target)).holders:
            try:
                carry_over(getattr(source, name, None), getattr(target, name))
            except Narrowed as narrowed:
                narrowed.path = f"{name}.{narrowed.path}".removesuffix(".")
                raise
    elif isinstance(source, Mapping) and isinstance(target, Mapping):
        for key in source.keys() & target.keys():
            carry_over(source[key], target[key])
    elif isinstance(source, SEQUENCES) and isinstance(target, SEQUENCES):
        for one, other in zip(source, target, strict=False):  # a validator may have dropped or added elements
            carry_over(one, other)
    elif isinstance(source, (set, frozenset)) and isinstance(target, (set, frozenset)) and target:
        kinds = {type(element): element for element in target}
        for element in source:
            carry_over(element, kinds.get(type(element), next(iter(target))))
    elif is_dataclass(source) and is_dataclass(target):
        for field in fields(target):
            carry_over(getattr(source, field.name, None), getattr(target, field.name))


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


def restore(model: object, stored: object) -> None:
    """Put what was kept back into an item and the maps inside it; what the model itself writes wins."""
    if isinstance(model, BaseModel) and isinstance(stored, dict):
        for name, value in read_unknown_attributes(model).items():
            stored.setdefault(name, to_stored_form(value))
        for name, attribute in read_shape(type(model)).nested:
            restore(getattr(model, name), stored.get(attribute))
    elif isinstance(model, Mapping) and isinstance(stored, dict):
        for inner, value in zip(model.values(), stored.values(), strict=False):
            restore(inner, value)
    elif isinstance(model, SEQUENCES) and isinstance(stored, list):
        for inner, value in zip(model, stored, strict=False):
            restore(inner, value)
