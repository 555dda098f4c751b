"""Which attribute of a key a problem is about, and the sizes at which it begins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from expr_builder import Table, lint

if TYPE_CHECKING:
    from collections.abc import Mapping

# The sort key comes first by alphabet and in every key below: what counts is its place in the declaration.
TABLE = Table("t", partition_key="partition", sort_key="a_sort")
LONGEST = {"partition": 2048, "a_sort": 1024}
INVALID = "One or more parameter values were invalid: "
TOO_LONG = {
    "partition": f"{INVALID}Size of hashkey has exceeded the maximum size limit of2048 bytes",
    "a_sort": f"{INVALID}Aggregated size of all range keys has exceeded the size limit of 1024 bytes",
}


def key(sizes: Mapping[str, int], tag: str = "S") -> dict[str, Any]:
    """A key whose attributes have so many bytes."""
    return {name: {tag: "x" * sizes.get(name, 1)} for name in ("a_sort", "partition")}


def told(operation: str, sent: dict[str, Any], *, declared: bool = True) -> list[tuple[str, str, str]]:
    member = "Item" if operation == "PutItem" else "Key"
    problems = lint({"TableName": "t", member: sent}, operation, tables=[TABLE] if declared else [])
    return [(problem.pointer.removeprefix(f"/{member}"), problem.rule, problem.message) for problem in problems]


@pytest.mark.parametrize("operation", ["PutItem", "GetItem", "DeleteItem"])
@pytest.mark.parametrize("name", LONGEST)
def test_each_attribute_of_a_declared_key_has_its_own_longest_size(name: str, operation: str) -> None:
    assert told(operation, key({name: LONGEST[name]})) == []
    assert told(operation, key({name: LONGEST[name] + 1})) == [(f"/{name}", "key-length", TOO_LONG[name])]


@pytest.mark.parametrize("operation", ["PutItem", "GetItem"])
def test_both_attributes_of_a_key_are_looked_at(operation: str) -> None:
    assert [pointer for pointer, *_ in told(operation, key({"partition": 2049, "a_sort": 1025}))] == [
        "/partition",
        "/a_sort",
    ]
    assert [pointer for pointer, *_ in told(operation, key({"partition": 0, "a_sort": 0}, tag="B"))] == [
        "/partition",
        "/a_sort",
    ]


@pytest.mark.parametrize("name", LONGEST)
def test_of_an_undeclared_key_nobody_knows_which_attribute_sorts(name: str) -> None:
    # Each may be the partition key, so each may have its size.
    assert told("GetItem", key({name: 2048}), declared=False) == []
    assert told("GetItem", key({name: 2049}), declared=False) == [(f"/{name}", "key-length", TOO_LONG["partition"])]


@pytest.mark.parametrize("operation", ["PutItem", "GetItem"])
def test_a_key_attribute_of_another_type_is_named(operation: str) -> None:
    for name in LONGEST:
        assert [found[:2] for found in told(operation, {**key({}), name: {"N": "1"}})] == [(f"/{name}", "key-type")]


def test_a_number_has_no_longest_size_in_bytes() -> None:
    numbered = Table("t", partition_key=("id", "N"))

    assert lint({"TableName": "t", "Key": {"id": {"N": "9" * 38}}}, "GetItem", tables=[numbered]) == []


@pytest.mark.parametrize(("attributes", "refused"), [(0, True), (1, False), (2, False), (3, True)])
def test_an_undeclared_key_has_one_or_two_attributes(attributes: int, refused: bool) -> None:
    sent = {f"k{number}": {"S": "x"} for number in range(attributes)}

    assert [rule for _, rule, _ in told("GetItem", sent, declared=False)] == (["key-schema"] if refused else [])


@pytest.mark.parametrize("name", ["t", "arn:aws:dynamodb:us-east-1:123456789012:table/t"])
def test_a_table_is_known_by_its_name_or_its_arn(name: str) -> None:
    request = {"TableName": name, "Key": {"partition": {"S": "x"}}}

    assert [problem.rule for problem in lint(request, "GetItem", tables=[TABLE])] == ["key-schema"]
    assert lint({**request, "TableName": f"{name}2"}, "GetItem", tables=[TABLE]) == []
