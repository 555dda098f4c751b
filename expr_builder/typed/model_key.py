"""A model's key: which fields it consists of, and how they become the table's key attributes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, time
from decimal import Decimal
from enum import Enum
from string import Formatter
from typing import TYPE_CHECKING, Any

from pydantic import NaiveDatetime

from expr_builder.attribute_values.numbers import to_number
from expr_builder.attribute_values.text import to_text
from expr_builder.errors import BuildError
from expr_builder.expressions.attr import Attr

from .errors import FieldProblem, InvalidQuery, ValidationFailed, list_names
from .field_types import find_leaves, has_own_form

if TYPE_CHECKING:
    from collections.abc import Container, Iterator
    from typing import NoReturn

    from expr_builder.attribute_values.values import Item, StoredItem
    from expr_builder.expressions.nodes import Condition
    from expr_builder.requests.table import Table

    from .model_codec import Codec

# Zeros in front up to a width, and a number of decimal places: what can give the number back.
_NUMBER_FORMAT = re.compile(r"(?:0>?(?P<width>[1-9][0-9]*))?(?:\.(?P<places>[0-9]+)f|d)?")


class Template:
    """How a key attribute is made from fields: ``"ORDER#{order_id}"``.

    Two different keys never give one text. Numbers with zeros in front (``{number:08d}``) sort as numbers.

    Args:
        text: Text with the names of fields in braces; numbers with a width if wanted (``{number:08d}``, ``{x:08.2f}``).
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
            self._formats.append(self._check_format(field, spec or ""))
            pending = ""
        self.tail = pending

    def is_bare(self, field: str) -> bool:
        """Tell whether the key attribute is nothing but this field."""
        return self.fields == [field] and not (self.prefix or self.tail or self._formats[0])

    def is_padded(self, field: str) -> bool:
        """Tell whether a number in this field has zeros in front, so that the order of keys is that of numbers."""
        found = _NUMBER_FORMAT.fullmatch(self._formats[self.fields.index(field)])
        return found is not None and found["width"] is not None

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
            # Else the keys of two different items could be one text.
            if follows and (part + follows).find(follows) < len(part):
                self._fail(field, f"contains {follows!r}, which ends this part of the key {self.attribute}")
        return text

    def find_text_after(self, fields: int) -> str:
        """Find what follows the ``fields``-th field, up to the next one or the end."""
        return self._literals[fields] if fields < len(self.fields) else self.tail

    def _check_format(self, field: str, spec: str) -> str:
        leaves = set(find_leaves(self._codec.model.model_fields[field].annotation))
        if not spec:
            if any(map(_may_be_number, leaves)) and any(map(_may_be_text, leaves)):
                self._refuse(
                    f'{field} may be text or a number, and "1" and 1 would be one key', f"give {field} one type"
                )
            return spec
        may_be_number = has_own_form(self._codec.model, field) or any(map(_may_be_number, leaves))
        if not may_be_number or not _NUMBER_FORMAT.fullmatch(spec):
            self._refuse(
                f"{{{field}:{spec}}} does not keep all keys apart and in order",
                f"a number with zeros in front, {{{field}:08d}}; anything else without a format, {{{field}}}",
            )
        return spec

    def _format(self, position: int, value: object) -> str:
        field, spec = self.fields[position], self._formats[position]
        if isinstance(value, bool) or not isinstance(value, (str, int, float, Decimal)):
            self._fail(field, f"is part of the key {self.attribute}, so it must be text or a number")
        if isinstance(value, str):
            if spec:
                self._fail(field, f"is text, and {{{field}:{spec}}} in the key {self.attribute} is for numbers")
            text = to_text(value)
        else:
            # to_number: 1 and Decimal("1.0") are one value to DynamoDB, so they must give one key.
            text = self._write_number(field, spec, to_number(value)) if spec else to_number(value)
        if not text:
            self._fail(field, f"is empty, and part of the key {self.attribute}")
        return text

    def _write_number(self, field: str, spec: str, number: str) -> str:
        form = _NUMBER_FORMAT.fullmatch(spec)
        assert form is not None  # noqa: S101  # checked when the table was declared
        exact, width = Decimal(number), int(form["width"] or 0)
        text = f"{exact:.{form['places'] or 0}f}"
        if Decimal(text) != exact:
            self._fail(field, f"has more decimal places than {{{field}:{spec}}} in the key {self.attribute}")
        if width and exact < 0:
            self._fail(field, f"is negative, and the key {self.attribute} would not sort as the number does")
        if width and len(text) > width:
            self._fail(field, f"is wider than {{{field}:{spec}}} in the key {self.attribute}: make the format wider")
        return text.zfill(width)

    def _fail(self, field: str, message: str) -> NoReturn:
        raise ValidationFailed(self._codec.name, [FieldProblem(field, "key", message)]) from None

    def _refuse(self, message: str, fix: str = "") -> NoReturn:
        fields = list_names(self._codec.stored_names)
        usual = f'such as "ACCT#{{account_id}}" with fields of {self._codec.name}: {fields}'
        place = f"the template of {self.attribute}"
        raise BuildError(message, rule="typed-key", place=place, fix=fix or usual) from None


class ModelKey:
    """The key of a table's models: each key attribute is made by its template, or is a field itself."""

    def __init__(self, table: Table, codec: Codec[Any], templates: Mapping[str, str]) -> None:
        self._table = table
        self._codec = codec
        self.attributes = table.key_schema.names
        self.templates = {attribute: Template(text, attribute, codec) for attribute, text in templates.items()}
        self.fields: tuple[str, ...] = tuple(dict.fromkeys(self._find_fields()))
        for attribute, template in self.templates.items():
            field = codec.names.get(attribute)
            if field is not None and not template.is_bare(field):
                self._refuse_declaration(
                    f"{attribute} is a field of {codec.name}, and its template would overwrite it",
                    f"give the field another name, or an alias; or leave the template of {attribute} out",
                )
        self._require_zones()

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

    def _require_zones(self) -> None:
        """Refuse datetimes without a time zone in keys, those of indexes too: they neither name nor sort moments."""
        codec = self._codec
        of_indexes = [name for index in (self._table.indexes or {}).values() for name in index.names]
        fields = {*self.fields, *(codec.names[name] for name in of_indexes if name in codec.names)}
        moments = []
        for field in sorted(fields):
            leaves = set(find_leaves(codec.model.model_fields[field].annotation))
            if NaiveDatetime in leaves and not has_own_form(codec.model, field):
                self._refuse_declaration(
                    f"{field} is part of a key and a datetime without a time zone, which has no order",
                    f"{field}: AwareDatetime",
                )
            if any(leaf is Any or (isinstance(leaf, type) and issubclass(leaf, (datetime, time))) for leaf in leaves):
                moments.append(field)
        codec.require_zone(moments)

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
                self._refuse_declaration(
                    f"the key attribute {attribute} is no field of {self._codec.name}",
                    "give the model the field, or say how it is made: partition_key=…, sort_key=… "
                    '("ACCT#{account_id}")',
                )

    def _refuse_declaration(self, message: str, fix: str) -> NoReturn:
        raise BuildError(message, rule="typed-key", place=f'typed table "{self._table.name}"', fix=fix)

    def _refuse(self, message: str) -> NoReturn:
        place = f'{self._codec.name} in table "{self._table.name}"'
        raise InvalidQuery(message, rule="key-schema", place=place, fix=self._right)


def _may_be_text(leaf: Any) -> bool:
    if isinstance(leaf, type) and issubclass(leaf, Enum):
        return any(_may_be_text(type(member.value)) for member in leaf)
    return leaf is Any or leaf is object or (isinstance(leaf, type) and issubclass(leaf, str))


def _may_be_number(leaf: Any) -> bool:
    if leaf is Any or leaf is object:
        return True  # it does not say: seen when a key is made
    if isinstance(leaf, type) and issubclass(leaf, Enum):
        return any(_may_be_number(type(member.value)) for member in leaf)
    if isinstance(leaf, type):
        return issubclass(leaf, (int, float, Decimal)) and leaf is not bool
    return True  # it does not say either
