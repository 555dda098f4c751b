"""The service on both engines: what is stored, what is refused, and who wins a race."""

from __future__ import annotations

import time
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError, ReadTimeoutError

from accounts.errors import Busy, Inconsistent, KeyReused, NotFound, Stale, Taken
from accounts.service import AccountService
from accounts.wiring import CALL_SECONDS
from expr_builder import TransactionCanceled, item_size, to_item
from tests.support.faults import (
    before,
    cancelled,
    counted,
    failing,
    forgetting_tokens,
    in_progress,
    losing_answers,
    service_error,
)
from tests.support.store import changing, renaming, signing_up

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mypy_boto3_dynamodb import DynamoDBClient

    from accounts.model import Account
    from tests.support.store import Store

ME, YOU = "user-1", "user-2"
ADA = signing_up("Ada@Example.com", "Ada")
BOB = signing_up("bob@example.com", "bob")


@pytest.fixture
def service(store: Store) -> Iterator[AccountService]:
    """The service; whatever a test does to it, accounts and markers fit together at the end."""
    yield store.service()
    store.check()


@pytest.fixture
def ada(service: AccountService) -> Account:
    """An account of mine."""
    return service.sign_up(ADA, subject=ME)


def some_time(seconds: float = 1.0) -> Callable[[], float]:
    """Time for a few retries: a little less at each look."""
    left = [seconds]

    def time_left() -> float:
        left[0] -= 0.2
        return left[0]

    return time_left


# --- sign-up


def test_an_account_is_stored_with_a_marker_for_each_unique_value(service: AccountService, store: Store) -> None:
    account = service.sign_up(ADA, subject=ME)

    key = f"ACCT#{account.account_id}"
    items = store.items()
    assert items == [
        {
            "PK": key,
            "SK": "PROFILE",
            "account_id": account.account_id,
            "email": "Ada@Example.com",
            "username": "Ada",
            "subject": ME,
            "version": 1,
            "created_at": "2026-01-02T03:05:05.678Z",
            "fingerprint": items[0]["fingerprint"],
            "norm": 1,
        },
        {"PK": "UNIQ#EMAIL#ada@example.com", "SK": "LOCK", "owner": key},
        {"PK": "UNIQ#HANDLE#ada", "SK": "LOCK", "owner": key},
    ]
    assert UUID(account.account_id).version == 4
    assert len(items[0]["fingerprint"]) == 64


def test_one_email_is_one_account_whatever_its_id(service: AccountService, ada: Account) -> None:
    with pytest.raises(Taken) as refused:
        service.sign_up(signing_up("ADA@example.com", "someone"), subject=YOU)

    assert refused.value.fields == ("email",)


def test_all_taken_fields_are_named_at_once(service: AccountService, ada: Account) -> None:
    with pytest.raises(Taken) as refused:
        service.sign_up(ADA, subject=ME)

    assert refused.value.fields == ("email", "username")


def test_signing_up_never_changes_an_account(service: AccountService, ada: Account, store: Store) -> None:
    items = store.items()

    with pytest.raises(Taken):
        service.sign_up(ADA, subject=ME)

    assert store.items() == items


def test_the_same_key_again_gets_the_first_answer_again(service: AccountService, store: Store) -> None:
    first = service.sign_up(ADA, subject=ME, key="k-1")
    items = store.items()

    assert service.sign_up(ADA, subject=ME, key="k-1") == first
    assert store.items() == items


@pytest.mark.parametrize("later", ["a second", "eleven minutes"])
def test_the_first_answer_comes_again_a_second_and_eleven_minutes_later(later: str, token_store: Store) -> None:
    service = token_store.service()
    first = service.sign_up(ADA, subject=ME, key="k-1")
    items = token_store.items()
    if later == "a second":
        time.sleep(1)
    with forgetting_tokens(token_store.client) if later == "eleven minutes" else nullcontext():
        again = service.sign_up(ADA, subject=ME, key="k-1")

    assert again == first
    assert token_store.items() == items


def test_the_first_answer_comes_again_though_the_account_has_changed(service: AccountService) -> None:
    first = service.sign_up(ADA, subject=ME, key="k-1")
    service.change(first.account_id, changing("countess@example.com"), subject=ME)

    assert service.sign_up(ADA, subject=ME, key="k-1") == first


def test_the_first_answer_comes_again_though_the_address_is_somebody_elses_now(service: AccountService) -> None:
    first = service.sign_up(ADA, subject=ME, key="k-1")
    service.change(first.account_id, changing("countess@example.com"), subject=ME)
    service.sign_up(signing_up("ada@example.com", "other"), subject=YOU)

    assert service.sign_up(ADA, subject=ME, key="k-1") == first


@pytest.mark.parametrize("key", ["k-1", None])
def test_a_lost_answer_is_not_a_taken_address(key: str | None, service: AccountService, store: Store) -> None:
    with losing_answers(store.client, 2):
        account = service.sign_up(ADA, subject=ME, key=key)

    assert service.get(account.account_id, subject=ME) == account


def test_a_client_that_gave_up_finds_its_account_with_the_same_key(service: AccountService, store: Store) -> None:
    with losing_answers(store.client, 1), pytest.raises(Busy):
        service.sign_up(ADA, subject=ME, key="k-1", time_left=lambda: 0)

    account = service.sign_up(ADA, subject=ME, key="k-1")

    assert account.created_at == store.items()[0]["created_at"]


def test_the_same_key_with_another_request_is_refused(service: AccountService) -> None:
    service.sign_up(ADA, subject=ME, key="k-1")

    with pytest.raises(KeyReused) as refused:
        service.sign_up(BOB, subject=ME, key="k-1")

    assert not refused.value.deleted


def test_another_request_with_the_key_is_refused_after_eleven_minutes_too(token_store: Store) -> None:
    service = token_store.service()
    service.sign_up(ADA, subject=ME, key="k-1")

    with forgetting_tokens(token_store.client), pytest.raises(KeyReused):
        service.sign_up(BOB, subject=ME, key="k-1")


def test_a_key_is_free_again_when_its_sign_up_was_refused(service: AccountService) -> None:
    service.sign_up(BOB, subject=YOU)
    with pytest.raises(Taken):
        service.sign_up(signing_up("bob@example.com", "ada"), subject=ME, key="k-1")

    assert service.sign_up(ADA, subject=ME, key="k-1").email == ADA.email


def test_two_callers_may_use_the_same_key(service: AccountService) -> None:
    mine = service.sign_up(ADA, subject=ME, key="k-1")
    yours = service.sign_up(BOB, subject=YOU, key="k-1")

    assert mine.account_id != yours.account_id


@pytest.mark.parametrize(("subject", "key"), [("a", '", "b'), ('a", "', "b"), ("a,b", "c"), ("a", "b,c")])
def test_subject_and_key_cannot_be_shifted_into_each_other(subject: str, key: str, service: AccountService) -> None:
    one = service.sign_up(ADA, subject="a", key="b")
    other = service.sign_up(BOB, subject=subject, key=key)

    assert one.account_id != other.account_id


def test_a_key_whose_account_is_deleted_makes_no_second_one(token_store: Store) -> None:
    service = token_store.service()
    account = service.sign_up(ADA, subject=ME, key="k-1")
    service.delete(account.account_id, subject=ME)

    with pytest.raises(KeyReused) as refused:
        service.sign_up(ADA, subject=ME, key="k-1")

    assert refused.value.deleted
    assert token_store.items() == []


def test_a_twin_that_is_still_at_work_is_waited_for(token_store: Store) -> None:
    service = token_store.service()
    first = service.sign_up(ADA, subject=ME, key="k-1")

    # A transactional read of an item that a transaction is at work on is refused; a plain read would show nothing yet.
    with failing(token_store.client, cancelled("TransactionConflict"), "TransactGetItems", times=2) as reads:
        assert service.sign_up(ADA, subject=ME, key="k-1") == first

    assert len(reads) == 2


def test_a_twin_that_does_not_end_in_time_is_busy_never_deleted(token_store: Store) -> None:
    service = token_store.service()
    service.sign_up(ADA, subject=ME, key="k-1")

    with failing(token_store.client, cancelled("TransactionConflict"), "TransactGetItems"), pytest.raises(Busy):
        service.sign_up(ADA, subject=ME, key="k-1", time_left=some_time())


def test_a_taken_value_outweighs_a_conflict(service: AccountService, store: Store) -> None:
    taken = {1: to_item({"PK": "UNIQ#EMAIL#ada@example.com", "SK": "LOCK", "owner": "ACCT#other"})}
    refusal = cancelled("TransactionConflict", "ConditionalCheckFailed", "None", items=taken)

    with failing(store.client, refusal) as calls, pytest.raises(Taken) as refused:
        service.sign_up(ADA, subject=ME)

    assert refused.value.fields == ("email",)
    assert len(calls) == 1


def test_an_unknown_reason_is_neither_taken_nor_worth_a_retry(service: AccountService, store: Store) -> None:
    with (
        failing(store.client, cancelled("None", "ValidationError", "None")) as calls,
        pytest.raises(TransactionCanceled),
    ):
        service.sign_up(ADA, subject=ME)

    assert len(calls) == 1


UNFINISHED = {
    "conflict": cancelled("None", "TransactionConflict", "None"),
    "throttling": service_error("ThrottlingException"),
    "server-error": service_error("InternalServerError", 500),
    "unreachable": EndpointConnectionError(endpoint_url="http://127.0.0.1"),
    "no-answer": ReadTimeoutError(endpoint_url="http://127.0.0.1"),
    "in-progress": service_error("TransactionInProgressException"),
}


@pytest.mark.parametrize("error", UNFINISHED.values(), ids=UNFINISHED)
def test_trouble_that_ends_is_not_noticed(error: Exception, service: AccountService, store: Store) -> None:
    with failing(store.client, error, times=1) as calls:
        account = service.sign_up(ADA, subject=ME, time_left=lambda: 10)

    assert len(calls) == 1
    assert service.get(account.account_id, subject=ME) == account


@pytest.mark.parametrize("error", UNFINISHED.values(), ids=UNFINISHED)
def test_trouble_that_does_not_end_in_time_is_busy_never_taken(
    error: Exception, service: AccountService, store: Store
) -> None:
    with failing(store.client, error), pytest.raises(Busy):
        service.sign_up(ADA, subject=ME, time_left=some_time())

    assert store.items() == []


def test_a_retry_sends_the_same_body_with_the_same_token(service: AccountService, store: Store) -> None:
    with counted(store.client) as calls, losing_answers(store.client, 2):
        service.sign_up(ADA, subject=ME)

    assert len(calls) >= 3
    assert [request for request in calls.requests if request != calls.requests[0]] == []


def test_a_transaction_in_progress_for_over_five_seconds_is_waited_for(
    token_store: Store, function_client: DynamoDBClient
) -> None:
    service = token_store.service(function_client)
    started = time.monotonic()

    with in_progress(function_client, 5.2) as calls:
        account = service.sign_up(ADA, subject=ME, time_left=lambda: 15 - CALL_SECONDS - (time.monotonic() - started))

    assert service.get(account.account_id, subject=ME) == account
    assert time.monotonic() - started < 15 - CALL_SECONDS
    assert [request for request in calls.requests if request != calls.requests[0]] == []


def test_a_refusal_that_comes_at_the_last_moment_is_busy_since_nothing_more_can_be_looked_up(
    service: AccountService, store: Store, ada: Account
) -> None:
    service.sign_up(BOB, subject=ME, key="k-1")
    with forgetting_tokens(store.client), pytest.raises(Busy):
        service.sign_up(BOB, subject=ME, key="k-1", time_left=lambda: 0)
    with before(store.client, other_change(service, ada, "b@example.com")), pytest.raises(Busy):
        service.change(ada.account_id, changing("c@example.com"), subject=ME, time_left=lambda: 0)
    with before(store.client, other_change(service, ada, "d@example.com")), pytest.raises(Busy):
        service.delete(ada.account_id, subject=ME, time_left=lambda: 0)


# --- reading


def test_the_owner_sees_the_account(service: AccountService, ada: Account) -> None:
    assert service.get(ada.account_id, subject=ME) == ada


def test_nobody_else_sees_that_there_is_one(service: AccountService, ada: Account) -> None:
    for account_id, subject in ((ada.account_id, YOU), ("nobody", ME)):
        with pytest.raises(NotFound):
            service.get(account_id, subject=subject)


@pytest.mark.parametrize(
    "error",
    [
        service_error("ProvisionedThroughputExceededException"),
        service_error("ThrottlingException"),
        service_error("InternalServerError", 500),
        EndpointConnectionError(endpoint_url="http://127.0.0.1"),
        ReadTimeoutError(endpoint_url="http://127.0.0.1"),
    ],
    ids=str,
)
def test_a_read_without_an_answer_is_busy(
    error: Exception, service: AccountService, store: Store, ada: Account
) -> None:
    with failing(store.client, error, "GetItem"), pytest.raises(Busy):
        service.get(ada.account_id, subject=ME)


def test_a_read_that_is_not_allowed_is_not_hidden(service: AccountService, store: Store, ada: Account) -> None:
    with failing(store.client, service_error("AccessDeniedException"), "GetItem"), pytest.raises(ClientError):
        service.get(ada.account_id, subject=ME)


# --- changing the e-mail


def test_a_change_swaps_the_marker_and_counts_the_version(service: AccountService, ada: Account, store: Store) -> None:
    with counted(store.client) as calls:
        changed = service.change(ada.account_id, changing("countess@example.com"), subject=ME)

    assert changed == ada.model_copy(update={"email": "countess@example.com", "version": 2})
    assert service.get(ada.account_id, subject=ME) == changed
    assert [item["PK"] for item in store.items()][1:] == ["UNIQ#EMAIL#countess@example.com", "UNIQ#HANDLE#ada"]
    assert [next(iter(action)) for action in calls.requests[0]["TransactItems"]] == ["Update", "Put", "Delete"]


@pytest.mark.parametrize("same", ["ada@example.com", "ADA@EXAMPLE.COM"])
def test_a_change_of_capitals_touches_the_account_alone(
    same: str, service: AccountService, ada: Account, store: Store
) -> None:
    with counted(store.client) as calls:
        changed = service.change(ada.account_id, changing(same), subject=ME)

    assert (changed.email, changed.version) == (same, 2)
    assert [next(iter(action)) for action in calls.requests[0]["TransactItems"]] == ["Update"]


def test_the_same_address_writes_nothing(service: AccountService, ada: Account, store: Store) -> None:
    with counted(store.client) as calls:
        assert service.change(ada.account_id, changing(ADA.email), subject=ME) == ada

    assert len(calls) == 0


def test_an_address_of_another_account_is_taken(service: AccountService, ada: Account) -> None:
    service.sign_up(BOB, subject=YOU)

    with pytest.raises(Taken) as refused:
        service.change(ada.account_id, changing("BOB@example.com"), subject=ME)

    assert refused.value.fields == ("email",)


def test_two_accounts_cannot_swap_their_addresses(service: AccountService, ada: Account) -> None:
    bob = service.sign_up(BOB, subject=YOU)

    for account, address, subject in ((ada, BOB.email, ME), (bob, ADA.email, YOU)):
        with pytest.raises(Taken):
            service.change(account.account_id, changing(address), subject=subject)


def test_only_the_owner_changes_an_account(service: AccountService, ada: Account) -> None:
    for account_id, subject in ((ada.account_id, YOU), ("nobody", ME)):
        with pytest.raises(NotFound):
            service.change(account_id, changing("countess@example.com"), subject=subject)


@pytest.mark.parametrize("expected", [[1], [1, 7], None])
def test_a_change_happens_at_an_expected_version(
    expected: list[int] | None, service: AccountService, ada: Account
) -> None:
    assert service.change(ada.account_id, changing("c@example.com"), subject=ME, expected=expected).version == 2


@pytest.mark.parametrize("expected", [[], [2], [7, 8]])
def test_a_change_at_another_version_is_stale(expected: list[int], service: AccountService, ada: Account) -> None:
    with pytest.raises(Stale):
        service.change(ada.account_id, changing("c@example.com"), subject=ME, expected=expected)


@pytest.mark.parametrize("expected", [[1], None])
@pytest.mark.parametrize("key", ["k-1", None])
def test_a_change_whose_answer_was_lost_has_succeeded(
    expected: list[int] | None, key: str | None, service: AccountService, ada: Account, store: Store
) -> None:
    def change() -> Account:
        return service.change(ada.account_id, changing("c@example.com"), subject=ME, expected=expected, key=key)

    with losing_answers(store.client, 1):
        first = change()

    assert first.version == 2
    assert change() == first  # and when the client never got it, it may ask again


def test_a_repeated_change_is_stale_once_the_account_moved_on(service: AccountService, ada: Account) -> None:
    for address in ("b@example.com", "c@example.com", "b@example.com"):
        service.change(ada.account_id, changing(address), subject=ME)

    with pytest.raises(Stale):
        service.change(ada.account_id, changing("b@example.com"), subject=ME, expected=[1])


@pytest.mark.parametrize("within", ["ten minutes", "any time"])
def test_a_change_with_a_key_is_made_once_and_answered_again(within: str, token_store: Store) -> None:
    service = token_store.service()
    ada = service.sign_up(ADA, subject=ME)
    first = service.change(ada.account_id, changing("b@example.com"), subject=ME, key="k-1")
    now = service.change(ada.account_id, changing("c@example.com"), subject=ME, key="k-2")

    with forgetting_tokens(token_store.client) if within == "any time" else nullcontext():
        again = service.change(ada.account_id, changing("b@example.com"), subject=ME, key="k-1")

    assert again == first == ada.model_copy(update={"email": "b@example.com", "version": 2})
    assert service.get(ada.account_id, subject=ME) == now


@pytest.mark.parametrize("expected", [[1], None])
def test_a_key_of_a_change_is_refused_with_another_value(
    expected: list[int] | None, service: AccountService, ada: Account
) -> None:
    now = service.change(ada.account_id, changing("b@example.com"), subject=ME, key="k-1", expected=expected)

    with pytest.raises(KeyReused) as refused:
        service.change(ada.account_id, changing("c@example.com"), subject=ME, key="k-1", expected=expected)

    assert not refused.value.deleted
    assert service.get(ada.account_id, subject=ME) == now


def test_one_key_may_change_the_email_and_the_username(service: AccountService, ada: Account) -> None:
    service.change(ada.account_id, changing("b@example.com"), subject=ME, key="k-1")
    changed = service.change(ada.account_id, renaming("countess"), subject=ME, key="k-1")

    assert (changed.email, changed.username, changed.version) == ("b@example.com", "countess", 3)


def test_an_account_keeps_three_receipts_and_stays_below_a_kilobyte(
    service: AccountService, ada: Account, store: Store
) -> None:
    for number in range(5):
        service.change(ada.account_id, changing(f"ada-{number}@mail.example.com"), subject=ME, key=f"k-{number}")

    account = store.items()[0]
    assert [(one["email"], one["version"]) for one in account["receipts"]] == [
        ("ada-2@mail.example.com", 4),
        ("ada-3@mail.example.com", 5),
        ("ada-4@mail.example.com", 6),
    ]
    assert item_size(to_item(account)) < 1024


def test_a_key_whose_receipt_is_gone_makes_no_second_change_within_ten_minutes(token_store: Store) -> None:
    service = token_store.service()
    ada = service.sign_up(ADA, subject=ME)
    for number in range(5):
        service.change(ada.account_id, changing(f"ada-{number}@example.com"), subject=ME, key=f"k-{number}")

    with pytest.raises(KeyReused):
        service.change(ada.account_id, changing("ada-0@example.com"), subject=ME, key="k-0")


def test_a_keyed_change_whose_twin_and_then_the_account_are_gone_finds_nothing(token_store: Store) -> None:
    service = token_store.service()
    ada = service.sign_up(ADA, subject=ME)

    def twin_and_deletion() -> None:
        twin = token_store.service()
        twin.change(ada.account_id, changing("b@example.com"), subject=ME, key="k-1")
        twin.change(ada.account_id, changing("c@example.com"), subject=ME)
        twin.delete(ada.account_id, subject=ME)

    idle = [lambda: None] * 3
    with before(token_store.client, twin_and_deletion, *idle), pytest.raises(NotFound):
        service.change(ada.account_id, changing("d@example.com"), subject=ME, key="k-1")

    assert token_store.items() == []


def test_a_change_with_a_key_that_was_just_made_by_its_twin_has_succeeded(token_store: Store) -> None:
    service = token_store.service()
    ada = service.sign_up(ADA, subject=ME)

    def twin() -> None:
        service.change(ada.account_id, changing("b@example.com"), subject=ME)
        service.change(ada.account_id, changing("c@example.com"), subject=ME, key="k-1")

    with before(token_store.client, twin, lambda: None, lambda: None):
        changed = service.change(ada.account_id, changing("c@example.com"), subject=ME, key="k-1")

    assert (changed.email, changed.version) == ("c@example.com", 3)


def test_a_new_username_swaps_its_marker_alone(service: AccountService, ada: Account, store: Store) -> None:
    with counted(store.client) as calls:
        changed = service.change(ada.account_id, renaming("Countess"), subject=ME)

    assert changed == ada.model_copy(update={"username": "Countess", "version": 2})
    assert [item["PK"] for item in store.items()][1:] == ["UNIQ#EMAIL#ada@example.com", "UNIQ#HANDLE#countess"]
    assert [next(iter(action)) for action in calls.requests[0]["TransactItems"]] == ["Update", "Put", "Delete"]


def test_a_username_of_another_account_is_taken(service: AccountService, ada: Account) -> None:
    service.sign_up(BOB, subject=YOU)

    with pytest.raises(Taken) as refused:
        service.change(ada.account_id, renaming("BOB"), subject=ME)

    assert refused.value.fields == ("username",)


def other_change(service: AccountService, account: Account, address: str) -> Callable[[], Any]:
    return lambda: service.change(account.account_id, changing(address), subject=ME)


def test_a_change_that_was_overtaken_is_made_on_top(service: AccountService, ada: Account, store: Store) -> None:
    with before(store.client, other_change(service, ada, "b@example.com")):
        changed = service.change(ada.account_id, changing("c@example.com"), subject=ME)

    assert (changed.email, changed.version) == ("c@example.com", 3)


def test_a_change_that_was_overtaken_is_stale_when_it_names_a_version(
    service: AccountService, ada: Account, store: Store
) -> None:
    with before(store.client, other_change(service, ada, "b@example.com")), pytest.raises(Stale):
        service.change(ada.account_id, changing("c@example.com"), subject=ME, expected=[1])

    assert service.get(ada.account_id, subject=ME).email == "b@example.com"


def test_a_change_that_is_overtaken_again_and_again_gives_up(
    service: AccountService, ada: Account, store: Store
) -> None:
    rivals = [other_change(store.service(), ada, f"rival-{number}@example.com") for number in range(4)]
    # Each rival's own call counts as one too, so every second place is left free for it.
    turns = [turn for rival in rivals for turn in (rival, lambda: None)]

    with before(store.client, *turns), pytest.raises(Busy):
        service.change(ada.account_id, changing("c@example.com"), subject=ME)


def test_a_change_that_meets_a_deletion_recreates_nothing(service: AccountService, ada: Account, store: Store) -> None:
    with before(store.client, lambda: service.delete(ada.account_id, subject=ME)), pytest.raises(NotFound):
        service.change(ada.account_id, changing("c@example.com"), subject=ME)

    assert store.items() == []


def test_a_late_change_frees_nobody_elses_address(service: AccountService, ada: Account, store: Store) -> None:
    def address_moves_on() -> None:
        service.change(ada.account_id, changing("b@example.com"), subject=ME)
        service.sign_up(signing_up(ADA.email, "other"), subject=YOU)

    with before(store.client, address_moves_on, lambda: None, lambda: None):
        service.change(ada.account_id, changing("c@example.com"), subject=ME)

    with pytest.raises(Taken):
        service.sign_up(signing_up(ADA.email, "third"), subject="user-3")


def test_an_address_that_is_taken_at_the_last_moment_is_taken(
    service: AccountService, ada: Account, store: Store
) -> None:
    with before(store.client, lambda: service.sign_up(BOB, subject=YOU)), pytest.raises(Taken):
        service.change(ada.account_id, changing(BOB.email), subject=ME)


# --- deleting


def test_a_deletion_removes_every_item_and_frees_the_values(
    service: AccountService, ada: Account, store: Store
) -> None:
    service.delete(ada.account_id, subject=ME)

    assert store.items() == []
    assert service.sign_up(ADA, subject=YOU).email == ADA.email


def test_a_second_deletion_finds_nothing(service: AccountService, ada: Account) -> None:
    service.delete(ada.account_id, subject=ME)

    with pytest.raises(NotFound):
        service.delete(ada.account_id, subject=ME)


def test_a_deletion_whose_answer_was_lost_has_succeeded(service: AccountService, ada: Account, store: Store) -> None:
    with losing_answers(store.client, 1):
        service.delete(ada.account_id, subject=ME)

    assert store.items() == []


def test_a_deletion_that_was_overtaken_by_another_has_succeeded(
    service: AccountService, ada: Account, store: Store
) -> None:
    with before(store.client, lambda: service.delete(ada.account_id, subject=ME)):
        service.delete(ada.account_id, subject=ME)

    assert store.items() == []


def test_a_deletion_that_meets_a_change_leaves_no_marker(service: AccountService, ada: Account, store: Store) -> None:
    with before(store.client, other_change(service, ada, "b@example.com")):
        service.delete(ada.account_id, subject=ME)

    assert store.items() == []


def test_a_deletion_at_a_version_is_stale_after_a_change(service: AccountService, ada: Account, store: Store) -> None:
    with pytest.raises(Stale):
        service.delete(ada.account_id, subject=ME, expected=[2])
    with before(store.client, other_change(service, ada, "b@example.com")), pytest.raises(Stale):
        service.delete(ada.account_id, subject=ME, expected=[1])

    service.delete(ada.account_id, subject=ME, expected=[2])


def test_a_deletion_that_is_overtaken_again_and_again_gives_up(
    service: AccountService, ada: Account, store: Store
) -> None:
    rivals = [other_change(store.service(), ada, f"rival-{number}@example.com") for number in range(4)]
    turns = [turn for rival in rivals for turn in (rival, lambda: None)]

    with before(store.client, *turns), pytest.raises(Busy):
        service.delete(ada.account_id, subject=ME)


def test_only_the_owner_deletes_an_account(service: AccountService, ada: Account) -> None:
    for account_id, subject in ((ada.account_id, YOU), ("nobody", ME)):
        with pytest.raises(NotFound):
            service.delete(account_id, subject=subject)


def test_a_deletion_with_a_key_has_succeeded_for_ten_minutes(token_store: Store) -> None:
    service = token_store.service()
    ada = service.sign_up(ADA, subject=ME)
    service.delete(ada.account_id, subject=ME, key="k-1")

    service.delete(ada.account_id, subject=ME, key="k-1")

    for subject, key in ((ME, "k-2"), (ME, None), (YOU, "k-1")):
        with pytest.raises(NotFound):
            service.delete(ada.account_id, subject=subject, key=key)
    with forgetting_tokens(token_store.client), pytest.raises(NotFound):
        service.delete(ada.account_id, subject=ME, key="k-1")


def test_a_key_does_not_delete_what_belongs_to_somebody_else(service: AccountService, ada: Account) -> None:
    with pytest.raises(NotFound):
        service.delete(ada.account_id, subject=YOU, key="k-1")

    assert service.get(ada.account_id, subject=ME) == ada


def test_asking_for_a_deletion_of_a_missing_account_never_deletes_one_that_appears(
    service: AccountService, store: Store
) -> None:
    ids = [UUID(int=7)]
    other = AccountService(store.client, store.table, ids=lambda: ids[0])
    with before(store.client, lambda: other.sign_up(ADA, subject=ME), lambda: None), pytest.raises(NotFound):
        service.delete(str(ids[0]), subject=ME, key="k-1")

    assert len(store.items()) == 3


# --- markers that do not fit (only damage from outside can make them)


def damage(store: Store, marker: str, owner: str | None) -> None:
    key = {"PK": marker, "SK": "LOCK"}
    if owner is None:
        store.client.delete_item(TableName=store.table, Key=to_item(key))
    else:
        store.client.put_item(TableName=store.table, Item=to_item({**key, "owner": owner}))


def test_a_stray_marker_of_ones_own_is_not_called_taken(store: Store) -> None:
    service = store.service()
    ada = service.sign_up(ADA, subject=ME)
    damage(store, "UNIQ#EMAIL#c@example.com", f"ACCT#{ada.account_id}")

    with pytest.raises(Inconsistent):
        service.change(ada.account_id, changing("c@example.com"), subject=ME)


def test_a_sign_up_that_meets_its_own_stray_marker_is_not_called_taken(store: Store) -> None:
    service = store.service()
    gone = service.sign_up(ADA, subject=ME, key="k-1")
    store.client.delete_item(TableName=store.table, Key=to_item({"PK": f"ACCT#{gone.account_id}", "SK": "PROFILE"}))

    with pytest.raises((Inconsistent, KeyReused)):
        service.sign_up(ADA, subject=ME, key="k-1")


def test_an_account_that_was_edited_behind_the_service_is_worth_another_try(store: Store) -> None:
    service = store.service()
    ada = service.sign_up(ADA, subject=ME)
    item = store.items()[0]

    def edited_without_a_version() -> None:
        store.client.put_item(TableName=store.table, Item=to_item({**item, "email": "ada@example.com"}))

    with before(store.client, edited_without_a_version), pytest.raises(Busy):
        service.change(ada.account_id, changing("c@example.com"), subject=ME)

    assert service.change(ada.account_id, changing("c@example.com"), subject=ME).version == 2


@pytest.mark.parametrize("owner", [None, "ACCT#stolen"])
def test_a_missing_or_stolen_marker_stays_and_stops_nobody(owner: str | None, store: Store) -> None:
    """Of two accounts with one address, one has no marker: it can be given another address, or be deleted."""
    service = store.service()
    ada = service.sign_up(ADA, subject=ME)
    damage(store, "UNIQ#EMAIL#ada@example.com", owner)
    stolen = [item for item in store.items() if item.get("owner") == owner is not None]

    changed = service.change(ada.account_id, changing("c@example.com"), subject=ME)
    assert (changed.email, changed.version) == ("c@example.com", 2)
    assert {item["PK"] for item in store.items() if item.get("owner") == f"ACCT#{ada.account_id}"} == {
        "UNIQ#EMAIL#c@example.com",
        "UNIQ#HANDLE#ada",
    }
    damage(store, "UNIQ#EMAIL#c@example.com", owner)
    service.delete(ada.account_id, subject=ME)

    left = [{**item, "PK": "UNIQ#EMAIL#c@example.com"} for item in stolen]
    assert store.items() == sorted([*stolen, *left], key=lambda item: item["PK"])
