"""IAM: each function needs every action that its role allows, and is refused what the role does not allow."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from tests.support.roles import without

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.deployed.conftest import Service
    from tests.support.http import Answer, Api


@pytest.fixture
def service(guarded_service: Service) -> Service:
    return guarded_service.emptied()


def sign_up(api: Api, account_id: str, key: str) -> Answer:
    return api.sign_up("new@example.com", "new")


def sign_up_again(api: Api, account_id: str, key: str) -> Answer:
    return api.sign_up("ada@example.com", "ada", Idempotency_Key=key)


def read(api: Api, account_id: str, key: str) -> Answer:
    return api.read(account_id)


def change(api: Api, account_id: str, key: str) -> Answer:
    return api.change_email(account_id, "new@example.com")


def rename(api: Api, account_id: str, key: str) -> Answer:
    return api.change_username(account_id, "new")


def delete(api: Api, account_id: str, key: str) -> Answer:
    return api.delete(account_id)


@pytest.mark.parametrize(
    ("function", "action", "call"),
    [
        ("SignupFunction", "dynamodb:PutItem", sign_up),
        ("SignupFunction", "dynamodb:GetItem", sign_up_again),
        ("GetAccountFunction", "dynamodb:GetItem", read),
        ("ChangeEmailFunction", "dynamodb:GetItem", change),
        ("ChangeEmailFunction", "dynamodb:PutItem", change),
        ("ChangeEmailFunction", "dynamodb:UpdateItem", change),
        ("ChangeEmailFunction", "dynamodb:DeleteItem", change),
        ("ChangeUsernameFunction", "dynamodb:GetItem", rename),
        ("ChangeUsernameFunction", "dynamodb:PutItem", rename),
        ("ChangeUsernameFunction", "dynamodb:UpdateItem", rename),
        ("ChangeUsernameFunction", "dynamodb:DeleteItem", rename),
        ("DeleteAccountFunction", "dynamodb:GetItem", delete),
        ("DeleteAccountFunction", "dynamodb:DeleteItem", delete),
        ("ChangeEmailFunction", "dynamodb:ConditionCheckItem", change),
        ("ChangeUsernameFunction", "dynamodb:ConditionCheckItem", rename),
        ("DeleteAccountFunction", "dynamodb:ConditionCheckItem", delete),
    ],
)
def test_without_a_permission_the_call_fails_and_writes_nothing(
    function: str, action: str, call: Callable[[Api, str, str], Answer], service: Service
) -> None:
    alice, key = service.caller("alice"), str(uuid4())
    account_id = alice.sign_up("ada@example.com", "ada", Idempotency_Key=key).json["account_id"]
    if action == "dynamodb:ConditionCheckItem":  # of markers that are not the account's own
        service.remove_markers()
    before = service.stored()

    with without(service.cloud, action, function):
        refused = call(alice, account_id, key)

    assert refused.status == 500
    assert refused.json == {
        "type": "about:blank",
        "title": "Internal Server Error",
        "status": 500,
        "detail": "The request could not be carried out.",
    }
    assert service.stored() == before
    assert call(alice, account_id, key).status in {200, 201, 204}
