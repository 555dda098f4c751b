"""The events of ``events/``: what must be stored before each, and whether the answer is the expected one.

Used by the integration ring (in process) and by the sam ring (in the real container), so that both prove the same.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from accounts.model import SignUp
from accounts.receipts import fingerprint
from accounts.schema import declare_table, declare_unique, make_account_item
from tests.support.template import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mypy_boto3_dynamodb import DynamoDBClient

__all__ = ["EVENTS", "Expectation", "check", "expectations", "read_event", "reset", "rest_event", "seed"]

EVENTS = ROOT / "events"

# A wildcard stands for text of its shape; where it occurs twice in one expectation, it is the same text.
_WILDCARDS = {
    "account_id": r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    "created_at": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z",
}
_WILDCARD = re.compile("<(" + "|".join(_WILDCARDS) + ")>")


@dataclass(frozen=True)
class Expectation:
    """One entry of ``events/expectations.json``. REST events have ``status``; events of the authorizer and of the
    audit have ``result`` or ``error``.

    Attributes:
        function: The logical id of the function to invoke.
        seed: Accounts to store beforehand.
        status: The HTTP status.
        headers: Headers that the answer must have; it may have others.
        body: The whole body; ``None`` for an empty one.
        result: The whole answer of a function that speaks no HTTP.
        error: The message of the exception that it must raise.
    """

    function: str
    seed: list[dict[str, Any]] = field(default_factory=list)
    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = None
    result: Any = None
    error: str | None = None


def expectations() -> dict[str, Expectation]:
    """All expectations by the event's file name."""
    loaded = json.loads((EVENTS / "expectations.json").read_text(encoding="utf-8"))
    return {name: Expectation(**entry) for name, entry in loaded.items()}


def read_event(name: str) -> str:
    """An event's text, its token placeholders not yet filled in (``tools.tokens.fill`` does that)."""
    return (EVENTS / name).read_text(encoding="utf-8")


def reset(client: DynamoDBClient, table: str) -> None:
    """Remove every item."""
    for page in client.get_paginator("scan").paginate(TableName=table, ProjectionExpression="PK, SK"):
        for key in page["Items"]:
            client.delete_item(TableName=table, Key=key)


def seed(client: DynamoDBClient, table: str, accounts: list[dict[str, Any]]) -> None:
    """Store accounts with their markers.

    Args:
        client: A DynamoDB client.
        table: The table's name.
        accounts: For each ``account_id``, ``email``, ``username``, ``subject`` and, where it matters, ``version`` and
            ``created_at``.
    """
    unique = declare_unique(declare_table(table))
    for account in accounts:
        signed_up_as = SignUp(email=account["email"], username=account["username"])
        whole = {"created_at": "2026-01-02T03:04:05.678Z", **account}
        item = make_account_item(**whole, fingerprint=fingerprint(signed_up_as))
        unique.create(item).send(client)


def check(expected: Expectation, answer: Mapping[str, Any]) -> None:
    """Compare a function's whole answer with what is expected.

    Raises:
        AssertionError: showing both, when they differ.
    """
    if expected.status is None:
        assert answer == expected.result
        return
    text = answer["body"]
    headers = {name: value[0] for name, value in answer["multiValueHeaders"].items()}
    got = {
        "status": answer["statusCode"],
        "headers": {name: headers.get(name) for name in expected.headers},
        "body": json.loads(text) if text else None,
    }
    wanted = {"status": expected.status, "headers": expected.headers, "body": expected.body}
    assert got == _bound(wanted, got), f"expected {wanted}"


def _bound(wanted: Any, got: Any) -> Any:
    """``wanted`` with each wildcard replaced by what stands in its place in ``got``, if that has the right shape."""
    found: dict[str, str] = {}
    _collect(wanted, got, found)
    return _replaced(wanted, found)


def _collect(wanted: Any, got: Any, found: dict[str, str]) -> None:
    if isinstance(wanted, dict) and isinstance(got, dict):
        for name in wanted.keys() & got.keys():
            _collect(wanted[name], got[name], found)
    elif isinstance(wanted, str) and isinstance(got, str):
        names = _WILDCARD.findall(wanted)
        # Split by the wildcards: odd pieces are their names.
        pieces = _WILDCARD.split(wanted)
        pattern = "".join(f"({_WILDCARDS[p]})" if i % 2 else re.escape(p) for i, p in enumerate(pieces))
        if match := re.fullmatch(pattern, got):
            for name, value in zip(names, match.groups(), strict=True):
                found.setdefault(name, value)


def _replaced(wanted: Any, found: dict[str, str]) -> Any:
    if isinstance(wanted, dict):
        return {name: _replaced(value, found) for name, value in wanted.items()}
    if isinstance(wanted, str):
        return _WILDCARD.sub(lambda match: found.get(match[1], match[0]), wanted)
    return wanted


def rest_event(
    method: str,
    resource: str,
    *,
    account_id: str | None = None,
    subject: str | None = "user-1",
    body: Any = None,
    headers: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """A REST API proxy event, as API Gateway sends it (payload version 1.0).

    Args:
        method: The HTTP method.
        resource: The route, such as ``/accounts/{account_id}``.
        account_id: The path parameter.
        subject: Who the authorizer found; ``None`` for no authorizer at all.
        body: Text as it is, anything else as JSON.
        headers: Request headers; ``Content-Type`` comes by itself with a body.
    """
    path = resource.replace("{account_id}", account_id or "")
    text = body if body is None or isinstance(body, str) else json.dumps(body)
    content = {} if text is None else {"Content-Type": "application/json"}
    sent = {"Accept": "application/json", "Host": "api.example.com", **content, **(headers or {})}
    context: dict[str, Any] = {
        "accountId": "123456789012",
        "apiId": "a1b2c3d4e5",
        "domainName": "api.example.com",
        "extendedRequestId": "JKJaXmPLvHcESHA=",
        "httpMethod": method,
        "identity": {"sourceIp": "192.0.2.1", "userAgent": "curl/8.0"},
        "path": f"/v1{path}",
        "protocol": "HTTP/1.1",
        "requestId": "4b2f6d0a-8f0e-4a52-9d3e-0c1d2e3f4a5b",
        "requestTimeEpoch": 1767323045678,
        "resourceId": "abc123",
        "resourcePath": resource,
        "stage": "v1",
    }
    if subject is not None:
        context["authorizer"] = {"principalId": subject, "sub": subject, "integrationLatency": 12}
    return {
        "resource": resource,
        "path": path,
        "httpMethod": method,
        "headers": sent,
        "multiValueHeaders": {name: [value] for name, value in sent.items()},
        "queryStringParameters": None,
        "multiValueQueryStringParameters": None,
        "pathParameters": None if account_id is None else {"account_id": account_id},
        "stageVariables": None,
        "requestContext": context,
        "body": text,
        "isBase64Encoded": False,
    }
