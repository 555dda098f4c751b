"""Checks single fields of a model by a variant of it in which all are optional, and tries samples of them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from expr_builder.errors import BuildError

from .field_types import SAY_HOW, list_sampled
from .round_trips import is_same, make_samples, read_back
from .stored_forms import to_stored_form

if TYPE_CHECKING:
    from typing import Any


def try_samples(model: type[BaseModel]) -> None:
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
            fault = _try_sample(make_partial(model), name, sample)
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
def make_partial(model: type[BaseModel]) -> type[BaseModel]:
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
