"""Drafts in YAML, which only this environment can read: PyYAML is installed in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from expr_builder.cli import main

DRAFT = """
tables:
  accounts: {partition_key: PK}
actions:
  - put: {PK: A#1, tags: {$set: [b, a]}, ratio: 0.1, raw: !!binary AAE=}
    if_not_exists: true
"""


@pytest.fixture(autouse=True)
def _folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_draft_in_yaml_is_read_like_one_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    Path("draft.yaml").write_text(DRAFT)
    assert main(["draft", "--file", "draft.yaml"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "TableName": "accounts",
        "Item": {
            "PK": {"S": "A#1"},
            "ratio": {"N": "0.1"},
            "raw": {"B": "AAE="},
            "tags": {"SS": ["a", "b"]},
        },
        "ConditionExpression": "attribute_not_exists(PK)",
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [1,\nb: }", "d.yml: line 2, column 4: not YAML: expected the node content, but found"),
        ("a: 2026-99-01", "d.yml: not YAML: month must be in 1..12"),
        ("a: \x00", "d.yml: not YAML: "),
    ],
)
def test_bad_yaml_is_named_by_file_line_and_column(capsys: pytest.CaptureFixture[str], text: str, message: str) -> None:
    Path("d.yml").write_text(text)
    assert main(["lint", "d.yml"]) == 2
    assert capsys.readouterr().err.startswith(f"expr-builder: {message}")
