"""Every file of ``events/``, through the real handlers."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from accounts import observability
from tests.support.events import EVENTS, check, expectations, read_event, seed
from tests.support.handlers import app_module, call
from tests.support.logs import caught
from tests.support.tokens import authorizer_environment
from tools.tokens import Signer, fill

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

EXPECTED = expectations()


def test_every_event_has_an_expectation() -> None:
    files = {path.name for path in EVENTS.glob("*.json")} - {"expectations.json"}

    assert files == set(EXPECTED)


@pytest.mark.parametrize("name", [name for name in EXPECTED if EXPECTED[name].function != "AuthorizeFunction"])
def test_the_answer_is_the_expected_one(name: str, client: DynamoDBClient, table: str) -> None:
    expected = EXPECTED[name]
    seed(client, table, expected.seed)

    check(expected, call(expected.function, json.loads(read_event(name))))


@pytest.mark.parametrize("name", [name for name in EXPECTED if EXPECTED[name].function == "AuthorizeFunction"])
def test_the_authorizer_decides_as_expected(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected, signer = EXPECTED[name], Signer.generate()
    for variable, value in authorizer_environment(signer).items():
        monkeypatch.setenv(variable, value)
    app_module("AuthorizeFunction").verifier.cache_clear()
    event = json.loads(fill(read_event(name), signer))

    if expected.error is None:
        check(expected, call("AuthorizeFunction", event))
    else:
        with pytest.raises(Exception, match=f"^{expected.error}$"):
            call("AuthorizeFunction", event)


@pytest.mark.parametrize(
    "name", [name for name in EXPECTED if (EXPECTED[name].status or 0) >= 400 and EXPECTED[name].status != 404]
)
def test_a_refused_request_changes_nothing(name: str, client: DynamoDBClient, table: str) -> None:
    expected = EXPECTED[name]
    seed(client, table, expected.seed)
    before = client.scan(TableName=table)["Items"]

    call(expected.function, json.loads(read_event(name)))

    assert client.scan(TableName=table)["Items"] == before


@pytest.mark.parametrize("name", EXPECTED)
def test_no_event_leaves_a_trace_of_its_person_in_a_log_or_a_problem(
    name: str,
    client: DynamoDBClient,
    table: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    expected, signer = EXPECTED[name], Signer.generate()
    for variable, value in authorizer_environment(signer).items():
        monkeypatch.setenv(variable, value)
    app_module("AuthorizeFunction").verifier.cache_clear()
    seed(client, table, expected.seed)
    event = json.loads(fill(read_event(name), signer))

    with caught(app_module("AuthorizeFunction").logger) as refusals, caught(observability.logger) as log:
        answer = refused(expected.function, event) if expected.error else call(expected.function, event)

    written = "".join([log.getvalue(), refusals.getvalue(), *capsys.readouterr()])
    if expected.result is None:
        assert '"message":"re' in written  # "request" or "refused"
    assert traces(event, written) == []
    if (expected.status or 0) >= 400 or expected.error:
        assert traces(event, answer["body"]) == []
    elif expected.status == 201:
        assert traces(event, answer["body"]) != []  # the account itself: so traces are found where they are


def refused(function: str, event: dict[str, Any]) -> dict[str, str]:
    """What API Gateway gets from an authorizer that refuses."""
    with pytest.raises(Exception, match=r"^Unauthorized$") as refusal:
        call(function, event)
    return {"body": str(refusal.value)}


def traces(event: dict[str, Any], text: str) -> list[str]:
    """What an event says of a person, as far as the text repeats it."""
    authorizer = (event.get("requestContext") or {}).get("authorizer") or {}
    told = [event.get("authorizationToken"), authorizer.get("sub"), event.get("headers", {}).get("Idempotency-Key")]
    try:
        body = json.loads(event.get("body") or "")
    except ValueError:
        body = event.get("body")
    told += body.values() if isinstance(body, dict) else [body]
    return [str(one) for one in told if one and re.search(rf"(?<!\w){re.escape(str(one))}(?!\w)", text, re.IGNORECASE)]
