"""The arguments of ``expr-builder markers``, and the table that they name."""

from __future__ import annotations

import importlib
import json
import os
import sys
from argparse import ArgumentTypeError
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from expr_builder.attribute_values.json_form import read_typed
from expr_builder.attribute_values.values import to_attribute_value
from expr_builder.errors import BuildError
from expr_builder.markers import KeepChosen, KeepExtreme, KeepFirst, Layout, write_owner
from expr_builder.unique import Unique

from .documents import CommandError, name_file, read_text
from .subcommand import add_subcommand

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from expr_builder.markers import Policy

    from .subcommand import Subcommands

_MOST_DIGITS = 9
_WRITE_PRICE, _READ_PRICE = 0.625, 0.125
_PRICE_HELP = "dollars for a million units on demand (default: us-east-1 in November 2025, 0.625 and 0.125)"

EXAMPLES = """\
examples:
  expr-builder markers audit --unique shop.schema:unique
  expr-builder markers audit --unique shop.schema:unique --format json --checkpoint audit.json > findings.jsonl
  expr-builder markers repair --unique shop.schema:unique --from findings.jsonl --dry-run
  expr-builder markers repair --unique shop.schema:unique
  expr-builder markers show --unique shop.schema:unique A-1
  expr-builder markers give --unique shop.schema:unique A-1 --to PRODUCT#7 --dry-run
  expr-builder markers plan --unique shop.schema:unique --keep oldest:created_at
  expr-builder markers backfill --unique shop.schema:unique --record-prefix PRODUCT# --record-sort HEAD
  expr-builder markers retire --unique shop.schema:unique --rate 50 --dry-run

The table is reached as by the AWS CLI: AWS_PROFILE, AWS_REGION, AWS_ENDPOINT_URL and so on.
exit codes: 0 nothing is wrong, 1 something is, 2 the command could not do its work
"""


def add_markers_arguments(commands: Subcommands, purpose: str) -> ArgumentParser:
    """Add ``markers`` with its own commands."""
    parser = add_subcommand(commands, "markers", purpose, EXAMPLES)
    parts = parser.add_subparsers(dest="command", required=True, metavar="audit|repair|plan|backfill|retire|show|give")

    audit = _add_part(parts, "audit", "find what is wrong; only reads")
    audit.add_argument("--redact", action="store_true", help="hide the values in markers' keys")
    repair = _add_part(parts, "repair", "mend what an audit finds, then audit again")
    repair.add_argument("--from", dest="source", metavar="FILE", help="mend these findings of an audit (- for stdin)")
    repair.add_argument(
        "--orphans",
        choices=("delete",),
        help="delete markers whose owner has no record, also where no --record-prefix tells owners from other text",
    )
    for part, choices in ((audit, ("keep",)), (repair, ("keep", "delete"))):
        part.add_argument(
            "--reserved",
            nargs="?",
            const="keep",
            choices=choices,
            help="markers that no record wrote: expect them and report none"
            + (", or delete them (default: leave and report them)" if part is repair else ""),
        )
    backfill = _add_part(parts, "backfill", "add markers to records that have none; report duplicates")
    retire = _add_part(parts, "retire", "delete markers that only previous rules make, once no writer follows them")
    plan = _add_part(parts, "plan", "tell what a backfill would do, and which records share a value; only reads")
    plan.add_argument("--write-price", type=_parse_price, default=_WRITE_PRICE, metavar="USD", help=_PRICE_HELP)
    plan.add_argument("--read-price", type=_parse_price, default=_READ_PRICE, metavar="USD", help="as --write-price")
    plan.add_argument("--rate", type=_parse_rate, metavar="N", help="requests a second, for the time that it takes")
    for part in (plan, backfill):
        part.add_argument(
            "--keep",
            metavar="POLICY",
            help="who keeps a value that several records have: first, oldest:ATTRIBUTE, newest:ATTRIBUTE, or a file "
            "of `plan --format json` with the owners filled in",
        )
    for part in (audit, plan, repair, backfill, retire):
        part.add_argument("--segments", type=_parse_positive, default=4, help="threads that scan (default: 4)")
    plan.add_argument("--most", type=_parse_positive, default=100, help="show at most so many values (default: 100)")
    for part in (audit, repair, backfill, retire):
        part.add_argument("--checkpoint", metavar="FILE", help="keep the position there; resume from it if it exists")
        part.add_argument("--rate", type=_parse_rate, metavar="N", help="send at most so many requests a second")
        part.add_argument(
            "--most", type=_parse_positive, default=10_000, help="stop after this many findings (default: 10000)"
        )
    for part in (repair, backfill, retire):
        part.add_argument("--dry-run", action="store_true", help="show the transactions, send none")

    show = _add_part(parts, "show", "tell who holds a value, with the record beside its markers")
    show.add_argument("value", help="a unique value, such as an e-mail address, or a record's owner key")
    show.add_argument(
        "--no-scan", dest="scan", action="store_false", help="do not scan the table for all records that have the value"
    )
    show.add_argument("--segments", type=_parse_positive, default=4, help="threads that scan (default: 4)")

    give = _add_part(parts, "give", "make a record the owner of the marker of a value that it has")
    give.set_defaults(segments=1)  # run_markers makes a client for so many threads
    give.add_argument("value", help="the value, such as an e-mail address")
    give.add_argument("--to", required=True, metavar="OWNER", help="the record's owner key")
    give.add_argument("--field", help="the unique field, where there are several")
    give.add_argument("--dry-run", action="store_true", help="show the transaction, send none")
    return parser


def read_policy(text: str | None) -> Policy | None:
    """What ``--keep`` says, or raise CommandError."""
    if text is None:
        return None
    order, _, attribute = text.partition(":")
    if text == "first":
        return KeepFirst()
    if order in ("oldest", "newest") and attribute:
        return KeepExtreme(attribute, newest=order == "newest")
    if not Path(text).is_file():
        raise CommandError(
            f"--keep {text}: neither first, oldest:ATTRIBUTE, newest:ATTRIBUTE, nor a file that can be read."
        )
    chosen: dict[tuple[str, str], str] = {}
    for number, line in enumerate(read_text(text).splitlines(), 1):
        try:
            data = json.loads(line) if line.strip() else {"summary": None}
            kept = None if "summary" in data else data.get("keep")
            if kept is not None:
                chosen[str(data["field"]), str(data["marker"])] = write_owner(read_typed(kept))
        except (ValueError, TypeError, AttributeError, KeyError):
            place = f"{name_file(text)}, line {number}"
            raise CommandError(f"{place}: no value that records share, as plan --format json writes them.") from None
    return KeepChosen(chosen)


def _add_part(parts: Subcommands, name: str, purpose: str) -> ArgumentParser:
    parser = add_subcommand(parts, name, purpose, EXAMPLES)
    parser.add_argument(
        "--unique",
        required=True,
        metavar="MODULE:ATTRIBUTE",
        help="a Unique, a Layout, or a function that makes one of the table's name; "
        "the module is looked for in the current directory too",
    )
    parser.add_argument("--table", default=os.environ.get("TABLE_NAME"), help="the table's name (default: $TABLE_NAME)")
    parser.add_argument("--record-sort", metavar="SORT", help="the sort key that every record has")
    parser.add_argument("--record-prefix", metavar="PREFIX", help="what records' partition keys begin with")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="json: a JSON object a line")
    return parser


def _parse_price(text: str) -> float:
    price = _parse_number(text)
    if price is None or price < 0:
        raise ArgumentTypeError("invalid: an amount of dollars is expected, such as 0.625")
    return price


def _parse_rate(text: str) -> float:
    rate = _parse_number(text)
    if not rate or rate < 0:
        raise ArgumentTypeError("invalid: a number of requests greater than 0 is expected, such as 50")
    return rate


def _parse_number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None


def _parse_positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS and int(text) > 0):
        raise ArgumentTypeError("invalid: a whole number from 1 is expected")
    return int(text)


def read_layout(options: Namespace) -> Layout:
    """Combine ``--unique``, ``--table`` and ``--record-…`` into the layout of a table, or raise CommandError."""
    declared = _load_attribute(options.unique)
    if callable(declared):
        if not options.table:
            raise CommandError("Name the table: --table, or TABLE_NAME in the environment.")
        declared = declared(options.table)
    if isinstance(declared, Unique):
        declared = Layout(declared)
    if not isinstance(declared, Layout):
        raise CommandError(f"{options.unique} is no Unique, no Layout, and makes none of a table's name.")
    # Two different names are a mistake, and the wrong table must not be mended.
    if options.table and options.table != declared.table.name:
        raise CommandError(f"{options.unique} is declared on table {declared.table.name}, not {options.table}.")
    if options.record_sort is not None:
        declared = replace(declared, record_sort=_read_sort(declared, options.record_sort))
    if options.record_prefix is not None:
        declared = replace(declared, record_prefix=options.record_prefix)
    if getattr(options, "reserved", None) == "keep":
        declared = replace(declared, reserved=True)
    if declared.table.sort_key and declared.record_sort is None and declared.record_key is None:
        raise CommandError("The table has a sort key: say which one every record has, with --record-sort.")
    return declared


def repeat_layout(options: Namespace) -> list[str]:
    """The options that say which table it is and how it is laid out, as they were given."""
    given = []
    for name in ("unique", "table", "record_sort", "record_prefix"):
        value = getattr(options, name, None)
        if value is not None and not (name == "table" and value == os.environ.get("TABLE_NAME")):
            given += [f"--{name.replace('_', '-')}", value]
    return given


def read_owners(text: str) -> list[object]:
    """What an owner given as text can be: that text, a number, bytes."""
    owners: list[object] = [text]
    try:
        to_attribute_value(number := Decimal(text))
        owners.append(number)
    except (InvalidOperation, BuildError):
        pass
    return [*owners, text.encode()]


def _read_sort(layout: Layout, text: str) -> str | bytes | Decimal:
    kind = layout.table.key_schema.types.get(layout.table.sort_key or "", "S")
    try:
        return Decimal(text) if kind == "N" else text.encode() if kind == "B" else text
    except InvalidOperation:
        raise CommandError(f"--record-sort {text}: the table's sort key is a number.") from None


def _load_attribute(name: str) -> object:
    module, separator, attribute = name.partition(":")
    if not separator:
        raise CommandError(f"--unique {name}: write it as module:attribute, such as shop.schema:unique.")
    # As `python -m` does: for an installed command, Python puts the command's own folder there instead.
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)
    try:
        declared: object = getattr(importlib.import_module(module), attribute)
    except ImportError as error:
        raise CommandError(f"--unique {name}: the module cannot be imported ({error}).") from None
    except AttributeError:
        raise CommandError(f"--unique {name}: the module has no {attribute}.") from None
    return declared
