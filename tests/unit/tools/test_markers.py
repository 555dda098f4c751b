"""``make markers`` hands the accounts' layout to the library's command."""

from __future__ import annotations

import pytest

from accounts.schema import declare_layout
from expr_builder.cli.arguments import parse_arguments
from expr_builder.cli.markers_arguments import read_layout
from tools.markers import add_layout


@pytest.mark.parametrize(
    "words", [["audit"], ["repair", "--dry-run"], ["show", "ada@example.com"], ["show", "--", "-a"]]
)
def test_every_command_gets_the_accounts_layout(words: list[str]) -> None:
    options = parse_arguments(["markers", *add_layout([words[0], "--table", "accounts-production", *words[1:]])])

    layout, accounts = read_layout(options), declare_layout("accounts-production")
    assert (layout.table.name, layout.fields) == (accounts.table.name, accounts.fields)
    assert (layout.record_sort, layout.record_prefix) == ("PROFILE", "ACCT#")


def test_a_layout_of_the_callers_own_prevails() -> None:
    options = parse_arguments(["markers", *add_layout(["audit", "--unique", "shop.schema:unique"])])

    assert options.unique == "shop.schema:unique"


def test_help_is_help() -> None:
    with pytest.raises(SystemExit) as end:
        parse_arguments(["markers", *add_layout(["--help"])])

    assert end.value.code == 0
