"""Pace: at most so many requests a second, over all threads, so that the service keeps the capacity that it needs."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from expr_builder.errors import BuildError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mypy_boto3_dynamodb import DynamoDBClient

_EVENT = "before-send.dynamodb"  # each attempt, also those that botocore makes by itself


class Pace:
    """Lets one caller pass at a time, and the next after its share of a second. Nothing is saved up.

    Args:
        rate: How many may pass in a second.
        clock, wait: For tests: the time in seconds, and how to wait so many of them; true ends the work.
    """

    def __init__(
        self,
        rate: float,
        *,
        clock: Callable[[], float] = time.monotonic,
        wait: Callable[[float], bool] | None = None,
    ) -> None:
        self._interval = 1 / rate
        self._clock = clock
        self._stopped = threading.Event()
        self._wait = wait or self._stopped.wait
        self._next = 0.0
        self._lock = threading.Lock()

    def stop(self) -> None:
        """Let nobody pass any more, and end all waiting."""
        self._stopped.set()

    def pass_by(self) -> None:
        """Wait for one's turn; raises KeyboardInterrupt when the work was stopped, as an interrupted thread would."""
        with self._lock:
            now = self._clock()
            turn = max(now, self._next)
            self._next = turn + self._interval
        if self._stopped.is_set() or (turn > now and self._wait(turn - now)):
            raise KeyboardInterrupt


@contextmanager
def paced(client: DynamoDBClient, rate: float | None) -> Iterator[Callable[[], None]]:
    """Let the client send at most so many requests a second inside the block; ``None`` for as many as it can.

    Returns:
        A context manager that gives a function. Called after an error, such as Ctrl-C, it ends the threads that wait
        for their turn.

    Raises:
        BuildError: for a rate that is not greater than 0, or a client that is not boto3's.
    """
    if rate is None:
        yield lambda: None
        return
    if not 0 < rate < float("inf"):
        raise BuildError("a rate is greater than 0", rule="member-value", place="rate", fix="such as rate=50")
    try:
        events = client.meta.events
    except AttributeError:
        raise BuildError(
            "only boto3's client can be slowed down", rule="client-resource", place="rate", fix="leave rate out"
        ) from None
    pace = Pace(rate)

    def hold_back(**_: object) -> None:
        pace.pass_by()

    events.register_first(_EVENT, hold_back)
    try:
        yield pace.stop
    finally:
        events.unregister(_EVENT, hold_back)
