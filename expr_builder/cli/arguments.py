"""The arguments of ``expr-builder``, and its help."""

from __future__ import annotations

import argparse

from expr_builder import __version__
from expr_builder.errors import BuildError
from expr_builder.linting import OPERATIONS
from expr_builder.requests.table import Table

from .draft_command import ACTIONS, run_draft
from .explain_command import run_explain
from .formats import FORMATS
from .lint_command import run_lint
from .subcommand import add_subcommand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .subcommand import Subcommands

SEPARATOR = "+"
"""Stands between the actions of a draft: a word that needs no quotes in any shell."""

EXAMPLES = {
    "draft": """\
examples:
  A guarded put, as the JSON of `aws dynamodb put-item --cli-input-json`:

    expr-builder draft --table accounts:PK:SK \\
      put '{"PK": "ACCT#1", "SK": "PROFILE", "email": "a@example.com"}' --if-not-exists

  A sign-up with a lock on the e-mail, one transaction, as a command to paste into a shell:

    expr-builder draft --format cli --token signup-1 --table accounts:PK:SK \\
      put '{"PK": "ACCT#1", "SK": "PROFILE"}' --if-not-exists --name account + \\
      put '{"PK": "UNIQ#EMAIL#a@example.com", "SK": "LOCK"}' --if-not-exists --name email

  An update that holds only for the version that was read, as boto3 code:

    expr-builder draft --format python --table accounts:PK:SK \\
      update '{"PK": "ACCT#1", "SK": "PROFILE"}' \\
      --update "SET status = 'closed', version = version + 1" \\
      --when "version = 3 and size(orders) < 5" --return-old

  The same kinds of things from a file, or from standard input:

    echo '{"tables": {"accounts": {"partition_key": "PK"}},
           "actions": [{"delete": {"PK": "A#1"}, "when": "owner = :me", "values": {":me": "u1"}}]}' |
      expr-builder draft --file -

JSON is a value, or a file given as @FILE (@- is standard input). In it, {"$set": ["a", "b"]} is a set and
{"$binary": "AAEC"} (base64) is a binary value.
""",
    "lint": """\
examples:
  expr-builder draft --table accounts:PK put '{"PK": "A#1"}' | expr-builder lint -
  echo '{"TableName": "t", "Key": {"PK": {"S": "1"}}}' | expr-builder lint - --operation GetItem --table t:PK
  echo '{"TransactItems": []}' | expr-builder lint - --format json || echo refused
  expr-builder draft --table accounts:PK update '{"PK": "A#1"}' --set '{"n": 1}' | expr-builder lint - --advice
""",
    "explain": """\
examples:
  expr-builder draft --table accounts:PK put '{"PK": "A#1"}' --if-not-exists | expr-builder explain -
  echo '{"tables": {"accounts": {"partition_key": "PK"}},
         "actions": [{"check": {"PK": "A#1"}, "if_exists": true, "name": "account"}]}' | expr-builder explain -
""",
}
"""Shown by ``--help``; each is run by a test."""

_TABLE_HELP = "the table and its key attributes; NAME:PK=N when a key is not a string"


def parse_arguments(argv: Sequence[str]) -> argparse.Namespace:
    """Read the arguments; the result's ``run`` carries the command out and returns the exit status.

    argparse raises SystemExit: with status 2 for arguments that make no sense, and 0 after ``--help``.
    """
    parser = argparse.ArgumentParser(
        prog="expr-builder",
        description="Draft, check and explain guarded DynamoDB requests, without sending them; audit and mend "
        "uniqueness markers.",
        epilog="expr-builder COMMAND --help shows the options of a command, with examples.",
    )
    parser.add_argument("--version", action="version", version=f"expr-builder {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    draft = _add_draft(commands)
    _add_lint(commands)
    _add_explain(commands)
    chosen = argv[0] if argv else None
    _add_markers(commands, chosen=chosen == "markers")
    # argparse knows no groups of options that repeat, so each action of a draft is parsed by itself.
    if chosen == "draft":
        blocks = [_read_block(draft, words) for words in _split(argv[1:])]
        return argparse.Namespace(run=lambda _: run_draft(blocks))
    return parser.parse_args(list(argv))


def _add_draft(commands: Subcommands) -> argparse.ArgumentParser:
    parser = add_subcommand(
        commands, "draft", "write a request, or a transaction of several actions", EXAMPLES["draft"]
    )
    # argparse's own usage would show a single action.
    parser.usage = (
        "expr-builder draft [--format json|cli|python] [--token TOKEN] --table NAME:PK[:SK]\n"
        "                          ACTION JSON [options] [+ ACTION JSON [options] ...]\n"
        "       expr-builder draft [--format json|cli|python] --file FILE|-"
    )
    parser.add_argument(
        "action", nargs="*", metavar="ACTION JSON", help=f"{', '.join(ACTIONS)}, and the item (for put) or the key"
    )
    whole = parser.add_argument_group("options of the whole draft")
    whole.add_argument("--format", choices=FORMATS, help="what to print; json when left out")
    whole.add_argument("--file", metavar="FILE", help="read the draft from a JSON file; - is standard input")
    whole.add_argument("--token", help="the transaction's ClientRequestToken, 1 to 36 characters")
    whole.add_argument("--transaction", action="store_true", help="make a transaction also of a single action")
    each = parser.add_argument_group("options of each action")
    each.add_argument(
        "--table", type=_parse_table, metavar="NAME:PK[:SK]", help=f"{_TABLE_HELP}; holds for later actions too"
    )
    each.add_argument("--name", help="the name of its slot, under which the library reports a refusal")
    each.add_argument("--if-exists", action="store_true", help="only when an item with this key exists")
    each.add_argument("--if-not-exists", action="store_true", help="only when no item with this key exists")
    each.add_argument(
        "--when", "--condition-expression", action="append", metavar="TEXT", help="only when this condition holds"
    )
    each.add_argument("--update", "--update-expression", metavar="TEXT", help="what an update does")
    each.add_argument("--set", metavar="JSON", help="what an update sets, by name; for values that TEXT cannot hold")
    each.add_argument("--names", metavar="JSON", help="what each #placeholder in TEXT stands for")
    each.add_argument("--values", metavar="JSON", help="what each :placeholder in TEXT stands for")
    each.add_argument("--return-old", action="store_true", help="have the stored item returned when it is refused")
    return parser


def _add_lint(commands: Subcommands) -> None:
    parser = add_subcommand(
        commands, "lint", "find everything for which DynamoDB would refuse a request", EXAMPLES["lint"]
    )
    _add_request(parser)
    parser.add_argument("--format", choices=("text", "json"), default="text", help="text when left out")
    parser.add_argument(
        "--advice", action="store_true", help="also say what DynamoDB takes and may not do what was meant"
    )
    parser.set_defaults(run=run_lint)


def _add_explain(commands: Subcommands) -> None:
    parser = add_subcommand(commands, "explain", "show a request, or a draft, as a table", EXAMPLES["explain"])
    _add_request(parser)
    parser.set_defaults(run=run_explain)


def _add_markers(commands: Subcommands, *, chosen: bool) -> None:
    purpose = "audit, mend, backfill and show uniqueness markers in a table (needs boto3)"
    if not chosen:
        commands.add_parser("markers", help=purpose)
        return
    # Loaded for this command alone: the others start without threads, files and what else a scan needs.
    from .markers_arguments import add_markers_arguments
    from .markers_command import run_markers

    parser = add_markers_arguments(commands, purpose)
    parser.set_defaults(run=run_markers)


def _add_request(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the request as JSON; - is standard input")
    parser.add_argument("--operation", choices=OPERATIONS, help="guessed from the request where that is clear")
    parser.add_argument(
        "--table",
        type=_parse_table,
        action="append",
        default=[],
        metavar="NAME:PK[:SK]",
        help=f"{_TABLE_HELP}; repeatable",
    )


def _split(words: Sequence[str]) -> list[list[str]]:
    blocks: list[list[str]] = [[]]
    for word in words:
        if word == SEPARATOR:
            blocks.append([])
        else:
            blocks[-1].append(word)
    return blocks


def _read_block(parser: argparse.ArgumentParser, words: list[str]) -> argparse.Namespace:
    """Read one action with its options, in any order."""
    block = parser.parse_intermixed_args(words)
    if block.file is not None and block.action:
        parser.error("--file and actions exclude each other: write all actions into the file")
    if block.file is None and (len(block.action) != 2 or block.action[0] not in ACTIONS):
        shown = f", not {block.action[0]}" if block.action and block.action[0] not in ACTIONS else ""
        parser.error(f"an action is {', '.join(ACTIONS[:-1])} or {ACTIONS[-1]}, and one JSON document{shown}")
    return block


def _parse_table(text: str) -> Table:
    """Read ``NAME:PK[:SK]``; the name may be an ARN, which has colons of its own."""
    parts = text.split(":")
    # arn:aws:dynamodb:REGION:ACCOUNT:table/NAME
    name_parts = 6 if parts[0] == "arn" else 1
    keys = [_parse_key(part) for part in parts[name_parts:]]
    if not 1 <= len(keys) <= 2:
        raise argparse.ArgumentTypeError(
            f"{text} does not name a table and its one or two keys: write it like accounts:PK:SK"
        )
    try:
        return Table(":".join(parts[:name_parts]), *keys)
    except BuildError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _parse_key(text: str) -> tuple[str, str]:
    name, _, kind = text.partition("=")
    return name, kind or "S"
