"""The wheel, installed by itself in an empty environment: what users get, not what the checkout holds."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
GOLDEN = ROOT / "tests" / "data" / "signup.json"

DRAFT = """
import sys
from expr_builder import Table, TransactWrite
accounts = Table("accounts", partition_key="PK", sort_key="SK")
tx = TransactWrite(
    accounts.put({"PK": "ACCT#a1f9c3", "SK": "PROFILE", "email": "ada@lovelace.io", "username": "ada"})
    .if_not_exists().named("account"),
    accounts.put({"PK": "UNIQ#EMAIL#ada@lovelace.io", "SK": "LOCK"}).if_not_exists().named("email"),
    accounts.put({"PK": "UNIQ#HANDLE#ada", "SK": "LOCK"}).if_not_exists().named("username"),
    token="signup-7f3c",
)
sys.stdout.write(tx.to_json())
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True, text=True)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("empty")
    venv.create(home, with_pip=False)
    interpreter = home / "bin" / "python"
    install = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(interpreter),
        "install",
        "--no-index",
        "--quiet",
        str(wheel),
    ]
    subprocess.run(install, check=True, capture_output=True, text=True)
    return interpreter


def test_the_wheel_holds_the_library_and_its_type_marker_alone(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "expr_builder/py.typed" in names
    assert {name.partition("/")[0] for name in names} == {"expr_builder", "expr_builder-0.1.0.dist-info"}


def test_the_installed_wheel_has_the_rules_with_their_examples(python: Path, tmp_path: Path) -> None:
    program = "from expr_builder.rules import RULES; print(RULES['set-empty'].fails)"
    shown = subprocess.run([python, "-c", program], check=True, capture_output=True, text=True, cwd=tmp_path)
    assert "{'SS': []}" in shown.stdout


def test_the_wheel_needs_nothing_else(wheel: Path) -> None:
    metadata = zipfile.ZipFile(wheel).read("expr_builder-0.1.0.dist-info/METADATA").decode()
    required = [line for line in metadata.splitlines() if line.startswith("Requires-Dist")]
    assert all("extra ==" in line for line in required)


def test_the_installed_wheel_drafts_the_golden_sign_up_to_the_byte(python: Path, tmp_path: Path) -> None:
    drafted = subprocess.run([python, "-c", DRAFT], check=True, capture_output=True, cwd=tmp_path)
    assert drafted.stdout == GOLDEN.read_bytes()


def test_the_installed_command_drafts_in_a_shell(python: Path, tmp_path: Path) -> None:
    command: list[str | Path] = [
        python.parent / "expr-builder",
        "draft",
        "--table",
        "t:PK",
        "put",
        '{"PK": "1"}',
        "--if-not-exists",
    ]
    drafted = subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path)
    assert json.loads(drafted.stdout) == {
        "TableName": "t",
        "Item": {"PK": {"S": "1"}},
        "ConditionExpression": "attribute_not_exists(PK)",
    }
