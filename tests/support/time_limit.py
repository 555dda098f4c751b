"""A limit on every test, which nothing that the test started outlives.

pytest-timeout knows which limit a test has (``timeout`` in pyproject.toml, a ring's own in tools/rings.py, the mark
``timeout``). What happens at the limit is decided here: its own way raises once, and whatever then waits without limit,
such as ``Popen.__exit__`` for a child that does not end or a pool for its threads, still waits for ever.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.outcomes import OutcomeException
from pytest_timeout import is_debugging

from tools import processes
from tools.rings import RINGS

if TYPE_CHECKING:
    from pytest_timeout import Settings

__all__ = ["TimeLimitExceeded"]

AGAIN_SECONDS = 10  # what the test's own clean-up may take before it is ended too
STRIKES = 6  # then the whole run ends: it cannot be saved
EXIT_SECONDS = 30  # what Python may take to end after a test was ended

_TESTS = Path(__file__).parents[1]


class TimeLimitExceeded(OutcomeException):
    """The test took longer than it may.

    An outcome and so no Exception: neither the test itself nor Hypothesis, which would try its examples again, takes it
    for something to handle; fixtures are torn down all the same.
    """


class _State:
    setup = phase = 0.0  # when the test's setup, and the present one of setup, call and teardown, began
    struck = False


def pytest_configure() -> None:
    """Ends the run in order when it is told to: fixtures stop their servers."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _end_in_order)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Gives each test its ring's limit, unless it has a mark of its own or the command line says otherwise."""
    if config.getoption("timeout") is not None:
        return
    for item in items:
        name = item.path.relative_to(_TESTS).parts[0] if item.path.is_relative_to(_TESTS) else ""
        if name in RINGS and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(RINGS[name].test_seconds))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    _State.setup = _State.phase = time.monotonic()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call() -> None:
    _State.phase = time.monotonic()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown() -> None:
    _State.phase = _State.setup  # what setup started is stopped now, or by the limit


@pytest.hookimpl(tryfirst=True)
def pytest_timeout_set_timer(item: Any, settings: Settings) -> bool | None:
    """Sets an alarm that strikes again and again, until the test has ended."""
    if settings.method != "signal" or threading.current_thread() is not threading.main_thread():
        return None  # pytest-timeout's own way
    strikes = 0

    def strike(*_: object) -> None:
        nonlocal strikes
        if is_debugging() and not settings.disable_debugger_detection:
            return
        strikes += 1
        _State.struck = True
        # What it may wait for ends first, as far as this phase started it: servers of the whole session stay. ps counts
        # in whole seconds, and either way.
        since = int(time.monotonic() - _State.phase) + 1
        processes.kill(processes.find_descendants(os.getpid(), younger_than=since))
        if strikes > STRIKES:
            _give_up(item)
        with suppress(OSError, ValueError):  # a standard error that is no file
            faulthandler.dump_traceback(file=sys.stderr)
        raise TimeLimitExceeded(f"The test took longer than its limit of {settings.timeout:g} s.", pytrace=True)

    def cancel() -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)

    item.cancel_timeout = cancel
    signal.signal(signal.SIGALRM, strike)
    signal.setitimer(signal.ITIMER_REAL, settings.timeout, AGAIN_SECONDS)
    return True


def pytest_unconfigure() -> None:
    """After a test was ended one of its threads may still wait, for which Python would wait in turn."""
    if _State.struck:
        faulthandler.dump_traceback_later(EXIT_SECONDS, exit=True)


def _give_up(item: pytest.Item) -> None:
    capture = item.config.pluginmanager.getplugin("capturemanager")
    if capture is not None:
        capture.suspend_global_capture(in_=True)
    sys.stdout.write(f"\n{item.nodeid} cannot be ended: the whole run is.\n")
    sys.stdout.flush()
    faulthandler.dump_traceback(file=sys.__stderr__ or 2)
    processes.kill(processes.find_descendants(os.getpid()))
    os._exit(1)


def _end_in_order(*_: object) -> None:
    pytest.exit("told to end (SIGTERM)", returncode=128 + signal.SIGTERM)
