"""The judge of a soak finds each kind of wrong answer, and accuses nobody who may be right."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from tests.soak.history import NO_ANSWER, Call, Kind
from tests.soak.judge import judge

ADA = {"email": "ada@example.com", "username": "ada"}
BOB = {"email": "bob@example.com", "username": "bob"}


def shown(version: int = 1, account: str = "a", **values: str) -> dict[str, Any]:
    return {"account_id": account, "version": version, **ADA, **values}


def stored(version: int = 1, account: str = "a", subject: str = "alice", **values: str) -> dict[str, Any]:
    return {**shown(version, account, **values), "subject": subject, "created_at": "2026-01-02T03:04:05.678Z"}


def made(began: float, ended: float, account: str = "a", **values: str) -> Call:
    wanted = {**ADA, **values}
    return Call(Kind.SIGN_UP, "alice", began, ended, 201, account, wanted, "k", told=shown(1, account, **values))


def refused(began: float, ended: float, *taken: str, **values: str) -> Call:
    return Call(Kind.SIGN_UP, "alice", began, ended, 409, wanted={**ADA, **values}, taken=taken)


def unanswered(began: float, ended: float, **values: str) -> Call:
    return Call(Kind.SIGN_UP, "alice", began, ended, NO_ANSWER, wanted={**ADA, **values})


def changed(began: float, ended: float, version: int, email: str, status: int = 200, **more: Any) -> Call:
    told = shown(version, email=email) if status == 200 else None
    return Call(Kind.CHANGE, "alice", began, ended, status, "a", {"email": email}, told=told, **more)


def deleted(began: float, ended: float, status: int = 204, **more: Any) -> Call:
    return Call(Kind.DELETE, "alice", began, ended, status, "a", **more)


def read(began: float, ended: float, version: int | None = None, **values: str) -> Call:
    told = None if version is None else shown(version, **values)
    return Call(Kind.READ, "alice", began, ended, 404 if version is None else 200, "a", told=told)


NEW, NEWER = "new@example.com", "newer@example.com"

TRUE: dict[str, tuple[list[Call], list[dict[str, Any]]]] = {
    "nothing happened": ([], []),
    "a sign-up that is there": ([made(0, 1)], [stored()]),
    "a whole life": (
        [made(0, 1), read(2, 3, 1), changed(4, 5, 2, NEW), read(6, 7, 2, email=NEW), deleted(8, 9), read(10, 11)],
        [],
    ),
    "changes at the same time, in either order": (
        [made(0, 1), changed(2, 9, 3, NEW), changed(2, 9, 2, NEWER)],
        [stored(3, email=NEW)],
    ),
    "two deletions at the same time are both a success": ([made(0, 1), deleted(2, 9), deleted(3, 8)], []),
    "a change that was never answered, and was done": (
        [made(0, 1), changed(2, 3, 2, NEW, status=503)],
        [stored(2, email=NEW)],
    ),
    "a change that was never answered, and was done later": (
        [made(0, 1), changed(2, 3, 2, NEW, status=503), read(4, 5, 1), read(6, 7, 2, email=NEW)],
        [stored(2, email=NEW)],
    ),
    "a change that was never answered, and was not done": ([made(0, 1), changed(2, 3, 2, NEW, status=0)], [stored()]),
    "a change that was refused after an attempt without an answer": (
        [made(0, 1), changed(2, 3, 2, NEW, status=412, expected=1, unsettled=True)],
        [stored(2, email=NEW)],
    ),
    "a sign-up that was never answered, and is there": ([unanswered(0, 1)], [stored()]),
    "a sign-up that was never answered, and is not there": ([unanswered(0, 1)], []),
    "an address called taken by a sign-up that was never answered": (
        [unanswered(0, 1), refused(2, 3, "email", "username")],
        [],
    ),
    "an address that goes from hand to hand": (
        [made(0, 1), changed(2, 3, 2, NEW), made(4, 5, "b", username="bob")],
        [stored(2, email=NEW), stored(account="b", username="bob")],
    ),
    "an address refused while it was being given up": (
        [made(0, 1), deleted(2, 9), refused(3, 8, "email", "username")],
        [],
    ),
    "a precondition that fails": (
        [made(0, 1), changed(2, 3, 2, NEW), deleted(4, 5, 412, expected=1)],
        [stored(2, email=NEW)],
    ),
    "the same change again": ([made(0, 1), changed(2, 3, 2, NEW), changed(4, 5, 2, NEW)], [stored(2, email=NEW)]),
    "a stranger who finds nothing": (
        [made(0, 1), Call(Kind.STRANGER, "bob", 2, 3, 404, "a")],
        [stored()],
    ),
    "a sign-up repeated after a change": (
        [
            made(0, 1),
            changed(2, 3, 2, NEW),
            Call(Kind.REPEAT, "alice", 4, 5, 201, "a", ADA, "k", told=shown()),
        ],
        [stored(2, email=NEW)],
    ),
}

FALSE: dict[str, tuple[list[Call], list[dict[str, Any]], str]] = {
    "a sign-up that is lost": ([made(0, 1)], [], "no order"),
    "a change that is lost": ([made(0, 1), changed(2, 3, 2, NEW)], [stored()], "no order"),
    "a change done twice": ([made(0, 1), changed(2, 3, 2, NEW)], [stored(3, email=NEW)], "no order"),
    "two changes that both made version 2": (
        [made(0, 1), changed(2, 9, 2, NEW), changed(2, 9, 2, NEWER)],
        [stored(2, email=NEW)],
        "no order",
    ),
    "a change in spite of its precondition": (
        [made(0, 1), changed(2, 3, 2, NEW), changed(4, 5, 3, NEWER, expected=1)],
        [stored(3, email=NEWER)],
        "no order",
    ),
    "an old version read after the change": (
        [made(0, 1), changed(2, 3, 2, NEW), read(4, 5, 1)],
        [stored(2, email=NEW)],
        "no order",
    ),
    "a deletion that is undone": ([made(0, 1), deleted(2, 3)], [stored()], "no order"),
    "a deletion in spite of its precondition": (
        [made(0, 1), changed(2, 3, 2, NEW), deleted(4, 5, expected=1)],
        [],
        "no order",
    ),
    "a second deletion that is a success": ([made(0, 1), deleted(2, 3), deleted(4, 5)], [], "no order"),
    "a change after the deletion": ([made(0, 1), deleted(2, 3), changed(4, 5, 2, NEW)], [], "no order"),
    "an account that its owner does not find": ([made(0, 1), read(2, 3)], [stored()], "no order"),
    "a refused change that was done": (
        [made(0, 1), changed(2, 3, 2, NEW, status=412, expected=9)],
        [stored(2, email=NEW)],
        "no order",
    ),
    "an account that nobody asked for": ([], [stored()], "nobody asked for it"),
    "a refused sign-up that was done": ([refused(0, 1, "email")], [stored()], "nobody asked for it"),
    "two accounts of one unanswered sign-up": (
        [unanswered(0, 1)],
        [stored(), stored(account="b")],
        "nobody asked for it",
    ),
    "one account for two sign-ups": ([made(0, 1), made(2, 3)], [stored()], "made by 2 sign-ups"),
    "one address for two accounts": (
        [made(0, 1), made(2, 3, "b", email="ADA@example.com", username="bob")],
        [stored(), stored(account="b", email="ADA@example.com", username="bob")],
        "held one email",
    ),
    "one address for two accounts, one after the other but for a moment": (
        [made(0, 1), made(2, 3, "b", username="bob"), changed(4, 5, 2, NEW)],
        [stored(2, email=NEW), stored(account="b", username="bob")],
        "held one email",
    ),
    "an address called taken that nobody had": ([refused(0, 1, "email")], [], "nobody had it"),
    "an address called taken after its account was deleted": (
        [made(0, 1), deleted(2, 3), refused(4, 5, "email", "username")],
        [],
        "nobody had it",
    ),
    "an account's own address called taken": (
        [made(0, 1), changed(2, 3, 2, ADA["email"], status=409, taken=("email",))],
        [stored()],
        "nobody had it",
    ),
    "a taken username left out": ([made(0, 1), refused(2, 3, "email")], [stored()], "username was taken too"),
    "a repeated sign-up answered otherwise": (
        [made(0, 1), Call(Kind.REPEAT, "alice", 2, 3, 201, "a", ADA, "k", told=shown(2))],
        [stored()],
        "answered otherwise",
    ),
    "a repeated sign-up refused though its account is there": (
        [made(0, 1), Call(Kind.REPEAT, "alice", 2, 3, 422, "a", ADA, "k")],
        [stored()],
        "no order",
    ),
    "a stranger who finds something": (
        [made(0, 1), Call(Kind.STRANGER, "bob", 2, 3, 200, "a", told=shown())],
        [stored()],
        "answered 200",
    ),
    "an answer without a reason": ([Call(Kind.READ, "alice", 0, 1, 500, "x"), made(2, 3)], [stored()], "answered 500"),
}


@pytest.mark.parametrize("story", TRUE)
def test_what_can_be_true_is_no_violation(story: str) -> None:
    calls, items = TRUE[story]

    assert judge(calls, items) == []


@pytest.mark.parametrize("story", FALSE)
def test_what_cannot_be_true_is_a_violation(story: str) -> None:
    calls, items, verdict = FALSE[story]

    assert any(verdict in violation for violation in judge(calls, items))


def test_the_order_in_which_calls_were_written_down_does_not_matter() -> None:
    calls, items = TRUE["changes at the same time, in either order"]

    assert [judge(order, items) for order in itertools.permutations(calls)] == [[]] * 6


def test_a_violation_shows_the_calls_without_any_value() -> None:
    [violation] = judge([made(0, 1), changed(2, 3, 2, NEW)], [stored()])

    assert violation.splitlines() == [
        "account a: no order of its calls makes all answers true",
        "        0.000 to     1.000  sign up -> 201 version 1 (1x)",
        "        2.000 to     3.000  change -> 200 version 2 (1x)",
        "        4.000 to     4.000  read -> 200 version 1 (1x)",
    ]


def test_an_account_seen_in_between_explains_what_was_done_with_it() -> None:
    calls = [unanswered(0, 1), deleted(2, 3)]

    assert judge(calls, [], [stored()]) == []
    assert judge(calls, []) == ["account a: nobody asked for it"]


def test_too_many_unknown_outcomes_are_said_to_be_undecided() -> None:
    unknown = [changed(2, 3, 2, f"{number}@example.com", status=503) for number in range(24)]
    last = read(4, 5, 40, email="x@example.com")

    assert "too many unknown outcomes" in "".join(judge([made(0, 1), *unknown, last], [stored()]))
