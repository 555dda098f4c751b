"""Shared by the library's tests, which run on the older Pythons too."""

from __future__ import annotations

import pytest


@pytest.fixture
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Time passes without being waited for: the seconds that sending wanted to sleep."""
    taken: list[float] = []
    monkeypatch.setattr("expr_builder.sending.blocking.time.sleep", taken.append)
    return taken
