"""The HTTP side, through the real handlers: what no event file can show, and what is written to the log."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import EndpointConnectionError

from accounts import observability
from accounts.settings import settings
from accounts.wiring import make_client, make_service
from tests.support.events import rest_event
from tests.support.faults import cancelled, failing, service_error
from tests.support.handlers import Context, call
from tests.support.logs import Log, caught
from tests.support.template import routes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mypy_boto3_dynamodb import DynamoDBClient

FUNCTIONS = {route.function: (route.method, route.path) for route in routes()}
BODIES = {
    "SignupFunction": {"email": "Zoe.Quill@Example.com", "username": "Zoe-Quill"},
    "ChangeEmailFunction": {"email": "Quentin.Zhou@Example.com"},
    "ChangeUsernameFunction": {"username": "Quentin-Zhou"},
}
SUBJECT = "subject-zq81"
KEY = "idempotency-zq81"
PERSONAL = ("zoe", "quill", "quentin", "zhou", SUBJECT, KEY)


@pytest.fixture
def log() -> Iterator[Log]:
    with caught(observability.logger) as log:
        yield log


def event_for(function: str, account_id: str = "a1f9c3", **changed: Any) -> dict[str, Any]:
    method, resource = FUNCTIONS[function]
    details = {"subject": SUBJECT, "body": BODIES.get(function), "headers": {"Idempotency-Key": KEY}, **changed}
    return rest_event(method, resource, account_id=account_id if "{" in resource else None, **details)


def answer(function: str, event: dict[str, Any], seconds: float = 15) -> tuple[int, dict[str, str], Any]:
    got = call(function, event, Context(seconds))
    headers = {name: value[0] for name, value in got["multiValueHeaders"].items()}
    json.dumps(got)  # Lambda has to be able to send it
    return got["statusCode"], headers, json.loads(got["body"]) if got["body"] else None


def signed_up() -> str:
    status, _, account = answer("SignupFunction", event_for("SignupFunction"))
    assert status == 201
    return str(account["account_id"])


# --- from sign-up to deletion


def test_an_account_lives_and_dies(client: DynamoDBClient, table: str) -> None:
    account_id = signed_up()

    status, headers, account = answer("GetAccountFunction", event_for("GetAccountFunction", account_id))
    assert (status, headers["ETag"], account["email"]) == (200, '"1"', "Zoe.Quill@Example.com")

    change = event_for("ChangeEmailFunction", account_id, headers={"If-Match": headers["ETag"]})
    status, headers, account = answer("ChangeEmailFunction", change)
    assert (status, headers["ETag"], account["email"]) == (200, '"2"', "Quentin.Zhou@Example.com")

    assert answer("DeleteAccountFunction", event_for("DeleteAccountFunction", account_id))[0] == 204
    assert answer("GetAccountFunction", event_for("GetAccountFunction", account_id))[0] == 404
    assert answer("DeleteAccountFunction", event_for("DeleteAccountFunction", account_id))[0] == 404
    assert client.scan(TableName=table)["Items"] == []


def test_the_location_of_a_new_account_is_where_it_can_be_read(client: DynamoDBClient) -> None:
    _, headers, account = answer("SignupFunction", event_for("SignupFunction"))

    assert headers["Location"] == f"/v1/accounts/{account['account_id']}"


@pytest.mark.parametrize("function", ["ChangeEmailFunction", "ChangeUsernameFunction"])
def test_a_change_with_its_key_again_gets_the_same_answer_again_and_another_body_422(
    function: str, client: DynamoDBClient
) -> None:
    account_id = signed_up()
    first = answer(function, event_for(function, account_id))
    later = event_for("ChangeEmailFunction", account_id, body={"email": "later@example.com"}, headers={})
    assert answer("ChangeEmailFunction", later)[2]["version"] == 3

    assert answer(function, event_for(function, account_id)) == first

    other_body = {name: f"other.{value}".lower() for name, value in BODIES[function].items()}
    status, _, problem = answer(function, event_for(function, account_id, body=other_body))
    assert (status, problem["errors"]) == (
        422,
        [
            {
                "field": "Idempotency-Key",
                "code": "reused",
                "message": "was used for another request: use a fresh key",
            }
        ],
    )


# --- routes


@pytest.mark.parametrize("function", [name for name in FUNCTIONS if name != "SignupFunction"])
def test_a_function_at_a_route_that_names_no_account_finds_nothing(function: str, client: DynamoDBClient) -> None:
    with failing(make_client(), AssertionError("asked the store"), "GetItem"):
        status, headers, problem = answer(function, {**event_for(function), "pathParameters": None})

    assert (status, problem["detail"]) == (404, "There is nothing at this path.")
    assert headers["Content-Type"] == "application/problem+json"


def test_behind_a_custom_domains_base_path_everything_is_where_it_was(client: DynamoDBClient) -> None:
    event = event_for("SignupFunction")
    moved = {"path": "/members/accounts", "requestContext": {**event["requestContext"], "path": "/members/accounts"}}

    status, headers, account = answer("SignupFunction", {**event, **moved})
    assert (status, headers["Location"]) == (201, f"/members/accounts/{account['account_id']}")

    event = event_for("GetAccountFunction", account["account_id"])
    assert answer("GetAccountFunction", {**event, "path": "/members" + event["path"]})[2] == account


@pytest.mark.parametrize("function", [name for name in FUNCTIONS if name != "SignupFunction"])
@pytest.mark.parametrize("account_id", ["a" * 2000, "a%23b", "..", "é", "a#b"])
def test_an_impossible_account_id_is_no_account(function: str, account_id: str, client: DynamoDBClient) -> None:
    with failing(make_client(), AssertionError("asked the store"), "GetItem"):
        assert answer(function, event_for(function, account_id))[0] == 404


@pytest.mark.parametrize("function", FUNCTIONS)
def test_who_is_calling_comes_before_what_is_asked(function: str, client: DynamoDBClient) -> None:
    assert answer(function, event_for(function, subject=None, body="{"))[0] == 401


# --- trouble behind the service

UNFINISHED = {
    "conflict": cancelled("TransactionConflict", "None", "None"),
    "throttling": service_error("ThrottlingException"),
    "server-error": service_error("InternalServerError", 500),
    "unreachable": EndpointConnectionError(endpoint_url="http://127.0.0.1"),
}


@pytest.mark.parametrize(
    ("function", "trouble"),
    # A read is never cancelled by a conflict.
    sorted(
        {(function, trouble) for function in FUNCTIONS for trouble in UNFINISHED} - {("GetAccountFunction", "conflict")}
    ),
)
def test_trouble_that_does_not_end_is_503_with_retry_after(
    function: str, trouble: str, client: DynamoDBClient, log: Log
) -> None:
    account_id = signed_up()
    operation = "GetItem" if function == "GetAccountFunction" else "TransactWriteItems"

    with failing(make_client(), UNFINISHED[trouble], operation):
        status, headers, problem = answer(function, event_for(function, account_id), seconds=7.5)

    assert (status, headers["Retry-After"]) == (503, "1")
    assert problem["detail"] == "Try again in a moment: repeating the same request is safe."


@pytest.mark.parametrize("function", FUNCTIONS)
def test_what_nobody_foresaw_is_a_bare_500_and_a_line_in_the_log(
    function: str, client: DynamoDBClient, log: Log
) -> None:
    error = service_error("AccessDeniedException")
    error.args = ("no rights on the item of zoe.quill@example.com",)

    with failing(make_client(), error, "GetItem"), failing(make_client(), error):
        status, headers, problem = answer(function, event_for(function))

    assert (status, headers["Content-Type"]) == (500, "application/problem+json")
    assert problem == {
        "type": "about:blank",
        "title": "Internal Server Error",
        "status": 500,
        "detail": "The request could not be carried out.",
    }
    failure = log.lines[0]
    assert (failure["level"], failure["error"], failure["code"]) == ("ERROR", "ClientError", "AccessDeniedException")
    assert [place for place in failure["where"] if place.startswith("service.py:")]


def test_a_missing_table_name_is_named_in_the_log_alone(
    client: DynamoDBClient, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TABLE_NAME")
    for made_once in (settings, make_service):
        made_once.cache_clear()

    status, _, problem = answer("GetAccountFunction", event_for("GetAccountFunction"))

    assert (status, problem["detail"]) == (500, "The request could not be carried out.")
    assert log.lines[0]["hint"] == "TABLE_NAME is not set: give the function the name of the accounts table"


@pytest.mark.parametrize("event", [{}, {"type": "TOKEN"}, {"requestContext": None}, {"httpMethod": None, "path": None}])
def test_an_event_from_elsewhere_ends_in_no_traceback(event: dict[str, Any], client: DynamoDBClient, log: Log) -> None:
    assert answer("SignupFunction", event)[0] == 500
    assert log.lines[0]["message"] == "unexpected error"


# --- what browsers may read


def test_without_an_allowed_origin_no_page_may_read_an_answer(
    client: DynamoDBClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALLOWED_ORIGIN", "")
    settings.cache_clear()

    _, headers, _ = answer("SignupFunction", event_for("SignupFunction"))

    assert not [name for name in headers if name.startswith("Access-Control-")]


def test_the_allowed_origin_may_read_the_headers_that_matter(client: DynamoDBClient) -> None:
    for event in (event_for("SignupFunction"), event_for("SignupFunction", body="{")):
        _, headers, _ = answer("SignupFunction", event)

        assert headers["Access-Control-Allow-Origin"] == "https://app.example.com"
        assert headers["Access-Control-Expose-Headers"] == "ETag, Location, Retry-After"
        assert headers["X-Content-Type-Options"] == "nosniff"


# --- logs and metrics


def test_a_request_is_one_line_and_one_count(
    client: DynamoDBClient, log: Log, capsys: pytest.CaptureFixture[str]
) -> None:
    signed_up()

    (line,) = log.lines
    assert {name: line[name] for name in ("message", "operation", "status", "outcome", "correlation_id")} == {
        "message": "request",
        "operation": "sign_up",
        "status": 201,
        "outcome": "Succeeded",
        "correlation_id": "4b2f6d0a-8f0e-4a52-9d3e-0c1d2e3f4a5b",
    }
    metrics = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (metrics["operation"], metrics["service"], metrics["Succeeded"]) == ("sign_up", "accounts", [1.0])


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (200, "Succeeded"),
        (304, "Succeeded"),
        (400, "Invalid"),
        (401, "Unauthenticated"),
        (404, "NotFound"),
        (409, "Taken"),
        (412, "Stale"),
        (422, "Invalid"),
        (500, "Failed"),
        (503, "Busy"),
    ],
)
def test_each_answer_has_an_outcome(status: int, outcome: str) -> None:
    assert observability.name_outcome(status) == outcome


def test_nothing_about_a_person_is_ever_written(
    client: DynamoDBClient, log: Log, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    account_id = signed_up()
    statuses = set()
    requests = [
        event_for("SignupFunction"),
        event_for("SignupFunction", headers={}),
        event_for("SignupFunction", body={"email": "Zoe Quill", "username": "Zoe Quill", "quill": "zhou"}),
        event_for("SignupFunction", body='{"email": "zoe.quill@example.com"'),
        event_for("SignupFunction", body={"email": "zhou@example.com", "username": "zhou"}),
        event_for("SignupFunction", headers={"Idempotency-Key": f"{KEY} zoe"}),
        event_for("SignupFunction", body="zoe=quill", headers={"Content-Type": "application/quill"}),
        event_for("SignupFunction", subject=None),
    ]
    for event in requests:
        statuses.add(answer("SignupFunction", event)[0])
    for headers in ({}, {"If-Match": '"7"'}, {"If-Match": "zoe"}):
        for subject in (SUBJECT, "quentin"):
            event = event_for("ChangeEmailFunction", account_id, subject=subject, headers=headers)
            statuses.add(answer("ChangeEmailFunction", event)[0])
    for error in (
        service_error("Quill", 400),
        service_error("InternalServerError", 500),
        ValueError("zoe.quill@example.com"),
    ):
        for function in FUNCTIONS:
            with failing(make_client(), error, "GetItem"), failing(make_client(), error):
                event = event_for(function, account_id, headers={})
                statuses.add(answer(function, event, seconds=0)[0])
    answer("DeleteAccountFunction", event_for("DeleteAccountFunction", account_id))

    assert statuses == {200, 201, 400, 401, 404, 409, 412, 422, 500, 503}
    # What moto and botocore say of the requests of this test is no part of the service.
    own = [
        record.getMessage()
        for record in caplog.records
        if record.name.startswith(("accounts", "aws_lambda_powertools"))
    ]
    out, err = capsys.readouterr()
    written = "\n".join([log.getvalue(), out, err, *own]).lower().replace('"code":"quill"', "")
    assert written.count("request") > 20
    assert [word for word in PERSONAL if word in written] == []
