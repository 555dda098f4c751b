"""Drafts: actions as data, from the command's options or from a file, made into requests.

A draft file::

    {"token": "signup-1",
     "tables": {"accounts": {"partition_key": "PK", "sort_key": "SK"}},
     "actions": [{"put": {"PK": "A#1", "SK": "P"}, "table": "accounts", "if_not_exists": true, "name": "account"},
                 {"update": {"PK": "A#2", "SK": "P"}, "set": {"email": "a@example.com"}, "when": "version = 3"}]}

An action's ``table`` can be left out where ``tables`` has only one.
"""

from __future__ import annotations

import sys

from expr_builder import Table, TransactWrite
from expr_builder.errors import BuildError
from expr_builder.expressions.parse import parse_condition, parse_update
from expr_builder.requests.writes import Check

from .documents import InputError, parse_json, read_document, read_text, shown, to_value
from .output import write_request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping, Sequence
    from typing import Any

    from expr_builder.requests.writes import Update, WriteAction

ACTIONS = ("put", "update", "delete", "check")

_DRAFT_MEMBERS = ("actions", "tables", "token", "transaction")
_ACTION_MEMBERS = (
    *ACTIONS, "table", "name", "if_exists", "if_not_exists", "when", "return_old",
    "expression", "set", "names", "values",
)  # fmt: skip
_OPERATIONS = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem"}


class Draft:
    """What is to be requested.

    Attributes:
        actions: In order.
        operation: The operation that the request is for.
        request: The arguments of the client call.
    """

    def __init__(self, actions: list[WriteAction], token: str | None, *, transaction: bool) -> None:
        self.actions = actions
        if transaction or token is not None or len(actions) != 1 or isinstance(actions[0], Check):
            self.operation = "TransactWriteItems"
            self.request: dict[str, Any] = dict(TransactWrite(*actions, token=token).to_request())
        else:
            self.operation = _OPERATIONS[actions[0].operation]
            self.request = dict(actions[0].to_request())


def run_draft(blocks: Sequence[Namespace]) -> int:
    """Carry out ``expr-builder draft``: one namespace for each action."""
    formats = [block.format for block in blocks if block.format]
    files = [block.file for block in blocks if block.file is not None]
    document = read_document(files[0]) if files else _from_options(blocks)
    draft = read_draft(document, shown(files[0]) if files else "the draft")
    sys.stdout.write(write_request(formats[-1] if formats else "json", draft.operation, draft.request))
    return 0


def read_draft(document: Any, name: str) -> Draft:
    """Make a draft of data.

    Args:
        document: As a draft file holds it; a table may be a ``Table`` already.
        name: What to call it in an error.

    Raises:
        InputError: for data of another shape.
        BuildError: for what DynamoDB would refuse.
    """
    draft = _members(document, name, _DRAFT_MEMBERS)
    tables = {
        table: _table(table, keys, f"{name}: tables.{table}")
        for table, keys in _object(draft.get("tables", {}), f"{name}: tables").items()
    }
    listed = draft.get("actions")
    if not isinstance(listed, list) or not listed:
        raise InputError(f"{name}: actions is a list of at least one action")
    actions = []
    for position, entry in enumerate(listed):
        try:
            actions.append(_action(entry, tables, f"{name}: actions[{position}]"))
        except BuildError as error:
            raise error.within(f"action {position + 1}") from None
    return Draft(actions, draft.get("token"), transaction=_flag(draft, "transaction", name))


def _action(entry: Any, tables: Mapping[str, Table], place: str) -> WriteAction:
    members = _members(entry, place, _ACTION_MEMBERS)
    kinds = [kind for kind in ACTIONS if kind in members]
    if len(kinds) != 1:
        raise InputError(f"{place}: exactly one of {', '.join(ACTIONS)} is needed")
    (kind,) = kinds
    make = getattr(_table_of(members, tables, place), kind)
    action: WriteAction = make(to_value(_object(members[kind], f"{place}.{kind}"), f"{place}.{kind}"))
    if "name" in members:
        action = action.named(members["name"])
    names = _object(members.get("names", {}), f"{place}.names")
    values = to_value(_object(members.get("values", {}), f"{place}.values"), f"{place}.values")
    if kind == "update":
        action = _updated(action, members, place, names, values)  # type: ignore[arg-type]  # that is what it made
    elif "set" in members or "expression" in members:
        raise InputError(f"{place}: set and expression belong to an update, not to a {kind}")
    return _guarded(action, members, place, names, values)


def _updated(
    update: Update, members: Mapping[str, Any], place: str, names: Mapping[str, str], values: Mapping[str, Any]
) -> Update:
    if "set" in members:
        update = update.set(to_value(_object(members["set"], f"{place}.set"), f"{place}.set"))
    if "expression" in members:
        try:
            update = update.apply(parse_update(members["expression"], names=names, values=values))
        except BuildError as error:
            raise error.within("expression") from None
    return update


def _guarded(
    action: WriteAction, members: Mapping[str, Any], place: str, names: Mapping[str, str], values: Mapping[str, Any]
) -> WriteAction:
    if _flag(members, "if_exists", place):
        action = action.if_exists()
    if _flag(members, "if_not_exists", place):
        action = action.if_not_exists()
    when = members.get("when", [])
    for text in when if isinstance(when, list) else [when]:
        try:
            action = action.when(parse_condition(text, names=names, values=values))
        except BuildError as error:
            raise error.within("when") from None
    return action.return_old_on_failure() if _flag(members, "return_old", place) else action


def _table_of(members: Mapping[str, Any], tables: Mapping[str, Table], place: str) -> Table:
    name = members.get("table")
    if name is None and len(tables) == 1:
        return next(iter(tables.values()))
    table = tables.get(name) if isinstance(name, str) else None
    if table is None:
        known = f"tables has {', '.join(tables)}" if tables else "describe it in tables"
        raise InputError(f"{place}: table is the name of the action's table: {known}")
    return table


def _table(name: str, keys: Any, place: str) -> Table:
    if isinstance(keys, Table):
        return keys
    members = _members(keys, place, ("partition_key", "sort_key"))
    if "partition_key" not in members:
        raise InputError(f"{place}: partition_key is missing")
    pair = [_key(members.get(key), f"{place}.{key}") for key in ("partition_key", "sort_key")]
    return Table(name, pair[0], pair[1])


def _key(key: Any, place: str) -> Any:
    if key is None or isinstance(key, str):
        return key
    if isinstance(key, list) and len(key) == 2:
        return tuple(key)
    raise InputError(f'{place}: a key is a name, or a name and its type: ["at", "N"]')


def _members(document: Any, place: str, known: tuple[str, ...]) -> dict[str, Any]:
    members = _object(document, place)
    for name in members:
        if name not in known:
            raise InputError(f"{place}: {name} is not one of {', '.join(known)}")
    return members


def _object(value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{place}: an object is expected")
    return value


def _flag(members: Mapping[str, Any], name: str, place: str) -> bool:
    value = members.get(name, False)
    if not isinstance(value, bool):
        raise InputError(f"{place}: {name} is true or false")
    return value


# --- The options of the command, as a draft file would have them


def _from_options(blocks: Sequence[Namespace]) -> dict[str, Any]:
    tables: dict[str, Table] = {}
    table: Table | None = None
    actions = []
    for position, block in enumerate(blocks):
        table = block.table or table
        if table is None:
            raise InputError("--table NAME:PK[:SK] is needed before, or with, the first action")
        if tables.setdefault(table.name, table).key_schema.types != table.key_schema.types:
            raise InputError(f"--table gives {table.name} two different keys")
        actions.append({"table": table.name, **_action_from(block, f"action {position + 1}")})
    tokens = [block.token for block in blocks if block.token is not None]
    document: dict[str, Any] = {"tables": tables, "actions": actions}
    if tokens:
        document["token"] = tokens[-1]
    return {**document, "transaction": any(block.transaction for block in blocks)}


def _action_from(block: Namespace, place: str) -> dict[str, Any]:
    kind, text = block.action
    action: dict[str, Any] = {kind: _json_argument(text, f"{place}, {kind}")}
    for member, option in (("set", "set"), ("names", "names"), ("values", "values")):
        text = getattr(block, option)
        if text is not None:
            action[member] = _json_argument(text, f"{place}, --{option}")
    given = {
        "name": block.name,
        "when": block.when,
        "expression": block.update,
        "if_exists": block.if_exists,
        "if_not_exists": block.if_not_exists,
        "return_old": block.return_old,
    }
    return action | {member: value for member, value in given.items() if value not in (None, False)}


def _json_argument(text: str, place: str) -> Any:
    if text.startswith("@"):
        return parse_json(read_text(text[1:]), shown(text[1:]))
    return parse_json(text, place)
