"""What DynamoDB allows as the key condition of a query.

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Query.KeyConditionExpressions.html
"""

from __future__ import annotations

from .functions import FUNCTIONS
from .nodes import Call, Comparison, Function, Path, conjuncts, list_children

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .nodes import Condition


def find_key_condition_fault(condition: Condition) -> str | None:
    """Say, in DynamoDB's words, what makes a condition unfit to be the key condition of a query."""
    seen: set[str | int] = set()
    for part in conjuncts(condition):
        symbol, operands = _name_operator(part), list(list_children(part))
        paths = [operand for operand in operands if isinstance(operand, Path)]
        if not _is_allowed(symbol):
            return f"Invalid operator used in KeyConditionExpression: {symbol}"
        if any(isinstance(operand, Call) for operand in operands):
            return "KeyConditionExpressions cannot contain nested operations"
        if len(paths) > 1:
            return "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition"
        if not paths:
            return "Invalid condition in KeyConditionExpression: No key attribute specified"
        if len(paths[0].segments) > 1:
            return "KeyConditionExpressions cannot have conditions on nested attributes"
        # The service takes `:v < sk`, too; BETWEEN and begins_with need the attribute first.
        if not isinstance(part, Comparison) and paths[0] is not operands[0]:
            return (
                f"Invalid condition in KeyConditionExpression: {symbol} operator must have the key attribute as its "
                "first operand"
            )
        if paths[0].segments[0] in seen:
            return "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key"
        seen.add(paths[0].segments[0])
    return None


def _name_operator(part: Condition) -> str:
    """The operator or function of one condition, in DynamoDB's spelling."""
    if isinstance(part, Comparison):
        return part.operator
    return part.name if isinstance(part, Function) else type(part).__name__.upper()  # BETWEEN, IN, OR, NOT


def _is_allowed(symbol: str) -> bool:
    known = FUNCTIONS.get(symbol)
    return known.of_keys if known is not None else symbol in ("=", "<", "<=", ">", ">=", "BETWEEN")
