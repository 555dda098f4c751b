"""Finds out whether Docker can be used: the SAM CLI's local containers need it."""

from __future__ import annotations

import shutil
import subprocess

ANSWER_SECONDS = 60  # a daemon that hangs is as good as none

HOW_TO_GET = (
    "Docker is needed (the SAM CLI runs functions in containers) and does not answer: "
    "install it and start its daemon, then check with `docker info`."
)


def is_available() -> bool:
    """True when the docker command is there and its daemon answers."""
    if shutil.which("docker") is None:
        return False
    try:
        done = subprocess.run(["docker", "info"], capture_output=True, check=False, timeout=ANSWER_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def find_image(name: str) -> str | None:
    """The id of an image of that name, from any registry, if it is on this machine already."""
    listing = ["docker", "image", "ls", "--quiet", "--filter", f"reference=*/{name}"]
    done = subprocess.run(listing, capture_output=True, text=True, check=False, timeout=ANSWER_SECONDS)
    found = done.stdout.split()
    return found[0] if found else None
