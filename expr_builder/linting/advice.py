"""Advice about requests that the service takes, and that may not do what was meant.

Nothing here is a problem: the service carries these requests out. Each piece of advice is given only where nothing in
the request shows that the author knows; what a request builds on purpose, such as an upsert by ``ADD``, is left alone.

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html and
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.ConditionExpressions.html
"""

from __future__ import annotations

from expr_builder.expressions.evaluate import judge
from expr_builder.expressions.nodes import Arithmetic, Call, Comparison, Literal, Not, Path, conjuncts, find_paths
from expr_builder.expressions.paths import write_path

from .expressions import check_expressions
from .problems import ADVICE, Place
from .typed_values import read_item

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from expr_builder.attribute_values.values import AttributeValue
    from expr_builder.expressions.nodes import Condition
    from expr_builder.expressions.paths import Segments
    from expr_builder.expressions.updates import UpdateAction

    from .key_checks import Schemas

_EXPRESSIONS = ("UpdateExpression", "KeyConditionExpression", "ConditionExpression", "FilterExpression")
_EXISTENCE = ("attribute_exists", "attribute_not_exists")
_SINGLE = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "Get": "GetItem with ConsistentRead"}


class _Action:
    """One action of a sound request.

    Attributes:
        kind: ``"Put"``, ``"Update"``, ``"Delete"``, ``"ConditionCheck"``, ``"Get"``, ``"Query"`` or ``"Scan"``.
        body: Its arguments.
        place: Where it stands.
        condition: Its ConditionExpression.
        filter: Its FilterExpression.
        key_condition: Its KeyConditionExpression.
        update: The actions of its UpdateExpression.
    """

    def __init__(self, kind: str, body: dict[str, Any], place: Place) -> None:
        self.kind = kind
        self.body = body
        self.place = place
        read = check_expressions(body, Place([]), _EXPRESSIONS)  # the request is sound, so nothing is reported there
        self.condition: Condition | None = read.condition
        self.filter: Condition | None = read.filter
        self.key_condition: Condition | None = read.key_condition
        self.update: list[UpdateAction] = read.update

    @property
    def guarded(self) -> bool:
        """Whether it has a condition, of the old kind or the new one."""
        return self.condition is not None or bool(self.body.get("Expected"))


def advise(operation: str, request: dict[str, Any], place: Place, schemas: Schemas) -> None:
    """Report what a request in which lint has found no problem may do other than it was meant."""
    actions = list(_read_actions(operation, request, place))
    for action in actions:
        _advise_on_missing_attributes(action, schemas)
        if action.kind == "Update":
            _advise_on_ghost(action)
        if action.kind == "Query":
            _advise_on_uniqueness(action, schemas)
        if action.kind in ("Query", "Scan"):
            _advise_on_limit(action)
    if operation == "TransactWriteItems":
        _advise_on_unguarded(actions)
    if operation.startswith("Transact"):
        _advise_on_single(actions, request, place)
    _advise_on_counters(operation, actions, request)


def _read_actions(operation: str, request: dict[str, Any], place: Place) -> Iterator[_Action]:
    if operation.startswith("Transact"):
        for index, entry in enumerate(request["TransactItems"]):
            for kind, body in entry.items():
                if body is not None:  # to the service, null is the same as absent
                    yield _Action(kind, body, place.at("TransactItems", index, kind))
    elif not operation.startswith("Batch"):  # the actions of a batch have no conditions
        yield _Action(operation.removesuffix("Item"), request, place)


# --- What holds for missing attributes and items


def _advise_on_missing_attributes(action: _Action, schemas: Schemas) -> None:
    keys = schemas.list_names(action.body.get("TableName"))
    for member, condition in (("ConditionExpression", action.condition), ("FilterExpression", action.filter)):
        for path in _find_true_of_missing(condition) if condition is not None else ():
            if member == "FilterExpression" and path[0] in keys:  # an item that is read has its key
                continue
            name = write_path(path)
            words = (
                f"The comparison is also true when {name} is missing. If that is not meant, join "
                f"attribute_exists({name}) with AND; if it is, say so with OR attribute_not_exists({name})"
            )
            action.place.at(member).report(ADVICE, "advice-not-equal", words)


def _find_true_of_missing(condition: Condition) -> list[Segments]:
    """Find the paths that are only compared with ``<>``, or with ``=`` under a NOT: true of a missing attribute."""
    unequal: dict[Segments, None] = {}
    settled: set[Segments] = set()
    pending = [(condition, False)]
    while pending:
        clause, negated = pending.pop()
        if clause.parts:
            pending += [(part, negated is not isinstance(clause, Not)) for part in reversed(clause.parts)]
        elif isinstance(clause, Comparison) and clause.operator == ("=" if negated else "<>"):
            sides = (clause.left, clause.right)
            unequal |= dict.fromkeys(side.segments for side in sides if isinstance(side, Path))
        # Any other clause is false of a missing attribute, and true of it under a NOT.
        elif not negated or (isinstance(clause, Call) and clause.name in _EXISTENCE):
            settled |= {path.segments for path in find_paths(clause)}
    return [path for path in unequal if not any(other[: len(path)] == path for other in settled)]


def _advise_on_ghost(action: _Action) -> None:
    if action.guarded and (action.condition is None or _needs_item(action.condition)):
        return
    if _makes_item(action.update):
        words = (
            "When there is no item with this key, the update makes one that has only its key and what is set here. "
            "If that is not meant, add the condition attribute_exists on a key attribute"
        )
        action.place.report(ADVICE, "advice-ghost", words)


def _needs_item(condition: Condition) -> bool:
    """Tell whether a condition is false without an item, or says of its own what holds then."""
    if not judge(condition, {})[id(condition)]:
        return True
    pending = [condition]
    while pending:
        clause = pending.pop()
        pending += clause.parts
        if isinstance(clause, Call) and clause.name == "attribute_not_exists":
            return True
    return False


def _makes_item(update: list[UpdateAction]) -> bool:
    """Tell whether an update can make an item without being an upsert by all appearance.

    ``ADD`` and ``if_not_exists`` are written for items that may be missing; every other way to read an attribute, and
    a step into one, fails when there is none.
    """
    settings = [change for change in update if change.keyword == "SET"]
    if not settings or any(change.keyword == "ADD" for change in update):
        return False
    return all(len(change.path.segments) == 1 and not _list_read(change) for change in settings)


def _list_read(change: UpdateAction) -> list[Segments]:
    """The paths that the right side of an action reads."""
    return [] if change.value is None else [path.segments for path in find_paths(change.value)]


# --- Reading


def _advise_on_uniqueness(action: _Action, schemas: Schemas) -> None:
    body, name = action.body, action.body.get("IndexName")
    if name is None or action.key_condition is None or not (body.get("Limit") == 1 or body.get("Select") == "COUNT"):
        return
    # Going on from a key, or backwards, is reading a list: its next page, or its latest entry.
    if body.get("ExclusiveStartKey") or body.get("ScanIndexForward") is False:
        return
    clauses = conjuncts(action.key_condition)
    names = {path.segments[0] for clause in clauses for path in find_paths(clause)}
    table = schemas.find(body.get("TableName"))
    index = table.indexes.get(name) if table is not None and table.indexes else None
    lists = index is not None and (index.local or not names >= {*index.names})  # many items of one value
    if lists or not all(isinstance(clause, Comparison) and clause.operator == "=" for clause in clauses):
        return
    words = (
        "If this asks whether a value is taken: the index follows the table with a delay, and two writers can both "
        "find nothing. Only a key is unique: put an item whose key is the value, with attribute_not_exists, in the "
        "transaction that writes the record"
    )
    action.place.at("IndexName").report(ADVICE, "advice-index-uniqueness", words)


def _advise_on_limit(action: _Action) -> None:
    if action.filter is not None and action.body.get("Limit") == 1:
        words = (
            "Limit counts the items that are read, and the filter comes after it: the answer is empty when the first "
            "item does not match. Leave Limit out, and stop when enough is found"
        )
        action.place.at("Limit").report(ADVICE, "advice-filter-limit", words)


# --- Transactions


def _advise_on_unguarded(actions: list[_Action]) -> None:
    if not any(action.guarded for action in actions):
        return
    for action in actions:
        if action.kind == "Put" and not action.guarded:
            words = (
                "The put replaces whatever item has this key, while other actions of the transaction have conditions. "
                "If the item is new, add the condition attribute_not_exists on a key attribute"
            )
            action.place.report(ADVICE, "advice-unguarded-put", words)


def _advise_on_single(actions: list[_Action], request: dict[str, Any], place: Place) -> None:
    if len(actions) > 1 or request.get("ClientRequestToken") is not None:
        return
    (action,) = actions
    if action.kind in _SINGLE:  # a check by itself has no call of its own
        words = f"A transaction of one action costs twice as much as {_SINGLE[action.kind]}, which does the same"
        fix = "" if action.kind == "Get" else ". If it is there for its token, give a ClientRequestToken"
        place.at("TransactItems").report(ADVICE, "advice-single-transaction", f"{words}{fix}")


def _advise_on_counters(operation: str, actions: list[_Action], request: dict[str, Any]) -> None:
    if request.get("ClientRequestToken") is not None or any(_is_refused_again(action) for action in actions):
        return
    for action in actions:
        counted = next(_find_counted(action.update), None)
        if counted is not None:
            words = f"A repetition after a lost answer counts {write_path(counted)} twice, and AWS clients repeat"
            fix = (
                "Give a ClientRequestToken, and the same one when the request is sent again"
                if operation == "TransactWriteItems"
                else "Where it must be exact, use TransactWriteItems with a ClientRequestToken, or a condition that "
                "the update itself makes false"
            )
            action.place.report(ADVICE, "advice-counter-token", f"{words}. {fix}")
            return  # one token is for the whole transaction


def _find_counted(update: list[UpdateAction]) -> Iterator[Segments]:
    """Find the paths that get another value each time the update is carried out."""
    for change in update:
        value = change.value
        if change.keyword == "ADD" and isinstance(value, Literal) and value.type == "N":
            yield change.path.segments
        computes = isinstance(value, Arithmetic) or (isinstance(value, Call) and value.name == "list_append")
        if computes and change.path.segments in _list_read(change):
            yield change.path.segments


def _is_refused_again(action: _Action) -> bool:
    """Tell whether an action, once carried out, makes its own condition false: then a repetition does nothing."""
    if action.condition is None:
        return False
    if action.kind == "Put":
        return not _judge(action.condition, read_item(action.body["Item"], Place([])) or {})
    if action.kind == "Delete":
        return not _judge(action.condition, {})
    known: dict[str | int, AttributeValue | None] = {}
    for change in action.update:
        is_literal = change.keyword == "SET" and isinstance(change.value, Literal)
        if len(change.path.segments) == 1 and (is_literal or change.keyword == "REMOVE"):
            known[change.path.segments[0]] = change.value.value if isinstance(change.value, Literal) else None
    counted = {*_find_counted(action.update)}
    for clause in conjuncts(action.condition):
        paths = {path.segments for path in find_paths(clause)}
        if isinstance(clause, Comparison) and clause.operator == "=" and paths & counted:
            return True
        if paths and all(path[0] in known for path in paths) and not _judge(clause, known):
            return True
    return False


def _judge(condition: Condition, item: Mapping[Any, AttributeValue | None]) -> bool:
    return judge(condition, {name: value for name, value in item.items() if value is not None})[id(condition)]
