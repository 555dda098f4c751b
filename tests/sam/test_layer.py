"""In the runtime's own image, with the layer and one function mounted, and nothing else."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from tools.docker import find_image
from tools.invoke import BASE_IMAGE
from tools.stack import find_architecture

if TYPE_CHECKING:
    from pathlib import Path

# The search path as Lambda sets it; prints where each module comes from, or that it is missing.
SCRIPT = """
import importlib, json, sys
sys.path[:0] = ["/var/task", "/opt/python/lib/python3.13/site-packages", "/opt/python", "/var/runtime"]
where = {}
for name in sys.argv[1:]:
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        where[name] = f"no {error.name}"
    else:
        where[name] = module.__file__.removesuffix("/__init__.py")
print(json.dumps(where))
"""
LAYER = ("accounts.api", "aws_lambda_powertools", "email_validator", "expr_builder.unique", "pydantic")
FUNCTIONS = (
    "SignupFunction",
    "ChangeEmailFunction",
    "ChangeUsernameFunction",
    "DeleteAccountFunction",
    "GetAccountFunction",
    "AuditMarkersFunction",
    "AuthorizeFunction",
)


def imported(built: Path, function: str, *modules: str) -> dict[str, str]:
    """Import modules in a container that has this function and the layer, and no network."""
    image = find_image(f"{BASE_IMAGE}-{find_architecture()}")
    assert image is not None, "the SAM CLI has fetched no base image yet: invoke an event first"
    command = [
        *("docker", "run", "--rm", "--network", "none", "--entrypoint", "/var/lang/bin/python3.13"),
        *("--volume", f"{built}/{function}:/var/task:ro", "--volume", f"{built}/AccountsLayer:/opt:ro"),
        *("--env", "TABLE_NAME=accounts", "--env", "AWS_DEFAULT_REGION=us-east-1"),
        *("--env", "POWERTOOLS_SERVICE_NAME=accounts", "--env", "POWERTOOLS_METRICS_NAMESPACE=Accounts"),
        image,
        *("-I", "-c", SCRIPT, *modules),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_needs_nothing_but_the_layer_and_the_runtime(function: str, built: Path) -> None:
    assert imported(built, function, "app") == {"app": "/var/task/app.py"}


def test_packages_come_from_the_layer_and_boto3_from_the_runtime(built: Path) -> None:
    assert imported(built, "SignupFunction", *LAYER, "boto3", "botocore", "jwt", "moto") == {
        "accounts.api": "/opt/python/accounts/api.py",
        "aws_lambda_powertools": "/opt/python/aws_lambda_powertools",
        "email_validator": "/opt/python/email_validator",
        "expr_builder.unique": "/opt/python/expr_builder/unique.py",
        "pydantic": "/opt/python/pydantic",
        "boto3": "/var/runtime/boto3",
        "botocore": "/var/runtime/botocore",
        "jwt": "no jwt",
        "moto": "no moto",
    }


def test_the_authorizer_brings_its_own_token_library(built: Path) -> None:
    assert imported(built, "AuthorizeFunction", "jwt", "cryptography") == {
        "jwt": "/var/task/jwt",
        "cryptography": "/var/task/cryptography",
    }
