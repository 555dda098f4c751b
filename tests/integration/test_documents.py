"""Every Python and console block of README and docs is run, page by page, and its output compared.

Each page is one program: its Python blocks share their names, and a ``python refused`` block ends in a BuildError. A
``text`` block shows what the Python block before it prints. ``console cloud`` blocks need the running service: the
deployed ring runs those.
"""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
import pytest

from expr_builder import BuildError
from tests.support.moto import empty_moto
from tests.support.snippets import ROOT, Block, blocks, commands, matches, pages
from tests.support.template import create_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mypy_boto3_dynamodb import DynamoDBClient

RUN_HERE = {"python", "python refused", "text", "console", "json", "console cloud", "console make", "mermaid"}


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[DynamoDBClient]:
    """moto in this process, which every client made by a page talks to, with an empty table ``accounts``."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with empty_moto():
        client = boto3.client("dynamodb")
        create_table(client, "accounts")
        yield client


@pytest.mark.usefixtures("client")
@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_every_block_of_a_page_does_what_the_page_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    printed = ""
    for block in blocks(page):
        assert block.info in RUN_HERE, f"{block.name}: nothing runs a block of {block.info or 'no language'}"
        if block.info == "python":
            assert not printed, f"{block.name}: the block before it prints something that is not shown: {printed}"
            printed = _run_python(block, names)
        elif block.info == "python refused":
            with pytest.raises(BuildError):
                _run_python(block, names)
        elif block.info == "text":
            assert matches(block.text, printed), f"{block.name} shows\n{block.text}\nbut what is printed is\n{printed}"
            printed = ""
        elif block.info == "console":
            _run_console(block, tmp_path)
    assert not printed, f"{page.name}: the last block prints something that is not shown: {printed}"


def _run_python(block: Block, names: dict[str, object]) -> str:
    code = compile("\n" * block.line + block.text, str(block.page), "exec", dont_inherit=True)
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(code, names)
    return output.getvalue()


def _run_console(block: Block, folder: Path) -> None:
    """Run the commands in a shell with expr-builder and this environment's programs, in a folder of the page alone."""
    programs = [str(ROOT / "tests" / "support" / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]]
    environment = {
        **os.environ,
        "PATH": os.pathsep.join(programs),
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'layers' / 'accounts'}",
        "NO_COLOR": "1",
    }
    for command, shown in commands(block):
        done = subprocess.run(
            ["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        actual = done.stdout + done.stderr
        assert matches(shown, actual), f"{block.name}: $ {command}\nshows\n{shown}\nbut what is printed is\n{actual}"
