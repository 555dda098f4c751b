"""Requests at a pace: by a clock of the test's own, and with threads that are stopped."""

from __future__ import annotations

import threading

import pytest

from expr_builder import BuildError
from expr_builder.markers import paced
from expr_builder.markers.pace import Pace


class Time:
    """A clock that waiting moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def wait(self, seconds: float) -> bool:
        self.now += seconds
        return False


def test_as_many_pass_in_a_second_as_are_allowed_and_nothing_is_saved_up() -> None:
    time = Time()
    pace = Pace(4, clock=lambda: time.now, wait=time.wait)
    passed = []
    for _ in range(5):
        pace.pass_by()
        passed.append(time.now)
    assert passed == [100.0, 100.25, 100.5, 100.75, 101.0]
    time.now = 200.0  # after a pause, no burst makes up for it
    for _ in range(3):
        pace.pass_by()
        passed.append(time.now)
    assert passed[5:] == [200.0, 200.25, 200.5]


def test_slow_callers_do_not_wait_at_all() -> None:
    time = Time()
    pace = Pace(10, clock=lambda: time.now, wait=time.wait)
    for seconds in range(4):
        assert time.now == 100 + seconds
        pace.pass_by()
        time.now += 1


def test_who_waits_for_a_turn_is_ended_at_once() -> None:
    pace = Pace(0.001)
    pace.pass_by()
    ended: list[str] = []

    def work() -> None:
        try:
            pace.pass_by()
        except KeyboardInterrupt:
            ended.append("interrupted")

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    pace.stop()
    for thread in threads:
        thread.join(timeout=10)
    assert ended == ["interrupted"] * 3
    with pytest.raises(KeyboardInterrupt):
        pace.pass_by()


@pytest.mark.parametrize("rate", [0, -1, float("inf"), float("nan")])
def test_a_rate_that_is_none_is_refused(rate: float) -> None:
    client: object = object()
    with pytest.raises(BuildError, match="a rate is greater than 0"), paced(client, rate):  # type: ignore[arg-type]
        pass


def test_another_client_than_boto3s_cannot_be_slowed_down() -> None:
    client: object = object()
    with pytest.raises(BuildError, match="only boto3's client"), paced(client, 1):  # type: ignore[arg-type]
        pass
    with paced(client, None):  # type: ignore[arg-type]
        pass
