"""``expr-builder lint`` and ``explain``: requests as they are written by hand."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from expr_builder import lint
from expr_builder.linting import OPERATIONS

GOLDEN = Path(__file__).parents[3] / "data" / "signup.json"
DATA = GOLDEN.parent / "command"
VALUE = {"ExpressionAttributeValues": {":v": {"S": "1"}}}
KEY = {"PK": {"S": "A#1"}}
FAULTY = {"TransactItems": [{"Put": {"TableName": "t", "Item": {"PK": {"S": "1"}, "tags": {"SS": []}}}}], "Token": "x"}


def test_a_sound_request_has_no_problems(command: Any) -> None:
    assert command("lint", str(GOLDEN)) == (0, f"{GOLDEN}: no problems\n", "")
    assert command("lint", "-", "--format", "json", stdin=GOLDEN.read_text()) == (0, "[]\n", "")


def test_problems_are_lines_with_pointer_words_and_rule(command: Any) -> None:
    problems = lint(FAULTY)
    assert [problem.pointer for problem in problems] == ["/Token", "/TransactItems/0/Put/Item/tags/SS"]
    expected = "".join(
        f"standard input: {problem.pointer}: {problem.message} [{problem.rule}, {problem.code}]\n"
        for problem in problems
    )
    assert command("lint", "-", stdin=json.dumps(FAULTY)) == (1, expected, "")


def test_problems_as_json(command: Any) -> None:
    linted = command("lint", "-", "--format", "json", stdin=json.dumps(FAULTY))
    assert (linted.status, json.loads(linted.output)) == (1, [problem.to_dict() for problem in lint(FAULTY)])


def test_what_is_no_request_at_all_is_a_problem_of_the_whole(command: Any) -> None:
    linted = command("lint", "-", "--operation", "GetItem", stdin="[]")
    assert (linted.status, linted.output.partition(": ")[2][:10]) == (1, "the whole:")


def test_a_table_lets_its_keys_be_checked(command: Any) -> None:
    request = json.dumps({"TableName": "t", "Key": {"id": {"S": "1"}}})
    assert command("lint", "-", "--operation", "GetItem", stdin=request).status == 0
    checked = command("lint", "-", "--operation", "GetItem", "--table", "u:a", "--table", "t:id=N", stdin=request)
    assert (checked.status, checked.errors) == (1, "")
    assert "[key-type, ValidationException]" in checked.output


@pytest.mark.parametrize(
    ("request_", "operation"),
    [
        ({"TransactItems": [{"Get": {"TableName": "t", "Key": KEY}}]}, "TransactGetItems"),
        ({"TransactItems": [{"Delete": {"TableName": "t", "Key": KEY}}]}, "TransactWriteItems"),
        ({"RequestItems": {"t": {"Keys": [KEY]}}}, "BatchGetItem"),
        ({"RequestItems": {"t": [{"DeleteRequest": {"Key": KEY}}]}}, "BatchWriteItem"),
        ({"TableName": "t", "Item": KEY}, "PutItem"),
        ({"TableName": "t", "Key": KEY, "UpdateExpression": "REMOVE a"}, "UpdateItem"),
        ({"TableName": "t", "Key": KEY, "ConditionExpression": "attribute_exists(PK)"}, "DeleteItem"),
        ({"TableName": "t", "Key": KEY, "ConsistentRead": True}, "GetItem"),
        ({"TableName": "t", "KeyConditionExpression": "PK = :v", **VALUE}, "Query"),
    ],
)  # fmt: skip
def test_the_operation_is_seen_from_the_request_where_that_is_clear(
    command: Any, request_: dict[str, Any], operation: str
) -> None:
    explained = command("explain", "-", stdin=json.dumps(request_))
    assert explained.errors == ""
    assert explained.output.splitlines()[-1].startswith(f"{operation}, 1 action: ")


@pytest.mark.parametrize(
    ("document", "choices"),
    [
        ('{"TableName": "t", "Key": {"PK": {"S": "1"}}}', "DeleteItem, GetItem or UpdateItem"),
        ('{"TableName": "t", "FilterExpression": "a = b"}', "Query or Scan"),
        ('{"RequestItems": {}}', "BatchGetItem or BatchWriteItem"),
        *[(document, f"{', '.join(OPERATIONS[:-1])} or {OPERATIONS[-1]}") for document in ("{}", "[]", '{"a": 1}')],
    ],
)  # fmt: skip
def test_where_it_is_not_clear_it_is_asked_for(command: Any, document: str, choices: str) -> None:
    message = "standard input: what the request is for cannot be told from its members: give --operation"
    assert command("lint", "-", stdin=document) == (2, "", f"expr-builder: {message} {choices}\n")


# --- Advice


GHOST = {
    "TableName": "t",
    "Key": KEY,
    "UpdateExpression": "SET a = :a",
    "ExpressionAttributeValues": {":a": {"S": "1"}},
}


def test_advice_is_given_on_request_and_changes_neither_status_nor_verdict(command: Any) -> None:
    (advice,) = lint(GHOST, advice=True)
    line = f"standard input: the whole: {advice.message} [advice-ghost, Advice]\n"
    verdict = "standard input: no problems\n"
    assert command("lint", "-", stdin=json.dumps(GHOST)) == (0, verdict, "")
    assert command("lint", "-", "--advice", stdin=json.dumps(GHOST)) == (0, line + verdict, "")


def test_advice_as_json_is_told_from_problems_by_its_stage(command: Any) -> None:
    advised = command("lint", "-", "--advice", "--format", "json", stdin=json.dumps(GHOST))
    assert (advised.status, [found["stage"] for found in json.loads(advised.output)]) == (0, ["advice"])


def test_a_request_with_problems_gets_no_advice(command: Any) -> None:
    faulty = {**GHOST, "UpdateExpression": "SET a = :a, b = :b"}
    advised = command("lint", "-", "--advice", stdin=json.dumps(faulty))
    assert advised == command("lint", "-", stdin=json.dumps(faulty))
    assert advised.status == 1


# --- explain


def test_a_draft_is_shown_with_its_slots(command: Any) -> None:
    assert command("explain", str(DATA / "draft.json")) == (0, (DATA / "explained.txt").read_text(), "")


def test_the_golden_sign_up_costs_six_write_units(command: Any) -> None:
    assert command("explain", str(GOLDEN), "--table", "accounts:PK:SK").output == (
        "#  action  table     key                                             condition                 bytes  units\n"
        "1  Put     accounts  PK = 'ACCT#a1f9c3', SK = 'PROFILE'              attribute_not_exists(PK)  53     2\n"
        "2  Put     accounts  PK = 'UNIQ#EMAIL#ada@lovelace.io', SK = 'LOCK'  attribute_not_exists(PK)  34     2\n"
        "3  Put     accounts  PK = 'UNIQ#HANDLE#ada', SK = 'LOCK'             attribute_not_exists(PK)  23     2\n"
        "TransactWriteItems, 3 actions: 6 write units\n"
    )


def test_reads_cost_by_how_they_read(command: Any) -> None:
    for consistent, units in ((True, "≥ 1"), (False, "≥ 0.5")):
        request = {"TableName": "t", "Key": KEY, "ConsistentRead": consistent}
        _, row, total = command("explain", "-", stdin=json.dumps(request)).output.splitlines()
        assert row.split("  ")[-1].strip() == units
        assert total == f"GetItem, 1 action: at least {units[2:]} read {'unit' if consistent else 'units'}"


def test_values_of_every_kind_are_read_from_the_wire(command: Any) -> None:
    request = {
        "TableName": "t",
        "Item": {
            "PK": {"B": "AAEC"},
            "n": {"N": "1.50"},
            "l": {"L": [{"NS": ["1.0"]}]},
            "m": {"M": {"x": {"BS": ["YQ=="]}}},
        },
        "ConditionExpression": "#a = :b",
        "ExpressionAttributeNames": {"#a": "na.me"},
        "ExpressionAttributeValues": {":b": {"BOOL": False}},
    }
    row = command("explain", "-", stdin=json.dumps(request)).output.splitlines()[1]
    assert [cell.strip() for cell in row.split("  ") if cell] == [
        "1", "Put", "t", "PK = <3 bytes>, n = 1.5, l = [{1}], m = {x: {<1 byte>}}", "`na.me` = false", "23", "1",
    ]  # fmt: skip


def test_a_long_item_is_cut(command: Any) -> None:
    item = {"PK": {"S": "1"}, **{f"attribute{number}": {"S": "x"} for number in range(50)}}
    output = command("explain", "-", stdin=json.dumps({"TableName": "t", "Item": item})).output
    assert "…" in output
    assert max(map(len, output.splitlines())) < 140


def test_queries_show_key_condition_and_filter_and_no_cost(command: Any) -> None:
    query = {
        "TableName": "t",
        "KeyConditionExpression": "PK = :p AND begins_with(SK, :s)",
        "FilterExpression": "a < :n OR attribute_not_exists(a)",
        "ExpressionAttributeValues": {":p": {"S": "A#1"}, ":s": {"S": "O#"}, ":n": {"N": "5"}},
    }
    assert command("explain", "-", "--table", "t:PK:SK", stdin=json.dumps(query)).output == (
        "#  action  table  condition\n"
        "1  Query   t      (PK = 'A#1' AND begins_with(SK, 'O#')) AND (a < 5 OR attribute_not_exists(a))\n"
        "Query, 1 action: what it costs depends on what is stored\n"
    )
    assert command("explain", "-", "--operation", "Scan", stdin='{"TableName": "t"}').output == (
        "#  action  table\n1  Scan    t\nScan, 1 action: what it costs depends on what is stored\n"
    )


def test_batches_are_shown_item_by_item(command: Any) -> None:
    writes = {"RequestItems": {"t": [{"PutRequest": {"Item": KEY}}, {"DeleteRequest": {"Key": {"PK": {"S": "2"}}}}]}}
    assert command("explain", "-", stdin=json.dumps(writes)).output == (
        "#  action  table  key         bytes  units\n"
        "1  Put     t      PK = 'A#1'  5      1\n"
        "2  Delete  t      PK = '2'    ≥ 3    ≥ 1\n"
        "BatchWriteItem, 2 actions: at least 2 write units\n"
    )
    reads = {"RequestItems": {"t": {"Keys": [KEY, {"PK": {"S": "2"}}], "ConsistentRead": True}}}
    assert command("explain", "-", stdin=json.dumps(reads)).output.splitlines()[-1] == (
        "BatchGetItem, 2 actions: at least 2 read units"
    )


def test_a_request_with_problems_is_not_explained_but_linted(command: Any) -> None:
    refused = command("explain", "-", stdin=json.dumps(FAULTY))
    assert (refused.status, refused.output) == (1, "")
    assert refused.errors == command("lint", "-", stdin=json.dumps(FAULTY)).output


# --- Colours


class Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({}, True), ({"NO_COLOR": ""}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)],
)
def test_colours_are_for_terminals_that_want_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, environment: dict[str, str], coloured: bool
) -> None:
    from expr_builder.cli import main

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    shown = io.BytesIO()
    monkeypatch.setattr("sys.stdout", Terminal(shown))
    request = tmp_path / "request.json"
    request.write_text('{"TransactItems": []}')
    assert main(["lint", str(request)]) == 1
    assert main(["explain", str(GOLDEN)]) == 0
    assert (b"\x1b[31m" in shown.getvalue()) is coloured
    assert (b"\x1b[1m#  action" in shown.getvalue()) is coloured
