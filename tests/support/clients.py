"""Clients that answer as they are told, and the shapes of what botocore raises."""

from __future__ import annotations

import json
from typing import Any


class ServiceError(Exception):
    """Has the shape of botocore's ClientError."""

    def __init__(self, code: str, status: int = 400, message: str = "", **more: Any) -> None:
        super().__init__(code)
        self.response = {
            "Error": {"Code": code, "Message": message},
            "ResponseMetadata": {"HTTPStatusCode": status},
            **more,
        }


class ConnectTimeoutError(ConnectionError):
    """No answer came, as botocore reports it."""


class _Client:
    """Answers with the outcomes given, one for each call; notes what it was sent."""

    def __init__(self, *outcomes: Any) -> None:
        self.outcomes = list(outcomes)
        self.sent: list[dict[str, Any]] = []

    def _answer(self, **request: Any) -> Any:
        self.sent.append(json.loads(json.dumps(request)))
        outcome = self.outcomes.pop(0) if len(self.outcomes) > 1 else self.outcomes[0]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    transact_write_items = transact_get_items = _answer
    get_item = put_item = update_item = delete_item = _answer
    query = scan = batch_get_item = batch_write_item = _answer


Client: Any = _Client  # stands for a boto3 client wherever one is asked for


def canceled(*codes: str, **items: Any) -> ServiceError:
    reasons: list[dict[str, Any]] = [{"Code": code} for code in codes]
    for position, item in items.items():
        reasons[int(position[1:])]["Item"] = item
    return ServiceError("TransactionCanceledException", CancellationReasons=reasons)
