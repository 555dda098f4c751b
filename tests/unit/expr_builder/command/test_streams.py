"""Whatever stands in the place of standard input, output and error: text in memory, closed pipes, nothing at all."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from expr_builder.cli import main

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).parents[4]
REQUEST = '{"TableName": "t", "Item": {"PK": {"S": "é"}}}'
DRAFT = '{"tables": {"t": {"partition_key": "PK"}}, "actions": [{"put": {"PK": "é"}}]}'

COMMANDS: list[tuple[list[str], str, int]] = [
    (["--version"], "", 0),
    (["--help"], "", 0),
    ([], "", 2),
    (["nothing"], "", 2),
    (["lint", "-"], REQUEST, 0),
    (["lint", "-", "--advice", "--format", "json"], REQUEST, 0),
    (["lint", "-", "--operation", "GetItem"], REQUEST, 1),
    (["lint", "-"], "{", 2),
    (["lint", "-"], r'{"TransactItems": [], "\ud800": 1}', 1),
    (["lint", "gone.json"], "", 2),
    (["explain", "-"], REQUEST, 0),
    (["explain", "-"], '{"TransactItems": []}', 1),
    (["draft", "--table", "t:PK", "put", '{"PK": "é"}'], "", 0),
    (["draft", "--table", "t:PK", "put", "@-"], '{"PK": "é"}', 0),
    (["draft", "--file", "-"], DRAFT, 0),
    (["draft", "--table", "t:PK", "put", '{"PK": ""}'], "", 1),
    (["markers", "audit"], "", 2),
    (["markers", "audit", "--unique", "gone:unique"], "", 2),
]


def run(arguments: Sequence[str]) -> int | str | None:
    try:
        return main(arguments)
    except SystemExit as end:  # argparse
        return end.code


@pytest.mark.parametrize(("arguments", "given", "status"), COMMANDS)
def test_each_command_works_with_text_in_memory_as_with_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: list[str], given: str, status: int
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = []
    for make in (io.StringIO, lambda text="": io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8")):
        output, errors = make(), make()
        for name, stream in (("stdin", make(given)), ("stdout", output), ("stderr", errors)):
            monkeypatch.setattr(sys, name, stream)
        assert run(arguments) == status
        output.seek(0)
        errors.seek(0)
        shown.append((output.read().encode(errors="backslashreplace"), errors.read()))
    assert shown[0] == shown[1]
    assert shown[0][0] if status == 0 else any(shown[0])


class Broken(io.StringIO):
    """A stream whose reader has left, with no file behind it."""

    def write(self, text: str) -> int:
        raise BrokenPipeError

    def flush(self) -> None:
        raise BrokenPipeError


def test_a_reader_that_leaves_ends_the_command_without_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Broken())
    assert main(["draft", "--table", "t:PK", "put", '{"PK": "1"}']) == 141


def test_an_error_that_nobody_reads_still_sets_the_status(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Broken())
    assert main(["lint", "gone.json"]) == 2


@pytest.mark.parametrize(
    ("script", "status"),
    [
        ("exec {} --version >&-", 2),
        ("exec {} --version 2>&-", 0),
        ("exec {} lint gone.json 2>&-", 2),
        ("exec {} lint - <&-", 2),
        ("exec {} draft --table t:PK put @- <&-", 2),
    ],
)
def test_closed_streams_are_said_or_done_without(tmp_path: Path, script: str, status: int) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = script.format(f"{sys.executable} -m expr_builder")
    done = subprocess.run(
        ["sh", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == status
    assert "Traceback" not in done.stderr
    assert not done.stdout or status == 0


@pytest.mark.parametrize("arguments", [["lint", "gone.json"], ["explain", "-"], ["nothing"]])
def test_with_a_closed_pipe_for_errors_the_status_is_kept_and_nothing_is_complained_of(
    tmp_path: Path, arguments: list[str]
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "expr_builder", *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            input='{"TransactItems": []}',
            stdout=subprocess.PIPE,
            stderr=writing,
            text=True,
            check=False,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stdout) == ({"explain": 141}.get(arguments[0], 2), "")
