"""A skip is a skip for a person, and a failure for CI."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tools.venvs import ROOT

if TYPE_CHECKING:
    from pathlib import Path

TESTS = {
    "test_one.py": "import pytest\n\ndef test_one():\n    pytest.skip('no engine')\n",
    "test_two.py": "import pytest\n\npytest.skip('no module', allow_module_level=True)\n",
    "test_three.py": "def test_three():\n    pass\n",
}


@pytest.mark.parametrize(
    ("required", "summary", "code"),
    [("", "1 passed, 2 skipped", 0), ("0", "1 passed, 2 skipped", 0), ("1", "1 failed, 1 error", 1)],
)
def test_a_skip_fails_when_every_ring_is_required(tmp_path: Path, required: str, summary: str, code: int) -> None:
    (tmp_path / "conftest.py").write_bytes((ROOT / "tests/conftest.py").read_bytes())
    for name, text in TESTS.items():
        (tmp_path / name).write_text(text)

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--continue-on-collection-errors", tmp_path],
        cwd=tmp_path,
        env=os.environ | {"REQUIRE_ALL_RINGS": required, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert summary in done.stdout.splitlines()[-1].replace(", 1 passed", "")
    assert done.returncode == code
