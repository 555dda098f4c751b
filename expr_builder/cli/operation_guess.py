"""Guesses the operation of a request from its members."""

from __future__ import annotations

from .documents import CommandError

# Most telling first: each of these members belongs to one operation alone.
_TELLING = (("KeyConditionExpression", "Query"), ("UpdateExpression", "UpdateItem"), ("Item", "PutItem"))


def guess_operation(request: object, name: str) -> str:
    """Guess the operation that a request is for, or raise CommandError when it could be for several."""
    members = request if isinstance(request, dict) else {}
    for member, operation in _TELLING:
        if member in members:
            return operation
    if "TransactItems" in members:
        return "TransactGetItems" if _mentions(members["TransactItems"], "Get") else "TransactWriteItems"
    if "RequestItems" in members:
        lists = members["RequestItems"]
        reads = isinstance(lists, dict) and any(isinstance(keys, dict) for keys in lists.values())
        return "BatchGetItem" if reads else "BatchWriteItem"
    if "Key" in members and {"ProjectionExpression", "ConsistentRead"} & members.keys():
        return "GetItem"
    if "Key" in members and "ConditionExpression" in members:
        return "DeleteItem"
    # A bare key may read or delete: a wrong guess would check by the wrong rules.
    raise CommandError(f"{name}: what the request is for cannot be told from its members: give --operation")


def _mentions(actions: object, kind: str) -> bool:
    return isinstance(actions, list) and any(isinstance(action, dict) and kind in action for action in actions)
