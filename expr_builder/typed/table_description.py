"""Compares what a typed table declares with the table that exists.

See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_DescribeTable.html
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import TypeAlias

    from mypy_boto3_dynamodb.client import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import KeySchemaElementTypeDef

    from expr_builder.requests.table import Table

    Schema: TypeAlias = Sequence[KeySchemaElementTypeDef]


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
    """Compare keys with their types, indexes with their keys, and the time to live's attribute."""
    found = client.describe_table(TableName=table.name)["Table"]
    types = {one["AttributeName"]: one["AttributeType"] for one in found["AttributeDefinitions"]}
    # By name: the keys, and whether the index is local.
    indexes = {index["IndexName"]: (index["KeySchema"], False) for index in found.get("GlobalSecondaryIndexes") or ()}
    indexes |= {index["IndexName"]: (index["KeySchema"], True) for index in found.get("LocalSecondaryIndexes") or ()}
    differences = [*_compare_keys(table, found["KeySchema"], types), *_compare_indexes(table, indexes)]
    if ttl is not None:
        differences += _compare_ttl(client, table.name, ttl)
    return Description(
        table.name,
        differences,
        sorted(indexes.keys() - (table.indexes or {}).keys()),
        items=found.get("ItemCount", 0),
        size=found.get("TableSizeBytes", 0),
    )


def _compare_keys(table: Table, schema: Schema, types: Mapping[str, str]) -> Iterator[str]:
    partition, sort = _read_keys(schema)
    for role, declared, actual in (
        ("partition key", table.partition_key, partition[0]),
        ("sort key", table.sort_key, sort[0] if sort else None),
    ):
        if declared != actual:
            yield f"the {role} is {actual or 'absent'}, declared is {declared or 'none'}"
        elif actual is not None and types[actual] != table.key_schema.types[actual]:
            yield f"the {role} {actual} is of type {types[actual]}, declared is {table.key_schema.types[actual]}"


def _compare_indexes(table: Table, indexes: Mapping[str, tuple[Schema, bool]]) -> Iterator[str]:
    for name, declared in (table.indexes or {}).items():
        if name not in indexes:
            yield f"there is no index {name}"
            continue
        schema, is_local = indexes[name]
        for role, wanted, actual in zip(
            ("partition key", "sort key"),
            (declared.partition_keys, declared.sort_keys),
            _read_keys(schema),
            strict=True,
        ):
            if wanted != actual:
                yield (
                    f"the {role} of index {name} is {', '.join(actual) or 'absent'}, "
                    f"declared is {', '.join(wanted) or 'none'}"
                )
        if is_local != declared.local:
            kinds = ("global", "local")
            yield f"index {name} is {kinds[is_local]}, declared is {kinds[declared.local]}"


def _compare_ttl(client: DynamoDBClient, table: str, ttl: str) -> Iterator[str]:
    found = client.describe_time_to_live(TableName=table).get("TimeToLiveDescription", {})
    # ENABLING, which lasts up to an hour, fits the declaration too.
    if found.get("TimeToLiveStatus") not in ("ENABLED", "ENABLING"):
        yield f"the time to live is off, declared is {ttl}"
    elif found.get("AttributeName") != ttl:
        yield f"the time to live is in {found.get('AttributeName')}, declared is {ttl}"


def _read_keys(schema: Schema) -> tuple[tuple[str, ...], tuple[str, ...]]:
    partition = tuple(key["AttributeName"] for key in schema if key["KeyType"] == "HASH")
    return partition, tuple(key["AttributeName"] for key in schema if key["KeyType"] == "RANGE")
