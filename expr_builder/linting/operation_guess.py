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
        raise BuildError(message, rule="operation", place="operation", fix=f"give one: {name_choices(candidates)}")
    return candidates[0]


def list_operations(request: object) -> tuple[str, ...]:
    """List the operations that a request can be for; just one where its members tell."""
    members = request if is_mapping(request) else {}
    known = {operation: len(members.keys() & shape.members.keys()) for operation, shape in REQUESTS.items()}
    most = max(known.values())
    # Those that know most of its members: a misspelt one is unknown to all of them.
    fitting = [operation for operation, count in known.items() if count == most]
    others = _list_misfits(members) if most else ()
    fitting = sorted(operation for operation in fitting if operation not in others)
    complete = [operation for operation in fitting if members.keys() >= {*REQUESTS[operation].required}]
    return tuple(complete if len(complete) == 1 else fitting)


def name_choices(operations: tuple[str, ...]) -> str:
    """Name operations in a sentence: ``DeleteItem or GetItem``."""
    *others, last = operations
    return f"{', '.join(others)} or {last}"


def _list_misfits(members: Members) -> tuple[str, ...]:
    """The operations that the contents do not fit, of those that share their members with another."""
    if "TransactItems" in members:
        kinds = _list_kinds(members["TransactItems"])
        reads = "Get" in kinds and kinds.isdisjoint(_WRITES)
        return ("TransactWriteItems",) if reads else ("TransactGetItems",)
    asked = members.get("RequestItems")
    entries = list(asked.values()) if is_mapping(asked) else []
    if any(isinstance(entry, dict) for entry in entries):
        return ("BatchWriteItem",)
    if any(isinstance(entry, (list, tuple)) for entry in entries):
        return ("BatchGetItem",)
    # An update that has a condition but nothing to change is surely a deletion.
    guarded, changes = "ConditionExpression" in members, {"UpdateExpression", "AttributeUpdates"} & members.keys()
    return ("UpdateItem",) if guarded and not changes else ()


def _list_kinds(actions: object) -> set[str]:
    """The kinds of actions in a transaction."""
    entries = actions if isinstance(actions, (list, tuple)) else ()
    return {kind for entry in entries if is_mapping(entry) for kind in entry}
