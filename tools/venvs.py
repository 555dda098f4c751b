"""Makes the project's virtual environments, each from its lock file, and only when that file has changed.

Runs on a bare Python 3.13 (``tools/bootstrap`` finds one), so it imports the standard library only.
"""

from __future__ import annotations

import fcntl
import hashlib
import subprocess
import sys
import time
import venv
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
LOCAL = ROOT / ".local"

_LOOK_SECONDS = 60
_MAKE_SECONDS = 1800


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment: its folder, the lock file that it is made from, and the Python that it needs."""

    path: Path
    lock: Path
    python: str = "3.13"
    optional: bool = False  # made only when the machine has that Python

    @property
    def interpreter(self) -> Path:
        """The environment's own Python."""
        return self.path / "bin" / f"python{self.python}"


ENVIRONMENTS = {
    "dev": Environment(ROOT / ".venv", ROOT / "requirements/dev.txt"),
    "sam": Environment(LOCAL / "venvs/sam", ROOT / "requirements/sam.txt"),
    "ministack": Environment(LOCAL / "venvs/ministack", ROOT / "requirements/ministack.txt"),
    "microburst": Environment(LOCAL / "venvs/microburst", ROOT / "requirements/microburst.txt"),
    "awscli": Environment(LOCAL / "venvs/awscli", ROOT / "requirements/awscli.txt"),
    "bench": Environment(LOCAL / "venvs/bench", ROOT / "requirements/bench.txt"),
    "schemathesis": Environment(LOCAL / "venvs/schemathesis", ROOT / "requirements/schemathesis.txt"),
    "py311": Environment(LOCAL / "venvs/py311", ROOT / "requirements/library.txt", "3.11", optional=True),
    "py312": Environment(LOCAL / "venvs/py312", ROOT / "requirements/library.txt", "3.12", optional=True),
}


class VenvError(RuntimeError):
    """An environment cannot be made; the message says why and what to do."""


def find_python(version: str) -> str | None:
    """The path of a working Python of that version, or None."""
    command: list[str | Path] = [ROOT / "tools/find-python", version]
    found = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_LOOK_SECONDS)
    return found.stdout.strip() or None


def ensure(name: str) -> Path | None:
    """Makes the environment unless it is there and current; returns its Python (None: optional, no such Python)."""
    environment = ENVIRONMENTS[name]
    with locked(f"venv-{name}"):
        wanted = hashlib.sha256(environment.lock.read_bytes()).hexdigest()
        if _is_current(environment, wanted):
            return environment.interpreter
        base = find_python(environment.python)
        if base is None and environment.optional:
            return None
        if base is None:
            raise VenvError(
                f"Python {environment.python} is needed for {name} and was not found: install it, try again."
            )
        _make(environment, base)
        _stamp(environment).write_text(wanted)  # last: an environment that was interrupted is made again
    return environment.interpreter


def _stamp(environment: Environment) -> Path:
    return environment.path / "lock.sha256"


def _is_current(environment: Environment, wanted: str) -> bool:
    stamp = _stamp(environment)
    if not stamp.is_file() or stamp.read_text() != wanted:
        return False
    # The Python that the environment links to may have been removed since.
    command: list[str | Path] = [environment.interpreter, "-c", ""]
    return subprocess.run(command, capture_output=True, check=False, timeout=_LOOK_SECONDS).returncode == 0


def _make(environment: Environment, base: str) -> None:
    shown = environment.path.relative_to(ROOT)
    print(
        f"Making {shown} from {environment.lock.relative_to(ROOT)} (a minute or two) ...", file=sys.stderr, flush=True
    )
    started = time.monotonic()
    if base == sys.executable:
        venv.create(environment.path, clear=True, with_pip=True, symlinks=True)
    else:
        _run([base, "-m", "venv", "--clear", str(environment.path)], environment)
    pip = [str(environment.interpreter), "-m", "pip", "--disable-pip-version-check", "--no-input"]
    _run([*pip, "install", "-qq", "--require-hashes", "--requirement", str(environment.lock)], environment)
    print(f"Made {shown} in {time.monotonic() - started:.0f} s.", file=sys.stderr, flush=True)


def _run(command: list[str], environment: Environment) -> None:
    shown = environment.path.relative_to(ROOT)
    try:
        done = subprocess.run(command, stdout=sys.stderr, check=False, timeout=_MAKE_SECONDS)
    except subprocess.TimeoutExpired:
        raise VenvError(f"{shown} was not made within {_MAKE_SECONDS} s: is the network slow? Try again.") from None
    if done.returncode != 0:
        raise VenvError(f"{shown} could not be made; the reason is above. Try again.")


@contextmanager
def locked(name: str) -> Iterator[None]:
    """Makes a second process wait until the first is done."""
    folder = LOCAL / "locks"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / name).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the system frees it with the process, however that ends
        yield


def main(names: list[str]) -> int:
    """Makes the named environments, or all of them."""
    unknown = [name for name in names if name not in ENVIRONMENTS]
    if unknown:
        print(f"Unknown environment {unknown[0]!r}; there are {', '.join(ENVIRONMENTS)}.", file=sys.stderr)
        return 2
    try:
        for name in names or ENVIRONMENTS:
            ensure(name)
    except VenvError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
