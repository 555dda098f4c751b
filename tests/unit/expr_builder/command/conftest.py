"""Runs the command in this process, as a shell would: arguments and standard input in, status and output out."""

from __future__ import annotations

import io
from typing import Any, NamedTuple

import pytest

from expr_builder.cli import main


class Result(NamedTuple):
    status: int
    output: str
    errors: str


class Command:
    """``command("lint", "-", stdin="{}")``."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.capsys = capsys
        self.monkeypatch = monkeypatch

    def __call__(self, *arguments: str, stdin: str | bytes = "") -> Result:
        raw = stdin.encode() if isinstance(stdin, str) else stdin
        self.monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(raw)))
        try:
            status: Any = main(arguments)
        except SystemExit as end:  # argparse
            status = end.code
        output, errors = self.capsys.readouterr()
        return Result(status, output, errors)


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Command:
    monkeypatch.chdir(tmp_path)
    return Command(capsys, monkeypatch)
