"""Every shape of marker at once, old code beside new code, and a clock: against what a person would say is right."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import boto3
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from expr_builder import Marker, Table, Unique, UniqueViolation, from_item
from expr_builder.markers import Kind, Layout, Mender, ScanOptions, audit, backfill
from tests.support.moto import empty_moto
from tests.support.museum import create_declared

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

TABLE = Table("model", "id")
HOLD = 10
SHAPES = {
    "name": Marker("NAME#{}", hold=timedelta(seconds=HOLD), optional=True),
    "slug": Marker("ORG#{org}#SLUG#{}", optional=True),
    "mails": Marker("MAIL#{}", each=True, optional=True, normalize=str.lower),
}
OLD_CODE = Marker("C#{}", optional=True)
OLD = Unique(TABLE, {**SHAPES, "code": OLD_CODE}, owner="id")
NEW = Unique(
    TABLE, {**SHAPES, "code": Marker("C2#{}", normalize=str.lower, optional=True, previous=[OLD_CODE])}, owner="id"
)
LAYOUT = Layout(NEW, record_prefix="R#")
ONE_THREAD = ScanOptions(segments=1)

_WORDS = st.sampled_from(["a", "A", "b"])
_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "name": st.sampled_from(["a", "a", "b", None]),
    "slug": st.none() | _WORDS,
    "org": st.sampled_from(["o", 7]),
    "mails": st.none() | st.lists(_WORDS, max_size=2),
    "code": st.sampled_from(["a", "A", "a", None]),
}
# Of few fields at a time, as a clash in one hides what becomes of the others.
_SOME = st.one_of(
    *(st.fixed_dictionaries({name: _VALUES[name]}) for name in ("name", "code", "mails", "code")),
    st.fixed_dictionaries({"org": _VALUES["org"], "slug": _VALUES["slug"]}),
    st.fixed_dictionaries({}, optional=_VALUES),
)
_RECORDS = st.sampled_from(["R#1", "R#2", "R#3", "R#4"])
_WRITERS = st.sampled_from([OLD, NEW])


class Model(RuleBasedStateMachine):
    """Records as they should be, and what rests."""

    def __init__(self) -> None:
        super().__init__()
        self.records: dict[str, dict[str, Any]] = {}
        self.rests: dict[str, tuple[str, int]] = {}  # by name its former owner, and from when it is free
        self.now = 1_000
        self.old_code_was_here = False
        self._moto = empty_moto()
        self._clock = patch("expr_builder.unique.time.time", lambda: self.now)

    @initialize()
    def create_table(self) -> None:
        self._moto.__enter__()
        self._clock.start()
        self.client: DynamoDBClient = boto3.client("dynamodb")
        create_declared(self.client, TABLE)

    def teardown(self) -> None:
        self._clock.stop()
        self._moto.__exit__(None, None, None)

    # --- what people do

    @rule(writer=_WRITERS, name=_RECORDS, values=st.one_of(_SOME, _SOME, st.none()))
    def write(self, writer: Unique, name: str, values: dict[str, Any] | None) -> None:
        """Whatever can be done to the record: each step does something."""
        old = self.records.get(name)
        if old is None:
            values = values or {"name": "a"}
            self._write(writer, name, writer.create({"id": name, **values}), {}, values)
        elif values is None:
            self._write(writer, name, writer.delete(old), old, None)
        elif values:
            self._write(writer, name, writer.change(old, values), old, {**old, **values})

    @rule(writer=_WRITERS, name=_RECORDS)
    def come_back(self, writer: Unique, name: str) -> None:
        """Give the name up, and take it back at once."""
        old = self.records.get(name)
        if old is not None and old.get("name"):
            self._write(writer, name, writer.delete(old), old, None)
            values = {"name": old["name"]}
            self._write(writer, name, writer.create({"id": name, **values}), {}, values)

    @rule(seconds=st.sampled_from([0, 1, HOLD - 1, HOLD]), swept=st.booleans())
    def wait(self, seconds: int, swept: bool) -> None:
        self.now += seconds
        if swept:
            self._sweep()

    def _sweep(self) -> None:
        """As the time to live does."""
        for item in map(from_item, self.client.scan(TableName=TABLE.name)["Items"]):
            if item.get("free_at", self.now + 1) <= self.now:
                self.client.delete_item(TableName=TABLE.name, Key={"id": {"S": item["id"]}})

    @rule(now=st.booleans())
    def tidy(self, now: bool) -> None:
        if now:
            self._tidy()

    def _tidy(self) -> None:
        found = audit(LAYOUT, self.client, ONE_THREAD).findings
        # Old code minds all rules but the new one of the code.
        assert {one.field for one in found} <= {"code"}
        assert self.old_code_was_here or {one.kind for one in found} <= {Kind.DUPLICATE}
        backfill(LAYOUT, self.client, ONE_THREAD)
        mender = Mender(LAYOUT, self.client)
        for finding in audit(LAYOUT, self.client, ONE_THREAD).findings:
            mender.mend(finding)
        left = audit(LAYOUT, self.client, ONE_THREAD).findings
        assert {one.kind for one in left} <= {Kind.DUPLICATE}
        # Two records that the old rule tells apart, and the new one does not.
        assert {one.field for one in left} <= {"code"}
        codes = [record["code"].lower() for record in self.records.values() if record.get("code")]
        assert len(left) == len(codes) - len(set(codes))
        self.old_code_was_here = False

    # --- what must come of it

    def _write(self, writer: Unique, name: str, write: Any, old: dict[str, Any], new: dict[str, Any] | None) -> None:
        try:
            write.send(self.client)
        except UniqueViolation as refused:
            for field in refused.fields:
                assert self._is_justified(field.partition("[")[0], name, new or {}), field
            return
        assert new is None or not self._clashes(writer, name, new)
        self.old_code_was_here |= writer is OLD
        if old.get("name") and (new is None or new.get("name") != old["name"]):
            self.rests[old["name"]] = (name, self.now + HOLD)
        if new is None:
            del self.records[name]
            return
        if new.get("name"):
            self.rests.pop(new["name"], None)
        self.records[name] = {"id": name, **{field: value for field, value in new.items() if value is not None}}

    def _clashes(self, writer: Unique, name: str, new: dict[str, Any]) -> list[str]:
        others = [record for other, record in self.records.items() if other != name]
        found = []
        former, free_at = self.rests.get(new.get("name") or "", (name, 0))
        for other in others:
            found += [field for field in ("name", "code") if new.get(field) and new[field] == other.get(field)]
            slug = (new.get("org"), new.get("slug"))
            if None not in slug and slug == (other.get("org"), other.get("slug")):
                found.append("slug")
            if {mail.lower() for mail in new.get("mails") or ()} & {mail.lower() for mail in other.get("mails") or ()}:
                found.append("mails")
        if former != name and self.now < free_at:
            found.append("name")
        return found

    def _is_justified(self, field: str, name: str, new: dict[str, Any]) -> bool:
        if field in self._clashes(NEW, name, new):
            return True
        if field != "code":
            return False
        # By the new rule; or a marker that old code, which does not know it, has left behind.
        folded = {
            record["code"].lower() for other, record in self.records.items() if other != name and "code" in record
        }
        return new["code"].lower() in folded or self.old_code_was_here

    @invariant()
    def what_is_stored_is_what_was_accepted(self) -> None:
        if not hasattr(self, "client"):
            return
        items = map(from_item, self.client.scan(TableName=TABLE.name)["Items"])
        assert {item["id"]: item for item in items if item["id"].startswith("R#")} == self.records


@pytest.fixture(autouse=True)
def _credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")


def test_what_is_accepted_and_refused_is_right() -> None:
    # Not shrunk: a story of some steps can be read, and takes less time than to find a shorter one.
    phases = [Phase.explicit, Phase.reuse, Phase.generate]
    bounded = settings(max_examples=60, stateful_step_count=30, phases=phases, suppress_health_check=[*HealthCheck])
    run_state_machine_as_test(Model, settings=bounded)
