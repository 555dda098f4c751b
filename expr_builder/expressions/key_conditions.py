"""What DynamoDB allows as the key condition of a query.

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Query.KeyConditionExpressions.html
"""

from __future__ import annotations

from .nodes import And, Between, Comparison, Function, Path, Size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .nodes import Condition, Operand


def key_condition_fault(condition: Condition) -> str | None:
    """Say, in DynamoDB's words, what makes a condition unfit to be the key condition of a query."""
    seen: set[str | int] = set()
    for part in condition.parts if isinstance(condition, And) else (condition,):
        symbol, operands = _taken_apart(part)
        if symbol not in ("=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"):
            return f"Invalid operator used in KeyConditionExpression: {symbol}"
        paths = [operand for operand in operands if isinstance(operand, Path)]
        if any(isinstance(operand, Size) for operand in operands):
            return "KeyConditionExpressions cannot contain nested operations"
        if len(paths) > 1:
            return "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition"
        if not paths:
            return "Invalid condition in KeyConditionExpression: No key attribute specified"
        if len(paths[0].segments) > 1:
            return "KeyConditionExpressions cannot have conditions on nested attributes"
        if symbol in ("BETWEEN", "begins_with") and paths[0] is not operands[0]:
            return (
                f"Invalid condition in KeyConditionExpression: {symbol} operator must have the key attribute as its "
                "first operand"
            )
        if paths[0].segments[0] in seen:
            return "KeyConditionExpressions must only contain one condition per key"
        seen.add(paths[0].segments[0])
    return None


def _taken_apart(part: Condition) -> tuple[str, tuple[Operand, ...]]:
    """The operator or function of one condition, in DynamoDB's spelling, and its operands."""
    if isinstance(part, Comparison):
        return part.operator, (part.left, part.right)
    if isinstance(part, Between):
        return "BETWEEN", (part.operand, part.low, part.high)
    if isinstance(part, Function):
        return part.name, (part.path,) if part.argument is None else (part.path, part.argument)
    return type(part).__name__.upper(), ()
