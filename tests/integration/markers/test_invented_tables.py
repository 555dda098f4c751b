"""Tables that nobody thought of: any declaration over any contents, and every command through them."""

from __future__ import annotations

import time
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from expr_builder import Marker, Unique, from_item, to_item
from expr_builder.markers import (
    KeepExtreme,
    KeepFirst,
    Kind,
    Layout,
    Mender,
    Outcome,
    ScanOptions,
    audit,
    backfill,
    plan,
    retire,
    show,
)
from tests.support.museum import HEADS, SORTS, TABLES, create_declared

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from expr_builder import Table

ONE_THREAD = ScanOptions(segments=1, page_items=4)  # moto's transactions do not bear several threads


def fold(value: str) -> str:
    """Lower case; of some old values it makes nothing."""
    return value.lower() if value != "!" else str(1 // 0)


def shapes(sort: Any) -> dict[str, list[Marker]]:
    """Rules by the field that can have them."""
    more = {"sort": sort, "optional": True}
    return {
        "email": [
            Marker("EMAIL#{}", normalize=fold, sort=sort),
            Marker("EMAIL#{}", normalize=fold, previous=[Marker("OLD#{}", sort=sort)], **more),
            Marker("EMAIL#{}", normalize=fold, previous=[Marker("EMAIL#{}", sort=sort)], sort=sort),
            Marker("EMAIL#{}", digest=True, **more),
        ],
        "phone": [Marker("PHONE#{}", hold=timedelta(days=1), **more), Marker("PHONE#{}#X", **more)],
        "slug": [Marker("ORG#{org}#SLUG#{}", **more), Marker("ORG#{place.org}#{}", hold=timedelta(1), **more)],
        "aliases": [Marker("ALIAS#{}", each=True, **more), Marker("ALIAS#{org}#{}", each=True, digest=b"s", **more)],
    }


_WORDS = ["a", "A", "b", "!", "", "a#SLUG#b"]
_ODD = st.sampled_from([1, None, ["a"], b"a", {"a"}, {"org": "a"}, Decimal("1.5"), True])
_ATTRIBUTES = {
    "email": st.sampled_from(_WORDS) | _ODD,
    "phone": st.sampled_from(_WORDS) | _ODD,
    "slug": st.sampled_from(_WORDS) | _ODD,
    "org": st.sampled_from(["o", "p", 7, None]),
    "place": st.sampled_from([{"org": "o"}, {"org": 7}, {}, "o", None]),
    "aliases": st.lists(st.sampled_from(_WORDS), max_size=3) | st.sampled_from([{"a", "b"}, {"a"}]) | _ODD,
    "at": st.sampled_from([1, 2, "2026", None]),
}
_KEYS = ["EMAIL#a", "EMAIL#A", "OLD#A", "OLD#a", "EMAIL#" + "0" * 64, "PHONE#a", "PHONE#a#X", "ORG#o#SLUG#a", "ORG#7#a"]
_KEYS += ["ALIAS#a", "ALIAS#b", "ALIAS#", "ORDER#1", "x"]
_OWNERS = st.sampled_from(["P#1", "P#2", "P#9", "RESERVED", "EMAIL#a"]) | _ODD
_PAST_AND_FUTURE = st.sampled_from([1, int(time.time()) + 10**6, "soon", None])

_RECORDS: st.SearchStrategy[dict[str, dict[str, Any]]] = st.dictionaries(
    st.sampled_from(["P#1", "P#2", "P#3"]), st.fixed_dictionaries({}, optional=_ATTRIBUTES), max_size=3
)
_OTHERS: st.SearchStrategy[dict[str, dict[str, Any]]] = st.dictionaries(
    st.sampled_from(_KEYS),
    st.fixed_dictionaries(
        {}, optional={"owner": _OWNERS, "free_at": _PAST_AND_FUTURE, "note": st.just("x"), "email": st.just("a")}
    ),
    max_size=6,
)
_DECIDED = {Kind.DUPLICATE, Kind.INVALID, Kind.RESERVED, Kind.HELD, Kind.ORPHAN}


@pytest.fixture(params=[*TABLES.values()], ids=[*TABLES])
def table(request: pytest.FixtureRequest, moto: DynamoDBClient) -> Table:
    table: Table = request.param
    create_declared(moto, table)
    return table


def stored(client: DynamoDBClient) -> dict[str, dict[str, Any]]:
    return {repr(item["PK"]): item for item in map(from_item, client.scan(TableName="museum")["Items"])}


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_every_command_goes_through_any_table(table: Table, moto: DynamoDBClient, data: st.DataObject) -> None:
    kinds = table.key_schema.types
    sort, head = SORTS[kinds.get("SK")], HEADS[kinds.get("SK")]
    binary = kinds["PK"] == "B"
    rules = shapes(sort)
    fields = data.draw(st.lists(st.sampled_from([*rules]), min_size=1, max_size=3, unique=True))
    unique = Unique(table, {field: data.draw(st.sampled_from(rules[field])) for field in fields}, owner="PK")
    prefix = "" if binary else data.draw(st.sampled_from(["", "P#"]))
    layout = Layout(unique, record_sort=head, record_prefix=prefix)
    keep = data.draw(st.sampled_from([None, KeepFirst(), KeepExtreme("at"), KeepExtreme("at", newest=True)]))

    def place(name: str, at: Any, attributes: dict[str, Any]) -> dict[str, Any]:
        key = dict(zip(kinds, (name.encode() if binary else name, at), strict=False))
        owner = attributes.get("owner")
        return {**attributes, **({"owner": owner.encode()} if binary and isinstance(owner, str) else {}), **key}

    for item in moto.scan(TableName=table.name)["Items"]:
        moto.delete_item(TableName=table.name, Key={name: item[name] for name in kinds})
    for at, contents in ((head, data.draw(_RECORDS)), (sort, data.draw(_OTHERS))):
        for name, attributes in contents.items():
            moto.put_item(TableName=table.name, Item=to_item(place(name, at, {**attributes})))
    before = stored(moto)

    # What reads changes nothing.
    found = audit(layout, moto, ONE_THREAD).findings
    with plan(layout, moto, ONE_THREAD, keep=keep) as planned:
        groups = [*planned.list_groups()]
        assert [*planned.list_invalid()] == [one for one in found if one.kind is Kind.INVALID]
    for value in ("a", "o#SLUG#a", "P#1", "!", ""):
        show(layout, moto, value, scan=ONE_THREAD)
    backfill(layout, moto, ONE_THREAD, plan=lambda _: None, keep=keep)
    retire(layout, moto, ONE_THREAD, plan=lambda _: None)
    assert stored(moto) == before

    # What writes changes markers of the declaration alone.
    mender = Mender(layout, moto)
    for finding in found:
        mender.mend(finding)
    backfill(layout, moto, ONE_THREAD, keep=keep)
    for finding in audit(layout, moto, ONE_THREAD).findings:
        mender.mend(finding)
    after = stored(moto)
    for name in before.keys() | after.keys():
        if after.get(name) != before.get(name):
            item = after.get(name) or before[name]
            field = layout.find_field(item)
            assert field is not None, "an item of another kind was changed"
            assert name not in before or layout.is_own(field, before[name]), "a marker of others was changed"
            assert name not in after or layout.is_own(field, after[name])
            assert name not in after or not layout.is_resting(field, after[name])

    # What is left, a person must decide: the same again changes nothing.
    left = audit(layout, moto, ONE_THREAD).findings
    assert {one.kind for one in left} <= _DECIDED
    assert prefix == "" or Kind.ORPHAN not in {one.kind for one in left}
    assert {mender.mend(one).outcome for one in left} <= {Outcome.LEFT}
    for group in groups:  # of those who share a value, all but one are named
        named = {repr(one.record) for one in left if (one.field, one.marker) == (group.field, group.marker)}
        assert len({*map(repr, group.owners)} - named) <= 1
    again = backfill(layout, moto, ONE_THREAD, keep=keep)
    assert (again.tally["added"], again.tally["handed"]) == (0, 0)
    assert stored(moto) == after
    for kind in {one.kind for one in left}:
        event(kind)

    # Nobody is stuck: each record that a person can correct or delete is deleted with the markers that it owns.
    faulty = {repr(one.record) for one in left if one.kind is Kind.INVALID}
    for record in [item for item in after.values() if layout.is_record(item) and repr(item["PK"]) not in faulty]:
        own = {
            repr(partition.encode() if binary else partition)
            for field in layout.fields
            for partition in layout.find_markers(record, field)
            if after.get(repr(partition.encode() if binary else partition), {}).get("owner") == record["PK"]
        }
        unique.delete(record).send(moto)
        now = stored(moto)
        assert repr(record["PK"]) not in now
        for name in after.keys() - {repr(record["PK"])}:
            if name in own:
                field = layout.find_field(after[name])
                assert field is not None
                assert name not in now or layout.is_resting(field, now[name]), "a marker was left behind"
            else:
                assert now[name] == after[name], "somebody else's item was changed"
        after = now
