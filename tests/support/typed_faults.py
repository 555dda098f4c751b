"""A client in front of an engine that loses answers, fails before the work, and keeps tokens as the service does."""

from __future__ import annotations

from typing import Any

from botocore.exceptions import ReadTimeoutError

from .faults import service_error

__all__ = ["FaultyClient"]

_WRITES = {"put_item", "update_item", "delete_item", "transact_write_items", "batch_write_item"}


class FaultyClient:
    """Passes calls on to ``client``.

    Args:
        client: A client of an engine.
        faults: What happens to the first calls that write, one after the other: ``"lost"`` carries it out and loses the
            answer, ``"500"`` fails before anything is done.

    moto ignores a transaction's token and would carry a repetition out again. Here a token that was carried out is
    answered without doing it again, as the service does for ten minutes.
    """

    def __init__(self, client: Any, *faults: str) -> None:
        self.sent: list[str] = []
        self.faults = list(faults)
        self._client = client
        self._done: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name) if name not in _WRITES else lambda **request: self._write(name, request)

    def _write(self, name: str, request: dict[str, Any]) -> Any:
        self.sent.append(name)
        fault = self.faults.pop(0) if self.faults else ""
        if fault == "500":
            raise service_error("InternalServerError", 500)
        token = request.get("ClientRequestToken", "")
        if token not in self._done:
            answer = getattr(self._client, name)(**request)
            if token:
                self._done[token] = answer
        else:
            answer = self._done[token]
        if fault == "lost":
            raise ReadTimeoutError(endpoint_url="http://localhost")
        return answer
