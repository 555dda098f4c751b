"""Which item is a record and which is whose marker, in tables of every shape."""

from __future__ import annotations

from typing import Any

import pytest

from expr_builder import Marker, Table, Unique
from expr_builder.markers import Layout
from expr_builder.markers.layout import Unkeyed

SKU = Marker("SKU#{}#UNIQUE", normalize=str.lower, optional=True)
# Records under a key of their own, which only a rule leads to.
PRODUCTS = Layout(
    Unique(Table("shop", partition_key="PK", sort_key="SK"), owner="id", sku=SKU),
    record_key=lambda owner: {"PK": f"PRODUCT#{owner}", "SK": "HEAD"},
)
# A partition key alone, which is the owner.
PEOPLE = Layout(Unique(Table("people", partition_key="id"), owner="id", name=Marker("NAME#{}")), record_prefix="P#")


def test_owners_can_lead_to_records_by_a_rule_of_the_tables_own() -> None:
    product = {"PK": "PRODUCT#7", "SK": "HEAD", "id": 7, "sku": "A-1"}

    assert PRODUCTS.is_record(product)
    assert not PRODUCTS.is_record({**product, "id": 8})
    assert not PRODUCTS.is_record({"PK": "PRODUCT#7", "SK": "HEAD"})
    assert PRODUCTS.find_record_key(7) == {"PK": "PRODUCT#7", "SK": "HEAD"}


def test_a_marker_is_known_by_both_ends_of_its_template_and_by_its_sort_key() -> None:
    assert PRODUCTS.find_field({"PK": "SKU#a-1#UNIQUE", "SK": "LOCK"}) == "sku"
    assert PRODUCTS.find_field({"PK": "SKU#a-1", "SK": "LOCK"}) is None
    assert PRODUCTS.find_field({"PK": "SKU#a-1#UNIQUE", "SK": "NOTE"}) is None
    assert PRODUCTS.split_key("sku", "SKU#a-1#UNIQUE") == ("SKU#", "a-1", "#UNIQUE")


def test_in_a_table_without_a_sort_key_the_partition_key_tells() -> None:
    assert PEOPLE.find_field({"id": "NAME#ada"}) == "name"
    assert PEOPLE.is_record({"id": "P#1", "name": "ada"})
    assert not PEOPLE.is_record({"id": "NAME#ada", "owner": "P#1"})
    assert not PEOPLE.is_record({"id": "ORDER#1"})
    assert PEOPLE.make_marker_key("name", "NAME#ada") == {"id": "NAME#ada"}
    assert PEOPLE.find_record_key("P#1") == {"id": "P#1"}
    assert PEOPLE.attributes == ("id", "owner", "name")


def test_a_value_leads_to_its_marker_normalised() -> None:
    assert PRODUCTS.require_markers({"sku": "A-1"}, "sku") == ("SKU#a-1#UNIQUE",)
    assert PRODUCTS.require_markers({}, "sku") == ()  # the field is optional
    with pytest.raises(Unkeyed, match=r"^not a value that name can have$"):
        PEOPLE.require_markers({"id": "P#1"}, "name")
    assert PEOPLE.find_markers({"id": "P#1"}, "name") == PEOPLE.find_markers(None, "name") == ()


@pytest.mark.parametrize("owner", [None, "", 7, b"x", ["P#1"]])
def test_what_cannot_be_a_key_owns_nothing(owner: Any) -> None:
    assert PEOPLE.find_record_key(owner) is None
