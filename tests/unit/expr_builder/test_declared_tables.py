"""What a table and its indexes declare, and what follows from it for whatever is done with the table."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

import pytest

from expr_builder import (
    Attr,
    BatchWrite,
    BuildError,
    Index,
    Key,
    Table,
    TransactGet,
    TransactWrite,
    from_item,
    lint,
    parse_key_condition,
    parse_update,
)

if TYPE_CHECKING:
    from collections.abc import Callable


class Name(str, Enum):  # noqa: UP042  # a StrEnum would format as its text
    PK = "PK"
    NUMBER = "N"
    INDEX = "by_team"
    TABLE = "orders"


ORDERS = Table(
    "orders",
    "PK",
    "SK",
    indexes={
        "by_team": Index("team", ("at", "N"), projection=["total"]),
        "by_place": Index(["country", "city"], ["street", ("house", "N")], projection="ALL"),
        "by_day": Index("PK", "day", projection="KEYS_ONLY", local=True),
        "by_sort": Index("team", "PK"),
    },
)
KEY = {"PK": "A#1", "SK": "x"}
NONE = Table("orders", "PK", "SK", indexes={})
UNKNOWN = Table("orders", "PK", "SK")
ANY_SCAN: Any = UNKNOWN.scan()


def refused(make: Callable[[], Any]) -> BuildError:
    with pytest.raises(BuildError) as caught:
        make()
    return caught.value


# --- Declarations

AnyTable: Any = Table
AnyIndex: Any = Index
"""They take what type checkers would refuse."""


def test_a_pair_is_a_name_and_its_type_and_several_attributes_are_a_list() -> None:
    index = Index("status", ("at", "N"))
    assert (index.partition_keys, index.sort_keys, index.types) == (("status",), ("at",), {"status": "S", "at": "N"})
    place = Index(["country", ("zip", "N")], sort=["street", ("key", "B")])
    assert place.types == {"country": "S", "zip": "N", "street": "S", "key": "B"}
    assert (place.partition_keys, place.sort_keys) == (("country", "zip"), ("street", "key"))
    assert "a list" in refused(lambda: Index(("country", "city"))).fix


def test_names_and_types_from_an_enumeration_are_their_text() -> None:
    index = Index((Name.PK, Name.NUMBER), projection=[Name.TABLE])
    table = Table(Name.TABLE, (Name.PK, Name.NUMBER), indexes={Name.INDEX: index})
    assert (table.name, table.key_schema.types) == ("orders", {"PK": "N"})
    assert table.indexes is not None
    assert {type(name) for name in (table.name, *table.key_schema.types, *table.indexes)} == {str}
    assert table.indexes["by_team"].projection == ("orders",)
    assert ORDERS.scan().on_index(Name.INDEX).to_request()["IndexName"] == "by_team"


@pytest.mark.parametrize(
    ("make", "rule"),
    [
        (lambda: AnyTable("t", None), "key-definition"),
        (lambda: AnyTable("t", ["PK"]), "key-definition"),
        (lambda: AnyTable("t", ("PK", None)), "key-definition"),
        (lambda: AnyTable("t", ("PK", ["N"])), "key-definition"),
        (lambda: AnyTable("t", ("PK", "N", "S")), "key-definition"),
        (lambda: AnyTable("t", "PK", "PK"), "key-definition"),
        (lambda: AnyTable("t", "\ud800"), "text-utf8"),
        (lambda: AnyTable(None, "PK"), "table-name"),
        (lambda: AnyTable("t", "PK", indexes=["by_team"]), "index-definition"),
        (lambda: AnyTable("t", "PK", indexes={"by_team": "team"}), "index-definition"),
        (lambda: AnyTable("t", "PK", indexes={3: Index("team")}), "index-definition"),
        (lambda: AnyTable("t", "PK", indexes={"by_n": Index(("PK", "N"))}), "key-definition"),
        (lambda: AnyTable("t", "PK", indexes={"by_a": Index("a"), "by_b": Index(("a", "N"))}), "key-definition"),
        (lambda: AnyTable("t", "PK", "SK", indexes={"local": Index("a", "b", local=True)}), "index-definition"),
        (lambda: AnyTable("t", "PK", indexes={"local": Index("PK", "b", local=True)}), "index-definition"),
        (lambda: AnyIndex(None), "key-definition"),
        (lambda: AnyIndex([]), "key-definition"),
        (lambda: AnyIndex("a", []), "key-definition"),
        (lambda: AnyIndex(["a", "b", "c", "d", "e"]), "key-definition"),
        (lambda: AnyIndex("a", "a"), "key-definition"),
        (lambda: AnyIndex(["a", "a"]), "key-definition"),
        (lambda: AnyIndex(""), "key-definition"),
        (lambda: AnyIndex(("a", "BOOL")), "key-definition"),
        (lambda: AnyIndex("a", {"b": "N"}), "key-definition"),
        (lambda: AnyIndex("x" * 256), "key-definition"),
        (lambda: AnyIndex("a", projection="SOME"), "index-definition"),
        (lambda: AnyIndex("a", projection=[]), "index-definition"),
        (lambda: AnyIndex("a", projection=[1]), "index-definition"),
        (lambda: AnyIndex("a", projection=3), "index-definition"),
        (lambda: AnyIndex("a", local="yes"), "index-definition"),
        (lambda: AnyIndex("PK", local=True), "index-definition"),
        (lambda: AnyIndex("PK", ["a", "b"], local=True), "index-definition"),
        (lambda: ANY_SCAN.on_index(None), "member-value"),
        (lambda: ANY_SCAN.on_index("ab"), "member-value"),
        (lambda: ANY_SCAN.on_index("by team"), "member-value"),
        (lambda: ANY_SCAN.on_index("a" * 256), "member-value"),
        (lambda: NONE.scan().on_index("by_team").to_request(), "index-unknown"),
        (lambda: UNKNOWN.scan().limit(2**31), "limit-value"),
        (lambda: UNKNOWN.scan().segments(0), "scan-segment"),
        (lambda: ANY_SCAN.select(None), "select-value"),
        (lambda: UNKNOWN.scan().select("ALL_PROJECTED_ATTRIBUTES").to_request(), "select-value"),
    ],
)
def test_a_bad_declaration_or_argument_is_refused_with_its_place(make: Any, rule: str) -> None:
    error = refused(make)
    assert error.rule == rule
    assert error.place or rule == "table-name"


def test_the_largest_limit_is_that_of_a_32_bit_integer_for_lint_too() -> None:
    largest = {"TableName": "t", "Limit": 2**31 - 1}
    assert UNKNOWN.scan().limit(2**31 - 1).to_request()["Limit"] == largest["Limit"]
    assert lint(largest, "Scan") == []
    assert [problem.rule for problem in lint({**largest, "Limit": 2**31}, "Scan")] == ["member-type"]


def test_nothing_declared_is_not_the_same_as_none() -> None:
    assert (UNKNOWN.indexes, NONE.indexes) == (None, {})
    request = UNKNOWN.scan().on_index("by_team").to_request()
    assert lint(request, "Scan", [UNKNOWN]) == []
    assert [problem.rule for problem in lint(request, "Scan", [NONE])] == ["index-unknown"]


@pytest.mark.parametrize(
    ("name", "valid"),
    [
        ("arn:aws:dynamodb:us-east-1:111122223333:table/orders", True),
        ("arn:aws-cn:dynamodb:cn-north-1:111122223333:table/orders", True),
        ("arn:aws-us-gov:dynamodb:us-gov-west-1:111122223333:table/or.der-s_1", True),
        ("arn:aws:dynamodb:us-east-1:111122223333:table/orders/index/by_team", False),
        ("arn:aws:dynamodb:us-east-1:111122223333:table/or ders", False),
        ("arn:aws:dynamodb:us-east-1:111122223333:table/", False),
        ("arn:aws:s3:us-east-1:111122223333:table/orders", False),
        ("arn:aws:dynamodb::111122223333:table/orders", False),
        ("arn:aws:dynamodb:us-east-1:me:table/orders", False),
        ("arn:", False),
        ("arn:table/orders", False),
        (":table/orders", False),
        ("a" * 255, True),
        ("a" * 256, False),
        ("größe", False),
        ("", False),
    ],
)
def test_a_tables_name_is_judged_alike_by_the_builder_and_lint(name: str, valid: bool) -> None:
    problems = lint({"TableName": name}, "Scan")
    assert [problem.rule for problem in problems] == ([] if valid else ["table-name"])
    if valid:
        assert Table(name, "PK").scan().to_request() == {"TableName": name}
    else:
        assert refused(lambda: Table(name, "PK")).rule == "table-name"


# --- Descriptions

DESCRIPTION: dict[str, Any] = {
    "TableName": "orders",
    "TableStatus": "ACTIVE",
    "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "n", "KeyType": "RANGE"}],
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": kind}
        for name, kind in (("PK", "S"), ("n", "N"), ("a", "S"), ("b", "B"), ("c", "N"))
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "all",
            "KeySchema": [{"AttributeName": name, "KeyType": "HASH"} for name in "ab"]
            + [{"AttributeName": name, "KeyType": "RANGE"} for name in ("c", "n")],
            "Projection": {"ProjectionType": "ALL"},
        },
        {
            "IndexName": "some",
            "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x", "y"]},
        },
    ],
    "LocalSecondaryIndexes": [
        {
            "IndexName": "local",
            "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "a", "KeyType": "RANGE"}],
            "Projection": {"ProjectionType": "KEYS_ONLY"},
        }
    ],
}


@pytest.mark.parametrize("description", [DESCRIPTION, {"Table": DESCRIPTION, "ResponseMetadata": {}}])
def test_a_description_declares_keys_types_and_indexes_with_their_projections(description: Any) -> None:
    table = Table.from_description(description, alias="always")
    assert (table.name, table.key_schema.types) == ("orders", {"PK": "S", "n": "N"})
    assert table.get({"PK": "a", "n": 1}, ["a"]).to_request()["ExpressionAttributeNames"] == {"#n0": "a"}
    assert {
        name: (index.partition_keys, index.sort_keys, index.types, index.projection, index.local)
        for name, index in (table.indexes or {}).items()
    } == {
        "all": (("a", "b"), ("c", "n"), {"a": "S", "b": "B", "c": "N", "n": "N"}, "ALL", False),
        "some": (("a",), (), {"a": "S"}, ("x", "y"), False),
        "local": (("PK",), ("a",), {"PK": "S", "a": "S"}, "KEYS_ONLY", True),
    }


def test_a_description_without_indexes_declares_that_there_are_none() -> None:
    plain = {name: value for name, value in DESCRIPTION.items() if not name.endswith("Indexes")}
    assert Table.from_description(plain).indexes == {}


@pytest.mark.parametrize(
    "description",
    [None, "orders", [], {}, {"Table": None}, {"TableName": "orders"}, {**DESCRIPTION, "AttributeDefinitions": []}],
)
def test_what_is_no_description_is_refused(description: Any) -> None:
    error = refused(lambda: Table.from_description(description))
    assert (error.rule, error.place) == ("table-description", "Table.from_description")
    assert "describe_table" in error.fix


# --- Keys of indexes in items and updates

WRONG = [
    (None, "index-key-type"),
    (1, "index-key-type"),
    (b"a", "index-key-type"),
    (["a"], "index-key-type"),
    ({"a": "b"}, "index-key-type"),
    ({"a"}, "index-key-type"),
    ("", "index-key-empty"),
    ("x" * 2049, "index-key-length"),
]


@pytest.mark.parametrize(("value", "rule"), WRONG)
def test_the_key_of_an_index_is_checked_wherever_it_is_written(value: Any, rule: str) -> None:
    writes: list[Callable[[], Any]] = [
        lambda: ORDERS.put({**KEY, "team": value}),
        lambda: TransactWrite(ORDERS.put({**KEY, "team": value})),
        lambda: BatchWrite(ORDERS.put({**KEY, "team": value})),
        lambda: ORDERS.update(KEY).set(team=value),
        lambda: ORDERS.update(KEY).set({"team": value}),
        lambda: ORDERS.update(KEY).apply(parse_update("SET team = :v", values={":v": value})),
    ]
    for write in writes:
        error = refused(write)
        assert error.rule == rule
        assert "team" in error.place
        assert str(value) not in str(error) or value in (None, "", 1)
    assert UNKNOWN.put({**KEY, "team": value}).item["PK"] == {"S": "A#1"}


def test_nobody_needs_null_in_the_key_of_an_index() -> None:
    for write in (lambda: ORDERS.put({**KEY, "team": None}), lambda: ORDERS.update(KEY).set(team=None)):
        assert refused(write).fix == "leave it out: the item is then not in the index"
    request = {"TableName": "orders", "Item": {"PK": {"S": "a"}, "SK": {"S": "a"}, "team": {"NULL": True}}}
    words = "Type mismatch for Index Key team Expected: S Actual: NULL IndexName: by_sort"
    assert [problem.message for problem in lint(request, "PutItem", [ORDERS])] == [
        f"One or more parameter values were invalid: {words}"
    ]


def test_what_leaves_an_index_or_fits_it_is_taken() -> None:
    item = {**KEY, "team": "x" * 2048, "at": 10**30, "day": "x" * 1024}
    assert ORDERS.put(item).item["at"] == {"N": "1" + "0" * 30}
    assert ORDERS.put(KEY).item == {"PK": {"S": "A#1"}, "SK": {"S": "x"}}
    update = ORDERS.update(KEY).remove("team").add(at=1).set(day=Attr("team"), house=Attr("at") + 1)
    update = update.set(street=Attr("street").if_not_exists("High"))
    assert lint(update.to_request(), "UpdateItem", [ORDERS]) == []


def test_a_partition_key_that_an_index_sorts_by_has_the_shorter_limit() -> None:
    assert refused(lambda: ORDERS.put({**KEY, "PK": "x" * 1025})).rule == "index-key-length"
    assert UNKNOWN.put({**KEY, "PK": "x" * 1025}).item


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda update: update.add(team=1), "index-key-type"),
        (lambda update: update.add(at={1}), "index-key-type"),
        (lambda update: update.set(team=Attr("n") + 1), "index-key-type"),
        (lambda update: update.set(at=Attr("n").append([1])), "index-key-type"),
        (lambda update: update.set({Attr("team")["x"]: 1}), "key-path"),
        (lambda update: update.remove(Attr("team")[0]), "key-path"),
        (lambda update: update.add({Attr("team")["x"]: 1}), "key-path"),
        (lambda update: update.set(a=Attr("team")["x"]), "key-path"),
        (lambda update: update.set(a=Attr("PK")["x"]), "key-path"),
        (lambda update: update.set(a=Attr("x").if_not_exists(Attr("PK")["x"])), "key-path"),
        (lambda update: update.set({Attr("PK")["x"]: 1}), "update-key"),
    ],
)
def test_an_update_gives_the_key_of_an_index_no_other_type_and_goes_into_none(change: Any, rule: str) -> None:
    assert refused(lambda: change(ORDERS.update(KEY))).rule == rule
    if rule == "index-key-type":
        assert [problem.rule for problem in lint(change(UNKNOWN.update(KEY)).to_request(), "UpdateItem", [ORDERS])] == [
            rule
        ]


# --- Key conditions

PK = Key("PK").eq("A#1")


@pytest.mark.parametrize(
    ("condition", "index", "rule"),
    [
        (Key("PK").eq(""), None, "key-empty"),
        (Key("PK").eq(1), None, "key-type"),
        (Key("PK").eq(None), None, "key-type"),
        (PK & Key("SK").begins_with(""), None, "key-empty"),
        (PK & Key("SK").between("", "a"), None, "key-empty"),
        (PK & Key("SK").gt(b"a"), None, "key-type"),
        (PK & Key("SK").eq("x" * 1025), None, "key-length"),
        (Key("PK").eq("x" * 2049), None, "key-length"),
        (Key("team").eq("a") & Key("at").begins_with("1"), "by_team", "key-type"),
        (Key("team").eq("a") & Key("at").between("1", "2"), "by_team", "key-type"),
        (Key("team").eq(""), "by_team", "key-empty"),
        (Key("country").eq("GB"), "by_place", "key-condition"),
        (PK & Key("SK").eq("a") & Key("total").eq(1), None, "key-condition"),
        (PK & Attr("SK")["x"].eq("a"), None, "key-condition"),
        (PK & Key("PK").eq("b"), None, "key-condition"),
    ],
)
def test_a_key_condition_that_no_key_can_meet_is_refused_by_both(condition: Any, index: str | None, rule: str) -> None:
    query = ORDERS.query(condition)
    assert refused((query if index is None else query.on_index(index)).to_request).rule == rule


def test_of_an_undeclared_index_only_what_no_key_can_be_is_refused() -> None:
    wrong: list[tuple[Any, str]] = [("", "key-empty"), (True, "key-type")]
    for value, rule in wrong:
        assert refused(UNKNOWN.query(Key("g").eq(value)).on_index("by_team").to_request).rule == rule
    for right in ("a", 1, b"a"):
        assert UNKNOWN.query(Key("g").eq(right)).on_index("by_team").to_request()["IndexName"] == "by_team"


def test_a_sort_key_may_have_its_value_on_the_left() -> None:
    text = "PK = :p AND :low <= SK"
    values = {":p": "A#1", ":low": "m"}
    request = ORDERS.query(parse_key_condition(text, values=values)).start_from({"PK": "A#1", "SK": "n"}).to_request()
    assert lint(request, "Query", [ORDERS]) == []
    outside = ORDERS.query(parse_key_condition(text, values=values)).start_from({"PK": "A#1", "SK": "a"})
    assert refused(outside.to_request).rule == "start-key-range"


def test_empty_filters_and_unused_placeholders_come_before_the_key_condition() -> None:
    request = {
        "TableName": "orders",
        "KeyConditionExpression": "PK > :v",
        "ExpressionAttributeValues": {":v": {"N": "1"}, ":w": {"S": "x"}},
        "FilterExpression": "",
    }
    rules = [problem.rule for problem in lint(request, "Query", [ORDERS])]
    assert rules == ["expression-empty", "key-type"]
    del request["FilterExpression"]
    assert [problem.rule for problem in lint(request, "Query", [ORDERS])] == ["placeholder-unused", "key-type"]


def test_the_values_of_a_start_key_come_before_expressions() -> None:
    request = {
        "TableName": "orders",
        "KeyConditionExpression": "PK = ",
        "ExclusiveStartKey": {"PK": {"S": "a", "N": "1"}},
    }
    assert [problem.rule for problem in lint(request, "Query", [ORDERS])][:2] == ["attribute-value", "syntax"]


# --- Start keys


@pytest.mark.parametrize(
    ("start", "rules"),
    [
        ({"PK": {"S": "a"}}, ["start-key", "key-condition"]),
        ({"PK": {"N": "1"}, "SK": {"S": "a"}}, ["start-key", "key-condition"]),
        ({"PK": {"S": "a"}, "SK": {"N": "1"}}, ["key-condition", "start-key"]),
        ({"PK": {"S": "b"}, "SK": {"S": "a"}}, ["key-condition"]),
    ],
)
def test_the_names_of_a_start_key_come_before_the_key_condition_and_its_range_after(start: Any, rules: Any) -> None:
    request = {
        "TableName": "orders",
        "KeyConditionExpression": "PK > :p",
        "ExpressionAttributeValues": {":p": {"S": "a"}},
        "ExclusiveStartKey": start,
    }
    assert [problem.rule for problem in lint(request, "Query", [ORDERS])] == rules


@pytest.mark.parametrize(
    ("search", "start", "said"),
    [
        (ORDERS.query(PK), {"PK": "A#1"}, "the start key lacks SK"),
        (ORDERS.query(PK), {"SK": "a", "team": "a"}, "the start key lacks PK and holds team, no key of the table"),
        (ORDERS.query(PK), {"PK": "A#1", "SK": "a", "b": 1}, "the start key holds b, no key of the table"),
        (ORDERS.query(PK), {"PK": "A#1", "SK": 1}, "the start key's SK is of type N, the key is of type S"),
        (ORDERS.query(PK), {"PK": "A#1", "SK": ""}, "the start key's SK is empty"),
        (ORDERS.query(PK), {"PK": {"S": "A#1"}, "SK": {"S": "a"}}, "the start key holds AttributeValues"),
        (ORDERS.query(Key("team").eq("a")).on_index("by_team"), {"team": "a"}, "the start key lacks PK and SK and at"),
        (ORDERS.scan().on_index("by_team"), KEY, "the start key lacks team and at"),
        (ORDERS.scan().on_index("by_team"), {**KEY, "team": "a", "at": "1"}, "the start key's at is of type S"),
        (ORDERS.scan(), {"PK": None, "SK": "a"}, "the start key's PK is of type NULL"),
        (UNKNOWN.scan().on_index("by_team"), {**KEY, "g": ["a"]}, "the start key's g is of type L"),
        (UNKNOWN.scan().on_index("by_team"), {"g": "a"}, "the start key lacks PK and SK"),
    ],
)
def test_a_start_key_has_exactly_the_keys_of_what_is_read(search: Any, start: Any, said: str) -> None:
    error = refused(search.start_from(start).to_request)
    assert (error.rule, error.place) == ("start-key", f'{search.operation} "orders", ExclusiveStartKey')
    assert error.message.startswith(said)


@pytest.mark.parametrize("start", [{}, "A#1", [("PK", "A#1")], 3])
def test_a_start_key_that_is_none_is_refused_at_once(start: Any) -> None:
    assert refused(lambda: ORDERS.query(PK).start_from(start)).rule == "start-key"


@pytest.mark.parametrize("start", [{}, {"PK": {"NULL": True}}, {"PK": {"S": ""}}, {"PK": {"M": {"S": {"S": "a"}}}}])
def test_of_an_undeclared_table_only_what_is_no_key_at_all_is_refused_as_a_start_key(start: Any) -> None:
    for index in ({}, {"IndexName": "by_team"}):
        request = {"TableName": "orders", "ExclusiveStartKey": start, **index}
        assert [problem.rule for problem in lint(request, "Scan")] == ["start-key"]
        assert lint({**request, "ExclusiveStartKey": {"PK": {"S": "a"}, "b": {"N": "1"}}}, "Scan") == []


def test_a_start_key_of_the_low_level_client_is_named_with_its_fix() -> None:
    last: Any = {"PK": {"S": "A#1"}, "SK": {"S": "a"}}
    assert refused(ORDERS.query(PK).start_from(last).to_request).fix == "start_from(from_item(last_key))"
    assert ORDERS.query(PK).start_from(from_item(last)).to_request()["ExclusiveStartKey"] == last


@pytest.mark.parametrize(
    ("test", "inside", "outside"),
    [
        (Key("SK").eq("m"), "m", "n"),
        (Key("SK").lt("m"), "l", "m"),
        (Key("SK").lte("m"), "m", "ma"),
        (Key("SK").gt("m"), "n", "m"),
        (Key("SK").gte("m"), "m", "l"),
        (Key("SK").between("b", "d"), "d", "da"),
        (Key("SK").begins_with("ab"), "abc", "b"),
    ],
)
def test_a_start_key_fits_the_key_condition(test: Any, inside: str, outside: str) -> None:
    query = ORDERS.query(PK & test)
    assert query.start_from({"PK": "A#1", "SK": inside}).to_request()["ExclusiveStartKey"]["SK"] == {"S": inside}
    assert refused(query.start_from({"PK": "A#1", "SK": outside}).to_request).rule == "start-key-range"
    assert refused(query.start_from({"PK": "A#2", "SK": inside}).to_request).rule == "start-key-range"


def test_numbers_in_start_keys_compare_as_numbers() -> None:
    table = Table("t", ("n", "N"), "SK")
    request = {
        "TableName": "t",
        "KeyConditionExpression": "n = :n",
        "ExpressionAttributeValues": {":n": {"N": "1.0"}},
        "ExclusiveStartKey": {"n": {"N": "1"}, "SK": {"S": "a"}},
    }
    assert lint(request, "Query", [table]) == []


def test_a_start_key_belongs_to_the_query_alone() -> None:
    last = {"PK": "A#1", "SK": "a"}
    query = ORDERS.query(PK).start_from(last)
    last["SK"] = "b"
    request: Any = query.to_request()
    request["ExclusiveStartKey"]["SK"]["S"] = "c"
    del request["ExclusiveStartKey"]["PK"]
    assert query.to_request()["ExclusiveStartKey"] == {"PK": {"S": "A#1"}, "SK": {"S": "a"}}
    assert "ExclusiveStartKey" not in query.start_from(None).to_request()


# --- Filters and projections


def test_a_global_index_is_asked_only_for_what_it_holds() -> None:
    team = ORDERS.query(Key("team").eq("a")).on_index("by_team")
    for search, place in (
        (team.select("ALL_ATTRIBUTES"), "Select"),
        (ORDERS.scan().on_index("by_team").select("ALL_ATTRIBUTES"), "Select"),
        (team.project("total", "note"), "ProjectionExpression"),
        (ORDERS.scan().on_index("by_team").project(Attr("note")["x"]), "ProjectionExpression"),
        (team.filter(Attr("note").exists()), "FilterExpression"),
        (team.project("total").filter(Attr("note").exists()), "FilterExpression"),
    ):
        error = refused(search.to_request)
        assert error.rule == "index-projection"
        assert error.place.endswith(place)
    for search in (
        team.project("total", "PK", "SK", "at"),
        team.filter(Attr("total").gt(1) & Attr("PK").exists()).select("ALL_PROJECTED_ATTRIBUTES"),
        ORDERS.scan().on_index("by_team").filter(Attr("note").exists()),
        ORDERS.scan().on_index("by_place").select("ALL_ATTRIBUTES").filter(Attr("note").exists()),
        ORDERS.query(PK).on_index("by_day").select("ALL_ATTRIBUTES"),
        ORDERS.query(PK).on_index("by_day").project("note"),
        ORDERS.scan().on_index("by_sort").select("ALL_ATTRIBUTES"),
    ):
        assert lint(search.to_request(), search.operation, [ORDERS]) == []


@pytest.mark.parametrize("path", [Attr("PK")["x"], Attr("SK")[0], Attr("team")["x"], Attr("house")[1]])
def test_no_read_goes_into_a_key(path: Any) -> None:
    reads: list[Callable[[], Any]] = [
        lambda: ORDERS.get(KEY, [path]),
        lambda: TransactGet(ORDERS.get(KEY, [path])),
        ORDERS.scan().project(path).to_request,
        ORDERS.scan().filter(path.exists()).to_request,
        ORDERS.query(PK).project(path).to_request,
    ]
    for read in reads:
        assert refused(read).rule == "key-path"
    rule = refused(ORDERS.query(PK).filter(path.exists()).to_request).rule
    assert rule == ("filter-key" if path.segments[0] in ("PK", "SK") else "key-path")


def test_attributes_with_odd_names_are_keys_like_any_other() -> None:
    table = Table("t", "FROM#TO", "a.b")
    key = {"FROM#TO": "LHR#JFK", "a.b": "1"}
    batch = BatchWrite(table.put({**key, "n": 1}), table.delete({**key, "a.b": "2"}))
    (request,) = batch.to_requests()
    assert lint(request, "BatchWriteItem", [table]) == []
    assert request["RequestItems"]["t"][1] == {
        "DeleteRequest": {"Key": {"FROM#TO": {"S": "LHR#JFK"}, "a.b": {"S": "2"}}}
    }


# --- ARNs

ARN = "arn:aws:dynamodb:{}:{}:table/orders"
HERE, THERE = ARN.format("eu-west-1", "111122223333"), ARN.format("us-east-1", "111122223333")


def get(table: str, sort: str = "x") -> dict[str, Any]:
    return {"Get": {"TableName": table, "Key": {"PK": {"S": "a"}, "SK": {"S": sort}}}}


def test_two_arns_are_two_tables_and_a_name_is_the_table_of_the_only_arn() -> None:
    def rules(*actions: Any) -> list[str]:
        return [problem.rule for problem in lint({"TransactItems": actions}, "TransactGetItems")]

    assert rules(get(HERE), get("orders")) == ["transaction-same-item"]
    assert rules(get(HERE), get(HERE)) == ["transaction-same-item"]
    assert rules(get(HERE), get(THERE)) == ["transaction-region"]
    assert rules(get(HERE), get(HERE, "y"), get("orders", "z")) == []
    keys = [{"PK": {"S": "a"}, "SK": {"S": "x"}}]
    assert lint({"RequestItems": {HERE: {"Keys": keys}, THERE: {"Keys": keys}}}, "BatchGetItem") == []
    same = lint({"RequestItems": {HERE: {"Keys": keys}, "orders": {"Keys": keys}}}, "BatchGetItem")
    assert [problem.rule for problem in same] == ["batch-same-item"]


def test_a_declaration_by_name_is_of_any_arn_but_one_by_arn_is_of_that_alone() -> None:
    by_name, by_arn = Table("orders", "PK"), Table(HERE, "PK", "SK")
    request = {"TableName": HERE, "Key": {"PK": {"S": "a"}}}
    other = {**request, "TableName": THERE}

    def rules(body: Any, *tables: Table) -> list[str]:
        return [problem.rule for problem in lint(body, "GetItem", tables)]

    assert rules(request, by_name) == rules(other, by_name) == []
    assert rules(request, by_arn) == rules(request, by_name, by_arn) == ["key-schema"]
    assert rules(other, by_arn) == rules(other, by_name, by_arn) == []
    assert rules({**request, "TableName": "orders"}, by_arn) == ["key-schema"]
