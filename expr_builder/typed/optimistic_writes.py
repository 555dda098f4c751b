"""Read, draft, write, and start over when another writer was faster."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypedDict, TypeVar

from expr_builder.errors import ConditionFailed
from expr_builder.sending.conversation import Patience, back_off

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_dynamodb.client import DynamoDBClient

    from expr_builder.attribute_values.values import StoredItem
    from expr_builder.requests.get import Get

T = TypeVar("T")


class SendOptions(TypedDict):
    """How long to keep sending: the arguments that every request of the plain builder takes."""

    time_left: Callable[[], float] | None
    max_attempts: int


def settle(
    read: Get,
    draft: Callable[[StoredItem | None], Callable[[], T]],
    client: DynamoDBClient,
    options: SendOptions,
    *,
    max_attempts: int = 8,
    is_final: Callable[[ConditionFailed], bool] = lambda refused: False,
) -> T:
    """Write what depends on what is stored.

    Args:
        read: Reads the item, consistently.
        draft: Makes the write from what was read; what it raises is final.
        client: The table's client.
        options: For each request.
        max_attempts: How often to start at most.
        is_final: Tells whether a refusal has another reason than an outdated read, so that it stands.

    Raises:
        ConditionFailed: when a refusal is final, or other writers were faster each time.
    """
    patience = Patience(options["time_left"], max_attempts)
    attempt = 0
    while True:
        attempt += 1
        # Outside of try: a ConditionFailed of the draft's own is an answer, not a lost race.
        write = draft(read.fetch(client, **options))
        try:
            return write()
        except ConditionFailed as refused:
            delay = back_off(attempt)
            if is_final(refused) or not patience.covers(attempt, delay):
                raise
        time.sleep(delay)
