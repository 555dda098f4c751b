"""What a container does once, while it starts. ``api`` imports this first, and calls ``finish`` when it is ready.

A starting container has a whole processor; a request has only the share that the function's memory buys. So what every
request needs is made while the container starts.
"""

from __future__ import annotations

import gc
import os
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_ON_LAMBDA = "AWS_LAMBDA_FUNCTION_NAME" in os.environ

if _ON_LAMBDA:
    # Modules make some hundred thousand objects while they load, and none of them is garbage.
    gc.disable()
    # To look for plug-ins, pydantic would read the metadata of every installed package.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "1")


def finish(prepare: Callable[[], object]) -> None:
    """Make what every request needs, and let the garbage collector run again. Does nothing outside of Lambda.

    Args:
        prepare: Makes it, and keeps it. It may fail: the first request will meet the same error, and report it.
    """
    if not _ON_LAMBDA:
        return
    with suppress(Exception):
        prepare()
    gc.freeze()  # what is loaded stays for good: the collector need not look at it again
    gc.enable()
