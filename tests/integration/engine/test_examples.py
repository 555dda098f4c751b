"""The scripts under examples/, run as people run them, against a local engine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from tests.support.cloud import stored
from tests.support.template import ROOT

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from expr_builder import Table

EXAMPLES = sorted(path.stem for path in (ROOT / "examples").glob("*.py"))


def run(name: str, *arguments: str, client: DynamoDBClient, stdin: str = "") -> tuple[int, str]:
    environment = {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": client.meta.endpoint_url,
        "AWS_SECRET_ACCESS_KEY": "test",
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / f"{name}.py", *arguments],
        env=environment,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_has_a_test(name: str) -> None:
    assert f"test_{name}" in {key.partition("_does_")[0] for key in globals() if key.startswith("test_")}


def test_draft_guarded_put_does_print_the_request(client: DynamoDBClient) -> None:
    code, printed = run("draft_guarded_put", "Ada@example.com", client=client)
    assert (code, json.loads(printed)) == (
        0,
        {
            "TableName": "accounts",
            "Item": {"PK": {"S": "UNIQ#EMAIL#ada@example.com"}, "SK": {"S": "LOCK"}},
            "ConditionExpression": "attribute_not_exists(PK)",
        },
    )


def test_sign_up_does_say_which_fields_are_taken(client: DynamoDBClient, table: Table) -> None:
    assert run("sign_up", table.name, "ada@example.com", "ada", client=client) == (0, "signed up\n")
    assert run("sign_up", table.name, "ADA@example.com", "other", client=client) == (1, "taken: email\n")
    assert run("sign_up", table.name, "ADA@example.com", "Ada", client=client) == (1, "taken: email, username\n")
    assert len(stored(client, table.name)) == 3


def test_bulk_import_does_keep_values_unique_and_repeats_nothing(client: DynamoDBClient, table: Table) -> None:
    people = "email,username\na@example.com,ann\nb@example.com,Ann\nA@example.com,anna\n,nobody\nc@example.com,cleo\n"
    assert run("bulk_import", table.name, client=client, stdin=people) == (
        1,
        (
            "line 3: username taken\n"
            "line 4: email taken\n"
            "line 5: unique field email: a unique value is a non-empty string "
            "(give the record the value, or declare the Marker optional=True) [marker-value]\n"
            "2 imported, 3 refused\n"
        ),
    )
    before = stored(client, table.name)
    assert run("bulk_import", table.name, client=client, stdin=people)[1].endswith("\n0 imported, 3 refused\n")
    assert stored(client, table.name) == before
    assert [item["PK"] for item in before if item["SK"] == "LOCK"] == [
        "UNIQ#EMAIL#a@example.com",
        "UNIQ#EMAIL#c@example.com",
        "UNIQ#HANDLE#ann",
        "UNIQ#HANDLE#cleo",
    ]


def test_counter_does_lose_no_step(client: DynamoDBClient, table: Table) -> None:
    assert run("counter", table.name, "visits", "5", client=client) == (0, "5\n")
    with ThreadPoolExecutor(4) as pool:
        for code, _ in pool.map(lambda _: run("counter", table.name, "visits", client=client), range(4)):
            assert code == 0
    assert run("counter", table.name, "visits", "0", client=client) == (0, "9\n")


def test_optimistic_locking_does_keep_every_line(client: DynamoDBClient, table: Table) -> None:
    assert run("optimistic_locking", table.name, "shopping", "milk", client=client) == (0, "version 1: 1 lines\n")
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda n: run("optimistic_locking", table.name, "shopping", f"{n}", client=client), range(3)))
    (document,) = stored(client, table.name)
    assert sorted(document["lines"]) == ["0", "1", "2", "milk"]
    assert document["version"] == 4
