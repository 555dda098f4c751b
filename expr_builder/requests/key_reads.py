"""What the keys of a table or index demand of queries and scans: key conditions, start keys, filters, projections.

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Query.KeyConditionExpressions.html
"""

from __future__ import annotations

from expr_builder.attribute_values.comparing import is_true
from expr_builder.attribute_values.values import TYPES, measure_value
from expr_builder.expressions.nodes import Between, Comparison, Literal, Path, conjuncts, list_children
from expr_builder.limits import MAX_INDEX_KEYS, MAX_PARTITION_KEY_BYTES, MAX_TABLE_KEYS

from .key_schema import INVALID, KEY_TYPES, NOT_VALID, Fault, Index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from expr_builder.attribute_values.values import AttributeValue
    from expr_builder.expressions.nodes import Condition
    from expr_builder.expressions.paths import Segments

    from .key_schema import KeySchema, PrimaryKey, Values

UNSUPPORTED = "Query key condition not supported"
"""The service's words for a key condition with the right attributes and an operator that it cannot use."""

_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


class KeyTest:
    """What a key condition says of one attribute.

    Attributes:
        operator: ``=``, ``<``, ``<=``, ``>``, ``>=`` with the attribute on the left, ``BETWEEN`` or ``begins_with``.
        values: What it is compared with; two for ``BETWEEN``. Those of which nothing can be said are left out.
    """

    __slots__ = ("operator", "values")

    def __init__(self, operator: str, values: tuple[AttributeValue, ...]) -> None:
        self.operator = operator
        self.values = values

    def takes(self, value: AttributeValue) -> bool:
        """Whether a value, of the right type, passes; ``True`` when that cannot be told."""
        if len(self.values) != (2 if self.operator == "BETWEEN" else 1):
            return True
        if self.operator == "BETWEEN":
            low, high = self.values
            return is_true(value, ">=", low) and is_true(value, "<=", high)
        (wanted,) = self.values
        if self.operator != "begins_with":
            return is_true(value, self.operator, wanted)
        ((kind, content),) = value.items()
        return kind not in wanted or bool(content.startswith(wanted[kind]))


def read_key_tests(condition: Condition) -> dict[str, KeyTest]:
    """For each attribute of a sound key condition (:func:`.find_key_condition_fault`), what is said of it."""
    tests = {}
    for part in conjuncts(condition):
        operands = list(list_children(part))
        path = next(operand for operand in operands if isinstance(operand, Path))
        if isinstance(part, Comparison):
            operator = part.operator if part.left is path else _FLIPPED.get(part.operator, part.operator)
        else:
            operator = "BETWEEN" if isinstance(part, Between) else "begins_with"
        values = tuple(operand.value for operand in operands if isinstance(operand, Literal))
        tests[str(path.segments[0])] = KeyTest(operator, values)
    return tests


def find_condition_fault(keys: KeySchema | None, index_name: str | None, tests: Mapping[str, KeyTest]) -> Fault | None:
    """Find what makes a key condition unfit for the keys of what is queried.

    Args:
        keys: The keys of the table or index; ``None`` when they are not known.
        index_name: The index's name, or ``None`` for the table.
        tests: What the condition says (:func:`read_key_tests`).
    """
    if keys is None:
        return _find_surely_unfit(index_name, tests)
    if len(tests) > len(keys.types):
        words = (
            f"The number of query conditions ({len(tests)}) exceeds the number of key attributes defined in the schema "
            f"({len(keys.types)})"
        )
        foreign = next(name for name in tests if name not in keys.types)
        return _refuse(words, f"{foreign} is no key attribute here: filter(…) takes the rest")
    equals = "each partition key attribute is compared with eq(…)"
    for name in keys.partition_keys:
        if name not in tests:
            return _refuse(_say_missed(name), equals)
        fault = _find_value_fault(name, keys.types[name], keys.find_limit(name), index_name, tests[name])
        if fault is not None:
            return fault
        if tests[name].operator != "=":
            return _refuse(UNSUPPORTED, equals)
    return _find_sort_fault(keys, index_name, tests)


def _find_sort_fault(keys: KeySchema, index_name: str | None, tests: Mapping[str, KeyTest]) -> Fault | None:
    used = [name for name in keys.sort_keys if name in tests]
    foreign = [name for name in tests if name not in keys.types]
    if foreign:
        # The service names the sort key attribute that is missing, not the foreign one.
        missed = next(name for name in keys.sort_keys if name not in tests)
        return _refuse(_say_missed(missed), f"{foreign[0]} is no key attribute here: filter(…) takes the rest")
    for name in used:
        fault = _find_value_fault(name, keys.types[name], keys.find_limit(name), index_name, tests[name])
        if fault is not None:
            return fault
    # From the left, without a gap, and = for all but the last.
    before = keys.sort_keys[: keys.sort_keys.index(used[-1])] if used else ()
    unequal = [name for name in before if name not in tests or tests[name].operator != "="]
    if unequal:
        return _refuse(
            f"RANGE key attributes {', '.join(unequal)} must have equality conditions specified in the query because a "
            f"condition is present on key attribute {used[-1]}",
            "sort key attributes are used from the left, all but the last with eq(…)",
        )
    return None


def _find_surely_unfit(index_name: str | None, tests: Mapping[str, KeyTest]) -> Fault | None:
    """What no keys at all can serve."""
    too_many = len(tests) > (MAX_TABLE_KEYS if index_name is None else 2 * MAX_INDEX_KEYS)
    if too_many or all(test.operator != "=" for test in tests.values()):
        return _refuse(UNSUPPORTED, "the partition key is compared with eq(…)")
    for name, test in tests.items():
        fault = _find_value_fault(name, None, MAX_PARTITION_KEY_BYTES, index_name, test)
        if fault is not None:
            return fault
    return None


def _say_missed(name: str) -> str:
    return f"Query condition missed key schema element: {name}"


def _refuse(words: str, fix: str) -> Fault:
    return Fault("", words, words, fix, rule="key-condition")


def _find_value_fault(name: str, kind: str | None, limit: int, index_name: str | None, test: KeyTest) -> Fault | None:
    """Find a value that the key attribute cannot have; ``kind`` is ``None`` when its type is not known."""
    for value in test.values:
        actual = next(iter(value))
        if actual not in KEY_TYPES if kind is None else actual != kind:
            return Fault(
                name,
                f"{INVALID}Condition parameter type does not match schema type",
                f"{name} is compared with a value of type {actual}, the key is of type {kind or 'S, N or B'}",
                "convert it, or declare the key with its type: (name, type)",
                rule="key-type",
            )
        size = measure_value(value)
        if not size:
            return Fault(
                name,
                say_empty(name, actual, index_name),
                f"{name} is compared with an empty value, which no key has",
                "a key always has a value" if test.operator == "=" else "leave the condition out to read all",
                rule="key-empty",
            )
        if size > limit and actual != "N":
            message = f"{name} is compared with a value of {size} bytes, a key has at most {limit}"
            return Fault(name, say_too_long(limit), message, "no item has such a key", rule="key-length")
    return None


def say_too_long(limit: int) -> str:
    """The service's words for a key that is longer than this limit, which tells a partition key from a sort key."""
    return INVALID + (
        f"Size of hashkey has exceeded the maximum size limit of{limit} bytes"
        if limit == MAX_PARTITION_KEY_BYTES
        else f"Aggregated size of all range keys has exceeded the size limit of {limit} bytes"
    )


def say_empty(name: str, kind: str, index_name: str | None = None) -> str:
    """The service's words for an empty key attribute of the table, or of an index that is read."""
    empty = (
        f"The AttributeValue for a key attribute cannot contain an empty {'binary' if kind == 'B' else 'string'} value."
    )
    if index_name is None:
        return f"{NOT_VALID}{empty} Key: {name}"
    return (
        f"{NOT_VALID}A value specified for a secondary index key is not supported. {empty} "
        f"IndexName: {index_name}, IndexKey: {name}"
    )


# --- Start keys

_INVALID_START = "The provided starting key is invalid"
_UNLIKE_SCHEMA = f"{_INVALID_START}: The provided key element does not match the schema"
_AS_IT_CAME = "give the last_key of a page as it came"


def find_start_fault(
    operation: str,
    keys: PrimaryKey | None,
    index: KeySchema | None,
    index_name: str | None,
    start: Values,
    tests: Mapping[str, KeyTest],
) -> Fault | None:
    """Find why a query or scan cannot start after this key.

    Args:
        operation: ``"Query"`` or ``"Scan"``.
        keys: The table's key; ``None`` when it is not known.
        index: The keys of the index; ``None`` when the table itself is read, or they are not known.
        index_name: The index's name, or ``None`` for the table.
        start: The start key.
        tests: What a query's key condition says.
    """
    # The two operations and indexes differ in their words.
    words = _UNLIKE_SCHEMA if operation == "Scan" and index_name is None else _INVALID_START
    types = {**(keys.types if keys else {}), **(index.types if index else {})}
    is_known = keys is not None and (index is not None or index_name is None)
    where = "the table" if index_name is None else f"index {index_name}"
    exactly = f"exactly {' and '.join(types)}: {_AS_IT_CAME}" if is_known else _AS_IT_CAME
    missing = [name for name in types if name not in start]
    foreign = [name for name in start if name not in types] if is_known else []
    if not start or missing or foreign:
        lacks = f"lacks {' and '.join(missing)}" if missing else "is empty"
        message = f"the start key {lacks}" if missing or not foreign else "the start key"
        message += f"{' and' if missing else ''} holds {' and '.join(foreign)}, no key of {where}" if foreign else ""
        return Fault("", words, message, exactly, rule="start-key")
    for name, value in start.items():
        if value is None:
            continue
        fault = _find_start_value_fault(name, types.get(name), value, words)
        if fault is not None:
            return fault
    return _find_outside(index or (keys if index_name is None else None), start, tests)


def _find_start_value_fault(name: str, kind: str | None, value: AttributeValue, words: str) -> Fault | None:
    ((actual, content),) = value.items()
    if actual not in KEY_TYPES if kind is None else actual != kind:
        if actual == "M" and len(content) == 1 and next(iter(content)) in TYPES:
            return Fault(
                name,
                words,
                "the start key holds AttributeValues, as the low-level client gives them",
                "start_from(from_item(last_key))",
                rule="start-key",
            )
        message = f"the start key's {name} is of type {actual}, the key is of type {kind or 'S, N or B'}"
        return Fault(name, words, message, _AS_IT_CAME, rule="start-key")
    if not content:
        told = f"{_INVALID_START}: {say_empty(name, actual)}"
        return Fault(name, told, f"the start key's {name} is empty", _AS_IT_CAME, rule="start-key")
    return None


def _find_outside(keys: KeySchema | None, start: Values, tests: Mapping[str, KeyTest]) -> Fault | None:
    outside = [name for name, test in tests.items() if (value := start.get(name)) is not None and not test.takes(value)]
    if not outside:
        return None
    in_range = keys is not None and outside[-1] in keys.sort_keys
    return Fault(
        outside[-1],
        "The provided starting key does not match the range key predicate"
        if in_range
        else "The provided starting key is outside query boundaries based on provided conditions",
        f"the start key's {outside[-1]} is outside the key condition",
        "it belongs to a page of another query: start this one without it",
        rule="start-key-range",
    )


# --- Filters and projections


def find_filter_fault(names: Iterable[str], paths: Iterable[Segments], what: str = "Filter Expression") -> Fault | None:
    """Find an attribute of the key, by ``names``, that the filter of a query (``what``) mentions, or goes into."""
    keys = tuple(names)
    heads = dict.fromkeys(segments[0] for segments in paths)
    for name in heads:
        if name in keys:
            return Fault(
                str(name),
                f"{what} can only contain non-primary key attributes: Primary key attribute: {name}",
                f"the filter names {name}, which is part of the key",
                "put it into the key condition",
                rule="filter-key",
            )
    return None


def find_unprojected(
    keys: PrimaryKey,
    index: Index,
    index_name: str,
    select: object,
    projected: Iterable[Segments],
    filtered: Iterable[Segments],
) -> Fault | None:
    """Find what is asked of a global index that it surely does not hold.

    A local index fetches from the table what it lacks, and a scan's filter on what is not there finds nothing; neither
    is refused.

    Args:
        keys: The table's key, which every index holds.
        index: The index.
        index_name: The index's name.
        select: The request's ``Select``.
        projected: The paths of the projection.
        filtered: The paths of a query's filter.
    """
    if index.local or index.projection in (None, "ALL"):
        return None
    if select == "ALL_ATTRIBUTES":
        return Fault(
            "",
            f"{INVALID}Select type ALL_ATTRIBUTES is not supported for global secondary index {index_name} because its "
            "projection type is not ALL",
            f"ALL_ATTRIBUTES of index {index_name}, which does not hold them all",
            "ALL_PROJECTED_ATTRIBUTES gives what it holds; the rest is in the table",
            rule="index-projection",
        )
    held = {*keys.types, *index.types, *(() if isinstance(index.projection, str) else index.projection or ())}
    for paths, said in (
        (projected, "Global secondary index {} does not project [{}]"),
        (filtered, "Secondary index {} does not project one or more filter attributes: [{}]"),
    ):
        lacking = [str(name) for name in dict.fromkeys(segments[0] for segments in paths) if name not in held]
        if lacking:
            return Fault(
                lacking[0],
                INVALID + said.format(index_name, ", ".join(lacking)),
                f"index {index_name} does not hold {' and '.join(lacking)}",
                "read the table, or project it into the index",
                rule="index-projection",
            )
    return None
