"""What an answer, or the lack of one, means.

botocore is never imported: its exceptions are told apart by what they carry (``response``) and by the names of their
classes, so that the library stays free of dependencies and works with any client of that shape.
"""

from __future__ import annotations

from expr_builder.attribute_values.values import from_item
from expr_builder.errors import Reason, RequestConflict, RequestInProgress, RequestThrottled, RequestUnavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from expr_builder.attribute_values.values import StoredItem
    from expr_builder.errors import RequestUnfinished

    Response = Mapping[str, Any]
    """What botocore's ClientError carries as ``response``."""
    Kind = type[RequestUnfinished]

CANCELED = "TransactionCanceledException"
CONDITION_FAILED = "ConditionalCheckFailedException"
MISMATCH = "IdempotentParameterMismatchException"

_RETRYABLE_CODES: dict[str, Kind] = {
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

_RETRYABLE_REASONS: dict[str, Kind] = {
    "TransactionConflict": RequestConflict,
    "ThrottlingError": RequestThrottled,
    "ProvisionedThroughputExceeded": RequestThrottled,
}

# Names of botocore's and Python's classes for "no answer came"; a lost answer may hide a success.
_NO_ANSWER = frozenset({"ConnectionError", "HTTPClientError", "TimeoutError"})


def read_response(error: Exception) -> Response:
    """The response that a client's error carries; empty when no answer came."""
    response = getattr(error, "response", None)
    return response if isinstance(response, dict) else {}


def read_code(response: Response) -> str:
    """The service's name for the error, such as ``"ThrottlingException"``."""
    code: str = response.get("Error", {}).get("Code", "")
    return code


def classify(error: Exception, response: Response) -> Kind | None:
    """The kind of "try again" that an error is, or ``None`` when it is final."""
    code = read_code(response)
    if code == CANCELED:
        # Any other reason beside these is a refusal, and sending again would only repeat it.
        blamed = {reason.code for reason in read_reasons(response, None)} - {"None"}
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


def read_reasons(response: Response, actions: int | None) -> list[Reason]:
    """Read the cancellation reasons, as data where they are, else out of the message's bracket list.

    Args:
        response: The error's response.
        actions: How many reasons there must be; with any other number nothing can be said of single actions, and all
            are ``"Unknown"``. ``None`` takes what there is.
    """
    reasons = [_read_reason(entry) for entry in response.get("CancellationReasons") or ()]
    if not reasons:
        message = response.get("Error", {}).get("Message") or response.get("message") or response.get("Message") or ""
        listed = message.rpartition("[")[2].partition("]")[0] if "[" in message else ""
        reasons = [Reason(code.strip()) for code in listed.split(",") if code.strip()]
    if actions is not None and len(reasons) != actions:
        return [Reason("Unknown") for _ in range(actions)]
    return reasons


def _read_reason(entry: Response) -> Reason:
    return Reason(entry.get("Code") or "None", entry.get("Message") or entry.get("message"), read_stored(entry))


def read_stored(entry: Response) -> StoredItem | None:
    """The stored item that an error or a reason carries, as Python values; ``None`` when it carries none."""
    item = entry.get("Item")
    return from_item(item) if item else None
