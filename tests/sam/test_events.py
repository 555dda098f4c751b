"""Every file of ``events/`` by a genuine ``sam local invoke``, through the same code as ``make invoke``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.support.cloud import stored
from tests.support.events import check, expectations, read_event, seed
from tools.invoke import find_function_for, invoke

if TYPE_CHECKING:
    from pathlib import Path

    from mypy_boto3_dynamodb import DynamoDBClient

    from tools.local_cloud import LocalCloud
    from tools.tokens import Signer

EXPECTED = expectations()
ADDRESSES = ("@example", "@Example")


@pytest.mark.parametrize("name", EXPECTED)
def test_the_container_answers_as_expected(
    name: str, built: Path, cloud: LocalCloud, client: DynamoDBClient, table: str, signer: Signer
) -> None:
    expected, event = EXPECTED[name], json.loads(read_event(name))
    seed(client, table, expected.seed)
    before = stored(client, table)

    function = find_function_for(event, build_dir=built)
    done = invoke(function, event, endpoint=cloud.endpoint, table=table, signer=signer, build_dir=built)

    assert function == expected.function
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    if expected.error is None:
        check(expected, answer)
    else:
        assert (answer["errorMessage"], answer["errorType"]) == (expected.error, "Exception"), done.stderr
    if expected.status is None or expected.status >= 300:
        assert stored(client, table) == before
    assert not [address for address in ADDRESSES if address in done.stderr], "an e-mail address in the log"
