"""A model's key: which fields make it, and how they become the table's key attributes."""

from __future__ import annotations

from collections.abc import Mapping
from string import Formatter
from typing import TYPE_CHECKING, Any

from expr_builder.attribute_values.numbers import to_number
from expr_builder.errors import BuildError

from .errors import FieldProblem, InvalidQuery, ValidationFailed

if TYPE_CHECKING:
    from expr_builder.requests.table import Table

    from .models import Codec


def listed(names: Any, word: str = "and") -> str:
    """``a, b and c``."""
    *others, last = list(names) or ["nothing"]
    return f"{', '.join(others)} {word} {last}" if others else last


class Template:
    """How a key attribute is made of fields: ``"ORDER#{order_id}"``.

    Args:
        text: Text with the names of fields in braces, each with a format if wanted (``{number:08d}``).
        attribute: The key attribute.
        codec: The model's, which knows its fields.

    Raises:
        BuildError: for a template that cannot be read, or a field that the model does not have.
    """

    def __init__(self, text: str, attribute: str, codec: Codec[Any]) -> None:
        self.attribute = attribute
        self.text = text
        self.literals: list[str] = []
        self.fields: list[str] = []
        self._formats: list[str] = []
        self._codec = codec
        try:
            parts = list(Formatter().parse(text))
        except ValueError:
            raise self._refused("the template's braces do not match") from None
        pending = ""
        for literal, field, spec, conversion in parts:
            pending += literal
            if field is None:
                continue
            if field not in codec.stored_names or field in self.fields or conversion:
                raise self._refused(f"{{{field}}} is not one field of {codec.name}")
            if self.fields and not pending:
                raise self._refused(
                    f"nothing stands between {{{self.fields[-1]}}} and {{{field}}}: two keys could be one"
                )
            self.literals.append(pending)
            self.fields.append(field)
            self._formats.append(spec or "")
            pending = ""
        self.tail = pending

    @property
    def prefix(self) -> str:
        """What every key begins with."""
        return self.literals[0] if self.literals else self.tail

    def full(self, stored: Mapping[str, Any]) -> str:
        """The key attribute for these stored values, by attribute names."""
        return self.head(stored, len(self.fields)) + self.tail

    def head(self, stored: Mapping[str, Any], fields: int) -> str:
        """The key up to and with the ``fields``-th field, without what follows it."""
        text = ""
        for position in range(fields):
            field = self.fields[position]
            part = self._part(position, stored.get(self._codec.stored_names[field]))
            text += self.literals[position] + part
            follows = self.literals[position + 1] if position + 1 < len(self.fields) else ""
            if follows and follows in part:
                raise self._failed(field, f"contains {follows!r}, which ends this part of the key {self.attribute}")
        return text

    def after(self, fields: int) -> str:
        """What follows the ``fields``-th field, up to the next one or the end."""
        return self.literals[fields] if fields < len(self.fields) else self.tail

    def _part(self, position: int, value: Any) -> str:
        field, spec = self.fields[position], self._formats[position]
        if value is None or isinstance(value, (bool, bytes, list, dict, set)):
            raise self._failed(field, f"is part of the key {self.attribute}, so it must be text or a number")
        try:
            text = format(value, spec) if spec else value if isinstance(value, str) else to_number(value)
        except ValueError:
            raise self._failed(field, f"does not take the format of the key {self.attribute}") from None
        if not text:
            raise self._failed(field, f"is empty, and part of the key {self.attribute}")
        return str.__str__(text)

    def _failed(self, field: str, message: str) -> ValidationFailed:
        return ValidationFailed(self._codec.name, [FieldProblem(field, "key", message)])

    def _refused(self, message: str) -> BuildError:
        return BuildError(
            message,
            rule="typed-key",
            place=f"the template of {self.attribute}",
            fix=f'such as "ACCT#{{account_id}}" with fields of {self._codec.name}: {listed(self._codec.stored_names)}',
        )


class KeySchema:
    """The key of a table's models.

    Args:
        table: The table.
        codec: The model's.
        templates: For the key attributes that are made of fields, their templates; the others are fields themselves.

    Raises:
        BuildError: for a key attribute that is neither.
    """

    def __init__(self, table: Table, codec: Codec[Any], templates: Mapping[str, str]) -> None:
        self._table = table
        self._codec = codec
        self.templates = {attribute: Template(text, attribute, codec) for attribute, text in templates.items()}
        self.fields: tuple[str, ...] = tuple(dict.fromkeys(self._all_fields()))

    def key(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The table's key for what was given: the fields of the key, or the key attributes themselves.

        Raises:
            InvalidQuery: naming the fields that are missing or too many.
            ValidationFailed: for a value that does not fit its field.
        """
        if not isinstance(given, Mapping):
            raise self._refused(f"a key is a mapping, not a {type(given).__name__}")
        attributes = self._table.key_schema.types
        if self.templates and set(given) == set(attributes):
            return {**given, **self._codec.encode_fields(self._as_fields(given))}
        fields = self._as_fields(given)
        missing = [name for name in self.fields if name not in fields]
        extra = [name for name in given if self._codec.names.get(name, name) not in self.fields]
        if missing or extra:
            faults = [f"the key lacks {listed(missing)}"] if missing else []
            faults += [f"{listed(extra)} is no part of the key"] if extra else []
            raise self._refused("; ".join(faults))
        return self.of_row(self._codec.encode_fields(fields))

    def of_row(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The key of a row with the stored values of all key fields."""
        return {
            name: self.templates[name].full(row) if name in self.templates else row.get(name)
            for name in self._table.key_schema.types
        }

    def declared(self, key: type[Any]) -> None:
        """Refuse a ``TypedDict`` whose names are not those of the key.

        Raises:
            BuildError: naming what they should be.
        """
        names = set(getattr(key, "__annotations__", {}))
        if names not in (set(self.fields), set(self._table.key_schema.types)):
            raise BuildError(
                f"{key.__name__} declares {listed(sorted(names))}",
                rule="typed-key",
                place=f'typed table "{self._table.name}", key',
                fix=self._right,
            )

    @property
    def _right(self) -> str:
        attributes = listed(self._table.key_schema.types)
        return f"exactly {listed(self.fields)}" + (f", or {attributes}" if self.templates else "")

    def _as_fields(self, given: Mapping[str, Any]) -> dict[str, Any]:
        names = self._codec.names
        return {names[name]: value for name, value in given.items() if name in names}

    def _all_fields(self) -> list[str]:
        found: list[str] = []
        for attribute in self._table.key_schema.types:
            if attribute in self.templates:
                found += self.templates[attribute].fields
            elif attribute in self._codec.names:
                found.append(self._codec.names[attribute])
            else:
                raise BuildError(
                    f"the key attribute {attribute} is no field of {self._codec.name}",
                    rule="typed-key",
                    place=f'typed table "{self._table.name}"',
                    fix="give the model the field, or say how it is made: partition_key=…, sort_key=… "
                    '("ACCT#{account_id}")',
                )
        return found

    def _refused(self, message: str) -> InvalidQuery:
        return InvalidQuery(
            message, rule="key-schema", place=f'{self._codec.name} in table "{self._table.name}"', fix=self._right
        )
