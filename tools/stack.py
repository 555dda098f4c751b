"""Builds the SAM application and deploys it to a local cloud."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import boto3

from tools.local_cloud import REGION, LocalCloud
from tools.tokens import AUDIENCE, ISSUER
from tools.venvs import ENVIRONMENTS, ROOT, locked

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

BUILD = ROOT / ".aws-sam/build"
STACK = "accounts"
SAM_SECONDS = 900  # a first build fetches every package
ARCHITECTURES = ("arm64", "x86_64")


class StackError(RuntimeError):
    """Building or deploying failed; what SAM said about it is in the message or above it."""


@dataclass(frozen=True, slots=True)
class Deployment:
    """A deployed stack: the URL of its API, and the name of its table."""

    url: str
    table: str


def find_architecture() -> str:
    """This machine's processor as Lambda names it: local functions run on it, whatever production uses."""
    return "arm64" if platform.machine() in {"arm64", "aarch64"} else "x86_64"


def make_sam_environment(base: Mapping[str, str] | None = None) -> dict[str, str]:
    """An environment in which the project's own SAM CLI and Python 3.13 come first, and no telemetry is sent."""
    environment = dict(os.environ if base is None else base)
    bin_folder = ENVIRONMENTS["sam"].path / "bin"
    return environment | {
        "PATH": f"{bin_folder}{os.pathsep}{environment['PATH']}",
        "SAM_CLI_TELEMETRY": "0",
        "AWS_DEFAULT_REGION": REGION,
    }


def sam(*arguments: str, environment: Mapping[str, str] | None = None, quiet: bool = False, cwd: Path = ROOT) -> None:
    """Runs the SAM CLI; its output goes to standard error, or with ``quiet`` is shown only when it fails."""
    try:
        done = subprocess.run(
            ["sam", *arguments],
            cwd=cwd,
            env=make_sam_environment(environment),
            stdin=subprocess.DEVNULL,  # a question fails at once, instead of waiting for an answer
            stdout=subprocess.PIPE if quiet else sys.stderr,
            stderr=subprocess.STDOUT if quiet else None,
            text=True,
            check=False,
            timeout=SAM_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise StackError(f"`sam {arguments[0]}` was not done within {SAM_SECONDS} s.") from None
    if done.returncode != 0:
        raise StackError(f"{done.stdout or ''}`sam {arguments[0]}` failed (exit {done.returncode}).")


def build(*, architecture: str | None = None, build_dir: Path = BUILD, quiet: bool = False) -> None:
    """Builds functions and layer for an architecture (this machine's when none is named)."""
    override = f"Architecture={architecture or find_architecture()}"
    with locked("build"):  # builds would write into one folder
        sam("build", "--build-dir", str(build_dir), "--parameter-overrides", override, quiet=quiet)


def deploy(
    cloud: LocalCloud,
    *,
    jwks: str,
    parameters: Mapping[str, str] | None = None,
    stack: str = STACK,
    build_dir: Path = BUILD,
    quiet: bool = False,
) -> Deployment:
    """Deploys what was built to the local cloud as a sandbox that accepts development tokens."""
    values = {
        "Stage": "sandbox",
        "Architecture": find_architecture(),
        "JwtIssuer": ISSUER,
        "JwtAudience": AUDIENCE,
        "JwtJwks": jwks,
        **(parameters or {}),
    }
    # By file (JSON is YAML): on the command line SAM would split the key set at its quotes.
    overrides = cloud.folder / f"{stack}-parameters.yaml"
    overrides.write_text(json.dumps(values))
    # AUTO_EXPAND, as the template has transforms; --resolve-s3 makes SAM bring its own bucket.
    sam(
        *("deploy", "--template-file", str(build_dir / "template.yaml"), "--stack-name", stack),
        *("--parameter-overrides", overrides.as_uri(), "--capabilities", "CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"),
        *("--resolve-s3", "--s3-prefix", stack, "--no-confirm-changeset", "--no-fail-on-empty-changeset"),
        "--no-progressbar",
        environment=cloud.environment(),
        quiet=quiet,
    )
    return describe(cloud, stack=stack)


def describe(cloud: LocalCloud, *, stack: str = STACK) -> Deployment:
    """Describes a stack that was deployed to the local cloud."""
    # Keys of its own, so that the shell's real ones are never used.
    client = boto3.client(
        "cloudformation",
        endpoint_url=cloud.endpoint,
        region_name=REGION,
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )
    outputs = {
        output["OutputKey"]: output["OutputValue"]
        for output in client.describe_stacks(StackName=stack)["Stacks"][0]["Outputs"]
    }
    # https://<api id>.execute-api.<region>.amazonaws.com/<stage>: the local cloud answers at a form of its own instead.
    host, _, stage = outputs["ApiUrl"].removeprefix("https://").partition("/")
    return Deployment(url=cloud.api_url(host.partition(".")[0], stage), table=outputs["TableName"])


def main() -> int:
    """Builds for an architecture, or this machine's."""
    parser = argparse.ArgumentParser(prog="make build", description="Build functions and layer.")
    parser.add_argument("architecture", nargs="?", default="", help="arm64 or x86_64 (this machine's when not given)")
    architecture = parser.parse_args().architecture
    if architecture not in {"", *ARCHITECTURES}:
        print(f"ARCH must be one of {', '.join(ARCHITECTURES)}.", file=sys.stderr)
        return 2
    try:
        build(architecture=architecture or None)
    except StackError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
