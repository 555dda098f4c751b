"""Whether Docker can be used: the SAM CLI's local containers need it."""

from __future__ import annotations

import shutil
import subprocess

HOW_TO_GET = (
    "Docker is needed (the SAM CLI runs functions in containers) and does not answer: "
    "install it and start its daemon, then check with `docker info`."
)


def is_available() -> bool:
    """True when the docker command is there and its daemon answers."""
    if shutil.which("docker") is None:
        return False
    return subprocess.run(["docker", "info"], capture_output=True, check=False).returncode == 0


def find_image(name: str) -> str | None:
    """The id of an image of that name, from whatever registry, that is on this machine already."""
    listing = ["docker", "image", "ls", "--quiet", "--filter", f"reference=*/{name}"]
    found = subprocess.run(listing, capture_output=True, text=True, check=False).stdout.split()
    return found[0] if found else None
