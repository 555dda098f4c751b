"""Measuring on a machine that others use too: in turns, and the best of many rounds counts."""

from __future__ import annotations

import gc
import os
import subprocess
import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

_BLOCK_SECONDS = 0.002


def microseconds(contestants: Mapping[str, Callable[[], object]], *, seconds: float) -> dict[str, float]:
    """Microseconds for one call of each, best of the rounds that fit into the time.

    In each round every contestant has one block of calls, so that a busy moment hits all of them alike.
    """
    calls = {name: _calls_in_a_block(run) for name, run in contestants.items()}
    best = dict.fromkeys(contestants, float("inf"))
    gc.collect()
    gc.disable()
    try:
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            for name, run in contestants.items():
                best[name] = min(best[name], _block(run, calls[name]) / calls[name] * 1e6)
    finally:
        gc.enable()
    return best


def _calls_in_a_block(run: Callable[[], object]) -> int:
    run()  # what is done once only is not measured
    return max(1, int(_BLOCK_SECONDS / min(_block(run, 1) for _ in range(3))))


def _block(run: Callable[[], object], calls: int) -> float:
    turns = range(calls)
    started = time.perf_counter()
    for _ in turns:
        run()
    return time.perf_counter() - started


class Start(NamedTuple):
    """What a process cost: milliseconds of processor time, and the most megabytes that it held."""

    milliseconds: float
    megabytes: float


def cold(
    commands: Mapping[str, Sequence[str]], environment: Mapping[str, Mapping[str, str]], *, rounds: int, folder: Path
) -> dict[str, Start]:
    """Run each command as a process of its own, in turns, and keep the best.

    Processor time counts, not the clock's: loading modules hardly ever waits, and the neighbours' work is left out.
    """
    best: dict[str, Start] = {}
    for _ in range(rounds):
        for name, command in commands.items():
            found = _run(command, environment[name], folder)
            known = best.get(name, found)
            best[name] = Start(*map(min, found, known))
    return best


def _run(command: Sequence[str], environment: Mapping[str, str], folder: Path) -> Start:
    process = subprocess.Popen(command, env=dict(environment), cwd=folder, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{command[-1]!r} failed")
    return Start((usage.ru_utime + usage.ru_stime) * 1000, usage.ru_maxrss / 1024)
