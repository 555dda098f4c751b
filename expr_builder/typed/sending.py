"""Sending single writes: what is refused comes back as :class:`ConditionFailed`, with the stored row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from expr_builder.attribute_values.values import from_item
from expr_builder.sending.conversation import refuse_unsuitable_client, send

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
) -> dict[str, Any]:
    """Carry out a put, update or delete by itself; conflicts, throttling and lost answers are retried.

    Raises:
        Refused: when its condition failed.
        RequestUnfinished: when no final answer came in time.
    """
    refuse_unsuitable_client(client)
    request = action.return_old_on_failure().to_request()
    call = getattr(client, f"{action.operation.lower()}_item")
    attempts = 0

    def attempt() -> dict[str, Any]:
        nonlocal attempts
        attempts += 1
        answer: dict[str, Any] = call(**request)
        return answer

    try:
        return send(attempt, None, time_left=time_left, max_attempts=max_attempts)
    except Exception as error:
        response: Any = getattr(error, "response", None) or {}
        if response.get("Error", {}).get("Code") != "ConditionalCheckFailedException":
            raise
        retries = response.get("ResponseMetadata", {}).get("RetryAttempts", 0)  # botocore's own
        item = response.get("Item")
        raise Refused(from_item(item) if item else None, sent_again=attempts > 1 or retries > 0) from error
