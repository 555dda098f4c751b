"""Bad requests: each has its answer, none is a server error, and none hears its own values back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.deployed.conftest import Service

SECRET = "do-not-echo"
EMAIL, USERNAME = "ada@example.com", "ada"
SOMEBODY = "0f8fad5b-d9cb-469f-a165-70867728950e"
CHANGE = f"/accounts/{SOMEBODY}/email"


@pytest.fixture
def service(open_service: Service) -> Service:
    return open_service.emptied()


def body(**fields: Any) -> str:
    return json.dumps({"email": EMAIL, "username": USERNAME, **fields})


SIGN_UPS: list[tuple[str, str | bytes | None, dict[str, str], int]] = [
    ("no body", None, {}, 400),
    ("an empty body", "", {}, 400),
    ("blanks alone", "  \n ", {}, 400),
    ("JSON that breaks off", f'{{"email": "{SECRET}', {}, 400),
    ("two JSON values", "{} {}", {}, 400),
    ("a list", f'["{SECRET}"]', {}, 400),
    ("a string", f'"{SECRET}"', {}, 400),
    ("null", "null", {}, 400),
    ("NaN", '{"email": NaN}', {}, 400),
    ("a number beyond measure", '{"email": ' + "9" * 5000 + "}", {}, 400),
    ("a member named twice", f'{{"email": "{SECRET}", "email": "{EMAIL}", "username": "{USERNAME}"}}', {}, 400),
    ("a deep nest", "[" * 4000, {}, 400),
    ("bytes that are no UTF-8", b'{"email": "\xff\xfe"}', {}, 422),  # the gateway hands on text, and mends it before
    ("too large a body", body(username=SECRET + "x" * 9000), {}, 413),
    ("a form", f"email={SECRET}", {"Content-Type": "application/x-www-form-urlencoded"}, 400),
    ("an empty object", "{}", {}, 422),
    ("no username", json.dumps({"email": EMAIL}), {}, 422),
    ("a field that nobody knows", body(role=SECRET), {}, 422),
    ("a field of many letters", body(**{"x" * 500: SECRET}), {}, 422),
    ("an e-mail without @", body(email=SECRET), {}, 422),
    ("an e-mail with a name", body(email=f"Ada <{SECRET}@example.com>"), {}, 422),
    ("an e-mail of a special-use domain", body(email=f"{SECRET}@example.test"), {}, 422),
    ("an e-mail with a line break", body(email=f"{SECRET}\n@example.com"), {}, 422),
    ("an e-mail beyond ASCII", body(email=f"{SECRET}ü@example.com"), {}, 422),
    ("an e-mail of 400 letters", body(email=f"{SECRET}{'x' * 400}@example.com"), {}, 422),
    ("half of a surrogate pair", '{"email": "' + SECRET + '\\ud800@example.com", "username": "ada"}', {}, 422),
    ("a number for an e-mail", body(email=5), {}, 422),
    ("null for a username", body(username=None), {}, 422),
    ("a map for a username", body(username={"S": SECRET}), {}, 422),
    ("a username of two letters", body(username="ad"), {}, 422),
    ("a username with a blank", body(username=f"{SECRET} x"), {}, 422),
    ("a username with a marker's prefix", body(username=f"UNIQ#EMAIL#{SECRET}"), {}, 422),
    ("an idempotency key with blanks", body(), {"Idempotency-Key": f"{SECRET} x"}, 400),
    ("an empty idempotency key", body(), {"Idempotency-Key": ""}, 400),
    ("an idempotency key of 256 letters", body(), {"Idempotency-Key": "x" * 256}, 400),
]


@pytest.mark.parametrize(
    ("sent", "headers", "status"), [case[1:] for case in SIGN_UPS], ids=[case[0] for case in SIGN_UPS]
)
def test_a_bad_sign_up_is_refused(
    sent: str | bytes | None, headers: dict[str, str], status: int, service: Service
) -> None:
    answer = service.caller("user-1").send("POST", "/accounts", sent, headers)

    assert answer.status == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json["status"] == status
    assert SECRET not in answer.text
    assert service.stored() == []


CHANGES: list[tuple[str, str, str, str | None, dict[str, str], int]] = [
    ("a change without a body", "PUT", CHANGE, None, {}, 400),
    ("a change to no address", "PUT", CHANGE, f'{{"email": "{SECRET}"}}', {}, 422),
    ("a change of the username, too", "PUT", CHANGE, body(username=SECRET), {}, 422),
    ("If-Match without quotes", "PUT", CHANGE, f'{{"email": "{EMAIL}"}}', {"If-Match": SECRET}, 400),
    ("a deletion with a bad If-Match", "DELETE", f"/accounts/{SOMEBODY}", None, {"If-Match": f'"{SECRET}'}, 400),
    ("an account that is not there", "GET", f"/accounts/{SOMEBODY}", None, {}, 404),
    ("an id that is none", "GET", f"/accounts/{SECRET}%23PROFILE", None, {}, 404),
    ("an id that climbs", "GET", "/accounts/..%2F", None, {}, 404),
    ("an id of 2,000 letters", "DELETE", f"/accounts/{'x' * 2000}", None, {}, 404),
    ("an id beyond ASCII", "GET", "/accounts/%F0%9F%98%80", None, {}, 404),
]


@pytest.mark.parametrize(
    ("method", "path", "sent", "headers", "status"), [case[1:] for case in CHANGES], ids=[case[0] for case in CHANGES]
)
def test_a_bad_call_of_an_account_is_refused(
    method: str, path: str, sent: str | None, headers: dict[str, str], status: int, service: Service
) -> None:
    answer = service.caller("user-1").send(method, path, sent, headers)

    assert answer.status == status, answer.text
    assert SECRET not in answer.text
    assert service.stored() == []


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("GET", "/accounts"),
        ("DELETE", "/accounts"),
        ("PATCH", f"/accounts/{SOMEBODY}"),
        ("POST", CHANGE),
        ("GET", f"{CHANGE}/more"),
        ("GET", "/admin"),
    ],
)
def test_a_route_that_is_not_there_is_refused_before_any_function_runs(
    method: str, path: str, service: Service
) -> None:
    answer = service.caller("user-1").send(method, path)

    # API Gateway's own answer: 403 here; on AWS the template's gateway response makes it a 404.
    assert (answer.status, answer.json) == (403, {"message": "Missing Authentication Token"})
