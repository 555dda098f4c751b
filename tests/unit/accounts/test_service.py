"""Every branch of the service, on a table in this process.

What only an engine with tokens, with threads or over a network can show is in the integration ring.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from botocore.exceptions import ReadTimeoutError

from accounts.errors import Busy, Inconsistent, KeyReused, NotFound, Stale, Taken
from accounts.receipts import RECEIPTS
from accounts.schema import make_account_item, make_account_key
from accounts.service import AccountService
from expr_builder import TransactionCanceled, to_item
from tests.support.faults import before, cancelled, counted, failing, losing_answers, service_error
from tests.support.store import Store, changing, renaming, signing_up

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from accounts.model import Account

ME, YOU = "user-1", "user-2"
ADA = signing_up("Ada@Example.com", "Ada")
BOB = signing_up("bob@example.com", "bob")
MISMATCH = service_error("IdempotentParameterMismatchException")
BROKEN = service_error("InternalServerError", 500)
REFUSED, FINE = "ConditionalCheckFailed", "None"


@pytest.fixture
def sound(store: Store) -> Iterator[Store]:
    """The table; accounts and markers fit together at the end."""
    yield store
    store.check()


@pytest.fixture
def service(sound: Store) -> AccountService:
    return sound.service()


@pytest.fixture
def ada(service: AccountService) -> Account:
    """An account of mine."""
    return service.sign_up(ADA, subject=ME)


def put(store: Store, item: dict[str, Any]) -> None:
    store.client.put_item(TableName=store.table, Item=to_item(item))


def remove(store: Store, pk: str, sk: str = "LOCK") -> None:
    store.client.delete_item(TableName=store.table, Key=to_item({"PK": pk, "SK": sk}))


def tokens(calls: Any) -> list[str]:
    return [request["ClientRequestToken"] for request in calls.requests]


def no_time() -> float:
    return 0


# --- sign-up


def test_a_sign_up_stores_the_account_and_a_marker_for_each_unique_value(store: Store) -> None:
    ids = iter([UUID(int=1), UUID(int=2)])
    noon = datetime(2026, 1, 2, 12, 0, 0, 7999, tzinfo=timezone(timedelta(hours=2)))
    service = AccountService(store.client, store.table, clock=lambda: noon, ids=lambda: next(ids))

    with counted(store.client) as calls:
        account = service.sign_up(ADA, subject=ME)

    key = f"ACCT#{UUID(int=1)}"
    items = store.items()
    assert items == [
        {
            "PK": key,
            "SK": "PROFILE",
            "account_id": str(UUID(int=1)),
            "email": "Ada@Example.com",
            "username": "Ada",
            "subject": ME,
            "version": 1,
            "created_at": "2026-01-02T10:00:00.007Z",
            "fingerprint": items[0]["fingerprint"],
            "norm": 1,
        },
        {"PK": "UNIQ#EMAIL#ada@example.com", "SK": "LOCK", "owner": key},
        {"PK": "UNIQ#HANDLE#ada", "SK": "LOCK", "owner": key},
    ]
    assert tokens(calls) == [str(UUID(int=2))]
    assert account.model_dump() == {name: items[0][name] for name in account.model_dump()}


def test_without_a_key_each_sign_up_is_a_new_one(service: AccountService, ada: Account) -> None:
    other = service.sign_up(BOB, subject=ME)

    assert (UUID(ada.account_id).version, UUID(other.account_id).version) == (4, 4)
    assert ada.account_id != other.account_id


def test_id_and_token_follow_from_caller_and_key_for_ever(store: Store) -> None:
    service = AccountService(store.client, "accounts")
    with counted(store.client) as calls, failing(store.client, BROKEN):
        for subject, key in ((ME, "k-1"), (ME, "k-2"), (YOU, "k-1")):
            with pytest.raises(Busy):
                service.sign_up(ADA, subject=subject, key=key, time_left=no_time)
    made = [request["TransactItems"][0]["Put"]["Item"]["account_id"]["S"] for request in calls.requests]

    # Accounts are stored under such ids: other ones would make a second account of a repeated sign-up.
    assert made[0] == "91829cf8-8af4-5060-b22f-5e4e945aeb28"
    assert tokens(calls)[0] == "bcaa231c-54f9-59a7-a322-789130a14277"
    assert len({*made, *tokens(calls)}) == 6


def test_tokens_differ_by_table(store: Store) -> None:
    found = []
    for name in ("accounts", "accounts-staging"):
        with counted(store.client) as calls, failing(store.client, BROKEN), pytest.raises(Busy):
            AccountService(store.client, name).sign_up(ADA, subject=ME, key="k-1", time_left=no_time)
        found += tokens(calls)

    assert len(set(found)) == 2


@pytest.mark.parametrize(
    ("request_", "fields"),
    [
        (signing_up("ADA@example.com", "someone"), ("email",)),
        (signing_up("someone@example.com", "ADA"), ("username",)),
        (ADA, ("email", "username")),
    ],
)
def test_a_sign_up_names_all_taken_fields(
    request_: Any, fields: tuple[str, ...], service: AccountService, sound: Store, ada: Account
) -> None:
    items = sound.items()

    with pytest.raises(Taken) as refused:
        service.sign_up(request_, subject=YOU, time_left=no_time)  # no look at the account is needed

    assert refused.value.fields == fields
    assert sound.items() == items


def test_the_same_key_again_gets_the_first_answer_whatever_happened_since(service: AccountService) -> None:
    first = service.sign_up(ADA, subject=ME, key="k-1")
    assert service.sign_up(ADA, subject=ME, key="k-1") == first

    service.change(first.account_id, changing("c@example.com"), subject=ME)
    assert service.sign_up(ADA, subject=ME, key="k-1") == first

    service.sign_up(signing_up("ada@example.com", "other"), subject=YOU)
    assert service.sign_up(ADA, subject=ME, key="k-1") == first


def test_the_same_key_with_another_request_is_refused(service: AccountService) -> None:
    service.sign_up(ADA, subject=ME, key="k-1")

    with pytest.raises(KeyReused) as refused:
        service.sign_up(BOB, subject=ME, key="k-1")

    assert not refused.value.deleted


def test_a_first_answer_is_for_its_own_caller_alone(service: AccountService, sound: Store) -> None:
    service.sign_up(ADA, subject=ME, key="k-1")
    put(sound, {**sound.items()[0], "subject": YOU})

    with pytest.raises(KeyReused):
        service.sign_up(ADA, subject=ME, key="k-1")


def test_a_key_whose_account_is_known_by_its_marker_alone_is_inconsistent(store: Store) -> None:
    service = store.service()
    first = service.sign_up(ADA, subject=ME, key="k-1")
    remove(store, f"ACCT#{first.account_id}", "PROFILE")

    with pytest.raises(Inconsistent):
        service.sign_up(ADA, subject=ME, key="k-1")


def test_an_account_that_is_known_by_its_marker_gets_the_first_answer(service: AccountService, sound: Store) -> None:
    first = service.sign_up(ADA, subject=ME, key="k-1")
    own = {"PK": "UNIQ#EMAIL#ada@example.com", "SK": "LOCK", "owner": f"ACCT#{first.account_id}"}

    with failing(sound.client, cancelled(FINE, REFUSED, FINE, items={1: to_item(own)})):
        assert service.sign_up(ADA, subject=ME, key="k-1") == first


def test_an_account_that_was_there_and_is_gone_a_moment_later_is_busy(service: AccountService, sound: Store) -> None:
    with failing(sound.client, cancelled(REFUSED, FINE, FINE)), pytest.raises(Busy):
        service.sign_up(ADA, subject=ME)


@pytest.mark.parametrize("key", ["k-1", None])
def test_a_lost_answer_is_not_a_taken_address(key: str | None, service: AccountService, sound: Store) -> None:
    with losing_answers(sound.client, 1):
        account = service.sign_up(ADA, subject=ME, key=key)

    assert service.get(account.account_id, subject=ME) == account


def test_a_value_of_somebody_else_outweighs_ones_own(service: AccountService, sound: Store) -> None:
    own = {"PK": "UNIQ#EMAIL#ada@example.com", "SK": "LOCK", "owner": f"ACCT#{UUID(int=1)}"}
    other = {"PK": "UNIQ#HANDLE#ada", "SK": "LOCK", "owner": "ACCT#other"}
    refusal = cancelled(FINE, REFUSED, REFUSED, items={1: to_item(own), 2: to_item(other)})
    mine = AccountService(sound.client, sound.table, ids=lambda: UUID(int=1))

    with failing(sound.client, refusal), pytest.raises(Taken) as refused:
        mine.sign_up(ADA, subject=ME)

    assert refused.value.fields == ("username",)


def test_an_unknown_reason_is_passed_on(service: AccountService, sound: Store) -> None:
    with failing(sound.client, cancelled(FINE, "ValidationError", FINE)), pytest.raises(TransactionCanceled):
        service.sign_up(ADA, subject=ME)


@pytest.mark.parametrize(
    "error",
    [BROKEN, cancelled(FINE, "TransactionConflict", FINE), ReadTimeoutError(endpoint_url="http://127.0.0.1")],
    ids=["broken", "conflict", "no answer"],
)
def test_what_does_not_end_in_time_is_busy(error: Exception, service: AccountService, sound: Store) -> None:
    with failing(sound.client, error), pytest.raises(Busy):
        service.sign_up(ADA, subject=ME, time_left=no_time)


def test_without_time_to_look_a_refusal_is_busy(service: AccountService) -> None:
    first = service.sign_up(ADA, subject=ME, key="k-1")

    for seconds in (0.0, -1.0):
        with pytest.raises(Busy):
            service.sign_up(ADA, subject=ME, key="k-1", time_left=lambda: seconds)  # noqa: B023 - called in this round
    assert service.sign_up(ADA, subject=ME, key="k-1", time_left=lambda: 0.1) == first


# --- sign-up, when DynamoDB knows the token


def test_a_token_that_was_used_leads_to_its_account(service: AccountService, sound: Store) -> None:
    first = service.sign_up(ADA, subject=ME, key="k-1")

    with failing(sound.client, MISMATCH):
        assert service.sign_up(ADA, subject=ME, key="k-1") == first
        with pytest.raises(KeyReused) as refused:
            service.sign_up(BOB, subject=ME, key="k-1")

    assert not refused.value.deleted


def test_an_account_that_appears_at_the_second_look_was_being_made(sound: Store) -> None:
    waits: list[float] = []
    twin = sound.service()

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        twin.sign_up(ADA, subject=ME, key="k-1")

    service = AccountService(sound.client, sound.table, sleep=sleep)
    with failing(sound.client, MISMATCH, times=1):
        account = service.sign_up(ADA, subject=ME, key="k-1")

    assert waits == [0.1]
    assert account == twin.get(account.account_id, subject=ME)


def test_an_account_that_is_not_there_at_two_looks_is_deleted(sound: Store) -> None:
    waits: list[float] = []
    service = AccountService(sound.client, sound.table, sleep=waits.append)

    with (
        failing(sound.client, MISMATCH),
        counted(sound.client, "TransactGetItems") as looks,
        pytest.raises(KeyReused) as refused,
    ):
        service.sign_up(ADA, subject=ME, key="k-1")

    assert refused.value.deleted
    assert (len(looks), waits) == (2, [0.1])


def test_a_twin_at_work_that_does_not_end_is_busy_never_deleted(service: AccountService, sound: Store) -> None:
    conflict = cancelled("TransactionConflict")

    with failing(sound.client, MISMATCH), failing(sound.client, conflict, "TransactGetItems"), pytest.raises(Busy):
        service.sign_up(ADA, subject=ME, key="k-1", time_left=no_time)


# --- reading


def test_only_the_owner_sees_an_account(service: AccountService, sound: Store, ada: Account) -> None:
    with counted(sound.client, "GetItem") as reads:
        assert service.get(ada.account_id, subject=ME) == ada
    for account_id, subject in ((ada.account_id, YOU), ("nobody", ME)):
        with pytest.raises(NotFound):
            service.get(account_id, subject=subject)

    assert [read["ConsistentRead"] for read in reads.requests] == [True]


def test_a_read_without_an_answer_is_busy_after_one_attempt(service: AccountService, sound: Store) -> None:
    with failing(sound.client, BROKEN, "GetItem") as reads, pytest.raises(Busy):
        service.get("a1f9c3", subject=ME)

    assert len(reads) == 1


# --- changing


@pytest.mark.parametrize(
    ("request_", "fields", "markers"),
    [
        (changing("C@example.com"), {"email": "C@example.com"}, ["UNIQ#EMAIL#c@example.com", "UNIQ#HANDLE#ada"]),
        (renaming("Countess"), {"username": "Countess"}, ["UNIQ#EMAIL#ada@example.com", "UNIQ#HANDLE#countess"]),
    ],
)
def test_a_change_swaps_one_marker_and_counts(
    request_: Any, fields: dict[str, str], markers: list[str], service: AccountService, sound: Store, ada: Account
) -> None:
    record, *_ = sound.items()

    changed = service.change(ada.account_id, request_, subject=ME)

    assert changed == ada.model_copy(update={**fields, "version": 2})
    assert sound.items()[0] == {**record, **fields, "version": 2}
    assert [item["PK"] for item in sound.items()[1:]] == markers


@pytest.mark.parametrize("expected", [None, [1], [2, 1], [0], [0, 7]])
def test_the_same_value_again_writes_nothing(expected: list[int] | None, service: AccountService, sound: Store) -> None:
    ada = service.sign_up(ADA, subject=ME)

    with counted(sound.client) as calls:
        assert service.change(ada.account_id, changing(ADA.email), subject=ME, expected=expected) == ada

    assert len(calls) == 0


@pytest.mark.parametrize("expected", [[], [2], [3, 7]])
def test_the_same_value_at_another_version_is_stale(expected: list[int], service: AccountService, ada: Account) -> None:
    with pytest.raises(Stale):
        service.change(ada.account_id, changing(ADA.email), subject=ME, expected=expected)


@pytest.mark.parametrize("expected", [[], [0], [2]])
def test_a_change_at_another_version_is_stale(expected: list[int], service: AccountService, ada: Account) -> None:
    with pytest.raises(Stale):
        service.change(ada.account_id, changing("c@example.com"), subject=ME, expected=expected)


def test_other_capitals_are_a_change_that_moves_no_marker(service: AccountService, sound: Store, ada: Account) -> None:
    with counted(sound.client) as calls:
        changed = service.change(ada.account_id, changing("ADA@example.com"), subject=ME)

    assert (changed.email, changed.version) == ("ADA@example.com", 2)
    assert [list(action) for action in calls.requests[0]["TransactItems"]] == [["Update"]]


@pytest.mark.parametrize(("account_id", "subject"), [("own", YOU), ("nobody", ME)])
def test_only_the_owner_changes_an_account(
    account_id: str, subject: str, service: AccountService, ada: Account
) -> None:
    with pytest.raises(NotFound):
        service.change(
            ada.account_id if account_id == "own" else account_id, changing("c@example.com"), subject=subject
        )


def test_an_account_that_changes_hands_in_between_is_not_changed(sound: Store) -> None:
    service = sound.service()
    ada = service.sign_up(ADA, subject=ME)
    record = sound.items()[0]

    with before(sound.client, lambda: put(sound, {**record, "subject": YOU})), pytest.raises(NotFound):
        service.change(ada.account_id, changing("c@example.com"), subject=ME)


def test_a_value_of_another_account_is_taken(service: AccountService, ada: Account) -> None:
    service.sign_up(BOB, subject=YOU)

    for request, field in ((changing("BOB@example.com"), "email"), (renaming("BOB"), "username")):
        with pytest.raises(Taken) as refused:
            service.change(ada.account_id, request, subject=ME)
        assert refused.value.fields == (field,)


@pytest.mark.parametrize("owner", [None, "ACCT#stolen"])
def test_a_missing_or_stolen_marker_stays_and_stops_nobody(owner: str | None, store: Store) -> None:
    """Of two accounts with one address, one has no marker: it can be given another address, or be deleted."""
    service = store.service()
    ada = service.sign_up(ADA, subject=ME)
    if owner is None:
        remove(store, "UNIQ#EMAIL#ada@example.com")
    else:
        put(store, {"PK": "UNIQ#EMAIL#ada@example.com", "SK": "LOCK", "owner": owner})
    stolen = [item for item in store.items() if item.get("owner") == owner is not None]

    changed = service.change(ada.account_id, changing("c@example.com"), subject=ME)
    assert (changed.email, changed.version) == ("c@example.com", 2)
    assert {item["PK"] for item in store.items() if item.get("owner") == f"ACCT#{ada.account_id}"} == {
        "UNIQ#EMAIL#c@example.com",
        "UNIQ#HANDLE#ada",
    }
    if owner is None:
        remove(store, "UNIQ#EMAIL#c@example.com")
    else:
        put(store, {"PK": "UNIQ#EMAIL#c@example.com", "SK": "LOCK", "owner": owner})
    service.delete(ada.account_id, subject=ME)

    left = [{**item, "PK": "UNIQ#EMAIL#c@example.com"} for item in stolen]
    assert store.items() == sorted([*stolen, *left], key=lambda item: item["PK"])


def test_a_stray_marker_of_ones_own_is_not_called_taken(store: Store) -> None:
    service = store.service()
    ada = service.sign_up(ADA, subject=ME)
    put(store, {"PK": "UNIQ#EMAIL#c@example.com", "SK": "LOCK", "owner": f"ACCT#{ada.account_id}"})

    with pytest.raises(Inconsistent):
        service.change(ada.account_id, changing("c@example.com"), subject=ME)


def test_a_record_that_was_refused_and_is_as_expected_is_busy(
    service: AccountService, sound: Store, ada: Account
) -> None:
    with failing(sound.client, cancelled(REFUSED, FINE, FINE)):
        with pytest.raises(Busy):
            service.change(ada.account_id, changing("c@example.com"), subject=ME)
        with pytest.raises(Busy):
            service.delete(ada.account_id, subject=ME)


def test_a_change_without_an_answer_is_busy(service: AccountService, sound: Store, ada: Account) -> None:
    with failing(sound.client, BROKEN), pytest.raises(Busy):
        service.change(ada.account_id, changing("c@example.com"), subject=ME, time_left=no_time)


@pytest.mark.parametrize("expected", [[1], None])
def test_a_change_whose_answer_was_lost_has_succeeded(
    expected: list[int] | None, service: AccountService, sound: Store, ada: Account
) -> None:
    with losing_answers(sound.client, 1):
        changed = service.change(ada.account_id, changing("c@example.com"), subject=ME, expected=expected)

    assert (changed.email, changed.version) == ("c@example.com", 2)


# --- being overtaken


def rivals(store: Store, account: Account, count: int, name: str = "rival") -> list[Callable[[], object]]:
    """Changes by somebody who is faster, each before one call of the service."""
    rival = store.service()

    def overtake(number: int) -> Callable[[], object]:
        return lambda: rival.change(account.account_id, changing(f"{name}-{number}@example.com"), subject=ME)

    # A rival's own call counts as one too, so every second place is left free for it.
    return [turn for number in range(count) for turn in (overtake(number), lambda: None)]


def test_a_change_that_was_overtaken_is_made_on_top(service: AccountService, sound: Store, ada: Account) -> None:
    with before(sound.client, *rivals(sound, ada, 3)), counted(sound.client) as calls:
        changed = service.change(ada.account_id, changing("c@example.com"), subject=ME)

    assert (changed.email, changed.version) == ("c@example.com", 5)
    assert len(set(tokens(calls))) == len(calls)


def test_a_change_of_another_value_counts_as_overtaking_too(
    service: AccountService, sound: Store, ada: Account
) -> None:
    rival = sound.service()

    with before(sound.client, lambda: rival.change(ada.account_id, renaming("countess"), subject=ME), lambda: None):
        changed = service.change(ada.account_id, changing("c@example.com"), subject=ME)

    assert (changed.email, changed.username, changed.version) == ("c@example.com", "countess", 3)


def test_a_change_that_is_overtaken_four_times_gives_up(service: AccountService, sound: Store, ada: Account) -> None:
    with before(sound.client, *rivals(sound, ada, 4)), pytest.raises(Busy):
        service.change(ada.account_id, changing("c@example.com"), subject=ME)

    assert service.get(ada.account_id, subject=ME).email == "rival-3@example.com"


def test_a_deletion_that_was_overtaken_is_made_on_top(service: AccountService, sound: Store, ada: Account) -> None:
    with before(sound.client, *rivals(sound, ada, 3)):
        service.delete(ada.account_id, subject=ME)

    assert sound.items() == []


def test_a_deletion_that_is_overtaken_four_times_gives_up(service: AccountService, sound: Store, ada: Account) -> None:
    with before(sound.client, *rivals(sound, ada, 4)), pytest.raises(Busy):
        service.delete(ada.account_id, subject=ME)

    assert len(sound.items()) == 3


def test_who_names_a_version_is_stale_once_overtaken(service: AccountService, sound: Store, ada: Account) -> None:
    with before(sound.client, *rivals(sound, ada, 1)), pytest.raises(Stale):
        service.change(ada.account_id, changing("c@example.com"), subject=ME, expected=[1])
    with before(sound.client, *rivals(sound, ada, 1, "second")), pytest.raises(Stale):
        service.delete(ada.account_id, subject=ME, expected=[2])


def test_a_change_that_meets_a_deletion_finds_nothing(service: AccountService, sound: Store, ada: Account) -> None:
    with before(sound.client, lambda: service.delete(ada.account_id, subject=ME)), pytest.raises(NotFound):
        service.change(ada.account_id, changing("c@example.com"), subject=ME)

    assert sound.items() == []


def test_without_time_for_another_round_an_overtaken_write_is_busy(
    service: AccountService, sound: Store, ada: Account
) -> None:
    with before(sound.client, *rivals(sound, ada, 1)), pytest.raises(Busy):
        service.change(ada.account_id, changing("c@example.com"), subject=ME, time_left=no_time)
    with before(sound.client, *rivals(sound, ada, 1, "second")), pytest.raises(Busy):
        service.delete(ada.account_id, subject=ME, time_left=no_time)


# --- changes with a key


def test_a_change_with_its_key_again_is_answered_again(service: AccountService, sound: Store, ada: Account) -> None:
    first = service.change(ada.account_id, changing("b@example.com"), subject=ME, key="k-1", expected=[1])
    now = service.change(ada.account_id, changing("c@example.com"), subject=ME)

    with counted(sound.client) as calls:
        again = service.change(ada.account_id, changing("b@example.com"), subject=ME, key="k-1", expected=[1])

    assert again == first == ada.model_copy(update={"email": "b@example.com", "version": 2})
    assert len(calls) == 0
    assert service.get(ada.account_id, subject=ME) == now


def test_a_key_of_a_change_is_refused_with_another_value(service: AccountService, ada: Account) -> None:
    service.change(ada.account_id, changing("b@example.com"), subject=ME, key="k-1")

    with pytest.raises(KeyReused) as refused:
        service.change(ada.account_id, changing("c@example.com"), subject=ME, key="k-1")

    assert not refused.value.deleted


def test_only_a_change_with_a_key_leaves_a_receipt(service: AccountService, sound: Store, ada: Account) -> None:
    service.change(ada.account_id, changing("b@example.com"), subject=ME)
    assert RECEIPTS not in sound.items()[0]

    service.change(ada.account_id, changing("c@example.com"), subject=ME, key="k-1")
    service.change(ada.account_id, changing("d@example.com"), subject=ME)
    service.change(ada.account_id, renaming("countess"), subject=ME, key="k-1")

    receipts = sound.items()[0][RECEIPTS]
    assert [(one["email"], one["username"], one["version"]) for one in receipts] == [
        ("c@example.com", "Ada", 3),
        ("d@example.com", "countess", 5),
    ]


def test_each_operation_has_a_token_of_its_own_for_one_key(service: AccountService, sound: Store, ada: Account) -> None:
    other = service.sign_up(BOB, subject=ME)
    with counted(sound.client) as calls, failing(sound.client, BROKEN):
        for write in (
            lambda: service.sign_up(ADA, subject=ME, key="k", time_left=no_time),
            lambda: service.change(ada.account_id, changing("c@example.com"), subject=ME, key="k", time_left=no_time),
            lambda: service.change(other.account_id, changing("c@example.com"), subject=ME, key="k", time_left=no_time),
            lambda: service.change(ada.account_id, renaming("countess"), subject=ME, key="k", time_left=no_time),
            lambda: service.change(ada.account_id, renaming("countess"), subject=ME, key="l", time_left=no_time),
            lambda: service.delete(ada.account_id, subject=ME, key="k", time_left=no_time),
            lambda: service.delete(other.account_id, subject=ME, key="k", time_left=no_time),
        ):
            with pytest.raises(Busy):
                write()

    assert len(set(tokens(calls))) == len(calls) == 7


def test_a_change_with_a_key_sends_the_same_token_again(service: AccountService, sound: Store, ada: Account) -> None:
    with counted(sound.client) as calls, failing(sound.client, BROKEN):
        for _ in range(2):
            with pytest.raises(Busy):
                service.change(ada.account_id, changing("c@example.com"), subject=ME, key="k", time_left=no_time)

    assert len(set(tokens(calls))) == 1


def test_a_token_that_was_used_for_a_change_leads_to_its_receipt(
    service: AccountService, sound: Store, ada: Account
) -> None:
    twin = sound.service()

    def change() -> Account:
        return service.change(ada.account_id, changing("c@example.com"), subject=ME, key="k-1")

    def twin_changes() -> None:
        twin.change(ada.account_id, changing("c@example.com"), subject=ME, key="k-1")
        raise MISMATCH

    with before(sound.client, twin_changes, lambda: None):
        changed = change()

    assert (changed.email, changed.version) == ("c@example.com", 2)


@pytest.mark.parametrize(
    ("later", "error"), [("nothing", KeyReused), ("deleted", NotFound), ("another owner", NotFound)]
)
def test_a_token_that_was_used_without_a_receipt_cannot_be_answered(
    later: str, error: type[Exception], sound: Store
) -> None:
    service, rival = sound.service(), sound.service()
    ada = service.sign_up(ADA, subject=ME)
    record = sound.items()[0]

    def meanwhile() -> None:
        if later == "deleted":
            rival.delete(ada.account_id, subject=ME)
        elif later == "another owner":
            put(sound, {**record, "subject": YOU})
        raise MISMATCH

    with before(sound.client, meanwhile, *([lambda: None] if later == "deleted" else [])), pytest.raises(error):
        service.change(ada.account_id, changing("c@example.com"), subject=ME, key="k-1")


def test_a_change_whose_twin_does_not_end_is_busy(service: AccountService, sound: Store, ada: Account) -> None:
    conflict = cancelled("TransactionConflict")

    with failing(sound.client, MISMATCH), failing(sound.client, conflict, "TransactGetItems"), pytest.raises(Busy):
        service.change(ada.account_id, changing("c@example.com"), subject=ME, key="k-1", time_left=no_time)


# --- deleting


@pytest.mark.parametrize("expected", [None, [1], [1, 2]])
@pytest.mark.parametrize("key", [None, "k-1"])
def test_a_deletion_removes_every_item(
    expected: list[int] | None, key: str | None, service: AccountService, sound: Store, ada: Account
) -> None:
    service.delete(ada.account_id, subject=ME, expected=expected, key=key)

    assert sound.items() == []


@pytest.mark.parametrize("expected", [[], [0], [2]])
def test_a_deletion_at_another_version_is_stale(
    expected: list[int], service: AccountService, sound: Store, ada: Account
) -> None:
    with pytest.raises(Stale):
        service.delete(ada.account_id, subject=ME, expected=expected)

    assert len(sound.items()) == 3


@pytest.mark.parametrize("key", [None, "k-1"])
def test_only_the_owner_deletes_an_account(
    key: str | None, service: AccountService, sound: Store, ada: Account
) -> None:
    with failing(sound.client, MISMATCH) as calls, pytest.raises(NotFound):
        service.delete(ada.account_id, subject=YOU, key=key)

    assert len(calls) == 0


def test_an_account_that_changes_hands_in_between_is_not_deleted(sound: Store) -> None:
    service = sound.service()
    ada = service.sign_up(ADA, subject=ME)
    record = sound.items()[0]

    with before(sound.client, lambda: put(sound, {**record, "subject": YOU})), pytest.raises(Busy):
        service.delete(ada.account_id, subject=ME)

    assert len(sound.items()) == 3


def test_a_deletion_that_somebody_else_made_has_succeeded(service: AccountService, sound: Store, ada: Account) -> None:
    with before(sound.client, lambda: sound.service().delete(ada.account_id, subject=ME)):
        service.delete(ada.account_id, subject=ME)

    assert sound.items() == []


def test_a_deletion_whose_answer_was_lost_has_succeeded(service: AccountService, sound: Store, ada: Account) -> None:
    with losing_answers(sound.client, 1):
        service.delete(ada.account_id, subject=ME)

    assert sound.items() == []


def test_a_second_deletion_succeeds_for_as_long_as_dynamodb_knows_the_token(
    service: AccountService, sound: Store
) -> None:
    with failing(sound.client, MISMATCH):
        service.delete("a1f9c3", subject=ME, key="k-1")
        with pytest.raises(NotFound):
            service.delete("a1f9c3", subject=ME)
    with pytest.raises(NotFound):
        service.delete("a1f9c3", subject=ME, key="k-1")


def test_to_ask_for_a_token_deletes_nothing(service: AccountService, sound: Store) -> None:
    appears = make_account_item(
        "a1f9c3", email="a@example.com", username="ada", subject=ME, created_at="t", fingerprint="f"
    )

    with before(sound.client, lambda: put(sound, appears)), counted(sound.client) as calls, pytest.raises(NotFound):
        service.delete("a1f9c3", subject=ME, key="k-1")

    assert len(calls) == 1
    assert sound.items() == [appears]
    remove(sound, make_account_key("a1f9c3")["PK"], "PROFILE")


def test_without_an_answer_about_the_token_a_deletion_is_busy(service: AccountService, sound: Store) -> None:
    with failing(sound.client, BROKEN), pytest.raises(Busy):
        service.delete("a1f9c3", subject=ME, key="k-1", time_left=no_time)


def test_a_token_that_was_used_while_the_account_is_there_is_tried_again(
    service: AccountService, sound: Store, ada: Account
) -> None:
    with failing(sound.client, MISMATCH, times=1) as calls:
        service.delete(ada.account_id, subject=ME, key="k-1")
    assert len(calls) == 1
    assert sound.items() == []

    bob = service.sign_up(BOB, subject=ME)
    with failing(sound.client, MISMATCH) as calls, pytest.raises(Busy):
        service.delete(bob.account_id, subject=ME, key="k-1")
    assert len(calls) == 4
