"""How far a scan has come, kept in a file."""

from __future__ import annotations

import json
import stat
from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from expr_builder import Marker, Table, Unique
from expr_builder.markers import Checkpoint, CheckpointError, Finding, Kind, Layout
from expr_builder.markers.position import Position

if TYPE_CHECKING:
    from pathlib import Path

LAYOUT = Layout(Unique(Table("people", partition_key="id"), owner="id", name=Marker("NAME#{}")))
LOST = Finding(Kind.ORPHAN, "name", marker="NAME#ada", holder="P#1")


def half_way() -> Position:
    """Three segments: one at its end, one within, one not begun."""
    position = Position(3)
    position.advance(0, None, Counter(records=2), [])
    position.advance(1, {"id": "P#7"}, Counter(records=1, markers=1), [LOST])
    return position


def test_a_position_goes_on_with_the_segments_that_are_not_at_their_end() -> None:
    position = half_way()

    assert (position.complete, position.open_segments) == (False, [1, 2])
    assert (position.find_start(1), position.find_start(2)) == ({"id": "P#7"}, None)
    for number in (1, 2):
        position.advance(number, None, Counter(), [])
    assert (position.complete, position.open_segments) == (True, [])


def test_a_checkpoint_brings_the_position_back_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "audit.json"
    assert Checkpoint(path, LAYOUT, "audit").load() is None

    Checkpoint(path, LAYOUT, "audit").save(half_way(), now=True)
    loaded = Checkpoint(path, LAYOUT, "audit").load()

    assert loaded is not None
    assert (loaded.to_json(), loaded.segments) == (half_way().to_json(), 3)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [*tmp_path.iterdir()] == [path]


def test_a_checkpoint_is_written_at_once_or_now_and_then(tmp_path: Path) -> None:
    path = tmp_path / "audit.json"
    checkpoint = Checkpoint(path, LAYOUT, "audit")

    checkpoint.save(half_way())
    assert not path.exists()
    checkpoint.save(half_way(), now=True)
    checkpoint.remove()
    checkpoint.remove()

    assert not path.exists()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"of": {}, "segments": 1}', '{"of": 1, "segments": 1, "starts": 7}'])
def test_another_file_is_no_checkpoint(tmp_path: Path, text: str) -> None:
    path = tmp_path / "audit.json"
    path.write_text(text)

    with pytest.raises(CheckpointError) as caught:
        Checkpoint(path, LAYOUT, "audit").load()

    assert str(caught.value) == f"{path} is no checkpoint: name another file."


@pytest.mark.parametrize(
    "last_key", [{"id": "P#7", "n": 12}, {"id": Decimal("1.5"), "n": -3}, {"id": b"\x00\xff", "n": b"x"}]
)
def test_a_key_comes_back_from_a_checkpoint_as_itself(tmp_path: Path, last_key: dict[str, object]) -> None:
    position = Position(1)
    position.advance(0, last_key, Counter(), [Finding(Kind.RESERVED, "name", None, "NAME#a", last_key["id"])])
    checkpoint = Checkpoint(tmp_path / "audit.json", LAYOUT, "audit")
    checkpoint.save(position, now=True)
    loaded = checkpoint.load()

    assert loaded is not None
    start = loaded.find_start(0)
    assert start == last_key
    assert [type(part) for part in (start or {}).values()] == [type(part) for part in last_key.values()]
    assert loaded.findings == position.findings


def other_rule(value: str) -> str:
    """Another normaliser than ``str.lower``."""
    return value.lower()


def next_rule(value: str) -> str:
    """One more, of a new version."""
    return value.lower()


next_rule.version = 2  # type: ignore[attr-defined]


def declare(
    *, owner: str = "id", sort: object = None, layout: dict[str, object] | None = None, **marker: object
) -> Layout:
    table = Table("people", "id") if sort is None else Table("people", "id", "SK")
    options: dict[str, Any] = {"template": "NAME#{}", "normalize": str.lower, **marker}
    if sort is not None:
        options["sort"] = sort
    further: dict[str, Any] = layout or {}
    return Layout(Unique(table, owner=owner, name=Marker(**options)), **further)


def test_a_checkpoint_of_another_declaration_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "audit.json"
    same: list[dict[str, Any]] = [{}, {"sort": "LOCK"}, {"normalize": other_rule}, {"normalize": next_rule}]
    different: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({}, {"template": "N#{}"}),
        ({}, {"normalize": other_rule}),
        ({}, {"normalize": None}),
        ({"normalize": other_rule}, {"normalize": next_rule}),
        ({}, {"optional": True}),
        ({}, {"owner": "other"}),
        ({}, {"sort": "LOCK"}),
        ({"sort": "LOCK"}, {"sort": "MARK"}),
        ({}, {"layout": {"record_prefix": "P#"}}),
        ({"sort": "LOCK"}, {"sort": "LOCK", "layout": {"record_sort": "HEAD"}}),
        ({}, {"layout": {"record_key": lambda owner: {"id": owner}}}),
        ({}, {"layout": {"reserved": True}}),
    ]
    for options in same:
        Checkpoint(path, declare(**options), "audit").save(half_way(), now=True)
        assert Checkpoint(path, declare(**options), "audit").load() is not None
    for one, other in different:
        Checkpoint(path, declare(**one), "audit").save(half_way(), now=True)
        for layout, task in ((declare(**other), "audit"), (declare(**one), "backfill")):
            with pytest.raises(CheckpointError, match="belongs to another task, table or declaration"):
                Checkpoint(path, layout, task).load()
    next_rule.version = 3  # type: ignore[attr-defined]
    Checkpoint(path, declare(normalize=next_rule), "audit").save(half_way(), now=True)
    next_rule.version = 2  # type: ignore[attr-defined]
    with pytest.raises(CheckpointError, match="belongs to another task, table or declaration"):
        Checkpoint(path, declare(normalize=next_rule), "audit").load()
    assert json.loads(path.read_text())["segments"] == 3
