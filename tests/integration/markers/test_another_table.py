"""``expr-builder markers`` on any table for which a ``Unique`` is declared, with no accounts anywhere."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from expr_builder import from_item
from expr_builder.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_dynamodb import DynamoDBClient

    Run = Callable[..., tuple[int, str, str]]

DECLARED = ("--unique", "shop.schema:unique", "--record-prefix", "P#")


@pytest.fixture
def run(shop: DynamoDBClient, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command in this process, in one thread, as moto's transactions do not bear several."""

    def command(name: str, *arguments: str) -> tuple[int, str, str]:
        threads = () if name == "show" else ("--segments", "1")
        code = main(["markers", name, *DECLARED, *threads, *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return command


def put(client: DynamoDBClient, **item: str) -> None:
    client.put_item(TableName="shop", Item={name: {"S": value} for name, value in item.items()})


def stored(client: DynamoDBClient) -> list[dict[str, Any]]:
    items = map(from_item, client.scan(TableName="shop")["Items"])
    return sorted(items, key=lambda item: str(item["id"]))


@pytest.fixture(autouse=True)
def damage(shop: DynamoDBClient) -> None:
    """A record without its marker, one without a value that holds a marker, and an item of another kind."""
    put(shop, id="P#1", sku="a")
    put(shop, id="P#2")
    put(shop, id="SKU#b", owner="P#2")
    put(shop, id="N#1", sku="n")


def test_an_audit_finds_what_is_wrong_and_changes_nothing(shop: DynamoDBClient, run: Run) -> None:
    before = stored(shop)

    code, output, errors = run("audit", "--format", "json")

    assert (code, errors) == (1, "")
    assert [json.loads(line) for line in output.splitlines()] == [
        {"kind": "double", "field": "sku", "marker": "SKU#b", "holder": {"S": "P#2"}},
        {"kind": "missing", "field": "sku", "marker": "SKU#a", "record": {"S": "P#1"}},
        {
            "summary": {
                "complete": True,
                "records": 2,
                "markers": 1,
                "others": 1,
                "findings": {"double": 1, "missing": 1},
            }
        },
    ]
    assert stored(shop) == before


def test_a_backfill_adds_the_missing_marker_and_leaves_the_rest(shop: DynamoDBClient, run: Run) -> None:
    assert run("backfill") == (0, "2 records and 1 marker read, 1 marker added: no findings.\n", "")
    assert {"id": "SKU#a", "owner": "P#1"} in stored(shop)
    assert {"id": "SKU#b", "owner": "P#2"} in stored(shop)


def test_a_repair_mends_both(shop: DynamoDBClient, run: Run) -> None:
    assert run("repair") == (
        0,
        (
            "mended  double  sku  SKU#b  holder P#2\n"
            "mended  missing  sku  SKU#a  record P#1\n"
            "2 mended.\n"
            "Audited again:\n"
            "2 records and 1 marker read: no findings.\n"
        ),
        "",
    )
    assert [item["id"] for item in stored(shop)] == ["N#1", "P#1", "P#2", "SKU#a"]


def test_a_dry_run_names_the_partition_key_alone(run: Run) -> None:
    assert run("repair", "--dry-run")[:2] == (
        1,
        (
            "planned  double  sku  SKU#b  holder P#2\n"
            "    ConditionCheck id = 'P#2'\n"
            "      if attribute_exists(id) AND (attribute_not_exists(sku) OR sku = null)\n"
            "    Delete id = 'SKU#b'\n"
            "      if attribute_exists(id) AND owner = 'P#2'\n"
            "planned  missing  sku  SKU#a  record P#1\n"
            "    ConditionCheck id = 'P#1'\n"
            "      if attribute_exists(id) AND sku = 'a'\n"
            "    Put id = 'SKU#a', owner = 'P#1'\n"
            "      if attribute_not_exists(id)\n"
            "2 planned.\n"
        ),
    )


def test_show_tells_who_holds_a_value(run: Run) -> None:
    assert run("show", "b")[:2] == (
        1,
        (
            "sku: held by P#2 (through SKU#b) - "
            "double: a marker beside the right one: it blocks a value that its holder does not have.\n"
            "    FIELD  RECORD  MARKER  HOLDER  VERDICT\n"
            "    sku    -       -       -       fine\n"
        ),
    )
