"""The service does what the model says, whatever goes wrong on the way; a service that does not is found out."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from accounts.service import AccountService
from tests.integration.model.broken import BROKEN, ForgottenMarker
from tests.integration.model.machine import AccountsMachine
from tests.support.cloud import local_cloud

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tools.local_cloud import LocalCloud

pytestmark = pytest.mark.timeout(900)  # a search by chance: mostly seconds, now and then minutes

BOUNDED = settings(
    max_examples=60,
    stateful_step_count=30,
    deadline=None,
    derandomize=True,
    database=None,
    print_blob=False,
    suppress_health_check=list(HealthCheck),
)
# What a run meets differs from machine to machine (ids, tokens and pauses are of the moment): look long enough.
UNTIL_FOUND = settings(BOUNDED, max_examples=3000, phases=[Phase.generate])
SHRUNK = settings(BOUNDED, stateful_step_count=12, phases=[Phase.generate, Phase.shrink])


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCloud]:
    """An engine that honours tokens."""
    with local_cloud(tmp_path_factory.mktemp("model")) as cloud:
        yield cloud


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries follow each other at once."""
    monkeypatch.setattr("expr_builder.sending.blocking.time", _Clock)


class _Clock:
    monotonic = time.monotonic

    @staticmethod
    def sleep(seconds: float) -> None:
        """No time to lose."""


def machine(cloud: LocalCloud, service: type[AccountService] = AccountService) -> type[AccountsMachine]:
    return type("Accounts", (AccountsMachine,), {"cloud": cloud, "service_class": service})


def test_the_service_does_what_the_model_says(cloud: LocalCloud) -> None:
    run_state_machine_as_test(machine(cloud), settings=BOUNDED)


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: broken.__name__)
def test_a_service_with_a_mistake_is_found_out(broken: type[AccountService], cloud: LocalCloud) -> None:
    with pytest.raises(AssertionError, match="answered"):
        run_state_machine_as_test(machine(cloud, broken), settings=UNTIL_FOUND)


def test_what_was_found_shrinks_to_a_story_of_two_steps(cloud: LocalCloud) -> None:
    with pytest.raises(AssertionError) as found:
        run_state_machine_as_test(machine(cloud, ForgottenMarker), settings=SHRUNK)

    assert [line for note in found.value.__notes__ for line in note.splitlines() if "state." in line] == [
        "accounts_0 = state.sign_up(email='ada@example.com', faults=[], key=None, subject='alice', username='ada')",
        "state.delete(account=accounts_0, expected=None, faults=[], key=None)",
        "state.teardown()",
    ]
