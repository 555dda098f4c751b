"""Errors of the typed table. Their messages name fields and attributes, and never contain a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from pydantic_core.core_schema import ErrorType

from expr_builder.errors import BuildError, ExprBuilderError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

# These have texts of pydantic's own. A custom error's message is the model author's, and may quote the value.
_BUILT_IN = frozenset(get_args(ErrorType)) - {"assertion_error", "value_error"}
# What pydantic fills into its messages that comes from the model; anything else may come from the value.
_FROM_THE_MODEL = {
    *("actual_length", "class", "class_name", "decimal_places", "expected", "expected_schemes", "field_type"),
    *("ge", "gt", "le", "lt", "max_digits", "max_length", "min_length", "multiple_of", "pattern", "whole_digits"),
}

NO_JSON = "invalid-json-value"
"""pydantic's type of error for a value that a ``JsonValue`` does not take; its message is a custom one."""
_NO_JSON_MESSAGE = "Input should be a JSON value, and a stored fraction is read as a Decimal, which is none"


class InvalidQuery(BuildError):
    """A request that can never succeed, found before anything is sent; its ``fix`` says what would."""


class ItemTooLarge(BuildError):
    """An item over DynamoDB's limit of 400 KB, found before anything is sent.

    See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html

    Attributes:
        size: Its size in bytes.
        limit: The limit, in bytes.
        largest: Its largest attributes, each with its size in bytes, largest first.
    """

    def __init__(
        self, message: str, *, place: str, fix: str, size: int, limit: int, largest: Sequence[tuple[str, int]]
    ) -> None:
        super().__init__(message, rule="item-size", place=place, fix=fix)
        self.size = size
        self.limit = limit
        self.largest = list(largest)


@dataclass(frozen=True, slots=True, repr=False)
class FieldProblem:
    """What is wrong with one field.

    Attributes:
        field: Its path, such as ``"address.city"`` or ``"tags[2]"``.
        code: pydantic's type of error, such as ``"string_too_short"``.
        message: What is expected, without the value; empty where only the value could tell.
    """

    field: str
    code: str
    message: str = ""

    def __repr__(self) -> str:
        return f"FieldProblem({self.field!r}, {self.code!r}, {self.message!r})"

    def __str__(self) -> str:
        return f"{self.field}: {self.message} [{self.code}]" if self.message else f"{self.field} [{self.code}]"


class ValidationFailed(ExprBuilderError, ValueError):
    """What was to be written, or on a strict read what is stored, does not fit the model.

    Attributes:
        model: The model's name.
        problems: One :class:`FieldProblem` for each fault.
    """

    def __init__(self, model: str, problems: Iterable[FieldProblem]) -> None:
        self.model = model
        self.problems = list(problems)
        super().__init__(f"{model}: {'; '.join(map(str, self.problems))}")


def list_problems(error: ValidationError, names: Collection[str]) -> list[FieldProblem]:
    """List what pydantic found, without any value.

    A path shows only ``names``, those of fields. Anything else may be a dictionary's key, which is data: ``*``.
    """
    return [
        FieldProblem(_write_path(found["loc"], names), found["type"], _find_safe_message(found))
        for found in error.errors(include_url=False, include_input=False)
    ]


def list_names(names: Iterable[str], word: str = "and") -> str:
    """Write names as ``a, b and c``."""
    *others, last = list(names) or ["nothing"]
    return f"{', '.join(others)} {word} {last}" if others else last


def _write_path(location: tuple[int | str, ...], names: Collection[str]) -> str:
    parts = (f"[{part}]" if isinstance(part, int) else f".{part if part in names else '*'}" for part in location)
    return "".join(parts).removeprefix(".") or "the whole"


def _find_safe_message(found: ErrorDetails) -> str:
    if found["type"] == NO_JSON:
        return _NO_JSON_MESSAGE
    safe = found["type"] in _BUILT_IN and set(found.get("ctx", ())) <= _FROM_THE_MODEL
    return found["msg"] if safe else ""
