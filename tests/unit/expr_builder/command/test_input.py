"""Whatever is read: files, pipes, bad JSON. Never a traceback."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from expr_builder.cli import main


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1, column 1: not JSON: Expecting value"),
        ('{"a":\n  1,\n  b: 2}', "line 3, column 3: not JSON: Expecting property name enclosed in double quotes"),
        ('{"a": 1} x', "line 1, column 10: not JSON: Extra data"),
        ('{"a": NaN}', "NaN is not a JSON number; use a string or null"),
        ('{"a": -Infinity}', "-Infinity is not a JSON number; use a string or null"),
        ('{"Key": 1, "Key": 2}', 'an object has the key "Key" twice'),
    ],
)
def test_bad_json_is_named_by_file_line_and_column(command: Any, text: str, message: str) -> None:
    Path("request.json").write_text(text)
    for subcommand in (["lint", "request.json"], ["explain", "request.json"], ["draft", "--file", "request.json"]):
        assert command(*subcommand) == (2, "", f"expr-builder: request.json: {message}\n")
    assert command("lint", "-", stdin=text).errors == f"expr-builder: standard input: {message}\n"


def test_files_that_cannot_be_read_are_named(command: Any) -> None:
    assert command("lint", "gone.json") == (2, "", "expr-builder: gone.json: No such file or directory\n")
    assert command("lint", ".") == (2, "", "expr-builder: .: Is a directory\n")
    assert command("lint", "a\0b") == (2, "", "expr-builder: 'a\\x00b' is not a file name\n")
    assert command("lint", "-", stdin=b'{"a": "\xff"}') == (
        2, "", "expr-builder: standard input: byte 8 is not UTF-8 text\n",
    )  # fmt: skip


def test_a_byte_order_mark_is_not_part_of_the_json(command: Any) -> None:
    assert command("lint", "-", stdin=b'\xef\xbb\xbf{"TransactItems": []}').status == 1


def test_endless_nesting_and_endless_numbers_are_refused_in_words(command: Any) -> None:
    deep = '{"PK": "1", "a": ' + "[" * 3000 + "]" * 3000 + "}"
    long = '{"PK": "1", "a": ' + "9" * 5000 + "}"
    assert command("draft", "--table", "t:PK", "put", deep) == (
        2, "", "expr-builder: the input is nested too deeply\n",
    )  # fmt: skip
    refused = command("draft", "--table", "t:PK", "put", long)
    assert (refused.status, refused.errors[-20:]) == (1, " [number-precision]\n")


def test_half_a_surrogate_pair_is_refused_in_words(command: Any) -> None:
    refused = command("draft", "--table", "t:PK", "put", r'{"PK": "1", "a": "\ud800"}')
    assert (refused.status, refused.errors[-13:]) == (1, " [text-utf8]\n")
    linted = command("lint", "-", stdin=r'{"TransactItems": [], "\ud800": 1}')
    assert linted.status == 1
    assert r"\ud800" in linted.output


def test_yaml_without_pyyaml_is_refused_with_the_way_out(command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    Path("draft.yaml").write_text("actions: []")
    assert command("draft", "--file", "draft.yaml") == (
        2, "", "expr-builder: draft.yaml: reading YAML needs PyYAML: install it, or write the file as JSON\n",
    )  # fmt: skip


def test_a_reader_that_has_seen_enough_is_no_error(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as stream:
        monkeypatch.setattr("sys.stdout", stream)
        assert main(["draft", "--table", "t:PK", "put", '{"PK": "1"}']) == 141
        monkeypatch.undo()
    assert capsys.readouterr() == ("", "")


def test_a_full_disk_is_said_in_words(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    with Path("/dev/full").open("w") as stream:
        monkeypatch.setattr("sys.stdout", stream)
        assert main(["draft", "--table", "t:PK", "put", '{"PK": "1"}']) == 2
        monkeypatch.undo()
    assert capsys.readouterr().err == "expr-builder: cannot write the output: No space left on device\n"


def test_ctrl_c_ends_it_silently(command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(name: str) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("expr_builder.cli.lint_command.read_document", interrupted)
    assert command("lint", "-") == (130, "", "")


def test_output_is_utf_8_whatever_the_locale_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    with target.open("w", encoding="ascii") as stream:
        monkeypatch.setattr("sys.stdout", stream)
        assert main(["draft", "--table", "t:PK", "put", '{"PK": "größe"}']) == 0
    assert json.loads(target.read_bytes())["Item"]["PK"]["S"] == "größe"


def test_the_arguments_of_the_process_are_taken_when_none_are_given(
    monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr("sys.argv", ["expr-builder", "draft", "--table", "t:PK", "put", '{"PK": "1"}'])
    assert main() == 0
    assert json.loads(capsys.readouterr().out)["TableName"] == "t"
