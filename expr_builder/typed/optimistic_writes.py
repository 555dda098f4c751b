"""Read, draft, write; and all over again when somebody else was faster."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

from expr_builder.errors import ConditionFailed
from expr_builder.sending.conversation import back_off

if TYPE_CHECKING:
    from collections.abc import Callable

    from expr_builder.attribute_values.values import StoredItem
    from expr_builder.sending.conversation import Patience

T = TypeVar("T")


def settle(
    read: Callable[[], StoredItem | None],
    draft: Callable[[StoredItem | None], Callable[[], T]],
    patience: Patience,
    *,
    is_final: Callable[[ConditionFailed], bool] = lambda refused: False,
) -> T:
    """Write what depends on what is stored.

    Args:
        read: Reads the item.
        draft: Makes the write of what was read; what it raises is final.
        patience: How often to try, and how long.
        is_final: Tells whether a refusal stands, for another reason than that the reading was out of date.

    Raises:
        ConditionFailed: when a refusal is final, or others kept being faster.
    """
    attempt = 0
    while True:
        attempt += 1
        write = draft(read())
        try:
            return write()
        except ConditionFailed as refused:
            delay = back_off(attempt)
            if is_final(refused) or not patience.covers(attempt, delay):
                raise
        time.sleep(delay)
