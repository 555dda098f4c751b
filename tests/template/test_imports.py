"""What each function loads while it starts, as a golden file: cold starts grow by imports that nobody noticed.

When a change is meant, write the file anew (``HOW_TO_WRITE``) and read the difference.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.template import functions

if TYPE_CHECKING:
    from collections.abc import Mapping

HOW_TO_WRITE = 'WRITE_IMPORTS=1 make test RING=template ARGS="-k imports"'
GOLDEN = Path(__file__).parent / "imports.json"
FUNCTIONS = sorted(functions())
LOOK = """
import sys
before = set(sys.modules)
import app
print(*sorted(set(sys.modules) - before))
"""

Loaded = dict[str, str]


def loaded_by(function: str, built: Path) -> Loaded:
    """The modules by package, of Python's own library only the packages' names, in a fresh process of a container."""
    environment = {
        "PYTHONPATH": os.pathsep.join(str(built / folder) for folder in (function, "AccountsLayer/python")),
        "PYTHONDONTWRITEBYTECODE": "1",
        "AWS_LAMBDA_FUNCTION_NAME": function,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "TABLE_NAME": "accounts",
        "POWERTOOLS_METRICS_NAMESPACE": "Accounts",
        "POWERTOOLS_SERVICE_NAME": "accounts",
    }
    done = subprocess.run(
        [sys.executable, "-c", LOOK], env=environment, cwd=built, capture_output=True, text=True, check=True
    )
    packages: dict[str, set[str]] = {}
    for name in done.stdout.split():
        package, _, module = name.partition(".")
        if package.startswith(("__", "_sysconfigdata")):
            continue  # another name for the main module; a file that is named after the machine's processor
        if package not in sys.stdlib_module_names:
            packages.setdefault(package, set()).add(module or ".")
        elif not package.startswith("_"):  # these differ from one 3.13 to the next
            packages.setdefault("python", set()).add(package)
    return {package: " ".join(sorted(packages[package])) for package in sorted(packages)}


def shown(found: Mapping[str, Loaded]) -> str:
    return json.dumps(found, indent=1) + "\n"


def test_the_imports_of_every_function_are_known(built: Path) -> None:
    if "WRITE_IMPORTS" in os.environ:
        GOLDEN.write_text(shown({function: loaded_by(function, built) for function in FUNCTIONS}))

    assert sorted(json.loads(GOLDEN.read_text())) == FUNCTIONS


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_imports_of_a_function_are_those_of_the_golden_file(function: str, built: Path) -> None:
    assert loaded_by(function, built) == json.loads(GOLDEN.read_text())[function], f"meant? {HOW_TO_WRITE}"


HEAVY = {"asyncio", "boto3", "dns", "s3transfer", "unittest"}


@pytest.mark.parametrize("function", [name for name in FUNCTIONS if not name.startswith("Audit")])
def test_the_imports_leave_out_what_no_request_needs(function: str) -> None:
    loaded = json.loads(GOLDEN.read_text())[function]

    assert HEAVY.isdisjoint({*loaded, *loaded["python"].split()})
