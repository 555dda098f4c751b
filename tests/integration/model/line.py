"""The line between the service and DynamoDB, on which things go wrong as told, call by call."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_OID, uuid5

from botocore.exceptions import ConnectTimeoutError, ReadTimeoutError

from tests.support.faults import WRITE, cancelled, service_error

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_dynamodb import DynamoDBClient

__all__ = ["Fault", "Line"]

READS = ("GetItem", "TransactGetItems")
_NOWHERE = "http://127.0.0.1"


class Fault(Enum):
    """What can happen to a write."""

    THROTTLED = "throttled"
    SERVER_ERROR = "server error"
    CONFLICT = "conflict"
    IN_PROGRESS = "in progress"
    NOT_DELIVERED = "not delivered"
    ANSWER_LOST = "answer lost"

    def __repr__(self) -> str:
        return f"Fault.{self.name}"


def _conflict(actions: int) -> Exception:
    return cancelled("TransactionConflict", *["None"] * (actions - 1))


_ERRORS: dict[Fault, Callable[[int], Exception]] = {
    Fault.THROTTLED: lambda _: service_error("ProvisionedThroughputExceededException"),
    Fault.SERVER_ERROR: lambda _: service_error("InternalServerError", 500),
    Fault.CONFLICT: _conflict,
    Fault.IN_PROGRESS: lambda _: service_error("TransactionInProgressException"),
    Fault.NOT_DELIVERED: lambda _: ConnectTimeoutError(endpoint_url=_NOWHERE),
}


class Line:
    """Disturbs a client.

    Attributes:
        faults: For the next writes, in order; those after them are left alone.
        lost_reads: How many of the next reads fail.
        rival: What somebody else does right before the write number ``rival_at`` (from 1).
    """

    def __init__(self, client: DynamoDBClient) -> None:
        self._age = 0
        self.clear()
        events = client.meta.events
        events.register(f"before-parameter-build.dynamodb.{WRITE}", self._renew_token)
        events.register(f"before-call.dynamodb.{WRITE}", self._before_write)
        events.register(f"after-call.dynamodb.{WRITE}", self._after_write)
        for operation in READS:
            events.register(f"before-call.dynamodb.{operation}", self._before_read)

    def clear(self) -> None:
        """Nothing is wrong any more."""
        self.faults: list[Fault] = []
        self.lost_reads = 0
        self.rival: Callable[[], None] | None = None
        self.rival_at = 1
        self._writes = 0
        self._loses = False

    def forget_tokens(self) -> None:
        """From now on no write has a token of before."""
        self._age += 1

    def _renew_token(self, params: dict[str, Any], **_: Any) -> None:
        if self._age:
            params["ClientRequestToken"] = uuid5(NAMESPACE_OID, f"{self._age} {params['ClientRequestToken']}").hex

    def _before_write(self, params: dict[str, Any], **_: Any) -> None:
        self._writes += 1
        if self.rival is not None and self._writes >= self.rival_at:
            rival, self.rival = self.rival, None
            rival()
        fault = self.faults.pop(0) if self.faults else None
        self._loses = fault is Fault.ANSWER_LOST
        if fault is not None and fault in _ERRORS:
            raise _ERRORS[fault](params["body"].count(b'"TableName"'))

    def _after_write(self, **_: Any) -> None:
        if self._loses:
            self._loses = False
            raise ReadTimeoutError(endpoint_url=_NOWHERE)

    def _before_read(self, **_: Any) -> None:
        if self.lost_reads:
            self.lost_reads -= 1
            raise ReadTimeoutError(endpoint_url=_NOWHERE)
