"""Change a document only if nobody changed it since it was read: a version in the condition, and another try.

python examples/optimistic_locking.py TABLE shopping "more milk"
"""

from __future__ import annotations

import sys

import boto3

from expr_builder import Attr, ConditionFailed, Table

ATTEMPTS = 5


def main(table: str, name: str, line: str) -> int:
    """Append a line to the document; returns the exit code."""
    client = boto3.client("dynamodb")
    documents = Table(table, partition_key="PK", sort_key="SK")
    key = {"PK": f"DOC#{name}", "SK": "DOC"}
    for _ in range(ATTEMPTS):
        stored = documents.get(key, consistent=True).fetch(client) or {"lines": [], "version": 0}
        change = documents.update(key).set(lines=[*stored["lines"], line], version=stored["version"] + 1)
        unchanged = Attr("version").eq(stored["version"]) if stored["version"] else Attr("version").not_exists()
        try:
            change.when(unchanged).send(client)
        except ConditionFailed:
            continue  # somebody was faster: read again
        print(f"version {stored['version'] + 1}: {len(stored['lines']) + 1} lines")
        return 0
    print("too much traffic, try again")
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
