"""What a typed table declares, compared with what the table is.

See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_DescribeTable.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from expr_builder.requests.table import Table


class Description:
    """How a table differs from what was declared of it.

    Attributes:
        table: The table's name.
        differences: One sentence for each difference that makes requests fail or surprises.
        undeclared: Names of indexes that the table has and nobody declared.
        items: How many items the table has, as DynamoDB last counted them (about every six hours).
        size: Their size in bytes, likewise.
    """

    __slots__ = ("differences", "items", "size", "table", "undeclared")

    def __init__(
        self, table: str, differences: list[str], undeclared: list[str], *, items: int = 0, size: int = 0
    ) -> None:
        self.table = table
        self.differences = differences
        self.undeclared = undeclared
        self.items = items
        self.size = size

    @property
    def matches(self) -> bool:
        """Whether nothing differs."""
        return not self.differences

    def __str__(self) -> str:
        if self.matches:
            return f'table "{self.table}" is as declared'
        return "\n".join(
            [f'table "{self.table}" differs from what is declared:', *(f"- {d}" for d in self.differences)]
        )


def describe_table(client: Any, table: Table, ttl: str | None) -> Description:
    """Ask DynamoDB and compare: keys with their types, indexes with their keys, the attribute of the time to live."""
    found: Any = client.describe_table(TableName=table.name)["Table"]
    types = {one["AttributeName"]: one["AttributeType"] for one in found["AttributeDefinitions"]}
    indexes = {
        index["IndexName"]: (index["KeySchema"], kind == "LocalSecondaryIndexes")
        for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")
        for index in found.get(kind) or ()
    }
    differences = [*_key_differences(table, found["KeySchema"], types), *_index_differences(table, indexes)]
    if ttl is not None:
        differences += _ttl_differences(client, table.name, ttl)
    return Description(
        table.name,
        differences,
        sorted(indexes.keys() - table.indexes.keys()),
        items=found.get("ItemCount", 0),
        size=found.get("TableSizeBytes", 0),
    )


def _key_differences(table: Table, schema: Any, types: Mapping[str, str]) -> Iterator[str]:
    partition, sort = _keys(schema)
    for role, declared, actual in (
        ("partition key", table.partition_key, partition[0]),
        ("sort key", table.sort_key, sort[0] if sort else None),
    ):
        if declared != actual:
            yield f"the {role} is {actual or 'absent'}, declared is {declared or 'none'}"
        elif actual is not None and types[actual] != table.key_schema.types[actual]:
            yield f"the {role} {actual} is of type {types[actual]}, declared is {table.key_schema.types[actual]}"


def _index_differences(table: Table, indexes: Mapping[str, tuple[Any, bool]]) -> Iterator[str]:
    for name, declared in table.indexes.items():
        if name not in indexes:
            yield f"there is no index {name}"
            continue
        schema, is_local = indexes[name]
        for role, wanted, actual in zip(
            ("partition key", "sort key"), (declared.partition_keys, declared.sort_keys), _keys(schema), strict=True
        ):
            if wanted != actual:
                yield (
                    f"the {role} of index {name} is {', '.join(actual) or 'absent'}, "
                    f"declared is {', '.join(wanted) or 'none'}"
                )
        if is_local != declared.local:
            kinds = ("global", "local")
            yield f"index {name} is {kinds[is_local]}, declared is {kinds[declared.local]}"


def _ttl_differences(client: Any, table: str, ttl: str) -> Iterator[str]:
    found: Any = client.describe_time_to_live(TableName=table).get("TimeToLiveDescription", {})
    if found.get("TimeToLiveStatus") not in ("ENABLED", "ENABLING"):
        yield f"the time to live is off, declared is {ttl}"
    elif found.get("AttributeName") != ttl:
        yield f"the time to live is in {found.get('AttributeName')}, declared is {ttl}"


def _keys(schema: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(  # type: ignore[return-value]  # two entries
        tuple(key["AttributeName"] for key in schema if key["KeyType"] == role) for role in ("HASH", "RANGE")
    )
