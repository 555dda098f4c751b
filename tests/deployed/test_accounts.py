"""The life of an account, over HTTP."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

if TYPE_CHECKING:
    from tests.deployed.conftest import Service
    from tests.support.http import Answer

ORIGIN = "https://app.example.com"
NOT_FOUND = {
    "type": "about:blank",
    "title": "Not Found",
    "status": 404,
    "detail": "There is no such account.",
}


def problem(answer: Answer) -> dict[str, Any]:
    """The problem that an answer tells of, after a look at what all of them have in common."""
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["access-control-allow-origin"] == ORIGIN
    found: dict[str, Any] = answer.json
    assert (found["type"], found["status"]) == ("about:blank", answer.status)
    return found


def test_a_sign_up_answers_with_the_account_its_place_and_its_version(service: Service) -> None:
    alice = service.caller("alice")

    answer = alice.sign_up("Ada@example.com", "Ada.L")

    account = answer.json
    account_id = account["account_id"]
    assert answer.status == 201
    assert account == {
        "account_id": account_id,
        "email": "Ada@example.com",
        "username": "Ada.L",
        "version": 1,
        "created_at": account["created_at"],
    }
    assert (answer.headers["location"], answer.headers["etag"]) == (f"/v1/accounts/{account_id}", '"1"')
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["access-control-allow-origin"] == ORIGIN
    assert "no-cache" in answer.headers["cache-control"]

    read = alice.read(account_id)
    assert (read.status, read.json, read.headers["etag"]) == (200, account, '"1"')

    stored = service.stored()
    assert [(item["PK"], item["SK"]) for item in stored] == [
        (f"ACCT#{account_id}", "PROFILE"),
        ("UNIQ#EMAIL#ada@example.com", "LOCK"),
        ("UNIQ#HANDLE#ada.l", "LOCK"),
    ]
    assert stored[0]["subject"] == "alice"
    assert {item["owner"] for item in stored[1:]} == {f"ACCT#{account_id}"}


def test_the_second_sign_up_gets_one_409_that_names_both_fields(service: Service) -> None:
    service.caller("alice").sign_up("ada@example.com", "ada")
    before = service.stored()

    answer = service.caller("bob").sign_up("ADA@example.com", "Ada")

    assert answer.status == 409
    assert problem(answer) == {
        "type": "about:blank",
        "title": "Conflict",
        "status": 409,
        "detail": "Another account has these already.",
        "errors": [
            {"field": "email", "code": "taken", "message": "is already taken"},
            {"field": "username", "code": "taken", "message": "is already taken"},
        ],
    }
    assert service.stored() == before


def test_an_email_change_moves_the_address_and_counts_the_version(service: Service) -> None:
    alice = service.caller("alice")
    account = alice.sign_up("ada@example.com", "ada").json

    answer = alice.change_email(account["account_id"], "lovelace@example.com", If_Match='"1"')

    changed = {**account, "email": "lovelace@example.com", "version": 2}
    assert (answer.status, answer.json, answer.headers["etag"]) == (200, changed, '"2"')
    assert alice.read(account["account_id"]).json == changed
    assert [item["PK"] for item in service.stored()] == [
        f"ACCT#{account['account_id']}",
        "UNIQ#EMAIL#lovelace@example.com",
        "UNIQ#HANDLE#ada",
    ]


def test_a_username_change_moves_the_name_and_counts_the_version(service: Service) -> None:
    alice = service.caller("alice")
    account = alice.sign_up("ada@example.com", "ada").json

    answer = alice.change_username(account["account_id"], "Countess", If_Match='"1"')

    changed = {**account, "username": "Countess", "version": 2}
    assert (answer.status, answer.json, answer.headers["etag"]) == (200, changed, '"2"')
    assert [item["PK"] for item in service.stored()] == [
        f"ACCT#{account['account_id']}",
        "UNIQ#EMAIL#ada@example.com",
        "UNIQ#HANDLE#countess",
    ]
    assert service.caller("bob").sign_up("bob@example.com", "ada").status == 201


def test_a_stale_change_or_deletion_is_412_and_changes_nothing(service: Service) -> None:
    alice = service.caller("alice")
    account_id = alice.sign_up("ada@example.com", "ada").json["account_id"]
    alice.change_email(account_id, "lovelace@example.com")
    before = service.stored()

    answers = [
        alice.change_email(account_id, "stale@example.com", If_Match='"1"'),
        alice.delete(account_id, If_Match='"1"'),
    ]

    assert [answer.status for answer in answers] == [412, 412]
    assert {problem(answer)["title"] for answer in answers} == {"Precondition Failed"}
    assert service.stored() == before


def test_the_same_address_again_is_200_and_writes_nothing(service: Service) -> None:
    alice = service.caller("alice")
    account = alice.sign_up("ada@example.com", "ada").json
    before = service.stored()

    answer = alice.change_email(account["account_id"], "ada@example.com")

    assert (answer.status, answer.json) == (200, account)
    assert service.stored() == before


def test_an_address_of_somebody_else_is_409(service: Service) -> None:
    service.caller("bob").sign_up("bob@example.com", "bob")
    alice = service.caller("alice")
    account_id = alice.sign_up("ada@example.com", "ada").json["account_id"]
    before = service.stored()

    answer = alice.change_email(account_id, "Bob@example.com")

    assert answer.status == 409
    assert problem(answer)["errors"] == [{"field": "email", "code": "taken", "message": "is already taken"}]
    assert service.stored() == before


def test_a_deletion_is_204_and_then_there_is_nothing(service: Service) -> None:
    alice = service.caller("alice")
    account_id = alice.sign_up("ada@example.com", "ada").json["account_id"]

    answer = alice.delete(account_id)

    assert (answer.status, answer.text) == (204, "")
    assert service.stored() == []
    afterwards = [alice.read(account_id), alice.change_email(account_id, "late@example.com"), alice.delete(account_id)]
    assert [problem(one) for one in afterwards] == [NOT_FOUND] * 3
    assert service.stored() == []


def test_somebody_elses_account_is_404_as_if_it_did_not_exist(service: Service) -> None:
    account_id = service.caller("alice").sign_up("ada@example.com", "ada").json["account_id"]
    before = service.stored()
    bob = service.caller("bob")

    answers = [bob.read(account_id), bob.change_email(account_id, "mine@example.com"), bob.delete(account_id)]

    assert [problem(answer) for answer in answers] == [NOT_FOUND] * 3
    assert service.stored() == before


@pytest.mark.parametrize("freed_by", ["change", "deletion"])
def test_a_freed_address_can_be_used_again(freed_by: str, service: Service) -> None:
    alice, bob = service.caller("alice"), service.caller("bob")
    account_id = alice.sign_up("ada@example.com", "ada").json["account_id"]
    if freed_by == "change":
        assert alice.change_email(account_id, "lovelace@example.com").status == 200
    else:
        assert alice.delete(account_id).status == 204

    again = bob.sign_up("ada@example.com", "bob")

    assert again.status == 201
    markers = {item["PK"]: item["owner"] for item in service.stored() if item["SK"] == "LOCK"}
    assert markers["UNIQ#EMAIL#ada@example.com"] == f"ACCT#{again.json['account_id']}"


def test_two_accounts_cannot_swap_their_addresses(service: Service) -> None:
    alice, bob = service.caller("alice"), service.caller("bob")
    first = alice.sign_up("ada@example.com", "ada").json["account_id"]
    second = bob.sign_up("bob@example.com", "bob").json["account_id"]

    answers = [alice.change_email(first, "bob@example.com"), bob.change_email(second, "ada@example.com")]

    assert [answer.status for answer in answers] == [409, 409]


def test_what_the_client_has_already_is_not_sent_again(service: Service) -> None:
    alice = service.caller("alice")
    account_id = alice.sign_up("ada@example.com", "ada").json["account_id"]

    answer = alice.read(account_id, If_None_Match='"1"')

    assert (answer.status, answer.text, answer.headers["etag"]) == (304, "", '"1"')


def test_the_same_idempotency_key_gets_the_same_answer(service: Service) -> None:
    alice, key = service.caller("alice"), str(uuid4())

    first = alice.sign_up("ada@example.com", "ada", Idempotency_Key=key)
    again = alice.sign_up("ada@example.com", "ada", Idempotency_Key=key)

    assert (first.status, again.status) == (201, 201)
    assert again.text == first.text
    assert again.headers["location"] == first.headers["location"]
    assert len(service.stored()) == 3


def test_the_same_idempotency_key_with_another_body_is_422(service: Service) -> None:
    alice, key = service.caller("alice"), str(uuid4())
    alice.sign_up("ada@example.com", "ada", Idempotency_Key=key)
    before = service.stored()

    answer = alice.sign_up("other@example.com", "other", Idempotency_Key=key)

    assert answer.status == 422
    assert [(error["field"], error["code"]) for error in problem(answer)["errors"]] == [("Idempotency-Key", "reused")]
    assert service.stored() == before


def test_the_same_key_again_answers_a_change_and_a_deletion_again(service: Service) -> None:
    alice, change, deletion = service.caller("alice"), str(uuid4()), str(uuid4())
    account_id = alice.sign_up("ada@example.com", "ada").json["account_id"]

    first = alice.change_email(account_id, "lovelace@example.com", Idempotency_Key=change)
    alice.change_email(account_id, "countess@example.com")
    again = alice.change_email(account_id, "lovelace@example.com", Idempotency_Key=change)
    other = alice.change_email(account_id, "other@example.com", Idempotency_Key=change)

    assert (again.status, again.text, again.headers["etag"]) == (200, first.text, '"2"')
    assert (other.status, problem(other)["errors"][0]["code"]) == (422, "reused")
    assert alice.read(account_id).json["email"] == "countess@example.com"
    assert [alice.delete(account_id, Idempotency_Key=deletion).status for _ in range(2)] == [204, 204]
    assert alice.delete(account_id).status == 404
    assert service.stored() == []


def test_an_idempotency_key_is_its_senders_own(service: Service) -> None:
    key = str(uuid4())

    first = service.caller("alice").sign_up("ada@example.com", "ada", Idempotency_Key=key)
    second = service.caller("bob").sign_up("bob@example.com", "bob", Idempotency_Key=key)

    assert (first.status, second.status) == (201, 201)
    assert first.json["account_id"] != second.json["account_id"]


def test_a_preflight_needs_no_token(service: Service) -> None:
    answer = service.bearing(None).send("OPTIONS", "/accounts", headers={"Origin": ORIGIN})

    assert answer.status == 200
    assert json.loads(answer.text or "{}") == {}
