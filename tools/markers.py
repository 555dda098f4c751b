"""``make markers ARGS="audit"``: the markers of the running local cloud, unless a table is named."""

from __future__ import annotations

import os
import subprocess
import sys

from tools import stack
from tools.local_cloud import find_running
from tools.run import FOLDER
from tools.venvs import ROOT


def main(arguments: list[str]) -> int:
    """Run ``expr-builder markers`` on the accounts and return its exit code."""
    environment = dict(os.environ)
    if not _names_a_table(arguments):
        cloud = find_running(FOLDER)
        if cloud is None:
            print(
                "The local cloud is not running: start it with `make run`, or name a table of your AWS account: "
                "make markers ARGS='audit --table NAME'",
                file=sys.stderr,
            )
            return 2
        environment = cloud.environment() | {"TABLE_NAME": stack.describe(cloud).table}
    # The layer's package is installed nowhere but on Lambda.
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT / "layers/accounts"), str(ROOT)])
    command = [sys.executable, "-m", "expr_builder", "markers", *add_layout(arguments or ["--help"])]
    return subprocess.run(command, env=environment, check=False).returncode


def add_layout(arguments: list[str]) -> list[str]:
    """Pass the accounts' layout to the command; a ``--unique`` of the caller's own comes later, and so wins."""
    part, *others = arguments
    return [part, "--unique", "accounts.schema:declare_layout", *others]


def _names_a_table(arguments: list[str]) -> bool:
    named = any(argument.split("=")[0] in {"--table", "-h", "--help"} for argument in arguments)
    return named or not arguments or bool(os.environ.get("TABLE_NAME"))


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:  # the command itself has said what there is to say
        sys.exit(2)
