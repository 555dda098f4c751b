"""What type checkers make of the builder. Read by mypy and pyright alone; never run."""

from __future__ import annotations

from typing import Any, assert_type

import boto3
from mypy_boto3_dynamodb.type_defs import (
    PutItemInputTypeDef,
    QueryInputTypeDef,
    TransactWriteItemsInputTypeDef,
    TransactWriteItemsOutputTypeDef,
)

from expr_builder import (
    Attr,
    BatchGet,
    Condition,
    Delete,
    Get,
    Key,
    Marker,
    Page,
    Put,
    Query,
    Table,
    TransactGet,
    TransactWrite,
    Unique,
    UniqueWrite,
    Update,
    all_of,
)

client = boto3.client("dynamodb")
table = Table("t", partition_key="PK", sort_key=("SK", "N"))
key = {"PK": "1", "SK": 2}

# Conditions are conditions, however they are written.
assert_type(Attr("a") == 1, Condition)
assert_type(Attr("a")["b"][0].lt(5), Condition)
assert_type((Attr("a") == 1) & ~(Attr("b") >= Attr("c")) | Attr("d").exists(), Condition)
assert_type(Key("PK").eq("x") & Key("SK").between(1, 2), Condition)
assert_type(all_of(Attr("a").exists(), None), Condition)
Attr("a").size() & Attr("b").exists()  # type: ignore[operator]

# Actions keep their type through every method.
assert_type(table.put(key).if_not_exists().named("x").return_old_on_failure(), Put)
assert_type(table.update(key).set(a=1).remove("b").when(Attr("c") == 1), Update)
assert_type(table.delete(key).if_exists(), Delete)
assert_type(table.get(key).named("x"), Get)
assert_type(table.query(Key("PK").eq("x")).filter(Attr("a").exists()).descending(), Query)
table.put(key).set(a=1)  # type: ignore[attr-defined]

# Requests are what the client takes, without a cast.
tx = TransactWrite(table.put(key), table.check(key).if_exists(), token="t")
assert_type(tx.to_request(), TransactWriteItemsInputTypeDef)
client.transact_write_items(**tx.to_request())
assert_type(tx.send(client), TransactWriteItemsOutputTypeDef)
assert_type(table.put(key).to_request(), PutItemInputTypeDef)
assert_type(table.query(Key("PK").eq("x")).to_request(), QueryInputTypeDef)
client.put_item(**table.put(key).to_request())
client.update_item(**table.update(key).set(a=1).to_request())
client.delete_item(**table.delete(key).to_request())
client.get_item(**table.get(key).to_request())
client.query(**table.query(Key("PK").eq("x")).to_request())
client.scan(**table.scan().to_request())
TransactWrite(table.get(key))  # type: ignore[arg-type]

# Reads come back as plain Python values.
assert_type(table.get(key).fetch(client), dict[str, Any] | None)
assert_type(TransactGet(table.get(key)).fetch(client), dict[str, dict[str, Any] | None])
assert_type(BatchGet(table.get(key)).fetch(client), list[dict[str, Any] | None])
assert_type(table.scan().page(client), Page)
assert_type(list(table.scan().pages(client)), list[Page])
assert_type(list(table.scan().items(client)), list[dict[str, Any]])

# A single write gives what it was asked to return.
assert_type(table.put(key).if_not_exists().send(client), dict[str, Any] | None)

unique = Unique(table, owner="PK", email=Marker("E#{}", normalize=str.lower))
assert_type(unique.create(key), UniqueWrite)
unique.change(key, when="a = 1")  # type: ignore[arg-type]
