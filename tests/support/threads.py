"""Calls that start at the same moment."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["at_once"]

T = TypeVar("T")


def at_once(calls: Iterable[Callable[[], T]]) -> list[T | BaseException]:
    """Make all calls at the same time, each in a thread of its own.

    Returns:
        In the order of the calls, what each returned or raised.
    """
    waiting = list(calls)
    barrier = Barrier(len(waiting))

    def start(call: Callable[[], T]) -> T:
        barrier.wait(timeout=30)
        return call()

    with ThreadPoolExecutor(len(waiting)) as pool:
        futures = [pool.submit(start, call) for call in waiting]
    return [future.exception() or future.result() for future in futures]
