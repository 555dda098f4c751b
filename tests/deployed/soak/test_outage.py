"""DynamoDB goes away in the middle, and comes back: killed for good, or hanging for a while.

The local engine saves what it holds on a clean stop only: after a kill the table is empty, and what is proved is how
the service answers. What was stored is looked at when the engine hangs, and then goes on with all its memory.
"""

from __future__ import annotations

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from accounts.schema import declare_layout as layout
from expr_builder.markers import audit
from tests.soak.clients import Crowd
from tests.soak.history import FUNCTION_SECONDS, NO_ANSWER, Kind
from tests.soak.judge import judge
from tests.support.http import Api

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.soak.scene import Scene
    from tests.support.http import Answer

CLIENTS = 3


def api_of(place: Scene) -> Api:
    return Api(place.url, place.signer.token("alice"))


def all_operations(api: Api, account_id: str) -> dict[str, Answer]:
    """One request to each function, at the same time."""
    calls = {
        "sign up": lambda: api.sign_up("new@example.com", "new", Idempotency_Key="in-the-dark"),
        "read": lambda: api.read(account_id),
        "change the e-mail": lambda: api.change_email(account_id, "new@example.com"),
        "change the username": lambda: api.change_username(account_id, "new"),
        "delete": lambda: api.delete(account_id),
    }
    with ThreadPoolExecutor(len(calls)) as pool:
        answers = {name: pool.submit(call) for name, call in calls.items()}
    return {name: answer.result() for name, answer in answers.items()}


def assert_all_say_try_again(answers: dict[str, Answer]) -> None:
    assert {name: answer.status for name, answer in answers.items()} == dict.fromkeys(answers, 503)
    for answer in answers.values():
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.headers["retry-after"] == "1"


def wait_for(what: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not what():
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.05)


def test_while_the_engine_is_killed_the_answer_is_503_and_then_all_goes_on(place: Scene) -> None:
    api, crowd = api_of(place), Crowd(place.url, place.signer, size=CLIENTS, seed=1)
    calls = crowd.history.calls
    with crowd.at_work():
        account_id = api.sign_up("ada@example.com", "ada").json["account_id"]
        wait_for(lambda: sum(call.done for call in calls) > 10)
        place.signal_engine(signal.SIGKILL)
        killed = time.monotonic()
        in_the_dark = all_operations(api, account_id)
        still_dark = time.monotonic()
        place.restart_engine()
        back = time.monotonic()
        again = api.sign_up("ada@example.com", "ada")
        wait_for(lambda: any(call.kind is Kind.SIGN_UP and call.done and call.began > back for call in calls))

    assert_all_say_try_again(in_the_dark)
    assert again.status == 201
    assert {call.status for call in calls if call.status >= 500} <= {503}
    assert {call.status for call in calls if killed < call.began and call.ended < still_dark} <= {NO_ANSWER, 503}


def test_while_the_engine_hangs_the_answer_is_503_and_nothing_acknowledged_is_lost(place: Scene) -> None:
    api, crowd = api_of(place), Crowd(place.url, place.signer, size=CLIENTS, seed=2)
    calls = crowd.history.calls
    with crowd.at_work():
        account_id = api.sign_up("ada@example.com", "ada").json["account_id"]
        wait_for(lambda: sum(call.done for call in calls) > 10)
        place.signal_engine(signal.SIGSTOP)
        try:
            started = time.monotonic()
            in_the_dark = all_operations(api, account_id)
            took = time.monotonic() - started
        finally:
            place.signal_engine(signal.SIGCONT)
        back = time.monotonic()
        wait_for(lambda: any(call.done and call.began > back for call in calls))
    place.settle()

    assert_all_say_try_again(in_the_dark)
    assert took < FUNCTION_SECONDS
    assert judge(calls, [item for item in place.accounts() if item["subject"] != "alice"]) == []
    assert audit(layout(place.table), place.client).findings == []
