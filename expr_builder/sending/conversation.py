"""The conversation with the service, without input and output: what to ask, how long to wait, when to stop.

A conversation is a generator. It yields :class:`Ask` (make this call; send me the answer, or throw me the error) and
:class:`Wait` (sleep so long), and returns the final answer. A driver such as :mod:`.blocking` carries it out.
"""

from __future__ import annotations

from expr_builder.errors import IdempotentParameterMismatch, RequestInProgress, RequestUnavailable

from .answers import MISMATCH, classify, is_failed_call, read_code, read_response

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping
    from typing import Any, TypeAlias, TypeVar

    from expr_builder.errors import RequestError, RequestUnfinished

    from .answers import Kind, Response

    T = TypeVar("T")
    Conversation: TypeAlias = Generator["Ask | Wait", Any, T]
    Refusal: TypeAlias = Callable[[str, Response, bool], RequestError | None]
    """Makes the error for a final refusal, or ``None`` to pass on the client's. It gets the code, the response, and
    whether the outcome of an earlier attempt is unknown."""

_FIRST_DELAY = 0.025  # seconds; doubled for each attempt, a random part of it is slept ("full jitter")
_LONGEST_DELAY = 1.0
_WRITES = frozenset({"put_item", "update_item", "delete_item", "batch_write_item", "transact_write_items"})
_IN_PROGRESS_ROOM = 6.0  # AWS: TransactionInProgress may need a retry more than 5 s after the first attempt


class Ask:
    """Make this call.

    Attributes:
        method: The client's method, such as ``"transact_write_items"``.
        request: Its arguments: the same each time, so that the service recognises a repetition.
    """

    __slots__ = ("method", "request")

    def __init__(self, method: str, request: Mapping[str, Any]) -> None:
        self.method = method
        self.request = request


class Wait:
    """Sleep for so many seconds."""

    __slots__ = ("seconds",)

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds


class Patience:
    """How long to keep asking.

    Args:
        time_left: Returns the seconds that remain; no retry starts that they do not cover.
        max_attempts: How often to ask at most.
    """

    __slots__ = ("max_attempts", "time_left")

    def __init__(self, time_left: Callable[[], float] | None = None, max_attempts: int = 8) -> None:
        self.time_left = time_left
        self.max_attempts = max_attempts

    def covers(self, attempt: int, delay: float, *, waiting: bool = False) -> bool:
        """Tell whether to ask again after ``attempt`` attempts and a pause; ``waiting``: however many they were."""
        in_time = self.time_left is None or self.time_left() > delay
        return in_time and (waiting or attempt < self.max_attempts)


def converse(
    ask: Ask,
    patience: Patience,
    *,
    refusal: Refusal | None = None,
    is_repeatable: Callable[[], bool] | None = None,
) -> Conversation[Any]:
    """Ask until there is a final answer, and return it.

    Args:
        ask: The call.
        patience: How long.
        refusal: Makes an error of our own for a final refusal; without one the client's error is passed on.
        is_repeatable: Tells whether the call may be made again after a lost answer, as it may have been carried out;
            ``None`` for a call that always may.

    Raises:
        RequestUnfinished: no final answer within the attempts and time allowed. ``RequestUnavailable`` also when a
            write's answer was lost and its repetition failed for a reason of its own, such as expired credentials: that
            error, which is then the cause, tells nothing of the first attempt.
        IdempotentParameterMismatch: the token was used for another body.
    """
    attempt, waited, unknown = 0, 0.0, False
    while True:
        attempt += 1
        try:
            return (yield ask)
        except Exception as error:
            response = read_response(error)
            kind = classify(error, response)
            if kind is None:
                refused = _refuse(response, refusal, unknown)
                if refused is not None:
                    raise refused from error
                if unknown and ask.method in _WRITES and is_failed_call(error, response):
                    raise _give_up(RequestUnavailable, ask, attempt, unknown) from error
                raise
            # Once unknown, always unknown: a later refusal can be of the repetition of a write that took place.
            unknown = unknown or kind in (RequestUnavailable, RequestInProgress)
            # In progress: half a second to a second. The service is at work, and only asks for time.
            delay = back_off(10) / 2 + _LONGEST_DELAY / 2 if kind is RequestInProgress else back_off(attempt)
            waiting = kind is RequestInProgress and waited < _IN_PROGRESS_ROOM
            once = kind is RequestUnavailable and is_repeatable is not None and not is_repeatable()
            if once or not patience.covers(attempt, delay, waiting=waiting):
                raise _give_up(kind, ask, attempt, unknown) from error
        yield Wait(delay)
        waited += delay


def _refuse(response: Response, refusal: Refusal | None, unknown: bool) -> RequestError | None:
    code = read_code(response)
    if code == MISMATCH:
        return IdempotentParameterMismatch("the token was used for another transaction")
    return refusal(code, response, unknown) if refusal is not None else None


def _give_up(kind: Kind, ask: Ask, attempt: int, unknown: bool) -> RequestUnfinished:
    return kind(
        f"{kind.__name__} after {attempt} attempts",
        attempts=attempt,
        outcome_unknown=unknown,
        token=ask.request.get("ClientRequestToken"),
    )


def make_token() -> str:
    """A ClientRequestToken that nobody has used."""
    import os

    return os.urandom(16).hex()  # as random as a UUID, whose module is slow to import


def back_off(attempt: int) -> float:
    """Seconds to wait after attempt number ``attempt``: a random part of a time that doubles up to a second."""
    import random  # loaded by the first retry only: it is slow to import

    # Beyond 2**10 the longest delay holds anyway: the power must not grow without end.
    return random.uniform(0, min(_LONGEST_DELAY, _FIRST_DELAY * 2 ** min(attempt, 10)))
