"""A warm sign-up in this process, against the bare transaction on the same engine: prints its rows as JSON.

Runs with the built function and layer first on the path, and the local cloud in the environment (``worker``).
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from statistics import quantiles
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from bench.rows import Row, dump, load
from bench.working import run_worker

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PART = "handler"
TABLE = "bench-accounts"


class Context:
    """What Lambda tells of an invocation."""

    function_name = "signup"
    memory_limit_in_mb = 512
    invoked_function_arn = "arn:aws:lambda:us-east-1:123456789012:function:signup"
    aws_request_id = "bench"

    def get_remaining_time_in_millis(self) -> int:
        """Plenty."""
        return 15_000


def rows(build: Path, cloud: Mapping[str, str], *, calls: int, python: Path, root: Path) -> list[Row]:
    """Run the worker on what was built.

    Args:
        build: The folder of the build.
        cloud: The environment that leads to the local cloud.
        calls: How many sign-ups of each.
        python: Its interpreter.
        root: The folder of this package.
    """
    path = (build / "SignupFunction", build / "AccountsLayer/python", root)
    environment = {**cloud, "PYTHONPATH": ":".join(map(str, path)), "AWS_LAMBDA_FUNCTION_NAME": "signup"}
    environment |= {"TABLE_NAME": TABLE, "POWERTOOLS_SERVICE_NAME": "accounts", "POWERTOOLS_METRICS_NAMESPACE": "Bench"}
    return load(run_worker("handling", calls, environment=environment, python=python, root=root))


def worker(calls: int) -> list[Row]:
    """Sign up by the handler and by hand, in turns."""
    from botocore.session import get_session

    client: Any = get_session().create_client("dynamodb")
    client.create_table(
        TableName=TABLE,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK")],
        KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
    )
    import app  # type: ignore[import-not-found]  # of the built function, first on the path

    def through_the_handler(number: int) -> None:
        answer = app.handler(event(f"ours-{number}"), Context())
        assert answer["statusCode"] == 201, answer  # noqa: S101 - a failed sign-up must not count as a fast one

    first = _milliseconds(through_the_handler, calls + 1)
    sample = _sent_by(lambda: through_the_handler(calls))
    requests = [_renamed(sample, f"ours-{calls}", f"bare-{number}") for number in range(calls)]

    def bare(number: int) -> None:
        client.transact_write_items(**requests[number])

    times: dict[str, list[float]] = {"ours": [first], "bare": []}
    for number in range(calls):
        times["ours"].append(_milliseconds(through_the_handler, number))
        times["bare"].append(_milliseconds(bare, number))
    warm = calls // 10
    # The fastest tenth: what the calls cost when nobody disturbs them.
    ours, hand = (quantiles(times[name][warm:], n=10)[0] for name in ("ours", "bare"))
    return [
        Row(PART, "warm sign-up", ours, hand, "the same, bare", "ms", most=1.15),
        Row(PART, "first sign-up of a container", times["ours"][0], ours, "a warm one", "ms"),
    ]


def _sent_by(run: Callable[[], None]) -> dict[str, Any]:
    """The transaction that the handler's client was given."""
    from accounts.wiring import make_client

    sent: list[dict[str, Any]] = []
    events = make_client().meta.events
    name = "provide-client-params.dynamodb.TransactWriteItems"
    events.register(name, lambda params, **_: sent.append(params), "bench")
    run()
    events.unregister(name, unique_id="bench")
    return sent[-1]  # the one before is the library's look at what kind of client it has


def _renamed(request: dict[str, Any], username: str, other: str) -> dict[str, Any]:
    """The same transaction for somebody else."""
    account_id = request["TransactItems"][0]["Put"]["Item"]["account_id"]["S"]
    fresh = str(uuid4())
    text = json.dumps(request).replace(username, other).replace(account_id, fresh)
    return {**json.loads(text), "ClientRequestToken": fresh}


def event(username: str) -> dict[str, Any]:
    """A sign-up as API Gateway sends it."""
    body = json.dumps({"email": f"{username}@example.com", "username": username})
    return {
        "resource": "/accounts",
        "path": "/accounts",
        "httpMethod": "POST",
        "headers": {"Content-Type": "application/json"},
        "multiValueHeaders": {"Content-Type": ["application/json"]},
        "pathParameters": None,
        "requestContext": {
            "requestId": "bench",
            "path": "/v1/accounts",
            "authorizer": {"sub": username, "principalId": username},
        },
        "body": body,
        "isBase64Encoded": False,
    }


def _milliseconds(run: Callable[[int], None], number: int) -> float:
    started = time.perf_counter()
    run(number)
    return (time.perf_counter() - started) * 1000


if __name__ == "__main__":
    report = sys.stdout
    with Path(os.devnull).open("w") as sys.stdout:  # where the function's log goes
        report.write(dump(worker(int(sys.argv[1]))))
