"""Shared by all rings. Imports pytest, pytest-timeout and Hypothesis alone: on the older Pythons, where the library's
tests run, there is nothing else."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

pytest_plugins = ["tests.support.time_limit"]

# A busy machine is slow, not wrong: what a test may take is not for Hypothesis to say. In CI the examples are the same
# each time, so that a change is judged by what it changed; people's own runs go on looking for new ones.
IN_CI = os.environ.get("CI", "") not in {"", "0", "false"}
settings.register_profile(
    "house", deadline=None, derandomize=IN_CI, suppress_health_check=[HealthCheck.too_slow], print_blob=not IN_CI
)
settings.load_profile("house")

STRICT = os.environ.get("REQUIRE_ALL_RINGS", "") not in {"", "0"}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """With REQUIRE_ALL_RINGS set, a skipped test is a failed one."""
    report = yield
    if STRICT and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, though REQUIRE_ALL_RINGS is set: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """With REQUIRE_ALL_RINGS set, a skipped module is a failed one."""
    report = yield
    if STRICT and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"skipped, though REQUIRE_ALL_RINGS is set: {report.longrepr}"
    return report


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the application as ``sam build`` makes it for this machine, apart from what ``make run`` built."""
    from tools import stack

    folder = tmp_path_factory.mktemp("sam-build")
    stack.build(build_dir=folder, quiet=True)
    return folder
