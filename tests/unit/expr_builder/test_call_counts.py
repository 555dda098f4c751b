"""What building costs, in function calls: a measure that no busy machine disturbs.

Bounds leave a tenth for the differences between Python versions. When a change makes building dearer on purpose, count
anew (the failure shows the number) and write the new bound here; when it makes it cheaper, lower the bound.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from expr_builder import Attr, Marker, Table, TransactWrite, Unique

if TYPE_CHECKING:
    from collections.abc import Callable

ACCOUNTS = Table("accounts", partition_key="PK", sort_key="SK")
UNIQUE = Unique(ACCOUNTS, owner="PK", email=Marker("UNIQ#EMAIL#{}"), username=Marker("UNIQ#HANDLE#{}"))


def fluent_sign_up(number: int) -> Any:
    account = {"PK": f"ACCT#{number}", "SK": "PROFILE", "email": f"{number}@example.com", "username": f"user-{number}"}
    return TransactWrite(
        ACCOUNTS.put(account).if_not_exists().named("account"),
        ACCOUNTS.put({"PK": f"UNIQ#EMAIL#{number}@example.com", "SK": "LOCK"}).if_not_exists().named("email"),
        ACCOUNTS.put({"PK": f"UNIQ#HANDLE#user-{number}", "SK": "LOCK"}).if_not_exists().named("username"),
        token=f"signup-{number}",
    ).to_request()


def unique_sign_up(number: int) -> Any:
    account = {"PK": f"ACCT#{number}", "SK": "PROFILE", "email": f"{number}@example.com", "username": f"user-{number}"}
    return UNIQUE.create(account, token=f"signup-{number}").to_request()


def twenty_clauses(number: int) -> Any:
    condition = Attr("attribute_0") == number
    for clause in range(1, 20):
        condition &= Attr(f"attribute_{clause}") == number
    return ACCOUNTS.delete({"PK": f"ACCT#{number}", "SK": "PROFILE"}).when(condition).to_transact_item()


def calls_of(run: Callable[[int], Any]) -> int:
    """Calls of Python and C functions in one run, after one that loads and keeps what is kept."""
    run(1)
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        run(2)
    finally:
        sys.setprofile(None)
    return calls - 1  # the call that ends the counting


# On Python 3.11 a comprehension is a call of its own; later ones have eight fewer.
@pytest.mark.parametrize(("run", "bound"), [(fluent_sign_up, 153), (unique_sign_up, 166), (twenty_clauses, 2100)])
def test_building_takes_no_more_calls_than_this(run: Callable[[int], Any], bound: int) -> None:
    assert calls_of(run) <= bound


def test_a_hundred_actions_take_no_more_calls_each_than_three() -> None:
    def transaction(actions: int) -> Callable[[int], Any]:
        def build(number: int) -> Any:
            keys = ({"PK": f"ACCT#{number}-{action}", "SK": "PROFILE"} for action in range(actions))
            return TransactWrite(*(ACCOUNTS.put(key).if_not_exists() for key in keys)).to_request()

        return build

    assert calls_of(transaction(100)) / 100 <= calls_of(transaction(3)) / 3
