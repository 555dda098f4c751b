"""``expr-builder draft``: from options or a file to JSON, a shell command or Python code."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

GOLDEN = Path(__file__).parents[3] / "data" / "signup.json"

NO_TABLE = "does not name a table and its one or two keys: write it like accounts:PK:SK"
OF_ONE_TYPE = "a list of strings, of numbers, or of $binary values"
NAME_EXPECTED = "Expecting property name enclosed in double quotes"
PAIR = 'a key is a name, or a name and its type: ["at", "N"]'

ACCOUNT = '{"PK": "ACCT#a1f9c3", "SK": "PROFILE", "email": "ada@lovelace.io", "username": "ada"}'
SIGN_UP = [
    "draft", "--token", "signup-7f3c", "--table", "accounts:PK:SK",
    "put", ACCOUNT, "--if-not-exists", "--name", "account", "+",
    "put", '{"PK": "UNIQ#EMAIL#ada@lovelace.io", "SK": "LOCK"}', "--if-not-exists", "--name", "email", "+",
    "put", '{"PK": "UNIQ#HANDLE#ada", "SK": "LOCK"}', "--if-not-exists", "--name", "username",
]  # fmt: skip
SIGN_UP_FILE = {
    "token": "signup-7f3c",
    "tables": {"accounts": {"partition_key": "PK", "sort_key": "SK"}},
    "actions": [
        {"put": json.loads(ACCOUNT), "table": "accounts", "if_not_exists": True, "name": "account"},
        {"put": {"PK": "UNIQ#EMAIL#ada@lovelace.io", "SK": "LOCK"}, "if_not_exists": True, "name": "email"},
        {"put": {"PK": "UNIQ#HANDLE#ada", "SK": "LOCK"}, "if_not_exists": True, "name": "username"},
    ],
}


def test_the_drafted_sign_up_is_the_golden_document_to_the_byte(command: Any) -> None:
    assert command(*SIGN_UP) == (0, GOLDEN.read_text() + "\n", "")


def test_the_same_draft_from_a_file_and_from_standard_input(command: Any) -> None:
    Path("draft.json").write_text(json.dumps(SIGN_UP_FILE))
    assert command("draft", "--file", "draft.json").output == GOLDEN.read_text() + "\n"
    assert command("draft", "--file", "-", stdin=json.dumps(SIGN_UP_FILE)).output == GOLDEN.read_text() + "\n"


def test_a_single_action_is_the_request_of_its_own_call(command: Any) -> None:
    drafted = command("draft", "--table", "accounts:PK", "delete", '{"PK": "A#1"}', "--if-exists")
    assert json.loads(drafted.output) == {
        "TableName": "accounts",
        "Key": {"PK": {"S": "A#1"}},
        "ConditionExpression": "attribute_exists(PK)",
    }


@pytest.mark.parametrize("asked", [["--transaction"], ["--token", "t-1"]])
def test_a_single_action_becomes_a_transaction_when_that_is_asked_for(command: Any, asked: list[str]) -> None:
    drafted = json.loads(command("draft", "--table", "t:PK", "put", '{"PK": "1"}', *asked).output)
    assert drafted["TransactItems"] == [{"Put": {"TableName": "t", "Item": {"PK": {"S": "1"}}}}]
    assert drafted.get("ClientRequestToken") == (asked[1] if len(asked) == 2 else None)


def test_a_check_is_always_a_transaction(command: Any) -> None:
    drafted = command("draft", "--table", "t:PK", "check", '{"PK": "1"}', "--when", "status = 'open'")
    assert json.loads(drafted.output) == {
        "TransactItems": [
            {
                "ConditionCheck": {
                    "TableName": "t",
                    "Key": {"PK": {"S": "1"}},
                    "ConditionExpression": "#n0 = :v0",
                    "ExpressionAttributeNames": {"#n0": "status"},
                    "ExpressionAttributeValues": {":v0": {"S": "open"}},
                }
            }
        ]
    }


def test_every_option_of_an_action_at_once(command: Any) -> None:
    drafted = command(
        "draft", "update", "--table", "events:day:at=N", '{"day": "2026-01-01", "at": 7}',
        "--set", '{"picture": {"$binary": "AAEC"}, "tags": {"$set": ["b", "a"]}}',
        "--update", "SET n = if_not_exists(n, 0) + :by, #odd = 1.50 REMOVE pending",
        "--names", '{"#odd": "na.me"}', "--values", '{":by": 2, ":set": {"$set": [1, 1.5]}}',
        "--if-exists", "--when", "version = 3", "--when", "numbers = :set or not owner = 'x'", "--return-old",
    )  # fmt: skip
    assert json.loads(drafted.output) == {
        "TableName": "events",
        "Key": {"at": {"N": "7"}, "day": {"S": "2026-01-01"}},
        "UpdateExpression": "SET picture = :v0, tags = :v1, n = if_not_exists(n, :v2) + :v3, #n0 = :v4 REMOVE pending",
        "ConditionExpression": "attribute_exists(#n1) AND version = :v5 AND (numbers = :v6 OR NOT #n2 = :v7)",
        "ExpressionAttributeNames": {"#n0": "na.me", "#n1": "day", "#n2": "owner"},
        "ExpressionAttributeValues": {
            ":v0": {"B": "AAEC"},
            ":v1": {"SS": ["a", "b"]},
            ":v2": {"N": "0"},
            ":v3": {"N": "2"},
            ":v4": {"N": "1.5"},
            ":v5": {"N": "3"},
            ":v6": {"NS": ["1", "1.5"]},
            ":v7": {"S": "x"},
        },
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }


def test_the_options_have_the_names_of_the_aws_cli_too(command: Any) -> None:
    named_as_there = command(
        "draft", "--table", "t:PK", "update", '{"PK": "1"}',
        "--update-expression", "REMOVE a", "--condition-expression", "attribute_exists(b)",
    )  # fmt: skip
    short = command(
        "draft", "--table", "t:PK", "update", '{"PK": "1"}', "--update", "REMOVE a", "--when", "attribute_exists(b)"
    )
    assert named_as_there == short


def test_a_table_holds_for_the_actions_after_it(command: Any) -> None:
    two = "arn:aws:dynamodb:eu-west-1:123456789012:table/two"
    drafted = command(
        "draft", "--table", "one:PK", "put", '{"PK": "1"}', "+", "put", '{"PK": "2"}', "+",
        "put", '{"id": 3}', "--table", f"{two}:id=N", "+", "put", '{"id": 4}',
    )  # fmt: skip
    tables = [action["Put"]["TableName"] for action in json.loads(drafted.output)["TransactItems"]]
    assert tables == ["one", "one", two, two]


def test_numbers_are_taken_to_the_last_digit(command: Any) -> None:
    item = '{"PK": "1", "a": 0.1, "b": 12345678901234567890123456789012345678, "c": 1e-130, "d": 1.10, "e": -0}'
    drafted = json.loads(command("draft", "--table", "t:PK", "put", item).output)["Item"]
    assert {name: value["N"] for name, value in drafted.items() if name != "PK"} == {
        "a": "0.1", "b": "12345678901234567890123456789012345678", "c": "1E-130", "d": "1.1", "e": "0",
    }  # fmt: skip


def test_values_of_every_kind_in_json(command: Any) -> None:
    item = {
        "PK": "1",
        "map": {"list": [True, None, {"$set": ["a"]}], "$set": {"$map": {"$set": 1}}},
        "one": {"$map": {"$binary": {"$binary": ""}}},
        "binaries": {"$set": [{"$binary": "YQ=="}, {"$binary": "Yg=="}]},
        "empty": {},
    }
    Path("item.json").write_text(json.dumps(item))
    drafted = json.loads(command("draft", "--table", "t:PK", "put", "@item.json").output)["Item"]
    assert drafted == {
        "PK": {"S": "1"},
        "binaries": {"BS": ["YQ==", "Yg=="]},
        "empty": {"M": {}},
        "map": {
            "M": {"$set": {"M": {"$set": {"N": "1"}}}, "list": {"L": [{"BOOL": True}, {"NULL": True}, {"SS": ["a"]}]}}
        },
        "one": {"M": {"$binary": {"B": ""}}},
    }


def test_an_item_from_standard_input(command: Any) -> None:
    drafted = command("draft", "--table", "t:PK", "put", "@-", stdin='{"PK": "1"}')
    assert json.loads(drafted.output) == {"TableName": "t", "Item": {"PK": {"S": "1"}}}


def test_as_a_command_for_the_shell(command: Any) -> None:
    item = '{"PK": "1", "text": "it\'s $HOME `ls` \\\\ \\"quoted\\"\\n"}'
    drafted = command("draft", "--format", "cli", "--table", "t:PK", "put", item)
    assert drafted.output.startswith('aws dynamodb put-item --cli-input-json \'{\n  "TableName": "t",\n')
    *start, document = shlex.split(drafted.output)
    assert start == ["aws", "dynamodb", "put-item", "--cli-input-json"]
    assert json.loads(document)["Item"]["text"]["S"] == 'it\'s $HOME `ls` \\ "quoted"\n'
    transaction = command(*SIGN_UP, "--format", "cli").output
    assert shlex.split(transaction) == [
        "aws",
        "dynamodb",
        "transact-write-items",
        "--cli-input-json",
        GOLDEN.read_text(),
    ]


def test_binary_values_are_announced_to_the_aws_cli(command: Any) -> None:
    for item, options in (
        ('{"PK": "1", "deep": [{"raw": {"$set": [{"$binary": "AAE="}]}}]}', ["--cli-binary-format", "base64"]),
        ('{"PK": "1", "deep": [{"raw": "AAE="}]}', []),
    ):
        drafted = command("draft", "--format", "cli", "--table", "t:PK", "put", item).output
        assert shlex.split(drafted)[3:-2] == options


def test_as_python_code(command: Any) -> None:
    drafted = command(
        "draft", "--format", "python", "--table", "t:PK",
        "put", '{"PK": "it\'s \\"1\\"", "raw": {"$binary": "AAE="}}', "+",
        "update", '{"PK": "2"}', "--update", "SET a = :l REMOVE b", "--values", '{":l": [1, []]}',
    )  # fmt: skip
    assert drafted.output == (
        "import boto3\n"
        "\n"
        'client = boto3.client("dynamodb")\n'
        "response = client.transact_write_items(\n"
        "    TransactItems=[\n"
        "        {\n"
        '            "Put": {\n'
        '                "TableName": "t",\n'
        '                "Item": {\n'
        '                    "PK": {"S": \'it\\\'s "1"\'},\n'
        '                    "raw": {"B": b\'\\x00\\x01\'},\n'
        "                },\n"
        "            },\n"
        "        },\n"
        "        {\n"
        '            "Update": {\n'
        '                "TableName": "t",\n'
        '                "Key": {\n'
        '                    "PK": {"S": "2"},\n'
        "                },\n"
        '                "UpdateExpression": "SET a = :v0 REMOVE b",\n'
        '                "ExpressionAttributeValues": {\n'
        '                    ":v0": {\n'
        '                        "L": [\n'
        '                            {"N": "1"},\n'
        "                            {\n"
        '                                "L": [],\n'
        "                            },\n"
        "                        ],\n"
        "                    },\n"
        "                },\n"
        "            },\n"
        "        },\n"
        "    ],\n"
        ")\n"
        "print(response)\n"
    )


def test_a_file_says_of_which_type_a_key_is_that_is_not_a_string(command: Any) -> None:
    draft = {
        "tables": {"events": {"partition_key": "day", "sort_key": ["at", "N"]}},
        "actions": [{"update": {"day": "2026-01-01", "at": 7}, "set": {"seen": True}}],
    }
    drafted = command("draft", "--file", "-", stdin=json.dumps(draft))
    assert json.loads(drafted.output) == {
        "TableName": "events",
        "Key": {"at": {"N": "7"}, "day": {"S": "2026-01-01"}},
        "UpdateExpression": "SET seen = :v0",
        "ExpressionAttributeValues": {":v0": {"BOOL": True}},
    }


# --- What cannot be drafted


def action(**members: Any) -> str:
    return json.dumps({"tables": {"t": {"partition_key": "PK"}}, "actions": [{"put": {"PK": "1"}, **members}]})


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("[]", "an object is expected"),
        ("{}", "actions is a list of at least one action"),
        ('{"actions": []}', "actions is a list of at least one action"),
        ('{"actions": [], "acts": 1}', "acts is not one of actions, tables, token, transaction"),
        ('{"actions": [{}], "transaction": "yes"}', "actions[0]: exactly one of put, update, delete, check is needed"),
        ('{"actions": [{"put": {}, "delete": {}}]}', "actions[0]: exactly one of put, update, delete, check is needed"),
        ('{"actions": [{"put": {}}]}', "actions[0]: table is the name of the action's table: describe it in tables"),
        ('{"tables": {"t": {}}, "actions": []}', "tables.t: partition_key is missing"),
        ('{"tables": {"t": {"partition_key": ["PK"]}}}', f"tables.t.partition_key: {PAIR}"),
        ('{"tables": [], "actions": [1]}', "tables: an object is expected"),
        (action(table="u"), "actions[0]: table is the name of the action's table: tables has t"),
        (action(wen="a = 1"), (
            "actions[0]: wen is not one of put, update, delete, check, table, name, if_exists, "
            "if_not_exists, when, return_old, expression, set, names, values"
        )),
        (action(put=[]), "actions[0].put: an object is expected"),
        (action(set={"a": 1}), "actions[0]: set and expression belong to an update, not to a put"),
        (action(if_exists="true"), "actions[0]: if_exists is true or false"),
        (action(put={"PK": {"$bytes": ""}}), (
            "actions[0].put.PK: $bytes is not one of $set, $binary, $map; a map with "
            'that key is {"$map": {…}}'
        )),
        (action(put={"PK": {"$binary": "§"}}), "actions[0].put.PK: $binary takes base64 text"),
        (action(put={"PK": {"$binary": 1}}), "actions[0].put.PK: $binary takes base64 text"),
        (action(put={"a": [{"$set": "x"}]}), f"actions[0].put.a[0]: $set takes {OF_ONE_TYPE}"),
        (action(put={"a": {"$set": [[]]}}), f"actions[0].put.a: $set takes {OF_ONE_TYPE}"),
        (action(put={"a": {"$set": [1, 1.0]}}), "actions[0].put.a: $set has an element twice"),
    ],
)  # fmt: skip
def test_a_file_of_another_shape_is_refused_with_the_place(command: Any, document: str, message: str) -> None:
    Path("d.json").write_text(document)
    assert command("draft", "--file", "d.json") == (2, "", f"expr-builder: d.json: {message}\n")


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"put": {}}, 'action 1, Put "t", Item: the key attribute PK is missing (give PK) [key-schema]'),
        ({"put": {"PK": "1", "tags": {"$set": []}}}, (
            'action 1, Put "t", Item.tags: an empty set, which DynamoDB cannot store '
            "(leave the attribute out, or remove it in an update) [set-empty]"
        )),
        ({"name": ""}, 'action 1, Put "t": a slot\'s name is a non-empty string (such as named("email")) [slot-name]'),
        ({"when": "a = :b"}, (
            'action 1, when, column 5: the placeholder :b is not defined (pass values={":b": …}) '
            "[placeholder-undefined]"
        )),
        ({"when": 1}, "action 1, when: an expression is text, not a int [expression-type]"),
        ({"when": "a between 2 and 1"}, (
            "action 1, when, column 3, a: BETWEEN with its bounds swapped: the first is greater than the "
            "second (put the lower bound first; both ends are included) [between-order]"
        )),
    ],
)  # fmt: skip
def test_what_dynamodb_would_refuse_is_refused_with_place_rule_and_fix(
    command: Any, members: dict[str, Any], message: str
) -> None:
    refused = command("draft", "--file", "-", stdin=action(**members))
    assert (refused.status, refused.output) == (1, "")
    assert refused.errors.splitlines()[0] == f"expr-builder: {message}"


def test_a_slip_in_text_is_pointed_at(command: Any) -> None:
    refused = command("draft", "--table", "t:PK", "update", '{"PK": "1"}', "--update", "SET a = 1,, b = 2")
    assert (refused.status, refused.output) == (1, "")
    assert refused.errors.splitlines()[1:] == ["  SET a = 1,, b = 2", "            ^"]


def test_two_actions_on_one_item_are_refused(command: Any) -> None:
    refused = command(*SIGN_UP, "+", "delete", '{"PK": "UNIQ#HANDLE#ada", "SK": "LOCK"}')
    assert refused.status == 1
    assert 'this action and slot "username" are on one item' in refused.errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "an action is put, update, delete or check, and one JSON document"),
        (["put"], "an action is put, update, delete or check, and one JSON document"),
        (["insert", "{}"], "an action is put, update, delete or check, and one JSON document, not insert"),
        (["--file", "x", "put", "{}"], "--file and actions exclude each other: write all actions into the file"),
        (["--table", "t", "put", "{}"], f"argument --table: t {NO_TABLE}"),
        (["--table", "t:a:b:c", "put", "{}"], f"argument --table: t:a:b:c {NO_TABLE}"),
        (["--table", "t:a=X", "put", "{}"], "or (name, type) with type S, N or B [key-definition]"),
        (["--format", "yaml", "put", "{}"], "argument --format: invalid choice: 'yaml'"),
        (["--unless", "x", "put", "{}"], "unrecognized arguments: --unless"),
        (["put", "{}", "--unless"], "unrecognized arguments: --unless"),
    ],
)  # fmt: skip
def test_arguments_that_make_no_sense_are_refused_with_the_usage(
    command: Any, arguments: list[str], message: str
) -> None:
    refused = command("draft", *arguments)
    assert (refused.status, refused.output) == (2, "")
    assert refused.errors.startswith("usage: expr-builder draft")
    assert message in refused.errors.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["put", "{}"], "--table NAME:PK[:SK] is needed before, or with, the first action"),
        (["--table", "t:a", "put", "{}", "+", "--table", "t:b", "put", "{}"], "--table gives t two different keys"),
        (["--table", "t:a", "put", "{'a': 1}"], f"action 1, put: line 1, column 2: not JSON: {NAME_EXPECTED}"),
        (
            ["--table", "t:a", "put", '{"a": 1}', "--values", "{]"],
            f"action 1, --values: line 1, column 2: not JSON: {NAME_EXPECTED}",
        ),
        (["--table", "t:a", "put", "@gone.json"], "gone.json: No such file or directory"),
    ],
)  # fmt: skip
def test_options_that_do_not_fit_together_are_refused(command: Any, arguments: list[str], message: str) -> None:
    assert command("draft", *arguments) == (2, "", f"expr-builder: {message}\n")
