"""A proxy that lints: in front of an engine that checks less, a client meets what the service would say.

Its place is an endpoint that moto does not know. A real boto3 client sends there, so that signing before it and the
parsing of the answer behind it are botocore's own; what is not answered goes on to moto. The keys of tables are learnt
from ``CreateTable``.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any

import boto3
from botocore import xform_name
from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders
from botocore.config import Config
from moto import mock_aws
from moto.core.models import botocore_stubber
from urllib3 import HTTPResponse

from expr_builder import Table, lint, predict_error
from expr_builder.linting import OPERATIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from botocore.awsrequest import AWSPreparedRequest
    from mypy_boto3_dynamodb import DynamoDBClient

__all__ = ["LintProxy", "lint_proxy", "send"]

_PROXY = "https://lint-proxy.example.com"
_MOTO = "https://dynamodb.us-east-1.amazonaws.com/"


class LintProxy:
    """Answers a request that the service would refuse, and lets every other one pass.

    Attributes:
        tables: The tables that were made through it, by name.
        refused: How many requests it has answered.
        passed: How many it has let pass.
    """

    def __init__(self) -> None:
        self.tables: dict[str, Table] = {}
        self.refused = 0
        self.passed = 0

    def __call__(self, request: AWSPreparedRequest, **_: Any) -> AWSResponse:
        """Answer a finished HTTP request."""
        target = request.headers["X-Amz-Target"]
        operation = (target.decode() if isinstance(target, bytes) else target).rpartition(".")[2]
        assert isinstance(request.body, (str, bytes))
        body = json.loads(request.body)
        if operation == "CreateTable":
            self.tables[body["TableName"]] = Table.from_description(body)
        answer = None
        if operation in OPERATIONS:
            answer = predict_error(lint(body, operation, self.tables.values()), body, operation)
        if answer is not None:
            self.refused += 1
            return _respond(request, answer.status, {}, json.dumps(answer.to_body()))
        self.passed += 1
        request.url = _MOTO
        forwarded = botocore_stubber.process_request(request)
        assert forwarded is not None
        return _respond(request, *forwarded)


def _respond(request: AWSPreparedRequest, status: int, headers: Mapping[str, Any], body: str | bytes) -> AWSResponse:
    raw = HTTPResponse(BytesIO(body.encode() if isinstance(body, str) else body), preload_content=False)
    return AWSResponse(request.url, status, HTTPHeaders.from_dict(headers), raw)


@contextmanager
def lint_proxy() -> Iterator[tuple[DynamoDBClient, LintProxy]]:
    """A client, and the proxy between it and an empty moto. The client checks and repeats nothing by itself."""
    config = Config(parameter_validation=False, retries={"total_max_attempts": 1})
    proxy = LintProxy()
    with mock_aws():
        client = boto3.client("dynamodb", "us-east-1", endpoint_url=_PROXY, config=config)
        client.meta.events.register("before-send.dynamodb", proxy)  # type: ignore[arg-type]  # its answer counts
        yield client, proxy
        client.close()


def send(client: DynamoDBClient, operation: str, request: object) -> dict[str, Any]:
    """Send any JSON as a request of this operation.

    The client could not write some of it: so it is given nothing, and the body is put in when it has written that.
    """

    def replace(params: dict[str, Any], **_: Any) -> None:
        params["body"] = json.dumps(request).encode()

    event = f"before-call.dynamodb.{operation}"
    client.meta.events.register(event, replace)
    try:
        # Where a batch goes is read from its parameters, so these cannot be left out.
        stand_in: dict[str, Any] = {"RequestItems": {}} if operation.startswith("Batch") else {}
        answer: dict[str, Any] = getattr(client, xform_name(operation))(**stand_in)
        return answer
    finally:
        client.meta.events.unregister(event, replace)
