"""The arguments of the command line, and the table that they name."""

from __future__ import annotations

import argparse
import importlib
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from expr_builder import Unique

from .layout import Layout

if TYPE_CHECKING:
    from collections.abc import Sequence

_EXAMPLES = """\
examples:
  python -m expr_builder.markers audit --table accounts
  python -m expr_builder.markers audit --table accounts --checkpoint audit.json --format json > findings.jsonl
  python -m expr_builder.markers repair --table accounts --from findings.jsonl --dry-run
  python -m expr_builder.markers repair --table accounts
  python -m expr_builder.markers show --table accounts ada@example.com
  python -m expr_builder.markers backfill --table users --unique shop.schema:unique --record-sort PROFILE

The table is reached as by the AWS CLI: AWS_PROFILE, AWS_REGION, AWS_ENDPOINT_URL and so on.
exit codes: 0 nothing is wrong, 1 something is, 2 the command could not do its work
"""


class UsageError(Exception):
    """The command cannot be carried out as it was given."""


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the arguments; wrong ones end the program with exit code 2 and a line that says why."""
    return _parser().parse_args(arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="accounts-markers",
        description="Find and mend records and uniqueness markers that do not fit together. Safe while writers work.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="audit|repair|backfill|show")

    found = _command(commands, "audit", "find what is wrong; reads only")
    _add_scan(found)
    found.add_argument("--redact", action="store_true", help="hide the values in markers' keys")

    mended = _command(commands, "repair", "mend what an audit finds, then audit again")
    _add_scan(mended)
    mended.add_argument("--dry-run", action="store_true", help="show the transactions, send none")
    mended.add_argument("--from", dest="source", metavar="FILE", help="mend these findings of an audit (- for stdin)")

    filled = _command(commands, "backfill", "add markers to records that have none; report duplicates")
    _add_scan(filled)
    filled.add_argument("--dry-run", action="store_true", help="show the transactions, send none")

    shown = _command(commands, "show", "tell who holds a value, with the record beside its markers")
    shown.set_defaults(segments=1)
    shown.add_argument("value", help="an e-mail address, a username, or a record's owner key")
    return parser


def _command(commands: Any, name: str, summary: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--table", default=os.environ.get("TABLE_NAME"), help="the table's name (default: $TABLE_NAME)")
    parser.add_argument(
        "--unique",
        default="accounts.schema:accounts_layout",
        metavar="MODULE:ATTRIBUTE",
        help="a Unique, a Layout, or a function that makes one of the table's name (default: the accounts)",
    )
    parser.add_argument("--record-sort", metavar="SORT", help="the sort key that every record has")
    parser.add_argument("--record-prefix", metavar="PREFIX", help="what records' partition keys begin with")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="json: a JSON object a line")
    return parser


def _add_scan(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--segments", type=_positive, default=4, help="threads that scan (default: 4)")
    parser.add_argument("--checkpoint", metavar="FILE", help="keep the position there; go on from it if it exists")
    parser.add_argument("--most", type=_positive, default=10_000, help="stop after so many findings (default: 10000)")


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def layout_from(options: argparse.Namespace) -> Layout:
    """What ``--unique``, ``--table`` and ``--record-…`` say together.

    Raises:
        UsageError: when they do not fit together.
    """
    declared = _attribute(options.unique)
    if callable(declared):
        if not options.table:
            raise UsageError("Name the table: --table, or TABLE_NAME in the environment.")
        declared = declared(options.table)
    if isinstance(declared, Unique):
        declared = Layout(declared)
    if not isinstance(declared, Layout):
        raise UsageError(f"{options.unique} is no Unique, no Layout, and makes none of a table's name.")
    if options.table and options.table != declared.table.name:
        raise UsageError(f"{options.unique} is declared on table {declared.table.name}, not {options.table}.")
    if options.record_sort is not None:
        declared = replace(declared, record_sort=options.record_sort)
    if options.record_prefix is not None:
        declared = replace(declared, record_prefix=options.record_prefix)
    if declared.table.sort_key and declared.record_sort is None and declared.record_key is None:
        raise UsageError("The table has a sort key: say which one every record has, with --record-sort.")
    return declared


def _attribute(name: str) -> Any:
    module, separator, attribute = name.partition(":")
    if not separator:
        raise UsageError(f"--unique {name}: write it as module:attribute, such as shop.schema:unique.")
    try:
        return getattr(importlib.import_module(module), attribute)
    except ImportError as error:
        raise UsageError(f"--unique {name}: the module cannot be imported ({error}).") from None
    except AttributeError:
        raise UsageError(f"--unique {name}: the module has no {attribute}.") from None
