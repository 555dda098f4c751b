"""Starts child processes and stops them within a time limit, with all that they started.

Standard library only, and Python 3.11 or newer, as the time limit of the tests uses it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import IO

STOP_SECONDS = 10
PS_SECONDS = 10


def heed_interrupts() -> None:
    """For ``preexec_fn``: gives a child the default for SIGINT.

    A shell starts its background jobs, and what `nohup` runs in them, with SIGINT ignored. Every child inherits that,
    and neither Ctrl-C nor ``send_signal(SIGINT)`` would stop it.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def start(
    command: Sequence[str | Path],
    *,
    log: IO[bytes],
    environment: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> subprocess.Popen[bytes]:
    """Starts a server whose output goes to the log, in a session of its own: Ctrl-C in the shell does not reach it."""
    return subprocess.Popen(
        command,
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=heed_interrupts,
    )


def stop(
    process: subprocess.Popen[bytes] | subprocess.Popen[str],
    *,
    by: signal.Signals = signal.SIGTERM,
    seconds: float = STOP_SECONDS,
) -> int:
    """Stops a process, by SIGKILL after ``seconds``, and what it leaves behind; returns its exit code."""
    # Listed first: when their parent has ended, nothing shows any more whose children they were.
    started = find_descendants(process.pid) if process.poll() is None else []
    if process.poll() is None:
        process.send_signal(by)
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
    if process.poll() is None:
        started += find_descendants(process.pid)  # it may have started more while it was asked to end
        process.kill()
    kill_group(process.pid)
    kill(started)
    return process.wait(seconds)


@contextmanager
def running(
    command: Sequence[str | Path],
    *,
    log: Path,
    environment: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    by: signal.Signals = signal.SIGTERM,
    seconds: float = STOP_SECONDS,
) -> Iterator[subprocess.Popen[bytes]]:
    """A server that runs inside the block, and is stopped as :func:`stop` does."""
    with log.open("wb") as output:
        process = start(command, log=output, environment=environment, cwd=cwd)
    try:
        yield process
    finally:
        stop(process, by=by, seconds=seconds)


def kill_group(leader: int) -> None:
    """Kills what is left of the process group of a process that :func:`start` started."""
    with suppress(ProcessLookupError, PermissionError):  # macOS says the latter of a group of zombies
        os.killpg(leader, signal.SIGKILL)


def kill(pids: Iterable[int]) -> None:
    """Kills processes, if they are still there."""
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def find_descendants(pid: int, *, younger_than: int | None = None) -> list[int]:
    """The processes that ``pid`` started, directly or not; with ``younger_than`` only those of at most so many seconds.

    A process whose parent has ended belongs to nobody any more, and is not found.
    """
    listing = subprocess.Popen(["ps", "-A", "-o", "pid=,ppid=,etime="], stdout=subprocess.PIPE, text=True)
    output, _ = listing.communicate(timeout=PS_SECONDS)
    children: dict[int, list[int]] = {}
    ages: dict[int, int] = {}
    for line in output.splitlines():
        child, parent, age = line.split()
        if int(child) != listing.pid:  # ps lists itself
            children.setdefault(int(parent), []).append(int(child))
            ages[int(child)] = _seconds(age)
    found = children.get(pid, [])
    for one in found:  # the list grows while it is read, until no process has further children
        found += children.get(one, [])
    return [one for one in found if younger_than is None or ages[one] <= younger_than]


def is_alive(pid: int) -> bool:
    """Whether that process runs (one that has ended and was not yet collected does not)."""
    shown = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False, timeout=PS_SECONDS
    )
    return shown.stdout.strip() not in {"", "Z", "Z+", "Zs", "Z<"}


def wait_for(done: Iterable[int], seconds: float) -> bool:
    """Waits until none of the processes runs any more; False when one still does after so many seconds."""
    deadline = time.monotonic() + seconds
    while any(is_alive(pid) for pid in done):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def _seconds(age: str) -> int:
    """``[[days-]hours:]minutes:seconds`` as ps writes it, in seconds."""
    days, _, clock = age.rpartition("-")
    total = 0
    for part in clock.split(":"):
        total = total * 60 + int(part)
    return int(days or 0) * 86400 + total
