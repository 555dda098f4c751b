"""What a deployment writes down: how many and how, never who."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import boto3
import pytest

from tests.support.roles import without
from tools.local_cloud import REGION
from tools.tokens import Signer

if TYPE_CHECKING:
    from tests.deployed.conftest import Service

SUBJECT = "subject-zq81"
PERSONAL = ("zoe", "quill", "quentin", "zhou", "vq-lost", SUBJECT, "key-zq81")


@pytest.fixture
def service(guarded_service: Service) -> Service:
    return guarded_service.emptied()


def lines(service: Service) -> list[str]:
    """Every line of every log group, then what the local cloud itself wrote."""
    client: Any = boto3.client(
        "logs",
        endpoint_url=service.cloud.endpoint,
        region_name=REGION,
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )
    with closing(client):
        groups = [group["logGroupName"] for group in client.describe_log_groups()["logGroups"]]
        pages = [
            page for name in groups for page in client.get_paginator("filter_log_events").paginate(logGroupName=name)
        ]
    written = [event["message"] for page in pages for event in page["events"]]
    return [*written, *service.cloud.log.read_text(encoding="utf-8").splitlines()]


def live(service: Service) -> tuple[list[int], list[str]]:
    """Everything that can happen to a person here. Returns the answers' statuses, and the tokens that were sent."""
    good = service.signer.token(SUBJECT)
    bad = [
        Signer.generate().token(SUBJECT),
        service.signer.token(SUBJECT, lifetime=-60),
        service.signer.token(SUBJECT, aud="zhou"),
        f"{good}quill",
    ]
    zoe, quentin, key = service.bearing(good), service.caller("zhou"), f"key-zq81-{uuid4()}"
    account = zoe.sign_up("Zoe.Quill@example.com", "Zoe-Quill", Idempotency_Key=key).json
    where = account["account_id"]
    answers = [
        zoe.sign_up("Zoe.Quill@example.com", "Zoe-Quill", Idempotency_Key=key),
        zoe.sign_up("zhou@example.com", "zhou", Idempotency_Key=key),
        quentin.sign_up("zoe.quill@example.com", "zoe-quill"),
        quentin.sign_up("Quentin <zhou@example.com>", "quentin zhou"),
        quentin.send("POST", "/accounts", '{"email": "quentin'),
        quentin.read(where),
        quentin.delete(where),
        zoe.read(where),
        zoe.change_email(where, "quentin@example.com", If_Match='"zhou"'),
        zoe.change_email(where, "quentin@example.com"),
        zoe.change_username(where, "Quentin-Zhou"),
        *(service.bearing(token).read(where) for token in bad),
        zoe.read("zoe@example.com"),
        zoe.delete(where),
    ]
    return [answer.status for answer in answers], [good, *bad]


def test_no_line_of_any_log_names_a_person_or_holds_a_token(service: Service) -> None:
    statuses, tokens = live(service)

    assert statuses == [201, 422, 409, 422, 400, 404, 404, 200, 412, 200, 200, 401, 401, 401, 401, 404, 204]
    written = lines(service)
    assert sum('"message":"request"' in line for line in written) >= 13
    assert sum('"message":"refused"' in line for line in written) >= len(tokens) - 1
    secrets = [*PERSONAL, *(part for token in tokens for part in token.split("."))]
    assert [line for line in written if any(secret.lower() in line.lower() for secret in secrets)] == []


def test_a_failure_is_logged_with_its_place_and_nothing_of_the_request(service: Service) -> None:
    with without(service.cloud, "dynamodb:PutItem", "SignupFunction"):
        answer = service.caller(SUBJECT).sign_up("vq-lost@example.com", "vq-lost")

    assert answer.status == 500
    written = lines(service)
    failures = [json.loads(line) for line in written if '"message":"unexpected error"' in line]
    assert failures[-1]["code"] == "AccessDeniedException"
    assert any(place.startswith("service.py:") for place in failures[-1]["where"])
    assert [line for line in written if any(secret in line.lower() for secret in PERSONAL)] == []
