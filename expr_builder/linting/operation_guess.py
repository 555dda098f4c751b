"""Finds out which operation a request is for, from its members."""

from __future__ import annotations

from expr_builder.errors import BuildError

from .problems import is_mapping
from .shapes import REQUESTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Members: TypeAlias = dict[str, object]

_WRITES = ("ConditionCheck", "Put", "Update", "Delete")


def find_operation(request: object) -> str:
    """Find out which operation a request is for.

    Args:
        request: Any JSON value.

    Returns:
        The operation, such as ``"PutItem"``.

    Raises:
        BuildError: when it could be for several; the fix names them. A guess would check by the wrong rules.

    Example:
        ``find_operation({"TableName": "t", "Item": {}})`` is ``"PutItem"``. ``{"TableName": "t", "Key": {}}`` reads or
        deletes: that is asked for.
    """
    candidates = list_operations(request)
    if len(candidates) > 1:
        message = "what the request is for cannot be told from its members"
        raise BuildError(message, rule="operation", place="operation", fix=f"give {name_choices(candidates)}")
    return candidates[0]


def list_operations(request: object) -> tuple[str, ...]:
    """List the operations that a request can be for; just one where its members tell."""
    if not is_mapping(request):
        return tuple(sorted(REQUESTS))
    known = {operation: len(request.keys() & shape.members.keys()) for operation, shape in REQUESTS.items()}
    # Those that know most of its members: a misspelt one is unknown to all of them.
    fitting = [operation for operation, count in known.items() if count == max(known.values())]
    complete = [operation for operation in fitting if request.keys() >= {*REQUESTS[operation].required}]
    return tuple(sorted(_compare_contents(complete or fitting, request)))


def name_choices(operations: tuple[str, ...]) -> str:
    """Name operations in a sentence: ``"DeleteItem" or "GetItem"``."""
    *others, last = (f'"{operation}"' for operation in operations)
    return f"{', '.join(others)} or {last}"


def _compare_contents(operations: list[str], request: Members) -> list[str]:
    """Leave out the operations that the members' contents do not fit."""
    if "TransactGetItems" in operations and "TransactWriteItems" in operations:
        kinds = _list_kinds(request.get("TransactItems"))
        return ["TransactGetItems" if "Get" in kinds and not kinds & {*_WRITES} else "TransactWriteItems"]
    if "BatchGetItem" in operations and "BatchWriteItem" in operations:
        asked = request.get("RequestItems")
        entries = list(asked.values()) if is_mapping(asked) else []
        for kind, operation in ((dict, "BatchGetItem"), ((list, tuple), "BatchWriteItem")):
            if any(isinstance(entry, kind) for entry in entries):
                return [operation]
    if "UpdateItem" in operations and not request.keys() & {"UpdateExpression", "AttributeUpdates"}:
        return [operation for operation in operations if operation != "UpdateItem"]  # it would change nothing
    return operations


def _list_kinds(actions: object) -> set[str]:
    """The kinds of actions in a transaction."""
    entries = actions if isinstance(actions, (list, tuple)) else ()
    return {kind for entry in entries if is_mapping(entry) for kind in entry}
