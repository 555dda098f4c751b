"""Turns ``where={"user_id": {"equals": …}, "created_at": {"greater_than": …}}`` into a key condition.

Here fields become key attributes. Whether the result is a condition that DynamoDB takes for the keys of the table or
index is decided by :mod:`expr_builder.requests.key_schema`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from fractions import Fraction
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import TYPE_CHECKING, TypedDict

from expr_builder.attribute_values.text import to_text
from expr_builder.expressions.attr import Attr
from expr_builder.expressions.joining import all_of
from expr_builder.requests.key_reads import find_condition_fault, read_key_tests

from .errors import InvalidQuery, list_names
from .field_types import find_leaves, has_own_form

if TYPE_CHECKING:
    from typing import Any, NoReturn, TypeAlias

    from expr_builder.expressions.nodes import Condition
    from expr_builder.requests.key_schema import KeySchema

    from .model_codec import Codec
    from .model_key import ModelKey, Template

    Excluded: TypeAlias = tuple[str, object]
    """An attribute's value that a condition includes although the query does not."""
    Given: TypeAlias = dict[str, tuple[str, Any]]
    """For each field or key attribute its operator and what it is compared with."""

_METHODS = {
    "equals": "eq",
    "less_than": "lt",
    "less_than_or_equal": "lte",
    "greater_than": "gt",
    "greater_than_or_equal": "gte",
    "between": "between",
    "begins_with": "begins_with",
}
_RANGES = ("less_than", "less_than_or_equal", "greater_than", "greater_than_or_equal", "between")
# Their text does not sort as they do.
_ORDERLESS = (timedelta, Fraction, complex, IPv4Address, IPv4Network, IPv6Address, IPv6Network)
_LAST = "\U0010ffff"  # no text that begins with a prefix sorts after the prefix and this


class Operators(TypedDict, total=False):
    """How one field is compared: exactly one of these.

    ``between`` takes two bounds, both included, ``begins_with`` text or bytes, the others a value of the field. A
    partition key takes ``equals`` alone. See
    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Query.KeyConditionExpressions.html

    Example:
        ``orders.query(where={"user_id": {"equals": "u1"}, "placed_at": {"between": (first, last)}})``
    """

    equals: object
    less_than: object
    less_than_or_equal: object
    greater_than: object
    greater_than_or_equal: object
    between: object
    begins_with: object


class WhereReader:
    """Turns a ``where`` into a key condition for these keys, of the table or an index; ``place`` names it in errors."""

    def __init__(self, codec: Codec[Any], key: ModelKey, schema: KeySchema, place: str) -> None:
        self._codec = codec
        self._templates = key.templates
        self._schema = schema
        self._place = place

    def read(self, where: Mapping[str, Mapping[str, object]]) -> tuple[Condition, Excluded | None]:
        """Make the key condition, and find the value that it includes although ``where`` does not, if there is one.

        Raises:
            InvalidQuery: naming the fields that would be right.
            ValidationFailed: for a value that does not fit its field.
        """
        if not isinstance(where, Mapping) or not where:
            self._refuse("where names no field")
        names = self._codec.names
        given = {names.get(name, name): self._read_operator(name, operators) for name, operators in where.items()}
        known = {*self._find_fields(self._schema.names), *self._schema.names}
        wrong = [name for name in given if name not in known]
        if wrong:
            self._refuse(f"where names {list_names(wrong)}, which is no part of the key here")
        compared = [self._compare(attribute, given) for attribute in self._schema.names]
        condition = all_of(*(condition for condition, _ in compared))
        fault = find_condition_fault(self._schema, None, read_key_tests(condition))
        if fault is not None:
            self._refuse(fault.message)
        # At most one: DynamoDB takes a range for the last key attribute only.
        return condition, next((excluded for _, excluded in compared if excluded is not None), None)

    def _compare(self, attribute: str, given: Given) -> tuple[Condition | None, Excluded | None]:
        template = self._templates.get(attribute)
        if template is not None and attribute not in given:
            return self._compare_template(template, given)
        # Without a template, the key attribute is one field (or, in an index, an attribute that is none).
        (name,) = [attribute] if attribute in given else self._find_fields([attribute])
        if name not in given:
            return None, None
        operator, value = given[name]
        method = getattr(Attr(attribute), _METHODS[operator])
        if operator in _RANGES:
            self._refuse_orderless(name)
        if operator == "between":
            return method(*(self._store(name, bound) for bound in value)), None
        # The start of a value need not be a valid value itself, so it is not checked.
        return method(value if operator == "begins_with" else self._store(name, value)), None

    def _compare_template(self, template: Template, given: Given) -> tuple[Condition | None, Excluded | None]:
        used = [field in given for field in template.fields]
        count = sum(used)
        if used != sorted(used, reverse=True):  # there is a gap: a field in use after one that is not
            self._refuse(f"the fields of {template.attribute} are used from the left: {list_names(template.fields)}")
        for field in template.fields[: max(count - 1, 0)]:
            if given[field][0] != "equals":
                self._refuse(f"only the last field of {template.attribute} in use takes anything but equals")
        if count:
            return self._compare_last_field(template, given, count)
        if not template.fields:
            return Attr(template.attribute).eq(template.tail), None
        if template.attribute in self._schema.partition_keys or not template.prefix:
            return None, None  # what is missing is refused by the caller
        # The sort key is not in where: keep to this model's items among those of other models.
        return Attr(template.attribute).begins_with(template.prefix), None

    def _compare_last_field(
        self, template: Template, given: Given, count: int
    ) -> tuple[Condition | None, Excluded | None]:
        """Compare up to the last field in use, among the keys that begin with the text before it."""
        attribute, last = Attr(template.attribute), template.fields[count - 1]
        operator, value = given[last]
        before = {field: given[field][1] for field in template.fields[: count - 1]}
        if operator in _RANGES:
            self._refuse_orderless(last)

        def fill(bound: object) -> str:
            stored = self._codec.encode_fields({**before, last: bound})
            text = template.fill_up_to(count, stored)
            is_text = isinstance(stored[self._codec.stored_names[last]], str)
            if operator in _RANGES and not is_text and not template.is_padded(last):
                self._refuse(
                    f"{last} is a number without zeros in front in {template.attribute}: as text, 10 is less than 9",
                    f"give it a width in the template, {{{last}:08d}} (stored keys change); or equals",
                )
            return text

        if operator == "equals":
            exact = fill(value) + template.find_text_after(count)
            whole = count == len(template.fields)
            return (attribute.eq(exact) if whole else attribute.begins_with(exact)), None
        leading = template.fill_up_to(count - 1, self._codec.encode_fields(before))
        leading += template.find_text_after(count - 1)
        if operator == "begins_with":
            if not isinstance(value, str):
                self._refuse(f"begins_with on {last} takes text")
            return attribute.begins_with(leading + value), None
        if count < len(template.fields) or template.tail:
            self._refuse(f"{last} is followed by further text in {template.attribute}: only equals and begins_with")
        if operator == "between":
            low, high = value
            return attribute.between(fill(low), fill(high)), None
        bound = fill(value)
        if not leading:
            return getattr(attribute, _METHODS[operator])(bound), None
        # BETWEEN is the one comparison with two ends, and it includes both: the excluded one is dropped after reading.
        excluded = (template.attribute, bound) if operator in ("less_than", "greater_than") else None
        bounds = (leading, bound) if operator.startswith("less") else (bound, leading + _LAST)
        return attribute.between(*bounds), excluded

    def _find_fields(self, attributes: tuple[str, ...] | list[str]) -> list[str]:
        fields: list[str] = []
        for attribute in attributes:
            template = self._templates.get(attribute)
            fields += [self._codec.names.get(attribute, attribute)] if template is None else template.fields
        return fields

    def _store(self, name: str, value: object) -> object:
        """Put a field's value into its stored form; one that belongs to no field into what it is stored as in any."""
        if name not in self._codec.stored_names:
            return self._codec.encode_value(name, value)
        return self._codec.encode_fields({name: value})[self._codec.stored_names[name]]

    def _read_operator(self, name: str, operators: Mapping[str, object]) -> tuple[str, object]:
        known = isinstance(operators, Mapping) and all(operator in _METHODS for operator in operators)
        if not known or len(operators) != 1:
            self._refuse(f"{name} is compared with exactly one of {list_names(_METHODS, 'or')}")
        ((operator, value),) = operators.items()
        if operator == "between" and not (isinstance(value, (list, tuple)) and len(value) == 2):
            self._refuse(f"between on {name} takes two bounds, both included")
        if operator == "begins_with" and not isinstance(value, (str, bytes)):
            self._refuse(f"begins_with on {name} takes text or bytes")
        return operator, to_text(value) if operator == "begins_with" and isinstance(value, str) else value

    def _refuse_orderless(self, name: str) -> None:
        field = self._codec.model.model_fields.get(name)
        if field is None or has_own_form(self._codec.model, name):
            return
        leaves = [leaf for leaf in find_leaves(field.annotation) if isinstance(leaf, type)]
        if any(issubclass(leaf, _ORDERLESS) for leaf in leaves):
            self._refuse(
                f"{name} is stored as text that does not sort as its values do",
                f"equals; or a field_serializer for {name} whose text sorts",
            )

    def _refuse(self, message: str, fix: str = "") -> NoReturn:
        sort = self._find_fields(self._schema.sort_keys)
        right = f"{list_names(self._find_fields(self._schema.partition_keys))} with equals"
        right += f", and {list_names(sort)} with one comparison if wanted" if sort else ""
        raise InvalidQuery(message, rule="where", place=self._place, fix=fix or right)
