"""How the accounts lie in their table, for the tools that keep markers in order; and that no request loads those."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from accounts.schema import declare_layout
from expr_builder.markers.layout import Unkeyed

ROOT = Path(__file__).parents[3]
ACCOUNTS = declare_layout("accounts")


@pytest.mark.parametrize(
    ("item", "field"),
    [
        ({"PK": "UNIQ#EMAIL#a@example.com", "SK": "LOCK"}, "email"),
        ({"PK": "UNIQ#HANDLE#a", "SK": "LOCK"}, "username"),
        ({"PK": "UNIQ#HANDLE#a", "SK": "NOTE"}, None),
        ({"PK": "UNIQ#PHONE#1", "SK": "LOCK"}, None),
        ({"PK": "ACCT#1", "SK": "PROFILE"}, None),
    ],
)
def test_a_marker_is_known_by_its_whole_key(item: dict[str, Any], field: str | None) -> None:
    assert ACCOUNTS.find_field(item) == field


@pytest.mark.parametrize(
    ("item", "is_record"),
    [
        ({"PK": "ACCT#1", "SK": "PROFILE"}, True),
        ({"PK": "ACCT#1", "SK": "ORDER#1"}, False),
        ({"PK": "ORG#1", "SK": "PROFILE"}, False),
        ({"PK": "UNIQ#HANDLE#a", "SK": "LOCK"}, False),
    ],
)
def test_a_record_has_the_prefix_and_the_sort_key_of_records(item: dict[str, Any], is_record: bool) -> None:
    assert ACCOUNTS.is_record(item) == is_record


def test_no_marker_is_ever_made_of_nothing() -> None:
    record = {"PK": "ACCT#1", "SK": "PROFILE", "username": ""}

    for field in ("email", "username"):
        with pytest.raises(Unkeyed):
            ACCOUNTS.require_markers(record, field)
        assert ACCOUNTS.find_markers(record, field) == ()


@pytest.mark.parametrize("value", ["not an address", 7, "x" * 3000, None])
def test_a_value_that_cannot_be_a_key_is_refused_without_being_shown(value: Any) -> None:
    with pytest.raises(Unkeyed) as caught:
        ACCOUNTS.derive_markers("email", value)

    assert str(caught.value) == "not a value that email can have"


def test_no_request_loads_the_tools_for_markers() -> None:
    """They are the operator's: their threads, files and hashes would be paid for at each cold start."""
    program = (
        "import sys, accounts.api, accounts.service, accounts.schema, accounts.wiring;"
        "print(sorted(name for name in sys.modules if name.startswith(('expr_builder.markers', 'expr_builder.cli'))))"
    )
    path = os.pathsep.join((str(ROOT), str(ROOT / "layers/accounts")))
    loaded = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": path, "POWERTOOLS_METRICS_NAMESPACE": "Accounts"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert loaded.stdout == "[]\n"
