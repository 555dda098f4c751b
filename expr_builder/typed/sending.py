"""Sending single writes: what is refused comes back as :class:`ConditionFailed`, with the stored row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from expr_builder.errors import ConditionFailed

if TYPE_CHECKING:
    from collections.abc import Callable

    from expr_builder.requests.writes import WriteAction


class Refused(Exception):
    """The condition failed.

    Attributes:
        row: The stored row as Python values, ``None`` when there is none.
        sent_again: Whether an earlier attempt may have been the one that wrote it.
    """

    def __init__(self, row: dict[str, Any] | None, *, sent_again: bool) -> None:
        super().__init__("the condition failed")
        self.row = row
        self.sent_again = sent_again


def send_write(
    client: Any, action: WriteAction, *, time_left: Callable[[], float] | None, max_attempts: int
) -> dict[str, Any] | None:
    """Carry out a put, update or delete by itself; conflicts, throttling and lost answers are retried.

    Raises:
        Refused: when its condition failed.
        RequestUnfinished: when no final answer came in time.
    """
    try:
        return action.send(client, time_left=time_left, max_attempts=max_attempts)
    except ConditionFailed as error:
        raise Refused(error.item, sent_again=error.retried) from error
