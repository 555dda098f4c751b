"""openapi.json: what would be written now, complete, and true of every event's expected answer."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.events import expectations
from tests.support.template import routes
from tools import openapi

ROUTED = {name: one for name, one in expectations().items() if one.status is not None}


def operation(function: str) -> dict[str, Any]:
    (route,) = [route for route in routes() if route.function == function]
    found: dict[str, Any] = openapi.document()["paths"][route.path][route.method.lower()]
    return found


def test_the_committed_file_is_up_to_date() -> None:
    assert openapi.FILE.read_text(encoding="utf-8") == openapi.text(), "run `make openapi`"


def test_every_route_of_the_template_is_described_and_nothing_else() -> None:
    assert set(openapi.OPERATIONS) == {route.function for route in routes()}


@pytest.mark.parametrize("name", ROUTED)
def test_the_answer_to_an_event_is_described(name: str) -> None:
    expected = ROUTED[name]
    described = operation(expected.function)["responses"][str(expected.status)]

    if expected.body is None:
        assert "content" not in described
    else:
        assert list(described["content"]) == [expected.headers["Content-Type"]]
    assert set(described.get("headers", {})) <= set(expected.headers)


def test_the_headers_that_a_function_reads_are_described() -> None:
    read = {
        function: [one["name"] for one in operation(function)["parameters"] if one["in"] == "header"]
        for function in openapi.OPERATIONS
    }

    assert read == {
        "SignupFunction": ["Idempotency-Key"],
        "GetAccountFunction": ["If-None-Match"],
        "ChangeEmailFunction": ["Idempotency-Key", "If-Match"],
        "ChangeUsernameFunction": ["Idempotency-Key", "If-Match"],
        "DeleteAccountFunction": ["Idempotency-Key", "If-Match"],
    }, "a new function: say here which headers it reads"
