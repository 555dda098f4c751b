"""Compares what a typed table declares with the table that exists.

See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_DescribeTable.html
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from expr_builder.requests.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mypy_boto3_dynamodb.client import DynamoDBClient

    from expr_builder.requests.key_schema import Index, KeySchema


@dataclass(frozen=True, slots=True)
class Description:
    """How a table differs from what was declared of it. ``str()`` gives a text with a line for each difference.

    Attributes:
        table: The table's name.
        differences: One sentence for each difference that makes requests fail or behave unexpectedly.
        undeclared: Names of indexes that the table has and the declaration lacks.
        items: How many items the table has, as DynamoDB last counted them (about every six hours).
        size: Their size in bytes, counted at the same time.
    """

    table: str
    differences: list[str]
    undeclared: list[str]
    items: int = 0
    size: int = 0

    @property
    def matches(self) -> bool:
        """Whether nothing differs."""
        return not self.differences

    def __str__(self) -> str:
        if self.matches:
            return f'table "{self.table}" is as declared'
        return "\n- ".join([f'table "{self.table}" differs from what is declared:', *self.differences])


def describe_table(client: DynamoDBClient, table: Table, ttl: str | None) -> Description:
    """Compare keys, indexes (keys, whether they are local, projections) and the time to live's attribute."""
    found = client.describe_table(TableName=table.name)["Table"]
    actual = Table.from_description(found)
    indexes = actual.indexes or {}
    differences = [
        *_compare_keys("", table.key_schema, actual.key_schema),
        *_compare_indexes(table, indexes),
    ]
    if ttl is not None:
        differences += _compare_ttl(client, table.name, ttl)
    return Description(
        table.name,
        differences,
        sorted(indexes.keys() - (table.indexes or {}).keys()),
        items=found.get("ItemCount", 0),
        size=found.get("TableSizeBytes", 0),
    )


def _compare_indexes(table: Table, indexes: Mapping[str, Index]) -> Iterator[str]:
    for name, declared in (table.indexes or {}).items():
        if name not in indexes:
            yield f"there is no index {name}"
            continue
        actual = indexes[name]
        yield from _compare_keys(f" of index {name}", declared, actual)
        if actual.local != declared.local:
            kinds = ("global", "local")
            yield f"index {name} is {kinds[actual.local]}, declared is {kinds[declared.local]}"
        if declared.projection is not None:  # else it is not known
            wanted, held = (_name_projected(index, table) for index in (declared, actual))
            if wanted != held:
                yield f"index {name} projects {held}, declared is {wanted}"


def _compare_keys(owner: str, declared: KeySchema, actual: KeySchema) -> Iterator[str]:
    """Compare the keys of the table or of an index, which ``owner`` says: names, and types where the names agree."""
    for role, wanted, found in (
        ("partition key", declared.partition_keys, actual.partition_keys),
        ("sort key", declared.sort_keys, actual.sort_keys),
    ):
        if wanted != found:
            yield f"the {role}{owner} is {', '.join(found) or 'absent'}, declared is {', '.join(wanted) or 'none'}"
            continue
        for name in found:
            if actual.types[name] != declared.types[name]:
                yield f"the {role} {name}{owner} is of type {actual.types[name]}, declared is {declared.types[name]}"


def _name_projected(index: Index, table: Table) -> str:
    """Name what an index holds beside the keys, which it always holds, whether they are listed or not."""
    if index.projection is None or isinstance(index.projection, str):
        return str(index.projection)
    return ", ".join(sorted({*index.projection} - {*index.names, *table.key_schema.names})) or "KEYS_ONLY"


def _compare_ttl(client: DynamoDBClient, table: str, ttl: str) -> Iterator[str]:
    found = client.describe_time_to_live(TableName=table).get("TimeToLiveDescription", {})
    # ENABLING, which lasts up to an hour, fits the declaration too.
    if found.get("TimeToLiveStatus") not in ("ENABLED", "ENABLING"):
        yield f"the time to live is off, declared is {ttl}"
    elif found.get("AttributeName") != ttl:
        yield f"the time to live is in {found.get('AttributeName')}, declared is {ttl}"
