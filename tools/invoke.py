"""``make invoke EVENT=events/x.json``: one genuine ``sam local invoke``, on the running local cloud's table."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tools import bridge, docker, sam_template, stack
from tools.local_cloud import LocalCloud, find_running
from tools.run import FOLDER
from tools.tokens import AUDIENCE, ISSUER, Signer, fill
from tools.venvs import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

AUTHORIZER = "AuthorizeFunction"
AUDIT = "AuditMarkersFunction"
INVOKE_SECONDS = 600  # the first fetches the base image
BASE_IMAGE = "lambda/python:3.13"


class InvokeError(RuntimeError):
    """The call cannot be made; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class LocalSam:
    """What ``sam local …`` is called with, to work on a local cloud's table."""

    arguments: list[str]
    environment: dict[str, str]


def find_function_for(event: Mapping[str, Any], *, build_dir: Path = stack.BUILD) -> str:
    """The logical id of the function that the template routes this event to."""
    if event.get("type") == "TOKEN":
        return AUTHORIZER
    if event.get("detail-type") == "Scheduled Event":
        return AUDIT
    template = sam_template.read(build_dir / "template.yaml")
    built = {str(route): route.function for route in sam_template.routes(template)}
    route = f"{str(event.get('httpMethod', '')).upper()} {event.get('resource', '')}"
    if route not in built:
        raise InvokeError(
            f"The event's httpMethod and resource must be one of: {', '.join(sorted(built))}; "
            "or its type TOKEN, or its detail-type Scheduled Event."
        )
    return built[route]


def invoke(
    function: str,
    event: Mapping[str, Any],
    *,
    endpoint: str,
    table: str,
    signer: Signer,
    build_dir: Path = stack.BUILD,
) -> subprocess.CompletedProcess[str]:
    """Runs ``sam local invoke`` on what was built: the response is its standard output, logs are its standard error.

    Token placeholders in the event (see events/README.md) are filled in with the signer's tokens.
    """
    with open_local_sam(endpoint=endpoint, table=table, signer=signer, build_dir=build_dir) as local:
        try:
            return subprocess.run(
                ["sam", "local", "invoke", function, "--event", "-", *local.arguments],
                cwd=ROOT,
                env=local.environment,
                input=fill(json.dumps(event), signer),
                capture_output=True,
                text=True,
                check=False,
                timeout=INVOKE_SECONDS,
            )
        except subprocess.TimeoutExpired:
            raise InvokeError(f"`sam local invoke` was not done within {INVOKE_SECONDS} s.") from None


@contextmanager
def open_local_sam(*, endpoint: str, table: str, signer: Signer, build_dir: Path = stack.BUILD) -> Iterator[LocalSam]:
    """What ``sam local invoke`` and ``sam local start-api`` need to work on a local cloud's table, inside the block."""
    with bridge.open_to_containers(endpoint) as reachable, tempfile.TemporaryDirectory() as folder:
        architecture = stack.find_architecture()
        parameters = {
            "Stage": "sandbox",
            "Architecture": architecture,
            "JwtIssuer": ISSUER,
            "JwtAudience": AUDIENCE,
            "JwtJwks": signer.jwks(),
            "DynamoDBEndpoint": reachable,
        }
        # The table's real name: locally SAM resolves !Ref to the logical id.
        variables = {"Parameters": {"TABLE_NAME": table, "AWS_ENDPOINT_URL_DYNAMODB": reachable}}
        parameter_file, variable_file = Path(folder, "parameters.yaml"), Path(folder, "variables.json")
        # JSON is YAML too, and in a file SAM does not split the key set at its quotes.
        parameter_file.write_text(json.dumps(parameters))
        variable_file.write_text(json.dumps(variables))
        # An image that is here will do: asking the registry for a newer one takes seconds, and needs a network.
        pull = ["--skip-pull-image"] if docker.find_image(f"{BASE_IMAGE}-{architecture}") else []
        yield LocalSam(
            [
                *("--template", str(build_dir / "template.yaml"), "--parameter-overrides", parameter_file.as_uri()),
                *("--env-vars", str(variable_file), *pull),
            ],
            # SAM passes the local cloud's keys to the container. In the temporary folder it keeps a lock that an
            # interrupted call leaves behind, and for which the next one would wait five minutes.
            _make_sam_environment(endpoint) | {"TMPDIR": folder},
        )


def _make_sam_environment(endpoint: str) -> dict[str, str]:
    cloud = LocalCloud(urlsplit(endpoint).port or 0, FOLDER)
    return stack.make_sam_environment(cloud.environment())


def main() -> int:
    """Invokes the function that the event is for, and prints its response alone on standard output."""
    parser = argparse.ArgumentParser(prog="make invoke", description="Run one event through sam local invoke.")
    parser.add_argument("event", help="a file of events/, e.g. make invoke EVENT=events/signup.json")
    try:
        event = _read(parser.parse_args().event)
        cloud = find_running(FOLDER)
        if cloud is None:
            raise InvokeError("The local cloud is not running: start it with `make run`.")
        if not docker.is_available():
            raise InvokeError(docker.HOW_TO_GET)
        table = stack.describe(cloud).table
        print("Building (sam build) ...", file=sys.stderr, flush=True)
        stack.build(quiet=True)
        function = find_function_for(event)
        print(f"Running {function} in its container (sam local invoke) ...", file=sys.stderr, flush=True)
        done = invoke(function, event, endpoint=cloud.endpoint, table=table, signer=Signer.of_checkout())
    except (InvokeError, stack.StackError) as error:
        print(error, file=sys.stderr)
        return 1
    print(done.stderr, file=sys.stderr, end="")
    print(done.stdout.strip())
    return done.returncode


def _read(name: str) -> dict[str, Any]:
    if not name:
        raise InvokeError("Name an event: make invoke EVENT=events/signup.json")
    path = Path(name)
    try:
        event = json.loads(path.read_text())
    except OSError as error:
        raise InvokeError(f"{name} cannot be read ({error.strerror}); the events are in events/.") from None
    except ValueError as error:
        raise InvokeError(f"{name} is not JSON: {error}.") from None
    if not isinstance(event, dict):
        raise InvokeError(f"{name} must hold one JSON object, an API Gateway event.")
    return event


if __name__ == "__main__":
    sys.exit(main())
