"""Sending with retries, and reading what a refusal says.

botocore is never imported: its exceptions are told apart by what they carry (``response``) and by the names of their
classes, so that the library stays free of dependencies and works with any client of that shape.
"""

from __future__ import annotations

import time

from expr_builder.attribute_values.values import from_item
from expr_builder.errors import (
    BuildError,
    IdempotentParameterMismatch,
    Reason,
    RequestConflict,
    RequestError,
    RequestInProgress,
    RequestThrottled,
    RequestUnavailable,
    RequestUnfinished,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeVar

    Answer = TypeVar("Answer")

_CANCELED = "TransactionCanceledException"
_MISMATCH = "IdempotentParameterMismatchException"

_RETRYABLE_CODES: dict[str, type[RequestUnfinished]] = {
    "TransactionConflictException": RequestConflict,
    "ReplicatedWriteConflictException": RequestConflict,
    "TransactionInProgressException": RequestInProgress,
    "ProvisionedThroughputExceededException": RequestThrottled,
    "RequestLimitExceeded": RequestThrottled,
    "ThrottlingException": RequestThrottled,
    "Throttling": RequestThrottled,
    "InternalServerError": RequestUnavailable,
    "ServiceUnavailable": RequestUnavailable,
}

_RETRYABLE_REASONS: dict[str, type[RequestUnfinished]] = {
    "TransactionConflict": RequestConflict,
    "ThrottlingError": RequestThrottled,
    "ProvisionedThroughputExceeded": RequestThrottled,
}

# Names of botocore's and Python's classes for "no answer came"; a lost answer may hide a success.
_NO_ANSWER = frozenset({"ConnectionError", "HTTPClientError", "TimeoutError"})

_FIRST_DELAY = 0.025  # seconds; doubled for each attempt, a random part of it is slept ("full jitter")
_LONGEST_DELAY = 1.0
_IN_PROGRESS_DELAY = 1.0
_IN_PROGRESS_ROOM = 6.0  # a transaction in progress may need a retry more than 5 s after the first attempt


def send(
    call: Callable[[], Answer],
    refusal: Callable[[Mapping[str, Any], bool], RequestError] | None,
    *,
    time_left: Callable[[], float] | None,
    max_attempts: int,
) -> Answer:
    """Make the call until it is settled.

    Args:
        call: Sends the request, the same bytes each time.
        refusal: Makes the error for a cancelled transaction, from the response and whether an earlier attempt had no
            clear outcome; ``None`` for a call that is no transaction.
        time_left: See :meth:`TransactWrite.send`.
        max_attempts: See :meth:`TransactWrite.send`.
    """
    started = time.monotonic()
    attempt = 0
    unknown = False
    while True:
        attempt += 1
        try:
            return call()
        except Exception as error:
            response = _response_of(error)
            code = response.get("Error", {}).get("Code", "")
            if code == _MISMATCH:
                raise IdempotentParameterMismatch("the token was used for another transaction") from error
            kind = _retryable(error, response, code)
            if kind is None:
                if code == _CANCELED and refusal is not None:
                    raise refusal(response, unknown) from error
                raise
            unknown = unknown or kind in (RequestUnavailable, RequestInProgress)
            waiting = kind is RequestInProgress and time.monotonic() - started < _IN_PROGRESS_ROOM
            delay = _delay(kind, attempt)
            if (attempt >= max_attempts and not waiting) or (time_left is not None and time_left() <= delay):
                raise kind(
                    f"{kind.__name__} after {attempt} attempts", attempts=attempt, outcome_unknown=unknown
                ) from error
            time.sleep(delay)


def backoff(attempt: int) -> float:
    """Seconds to wait after the ``attempt``-th attempt: a random part of a time that doubles up to a second."""
    import random  # loaded by the first retry only: it is slow to import

    return random.uniform(0, min(_LONGEST_DELAY, _FIRST_DELAY * 2 ** min(attempt, 10)))


def _delay(kind: type[RequestUnfinished], attempt: int) -> float:
    if kind is RequestInProgress:
        return _IN_PROGRESS_DELAY / 2 + backoff(10) / 2
    return backoff(attempt)


def _response_of(error: Exception) -> Mapping[str, Any]:
    response = getattr(error, "response", None)
    return response if isinstance(response, dict) else {}


def _retryable(error: Exception, response: Mapping[str, Any], code: str) -> type[RequestUnfinished] | None:
    """The kind of "try again" that an error is, or ``None`` when it is final."""
    if code == _CANCELED:
        # Any other reason beside these is a refusal, and sending again would only repeat it.
        blamed = {reason.code for reason in reasons_of(response, None)} - {"None"}
        kinds = {_RETRYABLE_REASONS.get(reason) for reason in blamed}
        if None in kinds or not kinds:
            return None
        return RequestConflict if RequestConflict in kinds else RequestThrottled
    if code in _RETRYABLE_CODES:
        return _RETRYABLE_CODES[code]
    if response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0) >= 500:
        return RequestUnavailable
    if not response and any(base.__name__ in _NO_ANSWER for base in type(error).__mro__):
        return RequestUnavailable
    return None


def reasons_of(response: Mapping[str, Any], actions: int | None) -> list[Reason]:
    """Read the cancellation reasons, as data where they are, else out of the message's bracket list.

    Args:
        response: The error's response.
        actions: How many reasons there must be; with any other number nothing can be said of single actions, and all
            are ``"Unknown"``. ``None`` takes what there is.
    """
    reasons = [_reason(entry) for entry in response.get("CancellationReasons") or ()]
    if not reasons:
        message = response.get("Error", {}).get("Message") or response.get("message") or response.get("Message") or ""
        listed = message.rpartition("[")[2].partition("]")[0] if "[" in message else ""
        reasons = [Reason(code.strip()) for code in listed.split(",") if code.strip()]
    if actions is not None and len(reasons) != actions:
        return [Reason("Unknown") for _ in range(actions)]
    return reasons


def _reason(entry: Mapping[str, Any]) -> Reason:
    item = entry.get("Item")
    return Reason(
        entry.get("Code") or "None", entry.get("Message") or entry.get("message"), from_item(item) if item else None
    )


def refuse_unsuitable_client(client: Any) -> None:
    """Refuse a boto3 resource, or the client of one: it would serialise values that are serialised already.

    See https://docs.aws.amazon.com/boto3/latest/guide/clients.html
    """
    meta: Any = getattr(client, "meta", None)
    events: Any = getattr(meta, "events", None)
    is_resource = hasattr(meta, "client")
    if not is_resource and hasattr(events, "emit"):
        # A resource's client copies the arguments first; a plain client has no such handler.
        answers = events.emit("provide-client-params.dynamodb.TransactWriteItems", params={}, model=None, context={})
        is_resource = any(getattr(handler, "__name__", "") == "copy_dynamodb_params" for handler, _ in answers)
    if is_resource:
        raise BuildError(
            "this client belongs to a boto3 resource, which would wrap typed values a second time",
            rule="client-resource",
            fix='use boto3.client("dynamodb")',
        )
