"""Send a guarded sign-up, and say which field is taken.

python examples/sign_up.py TABLE ada@example.com ada
"""

from __future__ import annotations

import sys
from uuid import uuid4

import boto3

from expr_builder import Marker, Table, Unique, UniqueViolation


def main(table: str, email: str, username: str) -> int:
    """Create the account, or name every taken field; returns the exit code."""
    unique = Unique(
        Table(table, partition_key="PK", sort_key="SK"),
        owner="PK",
        email=Marker("UNIQ#EMAIL#{}", normalize=str.lower),
        username=Marker("UNIQ#HANDLE#{}", normalize=str.lower),
    )
    account = {"PK": f"ACCT#{uuid4()}", "SK": "PROFILE", "email": email, "username": username}
    try:
        unique.create(account, token=str(uuid4())).send(boto3.client("dynamodb"))
    except UniqueViolation as taken:
        print(f"taken: {', '.join(taken.fields)}")
        return 1
    print("signed up")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
