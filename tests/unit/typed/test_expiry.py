"""From which second on an item whose time to live is over counts as absent."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from expr_builder import Table, to_item
from expr_builder.typed import TypedTable

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


def test_text_is_no_time_to_live_to_dynamodb() -> None:
    assert found(str(NOW - 1))


def test_who_wants_to_see_expired_items_sees_them() -> None:
    assert found(NOW - 1, hide_expired=False)
