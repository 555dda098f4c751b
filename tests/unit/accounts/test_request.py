"""Reading an API Gateway event: what is understood, and what is refused with which words."""

from __future__ import annotations

import base64
import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounts.model import ChangeEmail, SignUp
from accounts.request import BadRequest, Request, make_etag
from tests.support.events import rest_event

SECRET = "secret-7f3c"


def request(event: dict[str, Any] | None = None, **path: str) -> Request:
    event = rest_event("GET", "/accounts") if event is None else event
    return Request({**event, "pathParameters": path or None}, lambda: 1.0)


def with_headers(**headers: str) -> Request:
    return request(rest_event("GET", "/accounts", headers={name.replace("_", "-"): v for name, v in headers.items()}))


def with_body(body: Any, **headers: str) -> Request:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return request(rest_event("POST", "/accounts", body=body, headers=sent))


def refusal(read: Any) -> tuple[int, str, list[tuple[str, str]]]:
    with pytest.raises(BadRequest) as refused:
        read()
    error = refused.value
    assert SECRET not in str([error.detail, *error.errors])
    return error.status, error.detail, [(one.field, one.code) for one in error.errors]


# --- the caller


def test_the_caller_is_the_subject_that_the_authorizer_found() -> None:
    assert request(rest_event("GET", "/accounts", subject="user-7")).subject == "user-7"


def test_the_principal_stands_in_for_a_missing_subject() -> None:
    event = rest_event("GET", "/accounts")
    event["requestContext"]["authorizer"] = {"principalId": "user-8"}

    assert request(event).subject == "user-8"


@pytest.mark.parametrize(
    "context", [None, {}, {"authorizer": None}, {"authorizer": {"sub": ""}}, {"authorizer": {"sub": 7}}]
)
def test_without_an_authorizer_there_is_no_caller(context: Any) -> None:
    event = {**rest_event("GET", "/accounts"), "requestContext": context}

    assert refusal(lambda: request(event).subject)[0] == 401


# --- the path


@pytest.mark.parametrize("account_id", ["a1f9c3", "0f8fad5b-d9cb-469f-a165-70867728950e", "A" * 64])
def test_an_account_id_is_taken_as_it_is(account_id: str) -> None:
    assert request(account_id=account_id).account_id == account_id


@pytest.mark.parametrize("account_id", ["", "a" * 65, "a#b", "a b", "é", "a%2Fb", "a\n"])
def test_what_cannot_be_an_account_id_is_no_account(account_id: str) -> None:
    assert refusal(lambda: request(account_id=account_id).account_id) == (404, "There is no such account.", [])


def test_a_route_without_an_account_is_a_route_of_another_function() -> None:
    assert refusal(lambda: request().account_id) == (404, "There is nothing at this path.", [])


@pytest.mark.parametrize("path", ["/accounts/other", "/v2/accounts/other", "/"])
def test_the_account_is_the_routes_parameter_whatever_the_path_says(path: str) -> None:
    event = {**rest_event("GET", "/accounts/{account_id}"), "path": path}

    assert request(event, account_id="a1f9c3").account_id == "a1f9c3"


@pytest.mark.parametrize("event", [{}, {"type": "TOKEN"}, {"httpMethod": "GET", "path": "/accounts"}])
def test_an_event_from_elsewhere_is_no_request(event: dict[str, Any]) -> None:
    with pytest.raises(KeyError):
        Request(event, lambda: 1.0)


def test_the_path_keeps_the_stage_of_the_url() -> None:
    assert request(rest_event("POST", "/accounts")).url_path == "/v1/accounts"


# --- headers


@pytest.mark.parametrize("key", ["k", "signup-7f3c", "!~", "x" * 255])
def test_an_idempotency_key_is_visible_ascii(key: str) -> None:
    assert with_headers(idempotency_KEY=key).idempotency_key == key


def test_no_idempotency_key_is_none() -> None:
    assert request().idempotency_key is None


@pytest.mark.parametrize("key", ["", "two words", "x" * 256, "schlüssel", "a\tb"])
def test_a_malformed_idempotency_key_is_refused(key: str) -> None:
    status, detail, errors = refusal(lambda: with_headers(Idempotency_Key=key).idempotency_key)

    assert (status, detail) == (400, "The Idempotency-Key header is malformed.")
    assert errors == [("Idempotency-Key", "malformed")]


def test_two_idempotency_keys_are_refused() -> None:
    event = rest_event("POST", "/accounts")
    event["multiValueHeaders"]["Idempotency-Key"] = ["one", "two"]

    assert refusal(lambda: request(event).idempotency_key)[0] == 400


def test_headers_are_found_when_only_single_values_came() -> None:
    event = {**rest_event("GET", "/accounts", headers={"IF-MATCH": '"4"'}), "multiValueHeaders": None}

    assert request(event).if_match == frozenset({4})


@pytest.mark.parametrize(
    ("header", "versions"),
    [
        ('"1"', {1}),
        ('"1", "23"', {1, 23}),
        ('"1","2"  ,\t"3"', {1, 2, 3}),
        ('W/"1"', set()),  # If-Match compares strongly
        ('W/"1", "2"', {2}),
        ('"x"', set()),
        ('"01"', set()),
        ('"0"', set()),
        ('"1,2"', set()),
        ('""', set()),
        ('"' + "9" * 5000 + '"', set()),
    ],
)
def test_if_match_names_versions(header: str, versions: set[int]) -> None:
    assert with_headers(If_Match=header).if_match == frozenset(versions)


@pytest.mark.parametrize("header", ["*", " * "])
def test_if_match_with_a_star_means_any_version(header: str) -> None:
    assert with_headers(If_Match=header).if_match is None


def test_without_if_match_any_version_will_do() -> None:
    assert request().if_match is None


def test_if_match_may_be_sent_in_several_lines() -> None:
    event = rest_event("GET", "/accounts")
    event["multiValueHeaders"]["If-Match"] = ['"1"', '"2"']

    assert request(event).if_match == frozenset({1, 2})


@pytest.mark.parametrize("header", ["1", '"1', "'1'", '"1" "2"', '"1",', ',"1"', '*, "1"', "W/1", 'w/"1"', '"a b"', ""])
def test_a_malformed_if_match_is_refused(header: str) -> None:
    status, detail, errors = refusal(lambda: with_headers(If_Match=header).if_match)

    assert (status, detail, errors) == (400, "The If-Match header is malformed.", [("If-Match", "malformed")])


@pytest.mark.parametrize(
    ("header", "known"), [('"3"', True), ('W/"3"', True), ('"2", "3"', True), ("*", True), ('"2"', False)]
)
def test_if_none_match_tells_what_the_client_has(header: str, known: bool) -> None:
    assert with_headers(If_None_Match=header).is_known(3) is known


def test_without_if_none_match_the_client_has_nothing() -> None:
    assert request().is_known(3) is False


def test_an_entity_tag_is_the_quoted_version() -> None:
    assert make_etag(3) == '"3"'
    assert with_headers(If_Match=make_etag(3)).if_match == frozenset({3})


# --- the body


def test_a_good_body_becomes_the_request() -> None:
    body = {"email": "Ada@Example.com", "username": "Ada"}

    assert with_body(body).read_body(SignUp) == SignUp(email="Ada@Example.com", username="Ada")


def test_a_body_in_base64_is_read_too() -> None:
    event = rest_event("PUT", "/accounts/1/email", body=base64.b64encode(b'{"email": "ada@example.com"}').decode())

    assert request({**event, "isBase64Encoded": True}).read_body(ChangeEmail).email == "ada@example.com"


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "application/x-www-form-urlencoded", "json", ""])
def test_json_is_read_whatever_its_content_type_says(kind: str) -> None:
    assert with_body({"email": "ada@example.com"}, Content_Type=kind).read_body(ChangeEmail).email == "ada@example.com"


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (None, "The body is empty: send a JSON object."),
        ("", "The body is empty: send a JSON object."),
        (" \n", "The body is empty: send a JSON object."),
        (f'{{"email": "{SECRET}"', "The body is not valid JSON (line 1, column 24)."),
        (f"{{\n  email: {SECRET}}}", "The body is not valid JSON (line 2, column 3)."),
        ("[]", "The body must be a JSON object."),
        (f'"{SECRET}"', "The body must be a JSON object."),
        ("null", "The body must be a JSON object."),
        ("[" * 4000 + "]" * 4000, "The body must be a JSON object."),
        ('{"email": NaN}', "The body holds a number that JSON does not know, or one that is too long."),
        ('{"email": ' + "9" * 5000 + "}", "The body holds a number that JSON does not know, or one that is too long."),
        (f'{{"email": "{SECRET}", "email": "b"}}', "The body names a member twice: which one counts?"),
        ("\ud800", "The body must be JSON text in UTF-8."),
    ],
)
def test_a_body_that_is_no_json_object_is_refused(body: str | None, detail: str) -> None:
    assert refusal(lambda: with_body(body).read_body(SignUp)) == (400, detail, [])


def test_nesting_beyond_the_parser_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_deep(*_: Any, **__: Any) -> Any:
        raise RecursionError

    monkeypatch.setattr("accounts.request.json.loads", too_deep)

    assert refusal(lambda: with_body("[[1]]").read_body(SignUp)) == (400, "The body is nested too deeply.", [])


@pytest.mark.parametrize("body", ["not base64!", base64.b64encode(b"\xff\xfe").decode(), "YQ"])
def test_a_body_in_broken_base64_is_refused(body: str) -> None:
    event = {**rest_event("POST", "/accounts", body=body), "isBase64Encoded": True}

    assert refusal(lambda: request(event).read_body(SignUp)) == (400, "The body must be JSON text in UTF-8.", [])


@pytest.mark.parametrize("size", [8193, 200_000])
@pytest.mark.parametrize("encoded", [False, True])
def test_a_large_body_is_refused(size: int, encoded: bool) -> None:
    text = "x" * size
    event = rest_event("POST", "/accounts", body=base64.b64encode(text.encode()).decode() if encoded else text)

    status, detail, _ = refusal(lambda: request({**event, "isBase64Encoded": encoded}).read_body(SignUp))

    assert (status, detail) == (413, "The body must not be larger than 8192 bytes.")


@pytest.mark.parametrize(
    ("body", "errors"),
    [
        ({}, [("email", "missing"), ("username", "missing")]),
        ({"email": SECRET, "username": SECRET + "-"}, [("email", "invalid_email"), ("username", "invalid_username")]),
        ({"email": None, "username": 7}, [("email", "string_type"), ("username", "string_type")]),
        ({"email": json.loads("[" * 3000 + "]" * 3000), "username": "ada"}, [("email", "string_type")]),
        ({"email": [SECRET], "username": {"a": SECRET}}, [("email", "string_type"), ("username", "string_type")]),
        ({"email": "a@example.com", "username": "ada", "role": SECRET}, [("role", "extra_forbidden")]),
        ({"email": "a@example.com", "username": "ada", "x" * 100: 1}, [("x" * 64, "extra_forbidden")]),
        ({"email": "a\ud800@example.com", "username": "ada"}, [("email", "invalid_email")]),
    ],
)
def test_every_faulty_field_is_named_and_no_value_is_repeated(body: Any, errors: list[tuple[str, str]]) -> None:
    status, detail, found = refusal(lambda: with_body(body).read_body(SignUp))

    assert (status, detail, found) == (422, "Some fields are not valid.", errors)


def test_many_hundred_faulty_fields_do_not_make_as_many_errors() -> None:
    unknown = {f"x{number}": 1 for number in range(700)}

    _, _, found = refusal(lambda: with_body({"email": SECRET, **unknown}).read_body(SignUp))

    assert found[:3] == [("email", "invalid_email"), ("username", "missing"), ("x0", "extra_forbidden")]
    assert len(found) == 20


@pytest.mark.parametrize(
    "body",
    [
        "[" * 8192,
        "[" * 4096 + "]" * 4096,
        '{"a":' * 1638,
        '{"email": ' + "[" * 4000 + "]" * 4000 + ', "username": "ada"}',
        '{"email": ' + '{"a":' * 1300 + "1" + "}" * 1300 + ', "username": "ada"}',
    ],
)
def test_the_deepest_nest_that_fits_into_a_body_is_refused_like_any_other(body: str) -> None:
    assert refusal(lambda: with_body(body).read_body(SignUp))[0] in (400, 422)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_whatever_other_json_comes_is_refused(value: Any) -> None:
    status = refusal(lambda: with_body(json.dumps(value)).read_body(SignUp))[0]

    assert status in (400, 413, 422)


@given(st.text())
def test_whatever_text_comes_in_a_header_it_is_understood_or_refused(text: str) -> None:
    sent = with_headers(If_Match=text, Idempotency_Key=text)

    # Anything but a BadRequest would be a traceback for the client.
    with suppress(BadRequest):
        assert sent.if_match is None or all(version > 0 for version in sent.if_match)
    with suppress(BadRequest):
        assert sent.idempotency_key == text.strip(" \t")
