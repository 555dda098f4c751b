"""Changes, deletions and sign-ups that meet, on threads: whoever wins, every acknowledgement is true and every marker
has its account."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from accounts.errors import DomainError, NotFound, Taken
from accounts.model import Account
from tests.support.cloud import dynamodb
from tests.support.store import Store, changing, renaming, signing_up
from tests.support.template import create_table
from tests.support.threads import at_once

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from accounts.service import AccountService
    from tools.local_cloud import LocalCloud

ROUNDS = 10
THREADS = 8
ME, YOU = "user-1", "user-2"


@pytest.fixture
def store(cloud: LocalCloud) -> Iterator[Store]:
    """An empty table; whatever a test does to it, accounts and markers fit together at the end."""
    with dynamodb(cloud, threads=THREADS) as client:
        table = f"races-{uuid4()}"
        create_table(client, table)
        store = Store(client, table)
        yield store
        store.check()


@pytest.fixture
def service(store: Store) -> AccountService:
    return store.service()


@pytest.fixture
def ada(service: AccountService) -> Account:
    return service.sign_up(signing_up("ada@example.com"), subject=ME)


def together(*calls: Callable[[], Any]) -> list[Any]:
    """What each of the calls, made at the same moment, answered or was refused with; nothing else may come of one."""
    outcomes = at_once(calls)
    assert [one for one in outcomes if isinstance(one, BaseException) and not isinstance(one, DomainError)] == []
    return outcomes


def test_two_changes_of_one_account_both_happen_one_on_top_of_the_other(service: AccountService, ada: Account) -> None:
    for turn in range(ROUNDS):
        before = service.get(ada.account_id, subject=ME)
        wanted = [f"{name}{turn}@example.com" for name in "ab"]

        answers = together(
            *(partial(service.change, ada.account_id, changing(email), subject=ME) for email in wanted),
        )

        assert [answer.email for answer in answers] == wanted
        assert sorted(answer.version for answer in answers) == [before.version + 1, before.version + 2]
        assert service.get(ada.account_id, subject=ME) == max(answers, key=lambda answer: answer.version)


def test_of_two_changes_that_expect_one_version_one_happens(service: AccountService, ada: Account) -> None:
    for turn in range(ROUNDS):
        version = service.get(ada.account_id, subject=ME).version
        changes = [changing(f"{name}{turn}@example.com") for name in "ab"]

        answers = together(
            *(partial(service.change, ada.account_id, one, subject=ME, expected=[version]) for one in changes)
        )

        assert sorted(type(answer).__name__ for answer in answers) == ["Account", "Stale"]
        assert service.get(ada.account_id, subject=ME) in answers


def test_a_change_of_the_email_and_one_of_the_username_both_happen(service: AccountService, ada: Account) -> None:
    for turn in range(ROUNDS):
        answers = together(
            partial(service.change, ada.account_id, changing(f"ada{turn}@example.com"), subject=ME),
            partial(service.change, ada.account_id, renaming(f"ada{turn}"), subject=ME),
        )

        now = service.get(ada.account_id, subject=ME)
        assert (now.email, now.username, now.version) == (f"ada{turn}@example.com", f"ada{turn}", 3 + 2 * turn)
        assert now in answers


def test_a_change_that_meets_a_deletion_never_brings_the_account_back(service: AccountService, store: Store) -> None:
    for turn in range(ROUNDS):
        ada = service.sign_up(signing_up("ada@example.com"), subject=ME)

        changed, deleted = together(
            partial(service.change, ada.account_id, changing(f"late{turn}@example.com"), subject=ME),
            partial(service.delete, ada.account_id, subject=ME),
        )

        assert deleted is None
        assert isinstance(changed, Account | NotFound)
        assert store.items() == []


def test_a_freed_address_goes_to_the_sign_up_that_finds_it_free(service: AccountService, store: Store) -> None:
    for turn in range(ROUNDS):
        old, new = f"old{turn}@example.com", f"new{turn}@example.com"
        ada = service.sign_up(signing_up(old, f"ada{turn}"), subject=ME)

        changed, other = together(
            partial(service.change, ada.account_id, changing(new), subject=ME),
            partial(service.sign_up, signing_up(old, f"other{turn}"), subject=YOU),
        )

        assert changed.email == new
        if isinstance(other, Taken):
            assert other.fields == ("email",)
            other = service.sign_up(signing_up(old, f"other{turn}"), subject=YOU)
        owners = {item["PK"]: item["owner"] for item in store.items() if item["SK"] == "LOCK"}
        assert owners[f"UNIQ#EMAIL#{old}"] == f"ACCT#{other.account_id}"
        assert owners[f"UNIQ#EMAIL#{new}"] == f"ACCT#{ada.account_id}"


def test_an_address_that_a_change_and_a_sign_up_both_want_goes_to_one_of_them(service: AccountService) -> None:
    for turn in range(ROUNDS):
        wanted = f"wanted{turn}@example.com"
        ada = service.sign_up(signing_up(f"ada{turn}@example.com", f"ada{turn}"), subject=ME)

        answers = together(
            partial(service.change, ada.account_id, changing(wanted), subject=ME),
            partial(service.sign_up, signing_up(wanted, f"other{turn}"), subject=YOU),
        )

        assert sorted(type(answer).__name__ for answer in answers) == ["Account", "Taken"]


def test_the_same_address_asked_for_by_many_is_one_change(service: AccountService, ada: Account) -> None:
    changes = [partial(service.change, ada.account_id, changing("new@example.com"), subject=ME)] * THREADS

    answers = together(*changes)

    assert answers == [ada.model_copy(update={"email": "new@example.com", "version": 2})] * THREADS


def test_changes_of_capitals_never_let_go_of_the_marker(service: AccountService, ada: Account) -> None:
    for _ in range(ROUNDS):
        outcomes = together(
            partial(service.change, ada.account_id, changing("ADA@example.com"), subject=ME),
            partial(service.change, ada.account_id, changing("Ada@Example.com"), subject=ME),
            partial(service.sign_up, signing_up("aDa@example.com", "thief"), subject=YOU),
        )

        assert [type(one) for one in outcomes] == [Account, Account, Taken]
        assert service.get(ada.account_id, subject=ME).email in ("ADA@example.com", "Ada@Example.com")


def test_two_accounts_that_swap_their_addresses_are_both_refused(service: AccountService, ada: Account) -> None:
    bob = service.sign_up(signing_up("bob@example.com", "bob"), subject=YOU)
    for _ in range(ROUNDS):
        outcomes = together(
            partial(service.change, ada.account_id, changing("bob@example.com"), subject=ME),
            partial(service.change, bob.account_id, changing("ada@example.com"), subject=YOU),
        )

        assert [type(one) for one in outcomes] == [Taken, Taken]
    assert (service.get(ada.account_id, subject=ME), service.get(bob.account_id, subject=YOU)) == (ada, bob)


def test_one_sign_up_sent_by_many_with_one_key_is_one_account_and_one_answer(service: AccountService) -> None:
    for turn in range(ROUNDS):
        request = signing_up(f"ada{turn}@example.com", f"ada{turn}")

        answers = together(*[partial(service.sign_up, request, subject=ME, key=f"k-{turn}")] * THREADS)

        assert answers == [service.get(answers[0].account_id, subject=ME)] * THREADS


def test_one_change_sent_by_many_with_one_key_is_one_change_and_one_answer(
    service: AccountService, ada: Account
) -> None:
    for turn in range(ROUNDS):
        change = partial(service.change, ada.account_id, changing(f"ada{turn}@example.com"), subject=ME, key=f"{turn}")

        answers = together(*[change] * THREADS)

        assert answers == [ada.model_copy(update={"email": f"ada{turn}@example.com", "version": turn + 2})] * THREADS


def test_one_deletion_sent_by_many_with_one_key_succeeds_for_all(service: AccountService, store: Store) -> None:
    for turn in range(ROUNDS):
        ada = service.sign_up(signing_up("ada@example.com"), subject=ME)

        answers = together(*[partial(service.delete, ada.account_id, subject=ME, key=f"{turn}")] * THREADS)

        assert answers == [None] * THREADS
        assert store.items() == []
