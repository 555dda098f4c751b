"""``make run``, ``make stop`` and ``make clean``: runs the service on the local cloud, and prints how to call it."""

from __future__ import annotations

import argparse
import os
import platform
import secrets
import shutil
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tools import stack
from tools.local_cloud import CloudError, LocalCloud, find_running
from tools.tokens import Signer
from tools.venvs import LOCAL

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = LOCAL / "cloud"
DEFAULT_PORT = 4566
SUBJECT = "dev"


def up() -> int:
    """Starts the local cloud, builds and deploys the service, and prints how to call it."""
    if platform.system() != "Linux":
        raise CloudError(
            "`make run` needs Linux (a virtual machine or WSL will do): the local cloud runs the functions by itself, "
            "with the wheels that are built for Lambda."
        )
    cloud = _find_wanted_cloud()
    with _step(f"Starting the local cloud on {cloud.endpoint}"):
        cloud.start()
    with _step("Building functions and layer (sam build)"):
        stack.build(quiet=True)
    signer = Signer.of_checkout()
    with _step("Deploying (sam deploy)"):
        deployment = stack.deploy(cloud, jwks=signer.jwks(), quiet=True)
    print(_describe_calls(deployment, signer.token(SUBJECT)))
    return 0


def down() -> int:
    """Stops the local cloud; what was stored is there again after the next start."""
    cloud = find_running(FOLDER)
    if cloud is None:
        print("The local cloud is not running.")
        return 0
    cloud.stop()
    print("The local cloud is stopped; `make run` brings it back with what was stored.")
    return 0


def clean() -> int:
    """Stops the local cloud and wipes what it stored, the build, and the development key."""
    cloud = find_running(FOLDER)
    if cloud is not None:
        cloud.stop()
    for folder in (FOLDER, LOCAL / "keys", stack.BUILD.parent):
        shutil.rmtree(folder, ignore_errors=True)
    print("Wiped: stored accounts, build, development key. The environments stay (.venv, .local/venvs).")
    return 0


def _find_wanted_cloud() -> LocalCloud:
    """The local cloud as asked for by PORT and AUTH; one with other settings is stopped, and keeps its state."""
    running = find_running(FOLDER)
    port = _port(default=running.port if running else DEFAULT_PORT)
    wanted = LocalCloud(port, FOLDER, auth=os.environ.get("AUTH", "").lower() == "true", persist=True)
    if running is not None and running != wanted:
        if running.port != wanted.port:
            wanted.check_port()  # before the running one is stopped in vain
        with _step(f"Stopping the local cloud on port {running.port}, as another port or AUTH is asked for"):
            running.stop()
    return wanted


def _port(default: int) -> int:
    given = os.environ.get("PORT") or str(default)
    if not given.isdecimal() or not 1 <= int(given) <= 65535:
        raise CloudError(f"PORT must be a number from 1 to 65535, such as {DEFAULT_PORT}.")
    return int(given)


@contextmanager
def _step(title: str) -> Iterator[None]:
    started = time.monotonic()
    print(f"{title} ...", end="", flush=True)
    try:
        yield
    except BaseException:  # Ctrl-C too: it must end the line
        print(" failed.", flush=True)
        raise
    print(f" {time.monotonic() - started:.1f} s", flush=True)


def _describe_calls(deployment: stack.Deployment, token: str) -> str:
    name = f"ada-{secrets.token_hex(2)}"  # fresh, as accounts of earlier runs are still there
    call = "curl -si -H \"Authorization: Bearer $TOKEN\" -H 'Content-Type: application/json'"
    sign_up = f"""{call} "$URL/accounts" -d '{{"email": "{name}@example.com", "username": "{name}"}}'"""
    return f"""
The API answers at {deployment.url} (table {deployment.table}).
A token for the subject "{SUBJECT}", good for 12 hours; `make token SUB=name` prints one for somebody else:

export URL='{deployment.url}'
export TOKEN='{token}'

# sign up: 201, and the account_id is kept in $ID
ANSWER=$({sign_up}); echo "$ANSWER"
ID=$(echo "$ANSWER" | sed -n 's/.*"account_id": *"\\([^"]*\\)".*/\\1/p')

# the same e-mail and username once more: 409, naming both
{sign_up}; echo

# read: 200
{call} "$URL/accounts/$ID"; echo

# change the e-mail: 200
{call} -X PUT "$URL/accounts/$ID/email" -d '{{"email": "{name}.lovelace@example.com"}}'; echo

# delete: 204
{call} -X DELETE "$URL/accounts/$ID"; echo

`make stop` stops it, `make clean` forgets it."""


def main() -> int:
    """Runs one of up, down, clean, and reports problems in a sentence."""
    actions = {"up": up, "down": down, "clean": clean}
    parser = argparse.ArgumentParser(prog="make run|stop|clean")
    parser.add_argument("action", choices=sorted(actions))
    try:
        return actions[parser.parse_args().action]()
    except CloudError as error:
        print(error, file=sys.stderr)
        return 1
    except stack.StackError as error:
        print(error, "If that is not the code's fault, `make clean` starts afresh.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
