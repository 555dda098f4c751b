"""The functions' settings, read from the environment when they are first needed."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache


class SettingsError(RuntimeError):
    """The environment lacks something. The message names the variable, never its value."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The functions' settings.

    Attributes:
        table_name: The table of accounts and markers (``TABLE_NAME``).
        allowed_origin: The browser origin that may call the API (``ALLOWED_ORIGIN``); empty for none.
    """

    table_name: str
    allowed_origin: str = ""


@cache
def settings() -> Settings:
    """Read the environment; later calls get the same object.

    Raises:
        SettingsError: when ``TABLE_NAME`` is missing or empty.
    """
    table_name = os.environ.get("TABLE_NAME", "").strip()
    if not table_name:
        raise SettingsError("TABLE_NAME is not set: give the function the name of the accounts table")
    return Settings(table_name, os.environ.get("ALLOWED_ORIGIN", "").strip())
