"""A table with accounts on some engine, and what must be true of it at any time."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from accounts.identity import normalize_email, normalize_username
from accounts.model import ChangeEmail, ChangeUsername, SignUp
from accounts.service import AccountService
from tests.support.cloud import stored

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

__all__ = ["Store", "changing", "renaming", "signing_up"]


@dataclass
class Store:
    """A table, and services on it."""

    client: DynamoDBClient
    table: str
    now: datetime = field(default_factory=lambda: datetime(2026, 1, 2, 3, 4, 5, 678000, tzinfo=UTC))

    def service(self, client: DynamoDBClient | None = None) -> AccountService:
        """A service whose clock is a minute further at each look."""
        return AccountService(client or self.client, self.table, clock=self._clock, sleep=lambda _: None)

    def _clock(self) -> datetime:
        self.now += timedelta(minutes=1)
        return self.now

    def items(self) -> list[dict[str, Any]]:
        """Everything that is stored, sorted by key."""
        return stored(self.client, self.table)

    def check(self) -> None:
        """One marker for each value of each account, owned by it, and no marker besides."""
        items = self.items()
        markers = {item["PK"]: item["owner"] for item in items if item["SK"] == "LOCK"}
        wanted: dict[str, str] = {}
        for account in (item for item in items if item["SK"] == "PROFILE"):
            for marker in (
                f"UNIQ#EMAIL#{normalize_email(account['email'])}",
                f"UNIQ#HANDLE#{normalize_username(account['username'])}",
            ):
                assert marker not in wanted, "two accounts hold one value"
                wanted[marker] = account["PK"]
        assert markers == wanted


def signing_up(email: str, username: str = "ada") -> SignUp:
    """A sign-up."""
    return SignUp(email=email, username=username)


def changing(email: str) -> ChangeEmail:
    """An e-mail change."""
    return ChangeEmail(email=email)


def renaming(username: str) -> ChangeUsername:
    """A change of the username."""
    return ChangeUsername(username=username)
