"""What a function writes, caught for one test."""

from __future__ import annotations

import io
import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aws_lambda_powertools import Logger

__all__ = ["Log", "caught"]


class Log(io.StringIO):
    """The text of a log."""

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Its lines, read as JSON."""
        return [json.loads(line) for line in self.getvalue().splitlines()]


@contextmanager
def caught(logger: Logger) -> Iterator[Log]:
    """Turn a logger's output into a :class:`Log`. (It holds on to the standard output that was there when it was made,
    so that pytest's own capture does not see all of it.)"""
    handler: Any = logger.registered_handler
    log = Log()
    before = handler.setStream(log)
    try:
        yield log
    finally:
        handler.stream = before
