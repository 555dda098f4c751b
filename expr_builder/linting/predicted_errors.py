"""Says how the service would answer a request in which lint has found problems: code, status, words and reasons.

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html and
https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
"""

from __future__ import annotations

from .operation_guess import find_operation
from .problems import ENVELOPE, is_mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TypeAlias

    from .problems import Problem

    Reason: TypeAlias = dict[str, str]
    """``{"Code": "None"}``, or a code with its ``Message``."""

_STATUS = 400
_NAMESPACES = {
    "SerializationException": "com.amazon.coral.service",
    "TransactionCanceledException": "com.amazonaws.dynamodb.v20120810",
    "ValidationException": "com.amazon.coral.validate",
}


class PredictedError:
    """The service's answer to a request that it refuses.

    Attributes:
        code: The error code, such as ``"ValidationException"``.
        status: The HTTP status, which is 400 for all of them.
        message: The words.
        reasons: The cancellation reasons of a transaction, one for each action: ``({"Code": "None"}, {"Code":
            "ValidationError", "Message": "…"})``. Empty for all other codes.
    """

    __slots__ = ("code", "message", "reasons", "status")

    def __init__(self, code: str, message: str, reasons: Iterable[Reason] = (), status: int = _STATUS) -> None:
        self.code = code
        self.message = message
        self.reasons = tuple(reasons)
        self.status = status

    def to_response(self) -> dict[str, Any]:
        """The answer as ``botocore`` reads it, the ``response`` of a ``ClientError``.

        Example:
            ``ClientError(error.to_response(), "PutItem")`` is what a boto3 client would raise.
        """
        response: dict[str, Any] = {
            "Error": {"Message": self.message, "Code": self.code},
            "ResponseMetadata": {"HTTPStatusCode": self.status},
        }
        if self.reasons:
            response["CancellationReasons"] = [dict(reason) for reason in self.reasons]
        return response

    def to_body(self) -> dict[str, Any]:
        """The body of the HTTP answer, as a JSON object."""
        # The capital letter is in the service's own model: of its modelled errors, and of those of its framework.
        member = "message" if self.code == "ValidationException" else "Message"
        body: dict[str, Any] = {"__type": f"{_NAMESPACES[self.code]}#{self.code}", member: self.message}
        if self.reasons:
            body["CancellationReasons"] = [dict(reason) for reason in self.reasons]
        return body

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PredictedError) and self.to_body() == other.to_body()

    def __hash__(self) -> int:
        return hash((self.code, self.message))

    def __repr__(self) -> str:
        return f"PredictedError({self.code!r}, {self.message!r}{f', {list(self.reasons)}' if self.reasons else ''})"


def predict_error(problems: Iterable[Problem], request: object, operation: str | None = None) -> PredictedError | None:
    """Say how the service would answer a request with these problems.

    Args:
        problems: What :func:`.lint` has found in the request, in its order.
        request: The request.
        operation: The operation; when it is left out, the request's members have to tell.

    Returns:
        The answer; ``None`` when the service would carry the request out. It ignores members that it does not know,
        which only AWS clients refuse (stage ``"client"``), and takes what is advice.

    Raises:
        BuildError: where the operation is left out and the request could be for several.

    Example:
        ``predict_error(lint(request), request)`` for a transaction whose second key lacks an attribute is a
        ``TransactionCanceledException`` with the words ``Transaction cancelled, please refer cancellation reasons for
        specific reasons [None, ValidationError]``.

    See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/CommonErrors.html
    """
    operation = operation or find_operation(request)
    answered = [problem for problem in problems if problem.stage not in ("client", "advice")]
    if not answered:
        return None
    first = answered[0]
    if operation.startswith("Transact") and _is_reason(first):
        return _cancel(first, request)
    return PredictedError(first.code, _join_words(answered, operation))


def _is_reason(problem: Problem) -> bool:
    """Tell whether the service reports a problem in a transaction as the reason of one action."""
    # What is wrong with the transaction as a whole, and an empty key, it answers plainly.
    if problem.stage != "table" or problem.rule.startswith("transaction-") or problem.rule.endswith("key-empty"):
        return False
    # An item that is too large by itself is refused before any action is looked at.
    return not (problem.rule == "item-size" and _read_steps(problem)[2] == "Put")


def _cancel(problem: Problem, request: object) -> PredictedError:
    """Only the first failing action is named; of the others nothing is said."""
    assert is_mapping(request)  # noqa: S101  # or lint would have found that first
    actions: Any = request["TransactItems"]
    failing = int(_read_steps(problem)[1])
    reasons = [
        {"Code": "ValidationError", "Message": problem.message} if position == failing else {"Code": "None"}
        for position in range(len(actions))
    ]
    codes = ", ".join(reason["Code"] for reason in reasons)
    words = f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]"
    return PredictedError("TransactionCanceledException", words, reasons)


def _read_steps(problem: Problem) -> list[str]:
    return problem.pointer.split("/")[1:]


def _join_words(answered: list[Problem], operation: str) -> str:
    """The words of the first problem, together with those that the service names in one sentence with it."""
    first = answered[0]
    joined = [problem.message.removeprefix(ENVELOPE) for problem in answered if _is_constraint(problem)]
    # The service answers with a bad table name alone, and UpdateItem with the first fault.
    if not _is_constraint(first) or len(joined) == 1 or operation == "UpdateItem":
        return first.message
    return f"{len(joined)} validation errors detected: {'; '.join(joined)}"


def _is_constraint(problem: Problem) -> bool:
    """Tell whether a member is missing or out of bounds, which the service collects before it looks any further."""
    if problem.stage != "shape" or problem.rule == "table-name":
        return False
    return problem.message.startswith(ENVELOPE) and "' failed to satisfy constraint: " in problem.message
