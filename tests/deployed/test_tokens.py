"""Who is let in: nobody without a good token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tools.tokens import make_named_token

if TYPE_CHECKING:
    from tests.deployed.conftest import Service

GOOD = "sub=user-1"


@pytest.fixture
def service(open_service: Service) -> Service:
    return open_service.emptied()


def test_a_good_token_is_let_in(service: Service) -> None:
    assert service.bearing(make_named_token(GOOD, service.signer)).sign_up("ada@example.com", "ada").status == 201


def test_an_expired_token_is_401_on_every_route(service: Service) -> None:
    account_id = service.caller("user-1").sign_up("ada@example.com", "ada").json["account_id"]
    before = service.stored()
    late = service.bearing(make_named_token("expired", service.signer))

    answers = [
        late.sign_up("new@example.com", "new"),
        late.read(account_id),
        late.change_email(account_id, "new@example.com"),
        late.delete(account_id),
    ]

    assert [answer.status for answer in answers] == [401] * 4
    assert service.stored() == before


@pytest.mark.parametrize("what", ["wrong-key", "wrong-issuer", "wrong-audience", "unsigned"])
def test_a_token_that_is_not_for_this_service_is_401(what: str, service: Service) -> None:
    answer = service.bearing(make_named_token(what, service.signer)).sign_up("ada@example.com", "ada")

    assert answer.status == 401
    assert service.stored() == []


@pytest.mark.parametrize("value", [None, "", "Bearer", "Bearer ", "Bearer x", "Bearer a.b.c", "Bearer a.b.c d"])
def test_no_token_is_401(value: str | None, service: Service) -> None:
    headers = {} if value is None else {"Authorization": value}

    assert service.bearing(None).send("POST", "/accounts", "{}", headers).status == 401


@pytest.mark.parametrize("scheme", ["", "Basic ", "Bearer  ", "Bearer Bearer "])
def test_a_good_token_under_another_scheme_is_401(scheme: str, service: Service) -> None:
    headers = {"Authorization": scheme + make_named_token(GOOD, service.signer)}

    assert service.bearing(None).send("POST", "/accounts", "{}", headers).status == 401


@pytest.mark.parametrize("claim", ["exp", "iss", "aud", "sub"])
def test_a_token_that_lacks_a_claim_is_401(claim: str, service: Service) -> None:
    lacking: dict[str, Any] = {claim: None}

    assert service.bearing(service.signer.token("user-1", **lacking)).read("x").status == 401
