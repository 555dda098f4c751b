"""The environment, and what its absence says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from accounts.settings import Settings, SettingsError, settings

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    settings.cache_clear()
    yield
    settings.cache_clear()


def test_the_environment_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLE_NAME", "accounts-test")
    monkeypatch.setenv("ALLOWED_ORIGIN", "https://app.example.com")

    first = settings()
    monkeypatch.setenv("TABLE_NAME", "another")

    assert first == Settings("accounts-test", "https://app.example.com")
    assert settings() is first


def test_no_origin_is_an_empty_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLE_NAME", "accounts-test")
    monkeypatch.delenv("ALLOWED_ORIGIN", raising=False)

    assert settings().allowed_origin == ""


@pytest.mark.parametrize("value", [None, "", "  "])
def test_a_missing_table_name_is_named(value: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TABLE_NAME", raising=False)
    if value is not None:
        monkeypatch.setenv("TABLE_NAME", value)

    with pytest.raises(SettingsError, match=r"^TABLE_NAME is not set"):
        settings()
