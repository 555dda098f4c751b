"""Starts microburst, a proxy that puts faults between the service and DynamoDB, on 127.0.0.1."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tools import processes
from tools.local_cloud import find_free_port
from tools.venvs import ENVIRONMENTS, ensure

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

__all__ = ["FaultProxy", "FaultProxyError", "fault_proxy"]

START_SECONDS = 60


class FaultProxyError(RuntimeError):
    """The proxy cannot be started; the message says where the reason is."""


@dataclass(frozen=True, slots=True)
class FaultProxy:
    """A running proxy. It forwards everything until it is given rules."""

    port: int

    @property
    def endpoint(self) -> str:
        """The URL to give to the service as its DynamoDB endpoint."""
        return f"http://127.0.0.1:{self.port}"

    def inject(self, rules: Mapping[str, Mapping[str, Any]]) -> dict[int, str]:
        """Replace the rules.

        Args:
            rules: Rules in microburst's own terms, by names of your choice.

        Returns:
            The names by the rules' ids, for :meth:`fired`.
        """
        answer = self._control("rules", list(rules.values()))
        return {entry["id"]: name for entry, name in zip(answer, rules, strict=True)}

    def fired(self, names: Mapping[int, str]) -> dict[str, int]:
        """How often each of the named rules was applied, even if it has been replaced since."""
        struck = {entry["id"]: entry["fired"] for entry in self._control("stats")["by_rule"]}
        return {name: struck.get(rule, 0) for rule, name in names.items()}

    def requests(self) -> int:
        """How many requests it has seen."""
        return int(self._control("stats")["requests"]["total"])

    def warm_up(self) -> None:
        """Send a first request: it takes seconds, as the proxy loads the models of all AWS services."""
        request = urllib.request.Request(
            self.endpoint,
            data=b"{}",
            headers={"X-Amz-Target": "DynamoDB_20120810.ListTables", "Content-Type": "application/x-amz-json-1.0"},
        )
        # Any answer will do: without a signature it may well be an error.
        with suppress(urllib.error.HTTPError), urllib.request.urlopen(request, timeout=START_SECONDS):
            pass

    def _control(self, what: str, body: Sequence[Mapping[str, Any]] | None = None) -> Any:
        request = urllib.request.Request(
            f"{self.endpoint}/_microburst/{what}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=10) as response:
            return json.load(response)


@contextmanager
def fault_proxy(upstream: str, folder: Path, *, port: int | None = None) -> Iterator[FaultProxy]:
    """A proxy in front of ``upstream`` that runs inside the block; its log goes to ``folder``."""
    ensure("microburst")
    proxy = FaultProxy(port or find_free_port())
    command: list[str | Path] = [ENVIRONMENTS["microburst"].interpreter, *_arguments(proxy.port, upstream)]
    with processes.running(command, log=folder / "microburst.log") as process:
        _wait_until_healthy(proxy, process, folder)
        proxy.warm_up()
        yield proxy


def _arguments(port: int, upstream: str) -> list[str]:
    # A local engine does not check signatures, so requests keep the one that they came with.
    return ["-m", "microburst", "--host", "127.0.0.1", "--port", str(port), "--upstream", upstream, "--no-resign"]


def _wait_until_healthy(proxy: FaultProxy, process: subprocess.Popen[bytes], folder: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            proxy.requests()
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
        else:
            return
    raise FaultProxyError(f"The fault proxy did not start; the reason is in {folder / 'microburst.log'}.")
