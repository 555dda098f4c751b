"""Count, from any number of processes at once: the counter starts by itself and no step is lost.

python examples/counter.py TABLE visits 5
"""

from __future__ import annotations

import sys

import boto3

from expr_builder import Attr, Table


def main(table: str, name: str, by: str = "1") -> None:
    """Add to the counter and print where it stands."""
    counters = Table(table, partition_key="PK", sort_key="SK")
    step = counters.update({"PK": f"COUNTER#{name}", "SK": "COUNTER"}).set(reached=Attr("reached").increment(int(by)))
    counted = step.returning("UPDATED_NEW").send(boto3.client("dynamodb"))
    print(counted["reached"] if counted else "nothing was counted")


if __name__ == "__main__":
    main(*sys.argv[1:])
