"""The deployed API on the local cloud, against a minimal handler that is deployed beside it.

The rival is one more function of the same API, behind the same authorizer, so that only the functions differ. The load
is bounded, in count and to 127.0.0.1.
"""

from __future__ import annotations

import http.client
import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import quantiles
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bench.rows import Row
from tools import stack
from tools.tokens import Signer

if TYPE_CHECKING:
    from collections.abc import Callable

    from tools.local_cloud import LocalCloud

PART = "service"
CLIENTS = 4
RIVAL = Path(__file__).parent / "rival"

# Written into the built template, whose CodeUri are folders.
_FUNCTION = """Resources:
  RivalFunction:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: {folder}
      Policies:
      - Statement:
        - Effect: Allow
          Action: [dynamodb:PutItem]
          Resource:
            Fn::GetAtt: [AccountsTable, Arn]
      Events:
        Api:
          Type: Api
          Properties:
            RestApiId: {{Ref: AccountsApi}}
            Method: POST
            Path: /rival
"""


def rows(build: Path, cloud: LocalCloud, *, requests: int, rounds: int) -> list[Row]:
    """Sign-ups by :data:`CLIENTS` clients at once; the best round of each counts.

    Args:
        build: The folder of the build; its template gets the rival.
        cloud: Where to deploy.
        requests: How many in each round.
        rounds: How many rounds of each, in turns.
    """
    template = build / "template.yaml"
    own = template.read_text()
    template.write_text(own.replace("Resources:\n", _FUNCTION.format(folder=RIVAL), 1))
    signer = Signer.of_checkout()
    try:
        deployment = stack.deploy(cloud, jwks=signer.jwks(), stack="bench", build_dir=build, quiet=True)
    finally:
        template.write_text(own)
    token = signer.token("bench")
    best: dict[str, tuple[float, float, float]] = {}
    for number in range(rounds + 1):  # the first one warms up
        for path in ("accounts", "rival"):
            found = _load(deployment.url, path, token, f"{path}-{number}", requests if number else CLIENTS * 4)
            known = best.get(path, found)
            if number:
                best[path] = (max(found[0], known[0]), min(found[1], known[1]), min(found[2], known[2]))
    ours, rival = best["accounts"], best["rival"]
    name = "a minimal handler"
    return [
        Row(PART, f"sign-ups per second, {CLIENTS} clients", ours[0], rival[0], name, "/s"),
        Row(PART, "latency, median", ours[1], rival[1], name, "ms"),
        Row(PART, "latency, 99th percentile", ours[2], rival[2], name, "ms"),
    ]


def _load(url: str, path: str, token: str, prefix: str, requests: int) -> tuple[float, float, float]:
    """Requests per second, and milliseconds at the median and the 99th percentile."""
    started = time.perf_counter()
    with ThreadPoolExecutor(CLIENTS) as pool:
        share = requests // CLIENTS
        sent = [pool.submit(_client, url, path, token, f"{prefix}-{client}", share) for client in range(CLIENTS)]
        times = [each for client in sent for each in client.result()]
    elapsed = time.perf_counter() - started
    cuts = quantiles(times, n=100)
    return len(times) / elapsed, cuts[49] * 1000, cuts[98] * 1000


def _client(url: str, path: str, token: str, prefix: str, requests: int) -> list[float]:
    """One client with one connection, one request after the other."""
    parts = urlsplit(f"{url}/{path}")
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def sign_up(number: int) -> None:
        name = f"{prefix}-{number}"
        body = json.dumps({"email": f"{name}@example.com", "username": name})
        connection.request("POST", parts.path, body, headers)
        answer = connection.getresponse()
        text = answer.read()
        if answer.status != 201:
            raise RuntimeError(f"{path} answered {answer.status}: {text.decode()}")

    try:
        return [_seconds(sign_up, number) for number in range(requests)]
    finally:
        connection.close()


def _seconds(run: Callable[[int], None], number: int) -> float:
    started = time.perf_counter()
    run(number)
    return time.perf_counter() - started
