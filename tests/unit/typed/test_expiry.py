"""From which second on an item whose time to live is over counts as absent."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, get_args

import pytest
from pydantic import AwareDatetime, BaseModel, ConfigDict, NaiveDatetime, create_model

from expr_builder import BuildError, Table, to_item
from expr_builder.typed import TypedTable, ValidationFailed

if TYPE_CHECKING:
    from collections.abc import Callable

NOW = 1_767_323_045


class Session(BaseModel):
    name: str
    until: int | None = None


class Holding:
    """A client of a table that holds one session."""

    def __init__(self, until: object) -> None:
        self._item = {"name": "s", "until": until}

    def get_item(self, **_: Any) -> dict[str, Any]:
        return {"Item": to_item({name: value for name, value in self._item.items() if value is not None})}


def found(until: object, **options: Any) -> bool:
    client: Any = Holding(until)
    return (
        TypedTable(Session, Table("t", "name"), client, ttl="until", clock=lambda: NOW, **options).get(name="s")
        is not None
    )


@pytest.mark.parametrize(("until", "is_there"), [(NOW - 1, False), (NOW, False), (NOW + 1, True), (None, True)])
def test_a_time_to_live_is_over_at_its_own_second(until: int | None, is_there: bool) -> None:
    assert found(until) is is_there


@pytest.mark.parametrize("until", [str(NOW - 1), True, b"1", [NOW - 1], {"at": NOW - 1}, {1}])
def test_what_is_no_number_is_no_time_to_live_to_dynamodb(until: object) -> None:
    assert found(until)


@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        (int, 1_764_500_000_000),
        (int | None, 1_764_500_000_000),
        (datetime | int, 1_764_500_000_000),
        (Any, 1_764_500_000_000),
        (datetime, datetime.max.replace(tzinfo=UTC)),
        (AwareDatetime, datetime(2700, 1, 1, tzinfo=UTC)),
    ],
)
def test_a_time_to_live_that_would_be_another_time_is_refused_by_every_way_of_writing(
    annotation: Any, value: Any
) -> None:
    model = create_model("Session", name=(str, ...), until=(annotation, ...))
    client: Any = Holding(None)
    table: Any = TypedTable(model, Table("t", "name"), client, ttl="until")
    session = model.model_construct(name="s", until=value)
    attempts: list[Callable[[], object]] = [
        lambda: table.put(session),
        lambda: table.put({"name": "s", "until": value}),
        lambda: table.put_batch([session]),
        lambda: table.actions.put(session),
        lambda: table.update({"name": "s"}, set={"until": value}),
        lambda: table.delete({"name": "s"}, if_field_equals={"until": value}),
    ]
    for attempt in attempts:
        with pytest.raises(ValidationFailed) as caught:
            attempt()
        (problem,) = caught.value.problems
        assert problem.field == "until"
        if isinstance(value, int) and datetime not in get_args(annotation):
            assert "whole seconds since 1970: divide it by 1000" in problem.message


def test_a_far_time_to_live_is_legal() -> None:
    client: Any = Holding(None)
    table = TypedTable(Session, Table("t", "name"), client, ttl="until")
    assert table.actions.put(Session(name="s", until=99_999_999_999)).item["until"] == {"N": "99999999999"}


@pytest.mark.parametrize("annotation", [str, float, bool, date, NaiveDatetime, list[int], str | None])
def test_a_field_that_can_hold_no_time_to_live_is_refused_when_it_is_declared(annotation: Any) -> None:
    model = create_model("Session", name=(str, ...), until=(annotation, ...))
    client: Any = Holding(None)
    with pytest.raises(BuildError, match="until can hold no time to live") as caught:
        TypedTable(model, Table("t", "name"), client, ttl="until")
    assert caught.value.rule == "typed-table"


def test_a_model_that_reads_numbers_as_milliseconds_has_no_time_to_live() -> None:
    class Fine(BaseModel):
        model_config = ConfigDict(val_temporal_unit="milliseconds")

        name: str
        until: datetime

    client: Any = Holding(None)
    with pytest.raises(BuildError, match="Fine reads numbers as milliseconds"):
        TypedTable(Fine, Table("t", "name"), client, ttl="until")


def test_who_wants_to_see_expired_items_sees_them() -> None:
    assert found(NOW - 1, hide_expired=False)
