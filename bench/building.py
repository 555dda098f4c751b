"""Building requests, in one process that has every rival: prints its rows as JSON.

Each call gets other values than the last one, so that nothing can be kept from call to call but what a program would
keep too.
"""

from __future__ import annotations

import sys
from decimal import Decimal
from itertools import cycle
from typing import TYPE_CHECKING, Any

from boto3.dynamodb.conditions import Attr as Boto3Attr
from boto3.dynamodb.conditions import ConditionExpressionBuilder
from boto3.dynamodb.types import Binary, TypeDeserializer, TypeSerializer

from bench import sign_up
from bench.rows import Row, dump
from bench.timing import microseconds
from expr_builder import Attr, Table, TransactWrite, all_of, from_item, item_size, lint, parse_condition, to_item

if TYPE_CHECKING:
    from collections.abc import Callable

PART = "build"
TABLE = Table("accounts", partition_key="PK", sort_key="SK")
KEY = {"PK": "ACCT#1", "SK": "PROFILE"}
PEOPLE = [(f"acct-{n}", f"someone.{n}@example.com", f"someone-{n}", f"signup-{n}") for n in range(64)]


def sign_ups(seconds: float) -> list[Row]:
    """Every contestant against the dictionary written by hand."""
    runs = {name: _fed(build) for name, build in sign_up.contestants().items()}
    best = microseconds(runs, seconds=seconds)
    targets = {"ours, fluent": 3.0, "ours, Unique.create": 3.0}
    return [
        Row(PART, f"three-put sign-up: {name}", time, best["by hand"], "by hand", "µs", most=targets.get(name))
        for name, time in best.items()
        if name != "by hand"
    ]


def _fed(build: sign_up.SignUp) -> Callable[[], Any]:
    people = cycle(PEOPLE)
    return lambda: build(*next(people))


def expressions(seconds: float) -> list[Row]:
    """A condition of twenty clauses, an update of ten actions: rendered, parsed, checked."""
    names = [f"attribute_{number}" for number in range(20)]
    text = " AND ".join(f"{name} = :v{number}" for number, name in enumerate(names))
    values = {f":v{number}": number for number in range(20)}
    ours = TABLE.delete(KEY)

    def boto3_condition() -> Any:
        condition: Any = Boto3Attr(names[0]).eq(0)
        for number, name in enumerate(names[1:], 1):
            condition &= Boto3Attr(name).eq(number)
        return ConditionExpressionBuilder().build_expression(condition)

    request = ours.when(_clauses(names)).to_transact_item()
    best = microseconds(
        {
            "condition by hand": lambda: _condition_by_hand(names),
            "condition": lambda: ours.when(_clauses(names)).to_transact_item(),
            "boto3's condition": boto3_condition,
            "condition from text": lambda: ours.when(parse_condition(text, values=values)).to_transact_item(),
            "update by hand": _update_by_hand,
            "update": _update,
            "lint": lambda: lint({"TransactItems": [request]}, operation="TransactWriteItems", tables=[TABLE]),
        },
        seconds=seconds,
    )
    condition = best["condition"]
    return [
        Row(PART, "20-clause condition", condition, best["condition by hand"], "by hand", "µs"),
        Row(PART, "20-clause condition, key included", condition, best["boto3's condition"], "boto3, no key", "µs"),
        Row(PART, "20-clause condition from text", best["condition from text"], condition, "ours, fluent", "µs"),
        Row(PART, "10-action update", best["update"], best["update by hand"], "by hand", "µs"),
        Row(PART, "lint of the 20-clause request", best["lint"], condition, "building it", "µs"),
    ]


def _clauses(names: list[str]) -> Any:
    return all_of(*(Attr(name).eq(number) for number, name in enumerate(names)))


def _condition_by_hand(names: list[str]) -> dict[str, Any]:
    return {
        "Delete": {
            "TableName": "accounts",
            "Key": {"PK": {"S": "ACCT#1"}, "SK": {"S": "PROFILE"}},
            "ConditionExpression": " AND ".join(f"{name} = :v{number}" for number, name in enumerate(names)),
            "ExpressionAttributeValues": {f":v{number}": {"N": str(number)} for number in range(len(names))},
        }
    }


def _update() -> Any:
    return (
        TABLE.update(KEY)
        .set(email="a@example.com", username="ada", plan="free", logins=Attr("logins") + 1)
        .set(address={"city": "London"}, roles=Attr("roles").append(["admin"]))
        .add(visits=1)
        .remove("pending", "invited")
        .delete(tags={"beta"})
        .if_exists()
        .to_transact_item()
    )


def _update_by_hand() -> dict[str, Any]:
    return {
        "Update": {
            "TableName": "accounts",
            "Key": {"PK": {"S": "ACCT#1"}, "SK": {"S": "PROFILE"}},
            "UpdateExpression": "SET email = :v0, username = :v1, #n0 = :v2, logins = logins + :v3, address = :v4, "
            "#n1 = list_append(if_not_exists(#n1, :v5), :v6) REMOVE pending, invited ADD visits :v3 DELETE tags :v7",
            "ConditionExpression": "attribute_exists(PK)",
            "ExpressionAttributeNames": {"#n0": "plan", "#n1": "roles"},
            "ExpressionAttributeValues": {
                ":v0": {"S": "a@example.com"},
                ":v1": {"S": "ada"},
                ":v2": {"S": "free"},
                ":v3": {"N": "1"},
                ":v4": {"M": {"city": {"S": "London"}}},
                ":v5": {"L": []},
                ":v6": {"L": [{"S": "admin"}]},
                ":v7": {"SS": ["beta"]},
            },
        }
    }


def long_transactions(seconds: float) -> list[Row]:
    """What an action costs among a hundred, and among three."""

    def transaction(actions: int) -> Callable[[], Any]:
        rows = [{"PK": f"ACCT#{n}", "SK": "PROFILE", "email": f"someone.{n}@example.com"} for n in range(actions)]
        return lambda: TransactWrite(*(TABLE.put(row).if_not_exists() for row in rows)).to_request()

    best = microseconds({"3": transaction(3), "100": transaction(100)}, seconds=seconds)
    return [Row(PART, "cost per action, 100 actions", best["100"] / 100, best["3"] / 3, "3 actions", "µs", most=1.1)]


def large_item() -> dict[str, Any]:
    """About 100 KB of all that an item may hold."""
    entry = {
        "name": "A sentence about nothing in particular, as people write them into forms.",
        "count": 42,
        "price": Decimal("1234.56"),
        "active": True,
        "note": None,
        "tags": {"alpha", "beta", "gamma"},
        "numbers": {1, 2, 3},
        "image": b"\x00\x01\x02\x03" * 16,
        "lines": [{"sku": f"SKU-{line}", "amount": line, "total": Decimal(line) / 4} for line in range(5)],
    }
    item: dict[str, Any] = {"PK": "ACCT#1", "SK": "PROFILE"}
    while item_size(to_item(item)) < 100 * 1024:
        item[f"entry_{len(item)}"] = entry
    return item


def large_items(seconds: float) -> list[Row]:
    """Values in and out of the form of the wire."""
    item = large_item()
    wire = to_item(item)
    serialize: Any = TypeSerializer().serialize
    deserialize: Any = TypeDeserializer().deserialize
    assert _plain({name: deserialize(value) for name, value in wire.items()}) == from_item(wire)  # noqa: S101
    best = microseconds(
        {
            "in": lambda: to_item(item),
            "boto3 in": lambda: {name: serialize(value) for name, value in item.items()},
            "out": lambda: from_item(wire),
            "boto3 out": lambda: {name: deserialize(value) for name, value in wire.items()},
        },
        seconds=seconds,
    )
    return [
        Row(PART, "serialise 100 KB", best["in"], best["boto3 in"], "boto3's TypeSerializer", "µs", most=0.4),
        Row(PART, "deserialise 100 KB", best["out"], best["boto3 out"], "boto3's TypeDeserializer", "µs", most=0.5),
    ]


def _plain(value: Any) -> Any:
    """boto3's answer with its Binary as bytes."""
    if isinstance(value, Binary):
        return bytes(value)  # type: ignore[call-overload]  # boto3 gives it __bytes__, its stubs do not
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list) else value


def main() -> None:
    """Prints the rows; takes the seconds for all of them."""
    seconds = float(sys.argv[1])
    rows = sign_ups(seconds * 0.4)
    for part in (expressions, long_transactions, large_items):
        rows += part(seconds * 0.2)
    print(dump(rows))


if __name__ == "__main__":
    main()
