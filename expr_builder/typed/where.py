"""``where={"user_id": {"equals": …}, "created_at": {"greater_than": …}}`` as a key condition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypedDict

from expr_builder.expressions.attr import Attr
from expr_builder.expressions.joining import all_of

from .errors import InvalidQuery
from .key_templates import listed

if TYPE_CHECKING:
    from expr_builder.expressions.nodes import Condition
    from expr_builder.requests.key_schema import Index
    from expr_builder.requests.table import Table

    from .key_templates import KeySchema, Template
    from .models import Codec

_METHODS = {
    "equals": "eq",
    "less_than": "lt",
    "less_than_or_equal": "lte",
    "greater_than": "gt",
    "greater_than_or_equal": "gte",
    "between": "between",
    "begins_with": "begins_with",
}
_LAST = "\U0010ffff"  # no text that begins with a prefix sorts after the prefix and this


class Operators(TypedDict, total=False):
    """How one field is compared: exactly one of these."""

    equals: Any
    less_than: Any
    less_than_or_equal: Any
    greater_than: Any
    greater_than_or_equal: Any
    between: Any
    begins_with: Any


class WhereReader:
    """Turns a ``where`` into a key condition of a table or one of its indexes.

    Args:
        table: The table.
        codec: The model's.
        schema: The key's.
        index: The index's name, or ``None`` for the table itself.
    """

    def __init__(self, table: Table, codec: Codec[Any], schema: KeySchema, index: str | None) -> None:
        self._codec = codec
        self._templates = schema.templates
        self._place = f'{codec.name} in table "{table.name}"' + (f', index "{index}"' if index is not None else "")
        declared = None if index is None else self._index(table, index)
        partition, *sort = table.key_schema.types
        self._partition = (partition,) if declared is None else declared.partition_keys
        self._sort = tuple(sort) if declared is None else declared.sort_keys

    @property
    def attributes(self) -> tuple[str, ...]:
        """The key attributes of what is queried."""
        return (*self._partition, *self._sort)

    def read(self, where: Mapping[str, Mapping[str, Any]]) -> tuple[Condition, tuple[str, Any] | None]:
        """The key condition, and an attribute's value that it includes although ``where`` does not.

        Raises:
            InvalidQuery: naming the fields that would be right.
            ValidationFailed: for a value that does not fit its field.
        """
        if not isinstance(where, Mapping) or not where:
            raise self._refused("where names no field")
        given = {
            self._codec.names.get(name, name): self._operator(name, operators) for name, operators in where.items()
        }
        right = [field for attribute in self.attributes for field in self._fields(attribute)]
        wrong = [name for name in given if name not in right and name not in self.attributes]
        if wrong:
            raise self._refused(f"where names {listed(wrong)}, which is no part of the key here")
        conditions: list[Condition | None] = [self._equal(attribute, given) for attribute in self._partition]
        excluded = None
        for attribute in self._sort:
            condition, excluded = self._sorted(attribute, given)
            conditions.append(condition)
        return all_of(*conditions), excluded

    # --- the partition key

    def _equal(self, attribute: str, given: dict[str, tuple[str, Any]]) -> Condition:
        fields = self._fields(attribute)
        names = [attribute] if attribute in given else fields
        for name in names:
            if given.get(name, ("", None))[0] != "equals":
                raise self._refused(f"the partition key {listed(fields)} must be compared with equals")
        template = self._templates.get(attribute)
        if template is None or attribute in given:
            return Attr(attribute).eq(self._stored(names[0], given[names[0]][1]))
        return Attr(attribute).eq(template.full(self._codec.encode_fields({name: given[name][1] for name in names})))

    # --- the sort key

    def _sorted(
        self, attribute: str, given: dict[str, tuple[str, Any]]
    ) -> tuple[Condition | None, tuple[str, Any] | None]:
        template = self._templates.get(attribute)
        if template is not None and attribute not in given:
            return self._by_template(template, given)
        (name,) = [attribute] if attribute in given else self._fields(attribute)
        if name not in given:
            return None, None
        operator, value = given[name]
        method = getattr(Attr(attribute), _METHODS[operator])
        if operator == "between":
            return method(*(self._stored(name, bound) for bound in value)), None
        return method(value if operator == "begins_with" else self._stored(name, value)), None

    def _by_template(
        self, template: Template, given: dict[str, tuple[str, Any]]
    ) -> tuple[Condition | None, tuple[str, Any] | None]:
        used = [field in given for field in template.fields]
        count = sum(used)
        if used != sorted(used, reverse=True):
            raise self._refused(f"the fields of {template.attribute} are used from the left: {listed(template.fields)}")
        for field in template.fields[: max(count - 1, 0)]:
            if given[field][0] != "equals":
                raise self._refused(f"only the last field of {template.attribute} in use takes anything but equals")
        if count == 0:
            if not template.fields:
                return Attr(template.attribute).eq(template.tail), None
            return (Attr(template.attribute).begins_with(template.prefix) if template.prefix else None), None
        return self._by_last_field(template, given, count)

    def _by_last_field(
        self, template: Template, given: dict[str, tuple[str, Any]], count: int
    ) -> tuple[Condition | None, tuple[str, Any] | None]:
        """Compare up to the last field in use, among the keys that begin with the text before it."""
        attribute, last = Attr(template.attribute), template.fields[count - 1]
        operator, value = given[last]
        before = {field: given[field][1] for field in template.fields[: count - 1]}

        def head(bound: Any) -> str:
            return template.head(self._codec.encode_fields({**before, last: bound}), count)

        if operator == "equals":
            exact = head(value) + template.after(count)
            whole = count == len(template.fields)
            return (attribute.eq(exact) if whole else attribute.begins_with(exact)), None
        leading = self._leading(template, before, count)
        if operator == "begins_with":
            return attribute.begins_with(leading + value), None
        if count < len(template.fields) or template.tail:
            raise self._refused(
                f"{last} is followed by further text in {template.attribute}: only equals and begins_with"
            )
        if operator == "between":
            low, high = value
            return attribute.between(head(low), head(high)), None
        bound = head(value)
        if not leading:
            return getattr(attribute, _METHODS[operator])(bound), None
        excluded = (template.attribute, bound) if operator in ("less_than", "greater_than") else None
        bounds = (leading, bound) if operator.startswith("less") else (bound, leading + _LAST)
        return attribute.between(*bounds), excluded

    def _leading(self, template: Template, before: dict[str, Any], count: int) -> str:
        return template.head(self._codec.encode_fields(before), count - 1) + template.after(count - 1)

    # --- small change

    def _fields(self, attribute: str) -> list[str]:
        template = self._templates.get(attribute)
        return template.fields if template is not None else [self._codec.names.get(attribute, attribute)]

    def _stored(self, name: str, value: Any) -> Any:
        """A field's value as it is stored; one that belongs to no field is taken as it is."""
        if name not in self._codec.stored_names:
            return value
        return self._codec.encode_fields({name: value})[self._codec.stored_names[name]]

    def _operator(self, name: str, operators: Any) -> tuple[str, Any]:
        known = isinstance(operators, Mapping) and all(operator in _METHODS for operator in operators)
        if not known or len(operators) != 1:
            raise self._refused(f"{name} is compared with exactly one of {listed(_METHODS, 'or')}")
        ((operator, value),) = operators.items()
        if operator == "between" and not (isinstance(value, (list, tuple)) and len(value) == 2):
            raise self._refused(f"between on {name} takes two bounds, both included")
        if operator == "begins_with" and not isinstance(value, (str, bytes)):
            raise self._refused(f"begins_with on {name} takes text or bytes")
        return operator, value

    def _index(self, table: Table, name: str) -> Index:
        if name not in table.indexes:
            raise InvalidQuery(
                f"no index {name} is declared",
                rule="index-unknown",
                place=self._place,
                fix=f"declared are {listed(table.indexes)}",
            )
        return table.indexes[name]

    def _refused(self, message: str) -> InvalidQuery:
        partition = listed([field for attribute in self._partition for field in self._fields(attribute)])
        sort = [field for attribute in self._sort for field in self._fields(attribute)]
        right = f"{partition} with equals" + (f", and {listed(sort)} with one comparison if wanted" if sort else "")
        return InvalidQuery(message, rule="where", place=self._place, fix=right)
