"""Guarded DynamoDB requests, built fluently, checked before they are sent.

>>> from expr_builder import Table
>>> accounts = Table("accounts", partition_key="PK")
>>> accounts.put({"PK": "EMAIL#a@example.com"}).if_not_exists().to_request()["ConditionExpression"]
'attribute_not_exists(PK)'

Names are loaded when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .actions import Check, Delete, Get, Index, Page, Put, Query, Scan, Table, Update
    from .batches import BatchGet, BatchWrite
    from .capacity import read_units, write_units
    from .comparisons import all_of, any_of
    from .conditions import Attr, Key
    from .errors import (
        BatchIncomplete,
        BuildError,
        IdempotentParameterMismatch,
        Reason,
        TransactionCanceled,
        TransactionConflict,
        TransactionError,
        TransactionInProgress,
        TransactionThrottled,
        TransactionUnavailable,
        TransactionUnfinished,
        UniqueViolation,
    )
    from .linting import Problem, lint
    from .nodes import Condition
    from .parse import parse_condition, parse_key_condition, parse_projection, parse_update
    from .tokens import ExpressionSyntaxError
    from .transactions import TransactGet, TransactWrite
    from .unique import Marker, Unique, UniqueWrite
    from .values import from_attribute_value, from_item, item_size, to_attribute_value, to_item

__version__ = "0.1.0"

__all__ = [
    "Attr",
    "BatchGet",
    "BatchIncomplete",
    "BatchWrite",
    "BuildError",
    "Check",
    "Condition",
    "Delete",
    "ExpressionSyntaxError",
    "Get",
    "IdempotentParameterMismatch",
    "Index",
    "Key",
    "Marker",
    "Page",
    "Problem",
    "Put",
    "Query",
    "Reason",
    "Scan",
    "Table",
    "TransactGet",
    "TransactWrite",
    "TransactionCanceled",
    "TransactionConflict",
    "TransactionError",
    "TransactionInProgress",
    "TransactionThrottled",
    "TransactionUnavailable",
    "TransactionUnfinished",
    "Unique",
    "UniqueViolation",
    "UniqueWrite",
    "Update",
    "__version__",
    "all_of",
    "any_of",
    "from_attribute_value",
    "from_item",
    "item_size",
    "lint",
    "parse_condition",
    "parse_key_condition",
    "parse_projection",
    "parse_update",
    "read_units",
    "to_attribute_value",
    "to_item",
    "write_units",
]

_HOMES = {
    "actions": ("Check", "Delete", "Get", "Index", "Page", "Put", "Query", "Scan", "Table", "Update"),
    "batches": ("BatchGet", "BatchWrite"),
    "capacity": ("read_units", "write_units"),
    "comparisons": ("all_of", "any_of"),
    "conditions": ("Attr", "Key"),
    "errors": (
        "BatchIncomplete",
        "BuildError",
        "IdempotentParameterMismatch",
        "Reason",
        "TransactionCanceled",
        "TransactionConflict",
        "TransactionError",
        "TransactionInProgress",
        "TransactionThrottled",
        "TransactionUnavailable",
        "TransactionUnfinished",
        "UniqueViolation",
    ),
    "linting": ("Problem", "lint"),
    "nodes": ("Condition",),
    "parse": ("parse_condition", "parse_key_condition", "parse_projection", "parse_update"),
    "tokens": ("ExpressionSyntaxError",),
    "transactions": ("TransactGet", "TransactWrite"),
    "unique": ("Marker", "Unique", "UniqueWrite"),
    "values": ("from_attribute_value", "from_item", "item_size", "to_attribute_value", "to_item"),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    module = _HOME_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f".{module}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
