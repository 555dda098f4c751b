"""Checks the parameters that expressions have replaced: the service still takes them.

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/LegacyConditionalParameters.html
"""

from __future__ import annotations

from expr_builder.attribute_values.comparing import is_true
from expr_builder.attribute_values.text import to_text
from expr_builder.attribute_values.values import ORDERED_TYPES, SET_TYPES
from expr_builder.expressions.functions import build_condition
from expr_builder.expressions.nodes import And, Between, Comparison, Literal, Path
from expr_builder.limits import MAX_INDEX_KEYS, MAX_TABLE_KEYS
from expr_builder.requests.key_schema import INVALID

from .problems import EXPRESSIONS, PARAMETERS, TABLE, is_mapping
from .typed_values import read_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    from expr_builder.attribute_values.values import AttributeValue
    from expr_builder.expressions.nodes import Condition

    from .problems import Place

    Body: TypeAlias = dict[str, object]
    Arguments: TypeAlias = list[AttributeValue] | None
    """The values that are compared with; ``None`` when one of them is faulty."""


# For each operator how many values it compares with, at least and at most.
_COUNTS: dict[str, tuple[int, int | None]] = {
    **dict.fromkeys(("EQ", "NE", "LE", "LT", "GE", "GT", "CONTAINS", "NOT_CONTAINS", "BEGINS_WITH"), (1, 1)),
    **dict.fromkeys(("NULL", "NOT_NULL"), (0, 0)),
    "IN": (1, None),
    "BETWEEN": (2, 2),
}
# The types that an operator compares; those that are not listed take any.
_FITTING: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("LE", "LT", "GE", "GT", "BETWEEN", "IN"), ORDERED_TYPES),
    **dict.fromkeys(("CONTAINS", "NOT_CONTAINS"), (*ORDERED_TYPES, "BOOL", "NULL")),
    "BEGINS_WITH": ("S", "B"),
}
_FITTING_ADD = ("N", "L", *SET_TYPES)
# The operators by which keys are found, as in a KeyConditionExpression.
_COMPARATORS = {"EQ": "=", "LT": "<", "LE": "<=", "GT": ">", "GE": ">="}
_KEY_OPERATORS = (*_COMPARATORS, "BETWEEN", "BEGINS_WITH")


# --- Parameters with no values in them


def check_conditional_operator(body: Body, place: Place, member: str) -> None:
    """Report a ``ConditionalOperator`` that has nothing to join: ``member`` holds the conditions, two at least."""
    if body.get("ConditionalOperator") is None:
        return
    conditions = body.get(member)
    count = len(conditions) if is_mapping(conditions) else 0
    words = ""
    if count == 0:
        words = "ConditionalOperator cannot be used without Filter or Expected"
    elif count == 1:
        words = "ConditionalOperator can only be used when Filter or Expected has two or more elements"
    if words:
        place.at("ConditionalOperator").report(PARAMETERS, "legacy-operator", words)


def check_attributes_to_get(body: Body, place: Place) -> None:
    """Report the first attribute that ``AttributesToGet`` names twice."""
    names = body.get("AttributesToGet")
    seen: set[str] = set()
    for index, name in enumerate(names if isinstance(names, (list, tuple)) else ()):
        if not isinstance(name, str):
            continue  # which the shape reports
        if name in seen:
            words = f"{INVALID}Duplicate value in attribute name: {to_text(name)}"
            place.at("AttributesToGet", index).report(PARAMETERS, "legacy-duplicate", words)
            return
        seen.add(name)


# --- Conditions


def check_conditions(body: Body, place: Place, member: str) -> dict[str, tuple[str, list[AttributeValue]]]:
    """Check ``KeyConditions``, ``QueryFilter`` or ``ScanFilter``.

    Returns:
        For each attribute with a sound condition the operator, and the values that it compares with.
    """
    sound = {}
    for name, condition in _list_entries(body, member):
        at = place.at(member).at_entry(name)
        arguments = _read_arguments(condition, at)
        operator = _read_operator(condition)
        if arguments is not None and operator is not None and _fits(operator, arguments, at):
            sound[name] = (operator, arguments)
    return sound


def check_expected(body: Body, place: Place) -> None:
    """Check ``Expected``: for each attribute ``Value`` or ``Exists``, or an operator with its values."""
    for name, expected in _list_entries(body, "Expected"):
        at = place.at("Expected").at_entry(name)
        words = _find_form_fault(name, expected)
        if words:
            at.report(PARAMETERS, "legacy-expected", f"{INVALID}{words}")
        arguments = _read_arguments(expected, at)
        operator = _read_operator(expected)
        if not words and arguments is not None and operator is not None:
            _fits(operator, arguments, at)


def _find_form_fault(name: str, expected: Body) -> str:
    """Say which members of an expectation do not go together."""
    operator, exists = expected.get("ComparisonOperator"), expected.get("Exists")
    has_value, has_list = expected.get("Value") is not None, expected.get("AttributeValueList") is not None
    if has_value and has_list:
        return f"Value and AttributeValueList cannot be used together for Attribute: {name}"
    if operator is not None:
        if exists is not None:
            return f"Exists and ComparisonOperator cannot be used together for Attribute: {name}"
        if operator not in ("NULL", "NOT_NULL") and not has_value and not has_list:
            return (
                f"Value or AttributeValueList must be used with ComparisonOperator: {operator} for Attribute: {name}"
                if isinstance(operator, str)
                else ""
            )
        return ""
    if has_list:
        return f"AttributeValueList can only be used with a ComparisonOperator for Attribute: {name}"
    if exists is False and has_value:
        return f"Value cannot be used when Exists is false for Attribute: {name}"
    if exists in (None, True) and not has_value:
        shown = "null" if exists is None else "true"
        return f"Value must be provided when Exists is {shown} for Attribute: {name}"
    return ""


def _read_operator(condition: Body) -> str | None:
    """The operator of a condition; ``None`` when there is none, or no such."""
    operator = condition.get("ComparisonOperator")
    return operator if isinstance(operator, str) and operator in _COUNTS else None


def _read_arguments(condition: Body, place: Place) -> Arguments:
    """Read the values that a condition compares with."""
    given = condition.get("AttributeValueList")
    entries = [
        (value, place.at("AttributeValueList", index))
        for index, value in enumerate(given if isinstance(given, (list, tuple)) else ())
    ]
    if condition.get("Value") is not None:
        entries.append((condition["Value"], place.at("Value")))
    values = [read_value(value, at) for value, at in entries]
    sound = [value for value in values if value is not None]
    return sound if len(sound) == len(values) and (given is None or isinstance(given, (list, tuple))) else None


def _fits(operator: str, arguments: list[AttributeValue], place: Place) -> bool:
    """Check the number, types and order of what an operator compares with; tell whether all is sound."""
    words = _find_argument_fault(operator, arguments)
    if words:
        place.report(PARAMETERS, "legacy-condition", words)
    return not words


def _find_argument_fault(operator: str, arguments: list[AttributeValue]) -> str:
    least, most = _COUNTS[operator]
    if len(arguments) < least or (most is not None and len(arguments) > most):
        return f"{INVALID}Invalid number of argument(s) for the {operator} ComparisonOperator"
    kinds = list(dict.fromkeys(tag for value in arguments for tag in value))
    if len(kinds) > 1:
        return f"{INVALID}AttributeValues inside AttributeValueList must be of same type"
    for kind in kinds:
        if kind not in _FITTING.get(operator, kinds):
            return f"{INVALID}ComparisonOperator {operator} is not valid for {kind} AttributeValue type"
    if operator == "BETWEEN" and is_true(arguments[0], ">", arguments[1]):
        return "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"
    return ""


def read_key_conditions(body: Body, place: Place) -> Condition | None:
    """Check ``KeyConditions``.

    Returns:
        The key condition that they make up; ``None`` when they are faulty, or not given.
    """
    given = body.get("KeyConditions")
    if not is_mapping(given):
        return None
    sound = check_conditions(body, place, "KeyConditions")
    at = place.at("KeyConditions")
    # Indexes can have several attributes in each of their two keys.
    most = MAX_TABLE_KEYS if body.get("IndexName") is None else MAX_TABLE_KEYS * MAX_INDEX_KEYS
    if not 0 < len(given) <= most:
        at.report(EXPRESSIONS, "key-condition", "Conditions can be of length 1 or 2 only")
        return None
    unfit = [name for name, (operator, _) in sound.items() if operator not in _KEY_OPERATORS]
    for name in unfit:
        words = "Attempted conditional constraint is not an indexable operation"
        at.at_entry(name).report(TABLE, "key-condition", words)
    if unfit or len(sound) < len(given):
        return None
    return And.of(*(_make_condition(name, *condition) for name, condition in sound.items()))


def _make_condition(name: str, operator: str, arguments: list[AttributeValue]) -> Condition:
    path, values = Path((name,)), [Literal(value) for value in arguments]
    if operator == "BETWEEN":
        return Between(path, *values)
    if operator == "BEGINS_WITH":
        return build_condition("begins_with", path, *values)
    return Comparison(path, _COMPARATORS[operator], *values)


# --- Updates


def check_attribute_updates(body: Body, place: Place, keys: Iterable[str]) -> None:
    """Check ``AttributeUpdates``: the action on each attribute, which must not be one of the key."""
    for name, update in _list_entries(body, "AttributeUpdates"):
        at = place.at("AttributeUpdates").at_entry(name)
        value = update.get("Value")
        action = update.get("Action", "PUT")
        read = None if value is None else read_value(value, at.at("Value"))
        words = ""
        if value is None:
            if action != "DELETE":
                words = "Only DELETE action is allowed when no attribute value is specified"
        elif read is not None:
            words = _find_action_fault(action, next(iter(read)))
        if words:
            at.report(PARAMETERS, "legacy-update", f"{INVALID}{words}")
        if name in keys:
            words = f"Cannot update attribute {to_text(name)}. This attribute is part of the key"
            at.report(TABLE, "update-key", f"{INVALID}{words}")


def _find_action_fault(action: object, kind: str) -> str:
    if action == "DELETE" and kind not in SET_TYPES:
        return f"DELETE action with value is not supported for the type {kind}"
    if action == "ADD" and kind not in _FITTING_ADD:
        return f"ADD action is not supported for the type {kind}"
    return ""


def _list_entries(body: Body, member: str) -> list[tuple[str, Body]]:
    """The entries of a map that are objects themselves. Of anything else the shape says what is wrong."""
    entries = body.get(member)
    return [(name, entry) for name, entry in entries.items() if is_mapping(entry)] if is_mapping(entries) else []
