"""Faults on the way to DynamoDB and back, put into a real client by botocore's own hooks."""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders
from botocore.exceptions import ClientError, ReadTimeoutError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mypy_boto3_dynamodb import DynamoDBClient

__all__ = [
    "Calls",
    "before",
    "cancelled",
    "counted",
    "failing",
    "forgetting_tokens",
    "in_progress",
    "losing_answers",
    "service_error",
]

WRITE = "TransactWriteItems"


class Calls:
    """What was asked for, call by call."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []

    def __len__(self) -> int:
        return len(self.requests)


@contextmanager
def _hooked(client: DynamoDBClient, event: str, hook: Callable[..., Any]) -> Iterator[None]:
    client.meta.events.register(event, hook)
    try:
        yield
    finally:
        client.meta.events.unregister(event, hook)


@contextmanager
def counted(client: DynamoDBClient, operation: str = WRITE) -> Iterator[Calls]:
    """Keep the arguments of each call."""
    calls = Calls()

    def note(params: dict[str, Any], **_: Any) -> None:
        calls.requests.append(params)

    with _hooked(client, f"before-parameter-build.dynamodb.{operation}", note):
        yield calls


@contextmanager
def before(client: DynamoDBClient, *actions: Callable[[], object], operation: str = WRITE) -> Iterator[None]:
    """Let somebody else be faster: before the first call do the first action, before the second the second …"""
    waiting = list(actions)

    def act(**_: Any) -> None:
        if waiting:
            waiting.pop(0)()

    with _hooked(client, f"before-call.dynamodb.{operation}", act):
        yield
    assert not waiting, f"{len(waiting)} of the actions never took place"


@contextmanager
def losing_answers(client: DynamoDBClient, count: int, operation: str = WRITE) -> Iterator[None]:
    """Let calls be carried out, and lose the answers of the first ``count``."""
    left = [count]

    def lose(**_: Any) -> None:
        if left[0]:
            left[0] -= 1
            raise ReadTimeoutError(endpoint_url="http://127.0.0.1")

    with _hooked(client, f"after-call.dynamodb.{operation}", lose):
        yield
    assert not left[0], "fewer calls than answers to lose"


@contextmanager
def failing(
    client: DynamoDBClient, error: Exception, operation: str = WRITE, *, times: int | None = None
) -> Iterator[Calls]:
    """Let calls fail before they are carried out: all of them, or the first ``times``."""
    calls = Calls()

    def fail(params: dict[str, Any], **_: Any) -> None:
        if times is None or len(calls) < times:
            calls.requests.append(params)
            raise error

    with _hooked(client, f"before-call.dynamodb.{operation}", fail):
        yield calls


@contextmanager
def forgetting_tokens(client: DynamoDBClient) -> Iterator[None]:
    """Let time pass: no call's token is known from an earlier call, as after ten minutes."""

    def renew(params: dict[str, Any], **_: Any) -> None:
        params["ClientRequestToken"] = str(uuid4())

    with _hooked(client, f"provide-client-params.dynamodb.{WRITE}", renew):
        yield


@contextmanager
def in_progress(client: DynamoDBClient, seconds: float) -> Iterator[Calls]:
    """Answer, as the service itself would, that the transaction is still in progress, for so long after the first
    call. What botocore does of its own then takes place."""
    calls, until = Calls(), [0.0]
    body = b'{"__type": "com.amazonaws.dynamodb.v20120810#TransactionInProgressException", "Message": "in progress"}'

    def answer(request: Any, **_: Any) -> AWSResponse | None:
        calls.requests.append(json.loads(request.body))
        until[0] = until[0] or time.monotonic() + seconds
        if time.monotonic() >= until[0]:
            return None  # on to the engine
        return AWSResponse(request.url, 400, HTTPHeaders(), _Raw(body))

    with _hooked(client, f"before-send.dynamodb.{WRITE}", answer):
        yield calls


class _Raw(BytesIO):
    """The body of an answer that no network brought."""

    def stream(self, **_: Any) -> Iterator[bytes]:
        yield self.read()


def service_error(code: str, status: int = 400) -> ClientError:
    """An error as DynamoDB reports it."""
    return ClientError(
        {"Error": {"Code": code, "Message": "an error"}, "ResponseMetadata": {"HTTPStatusCode": status}},  # type: ignore[typeddict-item]
        "AnyOperation",
    )


def cancelled(*codes: str, items: dict[int, dict[str, Any]] | None = None) -> ClientError:
    """A cancelled transaction, with a reason code for each action and the stored items of some."""
    error = service_error("TransactionCanceledException")
    reasons: list[dict[str, Any]] = [{"Code": code} for code in codes]
    for position, item in (items or {}).items():
        reasons[position]["Item"] = item
    error.response["CancellationReasons"] = reasons  # type: ignore[typeddict-item]
    return error
