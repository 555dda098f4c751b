"""Checks any request, even one written by hand, without sending it.

The package is not called ``lint`` because the function is: after ``import expr_builder.lint``, the name
``expr_builder.lint`` would be the module.

**The order of the problems.** The first is the one that the service would answer with; the others are those that it
would find once that one is fixed. These are the stages:

1. what AWS clients refuse before they send: unknown members;
2. members of the wrong JSON type (``SerializationException``);
3. members that are missing, or out of bounds (``1 validation error detected: …``);
4. each action in the order of the request: whether its parameters go together (expressions beside legacy parameters,
   maps that no expression can use), its values, its legacy parameters, the two maps, then update, condition, key
   condition, filter and projection, placeholders that none of them uses, and last the structure of the key condition;
   the values of a start key come before all expressions;
5. two actions on one item;
6. the size of all together;
7. keys and indexes of the tables.

For a transaction, the service can report a fault of keys as an action's reason ``ValidationError`` in a
``TransactionCanceledException``; the problem's code is ``ValidationException`` all the same.

**The words** are the service's as of August 2026. AWS changes them Region by Region: since mid-2026, PutItem,
UpdateItem and DeleteItem put most faults of the request behind ``1 validation error detected:``, and Query a bad
``Select``; keys, sizes, empty values and values of several types stay bare, as does what other operations say.

Within one expression a syntax error comes first, then redundant parentheses, unknown functions, functions out of place,
reserved words, and then undefined placeholders and unfit operands in the order of the text. AWS documents no order;
this is the one of implementations that are tested against the service.
"""

from __future__ import annotations

from expr_builder.errors import BuildError

from .advice import advise
from .key_checks import Schemas
from .operation_guess import find_operation
from .operations import CHECKS
from .predicted_errors import PredictedError, predict_error
from .problems import SHAPE, Place, Problem, is_mapping, sort_problems
from .shapes import REQUESTS, check_shape, describe_type_fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from expr_builder.requests.table import Table

__all__ = ["OPERATIONS", "PredictedError", "Problem", "lint", "predict_error"]

OPERATIONS = tuple(sorted(REQUESTS))
"""The operations whose requests can be checked."""


def lint(
    request: object, operation: str | None = None, tables: Iterable[Table] = (), *, advice: bool = False
) -> list[Problem]:
    """Find everything for which DynamoDB would refuse a request.

    Args:
        request: The arguments of the client call, or the JSON document of ``--cli-input-json``; binary values as bytes
            or as base64 text. It may be any JSON value: nothing is raised for it when the operation is given.
        operation: One of :data:`OPERATIONS`, such as ``"PutItem"``. When it is left out, the request's members have to
            tell.
        tables: The ``Table`` of each table whose keys are to be checked. Of other tables only what the request's own
            keys show is checked.
        advice: Whether to say also what the service takes and may not do what was meant. Advice is no problem: it
            stands in the list only when there is none, and its ``code`` is ``"Advice"``, its ``stage`` ``"advice"``.

    Returns:
        The problems, the one that the service would report first; an empty list when there is none.

    Raises:
        BuildError: for an unknown operation, and where it is left out and the request could be for several.

    Example:
        ``lint({"TransactItems": []})`` is ``[Problem("/TransactItems", "transaction-count", "ValidationException",
        "1 validation error detected: Value '[]' at 'transactItems' failed to satisfy constraint: …", "shape")]``.
    """
    if operation is None:
        operation = find_operation(request)
    if operation not in REQUESTS:
        raise BuildError(
            "lint knows no such operation", rule="operation", place="operation", fix=f"one of {', '.join(OPERATIONS)}"
        )
    found: list[tuple[int, Problem]] = []
    place = Place(found, operation)
    schemas = Schemas(tables)
    if is_mapping(request):
        check_shape(REQUESTS[operation], request, place)
        CHECKS[operation](request, place, schemas)
        if advice and not found:
            advise(operation, request, place, schemas)
    else:
        place.report(SHAPE, "member-type", describe_type_fault(request, "Map"))
    return sort_problems(found)
