"""Roles of a deployment's functions, made smaller for a while."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import boto3

from tools.local_cloud import REGION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tools.local_cloud import LocalCloud

__all__ = ["without"]


@contextmanager
def without(cloud: LocalCloud, action: str, function: str) -> Iterator[None]:
    """Take an action from the function's role, inside the block."""
    iam: Any = boto3.client(
        "iam",
        endpoint_url=cloud.endpoint,
        region_name=REGION,
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )
    roles = [role["RoleName"] for role in iam.list_roles()["Roles"]]
    role = next(name for name in roles if name.startswith(f"accounts-{function}Role"))
    (policy,) = iam.list_role_policies(RoleName=role)["PolicyNames"]
    granted = iam.get_role_policy(RoleName=role, PolicyName=policy)["PolicyDocument"]
    (statement,) = granted["Statement"]
    reduced = {**statement, "Action": [one for one in statement["Action"] if one != action]}
    assert len(reduced["Action"]) == len(statement["Action"]) - 1

    def write(document: dict[str, Any]) -> None:
        iam.put_role_policy(RoleName=role, PolicyName=policy, PolicyDocument=json.dumps(document))

    write({**granted, "Statement": [reduced]} if reduced["Action"] else _nothing())
    try:
        yield
    finally:
        write(granted)
        iam.close()


def _nothing() -> dict[str, Any]:
    return {"Statement": [{"Effect": "Deny", "Action": "dynamodb:*", "Resource": "*"}]}
