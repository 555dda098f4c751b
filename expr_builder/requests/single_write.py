"""The conversation about a single write: what a refusal says, and whether the write may be repeated.

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/WorkingWithItems.html
"""

from __future__ import annotations

from expr_builder.attribute_values.values import from_item
from expr_builder.errors import ConditionFailed, TransactionCanceled
from expr_builder.expressions.functions import IfMissing
from expr_builder.expressions.nodes import Literal, conjuncts, find_paths
from expr_builder.sending.answers import CANCELED, CONDITION_FAILED, read_reasons, read_stored
from expr_builder.sending.conversation import Ask, converse, make_token

TYPE_CHECKING = False
if TYPE_CHECKING:
    from expr_builder.attribute_values.values import StoredItem
    from expr_builder.errors import RequestError
    from expr_builder.expressions.updates import UpdateAction
    from expr_builder.sending.answers import Response
    from expr_builder.sending.conversation import Conversation, Patience

    from .writes import WriteAction


def converse_write(write: WriteAction, patience: Patience, *, exactly_once: bool) -> Conversation[StoredItem | None]:
    """Ask for a write until the matter is settled. Result and errors are those of :meth:`WriteAction.send`."""
    asking = write.return_old_on_failure()  # what ConditionFailed shows
    if exactly_once:
        ask = Ask(
            "transact_write_items",
            {"TransactItems": [asking._make_transact_item()], "ClientRequestToken": make_token()},
        )
    else:
        ask = Ask(f"{write.operation.lower()}_item", asking._make_request())
    answer = yield from converse(
        ask,
        patience,
        refusal=lambda code, response, unknown: _refuse(write, code, response, unknown),
        is_repeatable=None if exactly_once else lambda: _is_repeatable(write),
    )
    attributes = answer.get("Attributes")
    return from_item(attributes) if attributes else None


def _refuse(write: WriteAction, code: str, response: Response, unknown: bool) -> RequestError | None:
    if code == CANCELED:
        (reason,) = read_reasons(response, 1)
        if reason.code != "ConditionalCheckFailed":
            return TransactionCanceled({write.slot or write.operation: reason}, retried=unknown)
        item = reason.item
    elif code == CONDITION_FAILED:
        item = read_stored(response)
    else:
        return None
    # botocore, too, repeats a call after a lost connection; all that it tells is how often.
    repeated = response.get("ResponseMetadata", {}).get("RetryAttempts", 0) > 0
    return ConditionFailed(write.table.name, item, explain=lambda: _explain(write, item), retried=unknown or repeated)


def _explain(write: WriteAction, item: StoredItem | None) -> str:
    from .explain import explain_refusal  # loaded only when somebody asks

    return explain_refusal(write, item)


def _is_repeatable(write: WriteAction) -> bool:
    """Whether doing the write twice gives the same as doing it once, and the same answer."""
    if write._returning in ("ALL_OLD", "UPDATED_OLD"):
        return False  # the second time, the old attributes are those that the first has left behind
    if write.operation == "Update":
        return _is_update_repeatable(write)
    if write.condition is None:
        return True
    from expr_builder.expressions.evaluate import evaluate  # only after a lost answer

    # If its own result makes the condition false, the repetition of a success would be refused.
    left_behind = from_item(write._content) if write.operation == "Put" else None
    return evaluate(write.condition, left_behind)


def _is_update_repeatable(update: WriteAction) -> bool:
    keys = update.table.key_schema
    # The keys too: an update can create the item.
    changed = {action.path.segments[0] for action in update._actions} | set(keys.types)
    if not all(_can_repeat(action, changed) for action in update._actions):
        return False
    # The condition surely holds again if it is about other attributes, and asks of the key only that it exists.
    return all(
        clause == keys.present or changed.isdisjoint(path.segments[0] for path in find_paths(clause))
        for clause in (conjuncts(update.condition) if update.condition is not None else ())
    )


def _can_repeat(action: UpdateAction, changed: set[str | int]) -> bool:
    """Whether doing an update's action twice gives the same as once; ``changed``: all attributes that change."""
    value, last = action.value, action.path.segments[-1]
    if isinstance(last, int):
        return False  # after a REMOVE the others move up; SET and ADD behind the end of a list append
    if action.keyword == "ADD":
        return isinstance(value, Literal) and value.type != "N"  # a set takes an element once
    if isinstance(value, IfMissing) and value.operands[0]._key() == action.path._key():
        return True  # the second time it finds what the first has set
    # Computed from attributes that this update leaves alone, the value is the same again.
    return value is None or changed.isdisjoint(path.segments[0] for path in find_paths(value))
