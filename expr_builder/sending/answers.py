"""What an answer, or a missing answer, means.

botocore is never imported: its exceptions are recognised by what they carry (``response``) and by the names of their
classes. So the library has no dependencies, and works with any client of that shape.
"""

from __future__ import annotations

from expr_builder.attribute_values.values import from_item
from expr_builder.errors import Reason, RequestConflict, RequestInProgress, RequestThrottled, RequestUnavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet
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
    "ReplicatedWriteConflictException": RequestConflict,  # a global table with strong consistency
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

# Base classes in botocore and Python of the errors that mean "no answer came", or a damaged one. It may hide a success.
_NO_ANSWER = frozenset({"ChecksumError", "ConnectionError", "HTTPClientError", "TimeoutError"})


def read_response(error: Exception) -> Response:
    """The response that a client's error carries; empty when no answer came."""
    response = getattr(error, "response", None)
    return response if isinstance(response, dict) else {}


def read_code(response: Response) -> str:
    """The service's name for the error, such as ``"ThrottlingException"``."""
    code: str = response.get("Error", {}).get("Code", "")
    return code


def classify(error: Exception, response: Response) -> Kind | None:
    """The class of error for a failure that may pass when the request is sent again; ``None`` for a final one."""
    code = read_code(response)
    if code == CANCELED:
        # One reason of another kind is a refusal, and sending again would only repeat it.
        blamed = {reason.code for reason in read_reasons(response, None)} - {"None"}
        kinds = {_RETRYABLE_REASONS.get(reason) for reason in blamed}
        if None in kinds or not kinds:
            return None
        return RequestConflict if RequestConflict in kinds else RequestThrottled
    if code in _RETRYABLE_CODES:
        return _RETRYABLE_CODES[code]
    # Whatever its code: load balancers and proxies have their own.
    if response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0) >= 500:
        return RequestUnavailable
    if not response and _has_base(error, _NO_ANSWER):
        return RequestUnavailable
    return None


def is_failed_call(error: Exception, response: Response) -> bool:
    """Tell whether the service or botocore says that the call failed, not somebody else, such as a caller's timer."""
    return bool(response) or _has_base(error, {"BotoCoreError"})


def _has_base(error: Exception, names: AbstractSet[str]) -> bool:
    return any(base.__name__ in names for base in type(error).__mro__)


def read_reasons(response: Response, actions: int | None) -> list[Reason]:
    """Read the cancellation reasons from the data if it is there, else from the list in the message.

    Args:
        response: The error's response.
        actions: How many reasons there must be. With any other number nothing is known of single actions, and all
            reasons are ``"Unknown"``. ``None`` takes what there is.
    """
    reasons = [_read_reason(entry) for entry in response.get("CancellationReasons") or ()]
    if not reasons:
        # Clients that do not know the member keep only "… for specific reasons [None, ConditionalCheckFailed]".
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
