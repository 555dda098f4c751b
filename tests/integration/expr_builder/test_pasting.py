"""Drafts, pasted: the command into a shell with the AWS CLI, the JSON into its input, the code into Python."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from expr_builder import from_item
from tools.venvs import ENVIRONMENTS, ensure

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from tools.local_cloud import LocalCloud

ROOT = Path(__file__).parents[3]
NASTY = 'it\'s "$HOME" `ls` \\ $(id) größe\n%s ! *'


class Shell:
    """A POSIX shell in an empty folder, with the drafting command and the AWS CLI, which leads to the local cloud."""

    def __init__(self, engine: LocalCloud, folder: Path) -> None:
        programs = [ROOT / "tests/support/bin", Path(sys.executable).parent, ENVIRONMENTS["awscli"].path / "bin"]
        self.folder = folder
        self.environment = {
            **engine.environment(),
            "PATH": os.pathsep.join([*map(str, programs), os.environ["PATH"]]),
            "PYTHONPATH": str(ROOT),
            "HOME": str(folder),
            "LC_ALL": "C.UTF-8",
        }

    def __call__(self, script: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", "-c", script],
            cwd=self.folder,
            env={**self.environment, **variables},
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def shell(engine: LocalCloud, engine_table: str, tmp_path: Path) -> Shell:
    ensure("awscli")
    return Shell(engine, tmp_path)


def stored(client: DynamoDBClient, table: str, partition: str) -> dict[str, Any]:
    item = client.get_item(TableName=table, Key={"PK": {"S": partition}, "SK": {"S": "P"}}, ConsistentRead=True)
    return from_item(item["Item"]) if "Item" in item else {}


def test_a_pasted_command_does_what_it_says_and_is_refused_the_second_time(
    shell: Shell, engine_client: DynamoDBClient, engine_table: str
) -> None:
    item = {
        "PK": "PASTE#1",
        "SK": "P",
        "text": NASTY,
        "n": 1,
        "tags": {"$set": ["a", "b"]},
        "deep": [{"x": None}, True],
    }
    drafted = shell(
        'expr-builder draft --format cli --table engine:PK:SK put "$ITEM" --if-not-exists --name account +'
        """ put '{"PK": "PASTE#LOCK#1", "SK": "P"}' --if-not-exists --name lock""",
        ITEM=json.dumps(item),
    )
    assert (drafted.returncode, drafted.stderr) == (0, "")

    pasted = shell(drafted.stdout)
    assert (pasted.returncode, pasted.stderr) == (0, "")
    assert stored(engine_client, engine_table, "PASTE#1") == {
        "PK": "PASTE#1", "SK": "P", "text": NASTY, "n": 1, "tags": {"a", "b"}, "deep": [{"x": None}, True],
    }  # fmt: skip

    again = shell(drafted.stdout)
    assert again.returncode != 0
    assert "[ConditionalCheckFailed, ConditionalCheckFailed]" in again.stderr


def test_each_single_action_pasted_one_after_the_other(
    shell: Shell, engine_client: DynamoDBClient, engine_table: str
) -> None:
    key = '{"PK": "PASTE#2", "SK": "P"}'
    closing = """--update "SET status = 'closed', n = n + 1" --when "status = 'open' and n < 2" --return-old"""
    steps = [
        """put '{"PK": "PASTE#2", "SK": "P", "status": "open", "n": 1}' --if-not-exists""",
        f"update '{key}' {closing}",
    ]
    for step in steps:
        pasted = shell(shell(f"expr-builder draft --format cli --table engine:PK:SK {step}").stdout)
        assert (pasted.returncode, pasted.stderr) == (0, "")
    assert stored(engine_client, engine_table, "PASTE#2") == {"PK": "PASTE#2", "SK": "P", "status": "closed", "n": 2}

    refused = shell(f"""expr-builder draft --format cli --table engine:PK:SK delete '{key}' --when 'n > 2'""")
    assert "ConditionalCheckFailedException" in shell(refused.stdout).stderr
    deleted = shell(f"""expr-builder draft --format cli --table engine:PK:SK delete '{key}' --when 'n = 2'""")
    assert shell(deleted.stdout).returncode == 0
    assert stored(engine_client, engine_table, "PASTE#2") == {}


def test_the_json_feeds_the_aws_cli_unchanged(shell: Shell, engine_client: DynamoDBClient, engine_table: str) -> None:
    done = shell(
        """expr-builder draft --token paste-3 --table engine:PK:SK """
        """put '{"PK": "PASTE#3", "SK": "P", "n": 1.50}' + check '{"PK": "none", "SK": "none"}' --if-not-exists """
        """> request.json && aws dynamodb transact-write-items --cli-input-json file://request.json"""
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert str(stored(engine_client, engine_table, "PASTE#3")["n"]) == "1.5"


def test_the_python_code_runs_as_it_is(shell: Shell, engine_client: DynamoDBClient, engine_table: str) -> None:
    item = {"PK": "PASTE#4", "SK": "P", "text": NASTY, "raw": {"$binary": "AAH/"}}
    draft = 'expr-builder draft --format python --table engine:PK:SK put "$ITEM" --if-not-exists'
    done = shell(f"{draft} > code.py && python code.py", ITEM=json.dumps(item))
    assert (done.returncode, done.stderr) == (0, "")
    assert "'HTTPStatusCode': 200" in done.stdout
    assert stored(engine_client, engine_table, "PASTE#4") == {
        "PK": "PASTE#4", "SK": "P", "text": NASTY, "raw": b"\x00\x01\xff",
    }  # fmt: skip


def test_version_1_of_the_aws_cli_stops_at_binary_values_that_it_would_store_as_base64_text(
    shell: Shell, engine_client: DynamoDBClient, engine_table: str
) -> None:
    item = '{"PK": "PASTE#5", "SK": "P", "raw": {"$binary": "AAH/"}}'
    pasted = shell(shell(f"expr-builder draft --format cli --table engine:PK:SK put '{item}'").stdout)
    assert "Unknown options: --cli-binary-format, base64" in pasted.stderr
    assert stored(engine_client, engine_table, "PASTE#5") == {}
