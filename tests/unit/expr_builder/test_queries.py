"""Queries and scans: whole requests, pages, and key conditions that DynamoDB would refuse."""

from __future__ import annotations

from typing import Any

import pytest

from expr_builder import Attr, BuildError, Index, Key, Table

orders = Table(
    "orders",
    "PK",
    "SK",
    indexes={
        "by_date": Index("user_id", "created_at"),
        "local": Index("PK", ("rank", "N"), local=True),
        "by_place": Index(["country", "city"], ["street", ("number", "N")]),
    },
)
undeclared = Table("orders", "PK", "SK")
PK = Key("PK").eq("A#1")
UNEQUAL_STREET = (
    "RANGE key attributes street must have equality conditions specified in the query because a condition is present "
    "on key attribute number"
)


class Pages:
    """A client that answers one page after the other; notes what it was sent."""

    def __init__(self, *pages: dict[str, Any]) -> None:
        self.left = list(pages)
        self.sent: list[dict[str, Any]] = []

    def query(self, **request: Any) -> dict[str, Any]:
        self.sent.append(request)
        return self.left.pop(0)

    scan = query


def test_the_query_of_the_design_is_the_arguments_of_query() -> None:
    query = (
        orders.query(PK & Key("SK").begins_with("ORDER#"))
        .filter(Attr("status") == "open")
        .filter(Attr("total").gt(5) | Attr("gift").exists())
        .project("total", Attr("address")["city"])
        .descending()
        .limit(10)
        .consistent()
        .start_from({"PK": "A#1", "SK": "ORDER#7"})
    )
    assert query.to_request() == {
        "TableName": "orders",
        "KeyConditionExpression": "PK = :v0 AND begins_with(SK, :v1)",
        "FilterExpression": "#n0 = :v2 AND (#n1 > :v3 OR attribute_exists(gift))",
        "ProjectionExpression": "#n1, address.city",
        "ExpressionAttributeNames": {"#n0": "status", "#n1": "total"},
        "ExpressionAttributeValues": {
            ":v0": {"S": "A#1"},
            ":v1": {"S": "ORDER#"},
            ":v2": {"S": "open"},
            ":v3": {"N": "5"},
        },
        "Limit": 10,
        "ConsistentRead": True,
        "ExclusiveStartKey": {"PK": {"S": "A#1"}, "SK": {"S": "ORDER#7"}},
        "ScanIndexForward": False,
    }


def test_a_query_of_an_index() -> None:
    query = orders.query(Key("user_id").eq("u") & Key("created_at").between("2026", "2027")).on_index("by_date")
    assert query.ascending().select("ALL_PROJECTED_ATTRIBUTES").to_request() == {
        "TableName": "orders",
        "IndexName": "by_date",
        "KeyConditionExpression": "user_id = :v0 AND created_at BETWEEN :v1 AND :v2",
        "ExpressionAttributeValues": {":v0": {"S": "u"}, ":v1": {"S": "2026"}, ":v2": {"S": "2027"}},
        "Select": "ALL_PROJECTED_ATTRIBUTES",
    }


def test_a_scan_in_segments() -> None:
    parts = orders.scan().filter(Attr("a").exists()).segments(2)
    assert [part.to_request() for part in parts] == [
        {"TableName": "orders", "FilterExpression": "attribute_exists(a)", "Segment": number, "TotalSegments": 2}
        for number in (0, 1)
    ]


@pytest.mark.parametrize(
    ("condition", "index"),
    [
        (PK, None),
        (Key("SK").gte("5") & PK, None),
        (Key("country").eq("GB") & Key("city").eq("Bath"), "by_place"),
        (Key("country").eq("GB") & Key("city").eq("Bath") & Key("street").eq("High") & Key("number").lt(9), "by_place"),
        (PK & Key("rank").between(1, 2), "local"),
    ],
)
def test_key_conditions_that_fit_the_keys(condition: Any, index: str | None) -> None:
    query = orders.query(condition)
    assert (query.on_index(index) if index else query).to_request()["KeyConditionExpression"]


@pytest.mark.parametrize(
    ("condition", "index", "message"),
    [
        (Key("SK").eq("x"), None, "Query condition missed key schema element: PK"),
        (Key("PK").gt("x"), None, "Query key condition not supported"),
        (PK & Key("other").eq(1), None, "Query condition missed key schema element: SK"),
        (PK, "by_date", "Query condition missed key schema element: user_id"),
        (Key("country").eq("GB"), "by_place", "Query condition missed key schema element: city"),
        (
            Key("country").eq("GB") & Key("city").eq("Bath") & Key("number").eq(1),
            "by_place",
            UNEQUAL_STREET,
        ),
        (
            Key("country").eq("GB") & Key("city").eq("Bath") & Key("street").gt("A") & Key("number").eq(1),
            "by_place",
            UNEQUAL_STREET,
        ),
        (PK | Key("SK").eq(1), None, "Invalid operator used in KeyConditionExpression: OR"),
        (PK & Attr("SK").ne(1), None, "Invalid operator used in KeyConditionExpression: <>"),
        (PK & Attr("SK").is_in([1]), None, "Invalid operator used in KeyConditionExpression: IN"),
        (PK & Attr("SK").contains("x"), None, "Invalid operator used in KeyConditionExpression: contains"),
        (PK & ~Attr("SK").eq("x"), None, "Invalid operator used in KeyConditionExpression: NOT"),
        (
            PK & Key("SK").gt(1) & Key("SK").lt(2),
            None,
            "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key",
        ),
    ],
)
def test_key_conditions_that_dynamodb_refuses(condition: Any, index: str | None, message: str) -> None:
    query = orders.query(condition)
    with pytest.raises(BuildError) as caught:
        (query.on_index(index) if index else query).to_request()
    assert (caught.value.rule, caught.value.message) == ("key-condition", message)
    assert caught.value.place == 'Query "orders", KeyConditionExpression'


def test_an_index_that_was_not_declared_is_trusted_when_none_was() -> None:
    assert undeclared.query(Key("anything").eq(1)).on_index("GSI1").to_request()["IndexName"] == "GSI1"
    with pytest.raises(BuildError) as caught:
        orders.query(PK).on_index("by_rank").to_request()
    assert caught.value.rule == "index-unknown"


@pytest.mark.parametrize(
    ("make", "rule"),
    [
        (lambda: orders.query("PK = 1"), "condition-operand"),  # type: ignore[arg-type]
        (lambda: orders.query(PK).filter(Attr("a")), "condition-operand"),  # type: ignore[arg-type]
        (lambda: orders.query(PK).filter(Attr("SK") == "x").to_request(), "filter-key"),
        (lambda: orders.query(PK).filter(Attr("a").eq(1) & ~Attr("PK").size().eq(1)).to_request(), "filter-key"),
        (lambda: orders.query(PK).limit(0), "limit-value"),
        (lambda: orders.query(PK).limit(True), "limit-value"),
        (lambda: orders.query(PK).select("EVERYTHING"), "select-value"),
        (lambda: orders.query(PK).project("a").select("COUNT").to_request(), "select-projection"),
        (lambda: orders.query(PK).select("SPECIFIC_ATTRIBUTES").to_request(), "select-projection"),
        (lambda: orders.query(PK).start_from({"PK": set()}).to_request(), "set-empty"),
        (
            lambda: orders.query(Key("user_id").eq(1)).on_index("by_date").consistent().to_request(),
            "index-consistent",
        ),
        (lambda: orders.scan().segment(2, 2), "scan-segment"),
        (lambda: orders.scan().segment(0, 0), "scan-segment"),
        (lambda: orders.scan().segment(0, 1_000_001), "scan-segment"),
        (lambda: orders.scan().segment(0.0, 1), "scan-segment"),  # type: ignore[arg-type]
        (lambda: Index(()), "key-definition"),
        (lambda: Index("a", ["b", "c", "d", "e", "f"]), "key-definition"),
        (lambda: Index("a", ["b", ""]), "key-definition"),
    ],
)
def test_what_does_not_fit_is_refused(make: Any, rule: str) -> None:
    with pytest.raises(BuildError) as caught:
        make()
    assert caught.value.rule == rule


def test_a_filter_may_look_inside_an_attribute_that_has_a_keys_name_deeper_down() -> None:
    assert orders.query(PK).filter(Attr("a")["PK"] == 1).to_request()["FilterExpression"] == "a.PK = :v1"


def test_local_indexes_can_be_read_consistently() -> None:
    assert orders.query(PK).on_index("local").consistent().to_request()["ConsistentRead"] is True


def test_items_of_all_pages_are_read_lazily_even_past_an_empty_page() -> None:
    client: Any = Pages(
        {"Items": [{"n": {"N": "1"}}], "LastEvaluatedKey": {"PK": {"S": "1"}}},
        {"Items": [], "LastEvaluatedKey": {"PK": {"S": "2"}}},
        {"Items": [{"n": {"N": "2"}}]},
    )
    items = orders.query(PK).items(client)
    assert client.sent == []
    assert next(items) == {"n": 1}
    assert len(client.sent) == 1
    assert list(items) == [{"n": 2}]
    assert [request.get("ExclusiveStartKey") for request in client.sent] != [None, None, None]
    assert client.left == []


def test_one_page_tells_where_the_next_starts() -> None:
    client: Any = Pages(
        {
            "Items": [{"n": {"N": "1"}}],
            "LastEvaluatedKey": {"PK": {"S": "1"}, "SK": {"S": "2"}},
            "Count": 1,
            "ScannedCount": 4,
        },
        {},
    )
    page = orders.scan().page(client)
    assert (page.items, page.last_key, page.count, page.scanned) == ([{"n": 1}], {"PK": "1", "SK": "2"}, 1, 4)
    last = orders.scan().start_from(page.last_key).page(client)
    assert (last.items, last.last_key, last.count, last.scanned) == ([], None, 0, 0)
    assert client.sent[1]["ExclusiveStartKey"] == {"PK": {"S": "1"}, "SK": {"S": "2"}}


def test_counting_adds_up_all_pages() -> None:
    client: Any = Pages({"Count": 3, "LastEvaluatedKey": {"PK": {"S": "1"}}}, {"Count": 2})
    assert orders.query(PK).project("a").count(client) == 5
    assert client.sent[0]["Select"] == "COUNT"
    assert "ProjectionExpression" not in client.sent[0]


def test_a_query_knows_its_table() -> None:
    assert orders.query(PK).table is orders.scan().table is orders
