"""``make soak``: prints what happened in a table, and ends with 1 when anything was wrong or never tried."""

from __future__ import annotations

import os
import random
import sys
import tempfile
from pathlib import Path

from tests.soak.report import report
from tests.soak.run import soak
from tests.soak.scene import scene
from tools import stack
from tools.fault_proxy import FaultProxyError
from tools.local_cloud import CloudError
from tools.stack import StackError


def main() -> int:
    """Builds, deploys, soaks, reports."""
    try:
        seconds, clients = _number("SECONDS", 60, 3600), _number("CLIENTS", 16, 64)
        seed = _number("SEED", random.randrange(1, 10**6), 10**9)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    try:
        with tempfile.TemporaryDirectory(prefix="soak-") as folder:
            _say("Building (sam build)")
            stack.build(build_dir=Path(folder) / "build", quiet=True)
            _say("Deploying to a local cloud of its own")
            with scene(Path(folder), Path(folder) / "build") as place:
                _say(f"Soaking for {seconds} s with {clients} clients (SEED={seed})")
                result = soak(place, seconds=seconds, clients=clients, seed=seed)
    except (CloudError, FaultProxyError, StackError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return 130
    print(report(result))
    return 1 if result.violations or result.missed else 0


def _number(name: str, default: int, most: int) -> int:
    given = os.environ.get(name) or str(default)
    if not given.isdecimal() or not 1 <= int(given) <= most:
        raise ValueError(f"{name} must be a whole number from 1 to {most}, such as {default}.")
    return int(given)


def _say(what: str) -> None:
    print(f"{what} ...", flush=True)


if __name__ == "__main__":
    sys.exit(main())
