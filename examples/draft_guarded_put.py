"""Draft a guarded put and print it: nothing is sent, boto3 is not needed.

python examples/draft_guarded_put.py ada@example.com > request.json
aws dynamodb put-item --cli-input-json file://request.json
"""

from __future__ import annotations

import json
import sys

from expr_builder import Table

accounts = Table("accounts", partition_key="PK", sort_key="SK")


def main(address: str) -> None:
    """Print the arguments of a put that succeeds only if nobody has the address."""
    put = accounts.put({"PK": f"UNIQ#EMAIL#{address.lower()}", "SK": "LOCK"}).if_not_exists()
    print(json.dumps(put.to_request(), indent=2))


if __name__ == "__main__":
    main(*sys.argv[1:])
