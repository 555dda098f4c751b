"""``expr-builder draft``: turns actions, given as options or in a file, into a request.

A draft file::

    {"token": "signup-1",
     "tables": {"accounts": {"partition_key": "PK", "sort_key": "SK"}},
     "actions": [{"put": {"PK": "A#1", "SK": "P"}, "table": "accounts", "if_not_exists": true, "name": "account"},
                 {"update": {"PK": "A#2", "SK": "P"}, "set": {"email": "a@example.com"}, "when": "version = 3"}]}

An action's ``table`` can be left out where ``tables`` has only one.
"""

from __future__ import annotations

import sys

from expr_builder.errors import BuildError
from expr_builder.expressions.parse import parse_condition, parse_update
from expr_builder.requests.table import Table
from expr_builder.requests.transactions import TransactWrite
from expr_builder.requests.writes import Check

from .documents import CommandError, name_file, parse_json, read_document, read_text, read_value
from .formats import write_request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping, Sequence
    from typing import Any, TypeAlias

    from expr_builder.requests.writes import Update, WriteAction

    Members: TypeAlias = dict[str, Any]
    """An object of a draft file, whose members have known names; their values are checked where they are used."""

ACTIONS = ("put", "update", "delete", "check")

_DRAFT_MEMBERS = ("actions", "tables", "token", "transaction")
_ACTION_MEMBERS = (
    *ACTIONS, "table", "name", "if_exists", "if_not_exists", "when", "return_old",
    "expression", "set", "names", "values",
)  # fmt: skip


class Draft:
    """The actions, the operation that carries them out, and the arguments of its client call."""

    def __init__(self, actions: list[WriteAction], operation: str, request: Mapping[str, object]) -> None:
        self.actions = actions
        self.operation = operation
        self.request = request


def run_draft(blocks: Sequence[Namespace]) -> int:
    """Carry out ``expr-builder draft``: one namespace for each action."""
    formats = [block.format for block in blocks if block.format]
    files = [block.file for block in blocks if block.file is not None]
    document = read_document(files[0]) if files else _gather_document(blocks)
    draft = read_draft(document, name_file(files[0]) if files else "the draft")
    # An option of the whole draft may stand with any action; the last one counts, as argparse has it.
    sys.stdout.write(write_request(formats[-1] if formats else "json", draft.operation, draft.request))
    return 0


def read_draft(document: object, name: str) -> Draft:
    """Make a draft from a draft file's data (a table may be a ``Table`` already); ``name`` is for errors.

    Raises CommandError for data of another shape, BuildError for what DynamoDB would refuse.
    """
    draft = _read_members(document, name, _DRAFT_MEMBERS)
    tables = {
        table: _make_table(table, keys, f"{name}: tables.{table}")
        for table, keys in _expect_object(draft.get("tables", {}), f"{name}: tables").items()
    }
    listed = draft.get("actions")
    if not isinstance(listed, list) or not listed:
        raise CommandError(f"{name}: actions is a list of at least one action")
    actions = []
    for position, entry in enumerate(listed):
        try:
            actions.append(_make_action(entry, tables, f"{name}: actions[{position}]"))
        except BuildError as error:
            raise error.within(f"action {position + 1}") from None
    token, (first, *others) = draft.get("token"), actions
    # There is no call for a single check, and only a transaction takes a token.
    if _read_flag(draft, "transaction", name) or token is not None or others or isinstance(first, Check):
        return Draft(actions, "TransactWriteItems", dict(TransactWrite(*actions, token=token).to_request()))
    return Draft(actions, f"{first.operation}Item", first.to_request())


def _make_action(entry: object, tables: Mapping[str, Table], place: str) -> WriteAction:
    members = _read_members(entry, place, _ACTION_MEMBERS)
    kinds = [kind for kind in ACTIONS if kind in members]
    if len(kinds) != 1:
        raise CommandError(f"{place}: exactly one of {', '.join(ACTIONS)} is needed")
    (kind,) = kinds
    # Table's methods have the names of the kinds.
    make = getattr(_find_table(members, tables, place), kind)
    action: WriteAction = make(_read_entries(members[kind], f"{place}.{kind}"))
    if "name" in members:
        action = action.named(members["name"])
    placeholders = {
        "names": _expect_object(members.get("names", {}), f"{place}.names"),
        "values": _read_entries(members.get("values", {}), f"{place}.values"),
    }
    if kind == "update":
        action = _change(action, members, place, placeholders)  # type: ignore[arg-type]  # that is what it made
    elif "set" in members or "expression" in members:
        raise CommandError(f"{place}: set and expression belong to an update, not to a {kind}")
    return _guard(action, members, place, placeholders)


def _change(update: Update, members: Members, place: str, placeholders: Mapping[str, Members]) -> Update:
    if "set" in members:
        update = update.set(_read_entries(members["set"], f"{place}.set"))
    if "expression" in members:
        try:
            update = update.apply(parse_update(members["expression"], **placeholders))
        except BuildError as error:
            raise error.within("expression") from None
    return update


def _guard(action: WriteAction, members: Members, place: str, placeholders: Mapping[str, Members]) -> WriteAction:
    if _read_flag(members, "if_exists", place):
        action = action.if_exists()
    if _read_flag(members, "if_not_exists", place):
        action = action.if_not_exists()
    when = members.get("when", [])
    for text in when if isinstance(when, list) else [when]:
        try:
            action = action.when(parse_condition(text, **placeholders))
        except BuildError as error:
            raise error.within("when") from None
    return action.return_old_on_failure() if _read_flag(members, "return_old", place) else action


def _find_table(members: Members, tables: Mapping[str, Table], place: str) -> Table:
    name = members.get("table")
    if name is None and len(tables) == 1:
        return next(iter(tables.values()))
    table = tables.get(name) if isinstance(name, str) else None
    if table is None:
        known = f"tables has {', '.join(tables)}" if tables else "describe it in tables"
        raise CommandError(f"{place}: table is the name of the action's table: {known}")
    return table


def _make_table(name: str, keys: object, place: str) -> Table:
    if isinstance(keys, Table):
        return keys
    members = _read_members(keys, place, ("partition_key", "sort_key"))
    if "partition_key" not in members:
        raise CommandError(f"{place}: partition_key is missing")
    pair = [_read_key(members.get(key), f"{place}.{key}") for key in ("partition_key", "sort_key")]
    return Table(name, pair[0], pair[1])


def _read_key(key: Any, place: str) -> Any:
    if key is None or isinstance(key, str):
        return key
    if isinstance(key, list) and len(key) == 2:
        return tuple(key)
    raise CommandError(f'{place}: a key is a name, or a name and its type: ["at", "N"]')


def _read_members(document: object, place: str, known: tuple[str, ...]) -> Members:
    members = _expect_object(document, place)
    for name in members:
        if name not in known:
            raise CommandError(f"{place}: {name} is not one of {', '.join(known)}")
    return members


def _expect_object(value: object, place: str) -> Members:
    if not isinstance(value, dict):
        raise CommandError(f"{place}: an object is expected")
    return value


def _read_entries(value: object, place: str) -> Members:
    return _expect_object(read_value(_expect_object(value, place), place), place)


def _read_flag(members: Members, name: str, place: str) -> bool:
    value = members.get(name, False)
    if not isinstance(value, bool):
        raise CommandError(f"{place}: {name} is true or false")
    return value


# --- The options of the command, as a draft file would have them: one reader, read_draft, serves both


def _gather_document(blocks: Sequence[Namespace]) -> dict[str, object]:
    tables: dict[str, Table] = {}
    table: Table | None = None
    actions = []
    for position, block in enumerate(blocks):
        table = block.table or table  # it holds for the actions after it
        if table is None:
            raise CommandError("--table NAME:PK[:SK] is needed before, or with, the first action")
        # A table may be given again with each action, but not with other keys.
        if tables.setdefault(table.name, table).key_schema.types != table.key_schema.types:
            raise CommandError(f"--table gives {table.name} two different keys")
        actions.append({"table": table.name, **_gather_action(block, f"action {position + 1}")})
    tokens = [block.token for block in blocks if block.token is not None]
    document: dict[str, object] = {"tables": tables, "actions": actions}
    if tokens:
        document["token"] = tokens[-1]
    return {**document, "transaction": any(block.transaction for block in blocks)}


def _gather_action(block: Namespace, place: str) -> dict[str, object]:
    kind, text = block.action
    action: dict[str, object] = {kind: _read_argument(text, f"{place}, {kind}")}
    for member in ("set", "names", "values"):
        text = getattr(block, member)
        if text is not None:
            action[member] = _read_argument(text, f"{place}, --{member}")
    given = {
        "name": block.name,
        "when": block.when,
        "expression": block.update,
        "if_exists": block.if_exists,
        "if_not_exists": block.if_not_exists,
        "return_old": block.return_old,
    }
    # An option that was not given must be no member either: read_draft would refuse it.
    return action | {member: value for member, value in given.items() if value not in (None, False)}


def _read_argument(text: str, place: str) -> object:
    if text.startswith("@"):
        return parse_json(read_text(text[1:]), name_file(text[1:]))
    return parse_json(text, place)
