"""Lets containers reach a server that listens on 127.0.0.1 only, inside a with block.

A container of the SAM CLI is on Docker's bridge network, even with ``--docker-network host``. Docker Desktop resolves
``host.docker.internal`` to the machine's own 127.0.0.1; plain Docker on Linux does not, so there a small forwarder
listens on the bridge's address, which is the machine's own and can be reached by its containers alone.
"""

from __future__ import annotations

import ipaddress
import json
import platform
import socket
import socketserver
import subprocess
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from tools import docker

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def open_to_containers(endpoint: str) -> Iterator[str]:
    """The URL by which a container reaches ``endpoint`` (``http://127.0.0.1:port``), good inside the with block."""
    port = urlsplit(endpoint).port
    if port is None:
        raise ValueError(f"{endpoint} names no port.")
    if platform.system() != "Linux":
        yield f"http://host.docker.internal:{port}"
        return
    with _Forwarder((_find_bridge_address(), 0), port) as forwarder:
        # Polls often, so that the end of the block need not wait half a second, the default.
        threading.Thread(target=forwarder.serve_forever, args=(0.05,), daemon=True).start()
        host, chosen = cast("tuple[str, int]", forwarder.server_address)
        try:
            yield f"http://{host}:{chosen}"
        finally:
            forwarder.shutdown()


def _find_bridge_address() -> str:
    """The machine's own address on the network that containers are put on."""
    inspect = ["docker", "network", "inspect", "bridge", "--format", "{{json (index .IPAM.Config 0)}}"]
    done = subprocess.run(inspect, capture_output=True, text=True, check=True, timeout=docker.ANSWER_SECONDS)
    config = json.loads(done.stdout)
    # Docker's default configuration names no gateway; it is the first address then.
    return str(config.get("Gateway") or next(ipaddress.ip_network(config["Subnet"]).hosts()))


class _Forwarder(socketserver.ThreadingTCPServer):
    """Forwards every connection to a port of 127.0.0.1."""

    # A connection that a container keeps open must not hold up the end of the block.
    daemon_threads = True
    block_on_close = False

    def __init__(self, address: tuple[str, int], port: int) -> None:
        self.port = port
        super().__init__(address, _Connection)


class _Connection(socketserver.BaseRequestHandler):
    server: _Forwarder
    request: socket.socket

    def handle(self) -> None:
        with socket.create_connection(("127.0.0.1", self.server.port)) as upstream:
            answers = threading.Thread(target=_copy, args=(upstream, self.request), daemon=True)
            answers.start()
            _copy(self.request, upstream)
            answers.join()


def _copy(source: socket.socket, target: socket.socket) -> None:
    """Copies until the source has sent everything, or either side is gone."""
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)  # only this direction: an answer may still be on its way
    except OSError:
        pass  # the other direction ends by itself
