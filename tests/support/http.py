"""A client of the deployed API: the standard library's HTTP, nothing in between."""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Answer", "Api"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. Header names are in lower case."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        """The body, parsed."""
        return json.loads(self.text)


@dataclass(frozen=True, slots=True)
class Api:
    """An API and, unless ``None``, the token that it is called with.

    Each call has a connection of its own, so that one ``Api`` can serve many threads.
    """

    url: str
    token: str | None = None
    timeout: float = 60

    def send(
        self, method: str, path: str, body: str | bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """Make a call with exactly this body."""
        base = urlsplit(self.url)
        sent = {} if self.token is None else {"Authorization": f"Bearer {self.token}"}
        if body is not None:
            sent["Content-Type"] = "application/json"
        connection = http.client.HTTPConnection(base.hostname or "", base.port, timeout=self.timeout)
        try:
            connection.request(method, base.path + path, body, {**sent, **(headers or {})})
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, found, response.read().decode())
        finally:
            connection.close()

    def sign_up(self, email: str, username: str, **headers: str) -> Answer:
        """``POST /accounts``; underscores in header names stand for hyphens."""
        return self.send("POST", "/accounts", json.dumps({"email": email, "username": username}), _named(headers))

    def read(self, account_id: str, **headers: str) -> Answer:
        """``GET /accounts/{account_id}``."""
        return self.send("GET", f"/accounts/{account_id}", headers=_named(headers))

    def change_email(self, account_id: str, email: str, **headers: str) -> Answer:
        """``PUT /accounts/{account_id}/email``."""
        return self.send("PUT", f"/accounts/{account_id}/email", json.dumps({"email": email}), _named(headers))

    def change_username(self, account_id: str, username: str, **headers: str) -> Answer:
        """``PUT /accounts/{account_id}/username``."""
        body = json.dumps({"username": username})
        return self.send("PUT", f"/accounts/{account_id}/username", body, _named(headers))

    def delete(self, account_id: str, **headers: str) -> Answer:
        """``DELETE /accounts/{account_id}``."""
        return self.send("DELETE", f"/accounts/{account_id}", headers=_named(headers))


def _named(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}
