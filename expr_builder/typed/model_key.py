"""A model's key: which fields it consists of, and how they become the table's key attributes."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from string import Formatter
from typing import TYPE_CHECKING

from expr_builder.attribute_values.numbers import to_number
from expr_builder.errors import BuildError
from expr_builder.expressions.attr import Attr

from .errors import FieldProblem, InvalidQuery, ValidationFailed, list_names

if TYPE_CHECKING:
    from collections.abc import Container, Iterator
    from typing import Any, NoReturn

    from expr_builder.attribute_values.values import Item, StoredItem
    from expr_builder.expressions.nodes import Condition
    from expr_builder.requests.table import Table

    from .model_codec import Codec


class Template:
    """How a key attribute is made from fields: ``"ORDER#{order_id}"``.

    Args:
        text: Text with the names of fields in braces, each with a format if wanted (``{number:08d}``).
        attribute: The key attribute.
        codec: The model's, which knows its fields.

    Raises:
        BuildError: for a template that cannot be read, or a field that the model does not have.
    """

    def __init__(self, text: str, attribute: str, codec: Codec[Any]) -> None:
        self.attribute = attribute
        self.fields: list[str] = []
        self._literals: list[str] = []  # what stands before each field
        self._formats: list[str] = []
        self._codec = codec
        try:
            parts = list(Formatter().parse(text))
        except ValueError:
            self._refuse("the template's braces do not match")
        pending = ""  # Formatter.parse yields pairs: the text before a field, then the field
        for literal, field, spec, conversion in parts:
            pending += literal  # more than one before a field: "{{" and "}}" end a part
            if field is None:
                continue
            if field not in codec.stored_names or field in self.fields or conversion:
                self._refuse(f"{{{field}}} is not one field of {codec.name}")
            if self.fields and not pending:
                self._refuse(f"nothing stands between {{{self.fields[-1]}}} and {{{field}}}: two keys could be one")
            self._literals.append(pending)
            self.fields.append(field)
            self._formats.append(spec or "")
            pending = ""
        self.tail = pending

    @property
    def prefix(self) -> str:
        """What every key starts with."""
        return self._literals[0] if self._literals else self.tail

    def fill(self, stored: Item) -> str:
        """Make the key attribute from stored values, by attribute names."""
        return self.fill_up_to(len(self.fields), stored) + self.tail

    def fill_up_to(self, fields: int, stored: Item) -> str:
        """Make the key up to and including the ``fields``-th field, without the text after it."""
        text = ""
        for position in range(fields):
            field = self.fields[position]
            part = self._format(position, stored.get(self._codec.stored_names[field]))
            text += self._literals[position] + part
            follows = self._literals[position + 1] if position + 1 < len(self.fields) else ""
            if follows and follows in part:  # else the keys of two different items could be one text
                self._fail(field, f"contains {follows!r}, which ends this part of the key {self.attribute}")
        return text

    def find_text_after(self, fields: int) -> str:
        """Find what follows the ``fields``-th field, up to the next one or the end."""
        return self._literals[fields] if fields < len(self.fields) else self.tail

    def _format(self, position: int, value: object) -> str:
        field, spec = self.fields[position], self._formats[position]
        if isinstance(value, bool) or not isinstance(value, (str, int, float, Decimal)):
            self._fail(field, f"is part of the key {self.attribute}, so it must be text or a number")
        try:
            # to_number: 1 and Decimal("1.0") are one value to DynamoDB, so they must give one key.
            text = format(value, spec) if spec else value if isinstance(value, str) else to_number(value)
        except ValueError:
            self._fail(field, f"does not take the format of the key {self.attribute}")
        if not text:
            self._fail(field, f"is empty, and part of the key {self.attribute}")
        return str.__str__(text)  # a plain string, also of a subclass with a __str__ of its own

    def _fail(self, field: str, message: str) -> NoReturn:
        raise ValidationFailed(self._codec.name, [FieldProblem(field, "key", message)]) from None

    def _refuse(self, message: str) -> NoReturn:
        fields = list_names(self._codec.stored_names)
        raise BuildError(
            message,
            rule="typed-key",
            place=f"the template of {self.attribute}",
            fix=f'such as "ACCT#{{account_id}}" with fields of {self._codec.name}: {fields}',
        ) from None


class ModelKey:
    """The key of a table's models: each key attribute is made by its template, or is a field itself."""

    def __init__(self, table: Table, codec: Codec[Any], templates: Mapping[str, str]) -> None:
        self._table = table
        self._codec = codec
        self.attributes = table.key_schema.names
        self.templates = {attribute: Template(text, attribute, codec) for attribute, text in templates.items()}
        self.fields: tuple[str, ...] = tuple(dict.fromkeys(self._find_fields()))

    def make(self, given: Mapping[str, object]) -> StoredItem:
        """Make the table's key from the fields of the key, or from the key attributes themselves.

        Raises:
            InvalidQuery: naming the fields that are missing or do not belong to the key.
            ValidationFailed: for a value that does not fit its field.
        """
        if not isinstance(given, Mapping):
            self._refuse(f"a key is a mapping, not a {type(given).__name__}")
        names = self._codec.names
        fields = {names[name]: value for name, value in given.items() if name in names}
        if self.templates and set(given) == set(self.attributes):  # filled in already, as a plain read returns them
            return {**given, **self._codec.encode_fields(fields)}  # attributes that are fields are checked as such
        missing = [name for name in self.fields if name not in fields]
        extra = [name for name in given if names.get(name, name) not in self.fields]
        if missing or extra:
            faults = [f"the key lacks {list_names(missing)}"] if missing else []
            faults += [f"{list_names(extra)} is no part of the key"] if extra else []
            self._refuse("; ".join(faults))
        return self.derive(self._codec.encode_fields(fields))

    def derive(self, item: Item) -> StoredItem:
        """Derive the key from the stored values of all its fields."""
        return {
            name: self.templates[name].fill(item) if name in self.templates else item.get(name)
            for name in self.attributes
        }

    def recognize(self, besides: Container[str] = ()) -> Iterator[Condition]:
        """Yield conditions that tell this model's items by how their keys start, but for the attributes ``besides``."""
        for attribute, template in self.templates.items():
            if attribute in besides:
                continue
            if not template.fields:
                yield Attr(attribute).eq(template.tail)
            elif template.prefix:
                yield Attr(attribute).begins_with(template.prefix)

    def check_declaration(self, key: type) -> None:
        """Refuse a ``TypedDict`` whose names are not those of the key; the BuildError says what they should be."""
        names = set(getattr(key, "__annotations__", {}))
        if names not in (set(self.fields), set(self.attributes)):
            raise BuildError(
                f"{key.__name__} declares {list_names(sorted(names))}",
                rule="typed-key",
                place=f'typed table "{self._table.name}", key',
                fix=self._right,
            )

    @property
    def _right(self) -> str:
        attributes = f", or {list_names(self.attributes)}" if self.templates else ""
        return f"exactly {list_names(self.fields)}{attributes}"

    def _find_fields(self) -> Iterator[str]:
        for attribute in self.attributes:
            if attribute in self.templates:
                yield from self.templates[attribute].fields
            elif attribute in self._codec.names:
                yield self._codec.names[attribute]
            else:
                raise BuildError(
                    f"the key attribute {attribute} is no field of {self._codec.name}",
                    rule="typed-key",
                    place=f'typed table "{self._table.name}"',
                    fix="give the model the field, or say how it is made: partition_key=…, sort_key=… "
                    '("ACCT#{account_id}")',
                )

    def _refuse(self, message: str) -> NoReturn:
        place = f'{self._codec.name} in table "{self._table.name}"'
        raise InvalidQuery(message, rule="key-schema", place=place, fix=self._right)
