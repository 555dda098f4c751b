"""``expr-builder markers``: its arguments, and the table that ``--unique`` names. None of this needs boto3."""

from __future__ import annotations

import shlex
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from expr_builder import Table
from expr_builder.cli.arguments import parse_arguments
from expr_builder.cli.documents import CommandError
from expr_builder.cli.markers_arguments import EXAMPLES, read_layout

if TYPE_CHECKING:
    from expr_builder.markers import Layout

ROOT = Path(__file__).parents[4]
SCHEMA = """
from expr_builder import Marker, Table, Unique
from expr_builder.markers import Layout

shop = Table("shop", partition_key="id")
unique = Unique(shop, owner="id", sku=Marker("SKU#{}"))
layout = Layout(unique, record_prefix="P#")
sorted_unique = Unique(Table("shop", partition_key="PK", sort_key="SK"), owner="PK", sku=Marker("SKU#{}"))
numbered = Unique(Table("shop", "PK", ("SK", "N")), owner="PK", sku=Marker("SKU#{}", sort=0))
binary = Unique(Table("shop", "PK", ("SK", "B")), owner="PK", sku=Marker("SKU#{}"))


def of_table(name):
    return Unique(Table(name, partition_key="id"), owner="id", sku=Marker("SKU#{}"))


def none_of_it(name):
    return name
"""


@pytest.fixture
def schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package in the current directory, which is on no path: installed commands do not have it there."""
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "schema.py").write_text(SCHEMA)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    monkeypatch.delenv("TABLE_NAME", raising=False)
    for name in ("shop", "shop.schema"):  # of an earlier test
        sys.modules.pop(name, None)


def layout_of(arguments: str) -> Layout:
    return read_layout(parse_arguments(["markers", "audit", *shlex.split(arguments)]))


@pytest.mark.usefixtures("schema")
@pytest.mark.parametrize(
    ("arguments", "table", "prefix", "sort"),
    [
        ("--unique shop.schema:unique", "shop", "", None),
        ("--unique shop.schema:unique --table shop --record-prefix P#", "shop", "P#", None),
        ("--unique shop.schema:layout", "shop", "P#", None),
        ("--unique shop.schema:layout --record-prefix Q#", "shop", "Q#", None),
        ("--unique shop.schema:of_table --table shop-2", "shop-2", "", None),
        ("--unique shop.schema:sorted_unique --record-sort HEAD", "shop", "", "HEAD"),
        ("--unique shop.schema:numbered --record-sort 1", "shop", "", Decimal(1)),
        ("--unique shop.schema:binary --record-sort HEAD", "shop", "", b"HEAD"),
    ],
)
def test_unique_names_a_unique_a_layout_or_a_function_of_a_tables_name(
    arguments: str, table: str, prefix: str, sort: object
) -> None:
    layout = layout_of(arguments)

    assert isinstance(layout.table, Table)
    assert (layout.table.name, layout.record_prefix, layout.record_sort) == (table, prefix, sort)


REFUSED = {
    "--unique shop": "--unique shop: write it as module:attribute, such as shop.schema:unique.",
    "--unique shop.nowhere:unique": (
        "--unique shop.nowhere:unique: the module cannot be imported (No module named 'shop.nowhere')."
    ),
    "--unique shop.schema:uniqe": "--unique shop.schema:uniqe: the module has no uniqe.",
    "--unique json:__name__": "json:__name__ is no Unique, no Layout, and makes none of a table's name.",
    "--unique shop.schema:none_of_it --table t": (
        "shop.schema:none_of_it is no Unique, no Layout, and makes none of a table's name."
    ),
    "--unique shop.schema:of_table": "Name the table: --table, or TABLE_NAME in the environment.",
    "--unique shop.schema:unique --table other": "shop.schema:unique is declared on table shop, not other.",
    "--unique shop.schema:numbered --record-sort HEAD": "--record-sort HEAD: the table's sort key is a number.",
    "--unique shop.schema:sorted_unique": (
        "The table has a sort key: say which one every record has, with --record-sort."
    ),
}


@pytest.mark.usefixtures("schema")
@pytest.mark.parametrize("arguments", REFUSED)
def test_what_names_no_table_is_refused_in_a_sentence(arguments: str) -> None:
    with pytest.raises(CommandError) as caught:
        layout_of(arguments)

    assert str(caught.value) == REFUSED[arguments]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "the following arguments are required: audit|repair|plan|backfill|retire|show|give"),
        ("mend", "invalid choice: 'mend'"),
        ("audit", "the following arguments are required: --unique"),
        ("audit --unique m:u --segments 0", "argument --segments: invalid"),
        ("audit --unique m:u --seg 1", "unrecognized arguments: --seg"),
        ("audit --unique m:u --dry-run", "unrecognized arguments: --dry-run"),
        ("show --unique m:u", "the following arguments are required: value"),
    ],
)
def test_wrong_arguments_are_exit_code_2(command: Any, arguments: str, message: str) -> None:
    status, output, errors = command("markers", *shlex.split(arguments))

    assert (status, output) == (2, "")
    assert errors.startswith("usage: expr-builder")
    assert message in errors


def test_the_examples_of_the_help_are_commands() -> None:
    examples = [line.strip() for line in EXAMPLES.splitlines() if line.startswith("  ")]

    for example in examples:
        words = shlex.split(example.partition(" > ")[0])
        assert parse_arguments(words[1:]).unique == "shop.schema:unique"
    assert len(examples) == 9


@pytest.mark.parametrize("arguments", [["markers"], ["markers", "audit"], ["markers", "show"]])
def test_the_help_shows_examples_and_exit_codes(command: Any, arguments: list[str]) -> None:
    status, output, errors = command(*arguments, "--help")

    assert (status, errors) == (0, "")
    assert EXAMPLES in output


def test_without_boto3_the_command_says_what_is_missing(command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "boto3", None)

    assert command("markers", "audit", "--unique", "shop.schema:unique") == (
        2,
        "",
        "expr-builder: the markers command needs boto3: install it (pip install boto3)\n",
    )


@pytest.mark.parametrize(
    ("arguments", "loaded"), [("lint -", False), ("--help", False), ("--version", False), ("markers --help", True)]
)
def test_only_the_markers_command_loads_the_tools_for_markers(arguments: str, loaded: bool) -> None:
    program = (
        "import sys\nfrom expr_builder.cli import main\n"
        f"try:\n    main({shlex.split(arguments)})\nexcept SystemExit:\n    pass\n"
        "print(any('markers' in name for name in sys.modules), 'boto3' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input='{"TransactItems": []}',
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )

    assert done.stdout.splitlines()[-1] == f"{loaded} False"
