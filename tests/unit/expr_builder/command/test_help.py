"""The help: its examples are run in a real shell, as they are printed."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from expr_builder.cli.arguments import EXAMPLES

ROOT = Path(__file__).parents[4]


def shell(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script with the command on the PATH, as this Python runs it."""
    (folder / "python").symlink_to(sys.executable)
    paths = [str(ROOT / "tests" / "support" / "bin"), str(folder), os.environ["PATH"]]
    environment = {**os.environ, "PATH": os.pathsep.join(paths), "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        ["sh", "-c", script], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def examples() -> list[str]:
    """The indented blocks of the help; where lines are not set apart by text, each line that starts one is its own."""
    found: list[str] = []
    for text in EXAMPLES.values():
        for line in text.splitlines():
            if line.lstrip().startswith(("expr-builder", "echo")) and not _goes_on(found):
                found.append(line.strip())
            elif found and _goes_on(found):
                found[-1] += f"\n{line}"
    return found


def _goes_on(found: list[str]) -> bool:
    """Whether the last example is not complete: its line is continued, or a quote is still open."""
    return bool(found) and (found[-1].endswith(("\\", "|")) or found[-1].count("'") % 2 == 1)


def test_there_are_examples_of_each_command() -> None:
    assert len(examples()) == 10
    assert {word for example in examples() for word in ("draft", "lint", "explain") if word in example} == {
        "draft", "lint", "explain",
    }  # fmt: skip


@pytest.mark.parametrize("example", examples())
def test_every_example_of_the_help_runs(example: str, tmp_path: Path) -> None:
    done = shell(example, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


@pytest.mark.parametrize("arguments", [["--help"], *([name, "--help"] for name in EXAMPLES)])
def test_help_is_printed_with_its_examples(command: Any, arguments: list[str]) -> None:
    shown = command(*arguments)
    assert (shown.status, shown.errors) == (0, "")
    assert EXAMPLES.get(arguments[0], "expr-builder COMMAND --help") in shown.output


def test_the_version_is_the_packages(command: Any) -> None:
    from expr_builder import __version__

    assert command("--version") == (0, f"expr-builder {__version__}\n", "")


def test_the_package_itself_is_the_command_too(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr("sys.argv", ["expr_builder", "--version"])
    with pytest.raises(SystemExit) as end:
        runpy.run_module("expr_builder", run_name="__main__")
    assert (end.value.code, capsys.readouterr().out[:13]) == (0, "expr-builder ")


def test_without_a_command_the_usage_is_shown(command: Any) -> None:
    refused = command()
    assert (refused.status, refused.output) == (2, "")
    assert refused.errors.startswith("usage: expr-builder")


def test_the_command_needs_neither_boto3_nor_anything_installed(tmp_path: Path) -> None:
    script = 'python -X importtime -m expr_builder draft --table t:PK put \'{"PK": "1"}\''
    done = shell(script, tmp_path)
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert json.loads(done.stdout)["TableName"] == "t"
    assert not loaded & {"boto3", "botocore", "pydantic", "yaml"}


def test_in_a_pipe_whose_reader_leaves_nothing_is_complained_of(tmp_path: Path) -> None:
    done = shell('expr-builder draft --table t:PK put \'{"PK": "1"}\' | true', tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
