"""Every file of ``events/``, through the real handlers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.support.events import EVENTS, check, expectations, read_event, seed
from tests.support.handlers import app_module, call
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
