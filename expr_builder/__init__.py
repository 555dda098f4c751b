"""Guarded DynamoDB requests, built fluently, checked before they are sent.

>>> from expr_builder import Table
>>> accounts = Table("accounts", partition_key="PK")
>>> accounts.put({"PK": "EMAIL#a@example.com"}).if_not_exists().to_request()["ConditionExpression"]
'attribute_not_exists(PK)'

Names are loaded when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as everywhere here: importing typing costs more than the whole package
if TYPE_CHECKING:
    from .attribute_values.capacity import read_units, write_units
    from .attribute_values.values import from_attribute_value, from_item, item_size, to_attribute_value, to_item
    from .errors import (
        BatchIncomplete,
        BuildError,
        ConditionFailed,
        ExprBuilderError,
        ExpressionSyntaxError,
        IdempotentParameterMismatch,
        Reason,
        RequestConflict,
        RequestError,
        RequestInProgress,
        RequestThrottled,
        RequestUnavailable,
        RequestUnfinished,
        TransactionCanceled,
        UniqueViolation,
    )
    from .expressions.attr import Attr, Key
    from .expressions.evaluate import evaluate
    from .expressions.joining import all_of, any_of
    from .expressions.nodes import Condition
    from .expressions.parse import parse_condition, parse_key_condition, parse_projection, parse_update
    from .linting import PredictedError, Problem, lint, predict_error
    from .marker import Marker
    from .requests.batches import BatchGet, BatchWrite
    from .requests.explain import explain
    from .requests.get import Get
    from .requests.key_schema import Index
    from .requests.search import Page, Query, Scan
    from .requests.table import Table
    from .requests.transactions import TransactGet, TransactWrite
    from .requests.writes import Check, Delete, Put, Update
    from .unique import Unique, UniqueWrite

__version__ = "0.1.0"

__all__ = [
    "Attr",
    "BatchGet",
    "BatchIncomplete",
    "BatchWrite",
    "BuildError",
    "Check",
    "Condition",
    "ConditionFailed",
    "Delete",
    "ExprBuilderError",
    "ExpressionSyntaxError",
    "Get",
    "IdempotentParameterMismatch",
    "Index",
    "Key",
    "Marker",
    "Page",
    "PredictedError",
    "Problem",
    "Put",
    "Query",
    "Reason",
    "RequestConflict",
    "RequestError",
    "RequestInProgress",
    "RequestThrottled",
    "RequestUnavailable",
    "RequestUnfinished",
    "Scan",
    "Table",
    "TransactGet",
    "TransactWrite",
    "TransactionCanceled",
    "Unique",
    "UniqueViolation",
    "UniqueWrite",
    "Update",
    "__version__",
    "all_of",
    "any_of",
    "evaluate",
    "explain",
    "from_attribute_value",
    "from_item",
    "item_size",
    "lint",
    "parse_condition",
    "parse_key_condition",
    "parse_projection",
    "parse_update",
    "predict_error",
    "read_units",
    "to_attribute_value",
    "to_item",
    "write_units",
]

# Each module with the public names that it defines. A test holds it against the imports above.
_HOMES = {
    "attribute_values.capacity": ("read_units", "write_units"),
    "attribute_values.values": ("from_attribute_value", "from_item", "item_size", "to_attribute_value", "to_item"),
    "errors": (
        "BatchIncomplete",
        "BuildError",
        "ConditionFailed",
        "ExprBuilderError",
        "ExpressionSyntaxError",
        "IdempotentParameterMismatch",
        "Reason",
        "RequestConflict",
        "RequestError",
        "RequestInProgress",
        "RequestThrottled",
        "RequestUnavailable",
        "RequestUnfinished",
        "TransactionCanceled",
        "UniqueViolation",
    ),
    "expressions.attr": ("Attr", "Key"),
    "expressions.evaluate": ("evaluate",),
    "expressions.joining": ("all_of", "any_of"),
    "expressions.nodes": ("Condition",),
    "expressions.parse": ("parse_condition", "parse_key_condition", "parse_projection", "parse_update"),
    "linting": ("PredictedError", "Problem", "lint", "predict_error"),
    "requests.batches": ("BatchGet", "BatchWrite"),
    "requests.explain": ("explain",),
    "requests.get": ("Get",),
    "requests.key_schema": ("Index",),
    "requests.search": ("Page", "Query", "Scan"),
    "requests.table": ("Table",),
    "requests.transactions": ("TransactGet", "TransactWrite"),
    "requests.writes": ("Check", "Delete", "Put", "Update"),
    "marker": ("Marker",),
    "unique": ("Unique", "UniqueWrite"),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    module = _HOME_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f".{module}", __name__), name)
    globals()[name] = value  # from now on it is found without this function
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
