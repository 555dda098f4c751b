"""Runs the bench, a few minutes of it: ``make bench``, or one part (``make bench PART=build``).

A run of all parts writes ``results.json`` and the tables in ``docs/performance.md``; a part is only shown.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench import handling, marking, page, serving, starting, tables
from bench.rows import Row, as_text, load
from tools import stack
from tools.local_cloud import REGION, CloudError, LocalCloud, find_free_port
from tools.venvs import ENVIRONMENTS, LOCAL, ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

FOLDER = LOCAL / "bench"
BUILD = FOLDER / "build"
RESULTS = Path(__file__).parent / "results.json"
PYTHON = ENVIRONMENTS["bench"].interpreter
RIVALS = ("boto3", "dynamoxy", "pydantic", "pydynantic", "pydynox", "pynamodb")


def build() -> list[Row]:
    """Building requests, with every rival in one process."""
    environment = {"AWS_DEFAULT_REGION": REGION, "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
    command = [str(PYTHON), "-m", "bench.building", "20"]
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return load(done.stdout)


def start() -> list[Row]:
    """Cold starts, on what ``sam build`` makes."""
    return starting.rows(BUILD, rounds=4)


def handler() -> list[Row]:
    """A warm sign-up on the local cloud."""
    with _Cloud() as cloud:
        return handling.rows(BUILD, cloud.environment(), calls=300, python=PYTHON, root=ROOT)


def service() -> list[Row]:
    """The deployed API on the local cloud."""
    with _Cloud() as cloud:
        return serving.rows(BUILD, cloud, requests=160, rounds=3)


def typed() -> list[Row]:
    """The typed table on the local cloud."""
    with _Cloud() as cloud:
        return tables.rows(cloud.environment(), items=10_000, python=PYTHON, root=ROOT)


def markers() -> list[Row]:
    """The commands for markers on the local cloud."""
    with _Cloud() as cloud:
        return marking.rows(cloud.environment(), records=20_000, python=PYTHON, root=ROOT)


PARTS: dict[str, Callable[[], list[Row]]] = {
    "build": build,
    "import": start,
    "handler": handler,
    "service": service,
    "typed": typed,
    "markers": markers,
}
NEED_A_BUILD = {"import", "handler", "service"}


class _Cloud:
    """A local cloud of the bench's own, so that a running service is left alone."""

    def __init__(self) -> None:
        self.cloud = LocalCloud(find_free_port(), FOLDER / "cloud")

    def __enter__(self) -> LocalCloud:
        self.cloud.start()
        return self.cloud

    def __exit__(self, *_: object) -> None:
        self.cloud.stop()


def run(parts: Sequence[str]) -> list[Row]:
    """The rows of the named parts, in their order."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    if NEED_A_BUILD.intersection(parts):
        _say("sam build")
        stack.build(build_dir=BUILD, quiet=True)
    rows: list[Row] = []
    for name in parts:
        _say(name)
        rows += PARTS[name]()
    return rows


def _say(what: str) -> None:
    print(f"bench: {what} ...", file=sys.stderr, flush=True)


def _versions() -> dict[str, str]:
    code = f"import importlib.metadata as m, json; print(json.dumps({{n: m.version(n) for n in {RIVALS!r}}}))"
    done = subprocess.run([PYTHON, "-c", code], stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(done.stdout))


def main() -> int:
    """Measures, shows, and keeps what was measured."""
    parser = argparse.ArgumentParser(prog="make bench", description="Measure, as ratios in one run.")
    parser.add_argument("part", nargs="?", default="", help=f"one of {', '.join(PARTS)} (all when not given)")
    part = parser.parse_args().part
    if part not in {"", *PARTS}:
        print(f"There is no part {part!r}: PART is one of {', '.join(PARTS)}.", file=sys.stderr)
        return 2
    started = time.monotonic()
    try:
        rows = run([part] if part else list(PARTS))
    except (CloudError, stack.StackError) as error:
        print(error, file=sys.stderr)
        return 1
    print(as_text(rows))
    if not part:
        _keep(rows)
    missed = sum(row.reached is False for row in rows)
    print(f"\n{missed} of {len(rows)} rows miss their target; {time.monotonic() - started:.0f} s")
    return 0


def _keep(rows: Sequence[Row]) -> None:
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    kept: dict[str, Any] = {"python": python, "versions": _versions(), "rows": [row.to_json() for row in rows]}
    RESULTS.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
    page.write([Row.from_json(row) for row in kept["rows"]])


if __name__ == "__main__":
    sys.exit(main())
