"""Workers of the bench: processes of their own, on the environment with the rivals."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def run_worker(module: str, *arguments: object, environment: Mapping[str, str], python: Path, root: Path) -> str:
    """Run a module of the bench, which finds the packages below ``root``, and return what it prints.

    Raises:
        RuntimeError: with what it wrote on standard error, when it fails.
    """
    done = subprocess.run(
        [python, "-m", f"bench.{module}", *map(str, arguments)],
        env={"PYTHONPATH": str(root), **environment},
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return done.stdout
