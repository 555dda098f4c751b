"""Pydantic models in and out of DynamoDB, with the builder underneath.

Needs pydantic: install ``expr-builder[typed]``. Nothing else of the library imports this package.

>>> from expr_builder.typed import TypedTable
"""

from __future__ import annotations

try:
    from expr_builder.errors import BatchIncomplete, ConditionFailed

    from .typed_table import TypedTable
except ModuleNotFoundError as error:
    # Only these come with the extra: any other missing module is a fault that must show as it is.
    if error.name not in {"pydantic", "pydantic_core", "typing_extensions"}:
        raise
    raise ModuleNotFoundError(
        'expr_builder.typed needs pydantic: install "expr-builder[typed]"', name=error.name
    ) from None

from .errors import FieldProblem, InvalidQuery, ItemTooLarge, ValidationFailed
from .item_reader import RawItem
from .stored_forms import to_stored_form
from .table_description import Description
from .transaction_actions import TypedActions
from .unknown_attributes import read_unknown_attributes
from .where_conditions import Operators

__all__ = [
    "BatchIncomplete",
    "ConditionFailed",
    "Description",
    "FieldProblem",
    "InvalidQuery",
    "ItemTooLarge",
    "Operators",
    "RawItem",
    "TypedActions",
    "TypedTable",
    "ValidationFailed",
    "read_unknown_attributes",
    "to_stored_form",
]
