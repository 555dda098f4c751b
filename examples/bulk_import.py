"""Import people from CSV (email,username) so that e-mails and usernames stay unique, also within the file.

    python examples/bulk_import.py TABLE < people.csv

Each row is a transaction of its own: one that is refused is reported with its line, and the rest goes on. Running the
same file again imports nothing twice.
"""

from __future__ import annotations

import csv
import sys
from uuid import NAMESPACE_URL, uuid5

import boto3

from expr_builder import BuildError, Marker, Table, Unique, UniqueViolation


def main(table: str) -> int:
    """Import what stands in the standard input; returns the exit code, 1 when a row was refused."""
    client = boto3.client("dynamodb")
    unique = Unique(
        Table(table, partition_key="PK", sort_key="SK"),
        owner="PK",
        email=Marker("UNIQ#EMAIL#{}", normalize=str.lower),
        username=Marker("UNIQ#HANDLE#{}", normalize=str.lower),
    )
    imported = refused = 0
    for line, row in enumerate(csv.DictReader(sys.stdin), start=2):
        # The id follows from the row, so that a repeated import finds its own work.
        identity = uuid5(NAMESPACE_URL, "\n".join(row.values()).lower())
        account = {"PK": f"ACCT#{identity}", "SK": "PROFILE", **row}
        try:
            unique.create(account).send(client)
            imported += 1
        except UniqueViolation as taken:
            if set(taken.holders.values()) != {account["PK"]}:
                print(f"line {line}: {' and '.join(taken.fields)} taken")
                refused += 1
        except BuildError as error:
            print(f"line {line}: {error}")
            refused += 1
    print(f"{imported} imported, {refused} refused")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
