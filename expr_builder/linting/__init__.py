"""Checking any request, also one written by hand, without sending it.

The package is not called ``lint`` because the function is: importing a submodule puts it into its package under its own
name, so that after ``import expr_builder.lint`` the name ``expr_builder.lint`` would be the module and no function.

**The order of the problems.** The first is the one that the service would answer with; the others are those that it
would come to once that one is mended. A request is refused first for its shape, then member by member, then action by
action, then as a whole, and last for what only the table knows:

1. what AWS clients refuse before they send: unknown members;
2. members of another JSON type than theirs (``SerializationException``);
3. members that are missing, or out of bounds (``1 validation error detected: …``);
4. each action in the order of the request: its values, then its expressions: the two maps first, then update, key
   condition, condition, filter and projection; at last placeholders that none of them uses;
5. two actions on one item;
6. the size of all together;
7. keys and indexes of the tables.

In a transaction the service can answer what concerns the table's keys as the reason ``ValidationError`` of an action,
in a ``TransactionCanceledException``; the problem's code is ``ValidationException`` all the same.

Within one expression a syntax error comes first, then redundant parentheses, unknown functions, functions out of place,
reserved words, and then undefined placeholders and unfit operands as they stand in the text. This is the order in which
implementations that are tested against the service read a request; AWS documents none.
"""

from __future__ import annotations

from expr_builder.errors import BuildError

from .key_checks import Schemas
from .operations import CHECKS
from .problems import SHAPE, Place, Problem, is_mapping, sort_problems
from .shapes import REQUESTS, check_shape, describe_type_fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from expr_builder.requests.table import Table

__all__ = ["OPERATIONS", "Problem", "lint"]

OPERATIONS = tuple(sorted(REQUESTS))
"""The operations whose requests can be checked."""


def lint(request: object, operation: str = "TransactWriteItems", tables: Iterable[Table] = ()) -> list[Problem]:
    """Find everything for which DynamoDB would refuse a request.

    Args:
        request: The arguments of the client call, or the JSON document of ``--cli-input-json``; binary values as bytes
            or as base64 text. It may be anything that JSON can hold: nothing is raised for it.
        operation: One of :data:`OPERATIONS`, such as ``"PutItem"``.
        tables: The ``Table`` of each table whose keys are to be checked. Without it, what a request's own keys tell is
            checked, not more.

    Returns:
        The problems, the one that the service would report first; an empty list when there is none.

    Raises:
        BuildError: for an operation that is not one of the ten.

    Example:
        ``lint({"TransactItems": []})`` is ``[Problem("/TransactItems", "transaction-count", "ValidationException",
        "1 validation error detected: Value '[]' at 'transactItems' failed to satisfy constraint: …")]``.
    """
    if operation not in REQUESTS:
        raise BuildError(
            "lint knows no such operation", rule="operation", place="operation", fix=f"one of {', '.join(OPERATIONS)}"
        )
    found: list[tuple[int, Problem]] = []
    place = Place(found)
    if is_mapping(request):
        check_shape(REQUESTS[operation], request, place)
        CHECKS[operation](request, place, Schemas(tables))
    else:
        place.report(SHAPE, "member-type", describe_type_fault(request, "Map"))
    return sort_problems(found)
