"""What is handed out belongs to whoever asked for it, and a transaction keeps its token."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

from expr_builder import Attr, Marker, RequestUnavailable, Table, TransactWrite, Unique
from tests.support.clients import Client, ServiceError
from tests.support.trees import items

if TYPE_CHECKING:
    from collections.abc import Callable

table = Table("t", "PK")
KEY = {"PK": "a"}
DEEP = {"m": {"l": [1, {"s": {"x", "y"}}]}, "n": {1, 2}, "b": {b"x", b"y"}}
unique = Unique(table, owner="PK", email=Marker("EMAIL#{}"))

MAKERS: dict[str, Callable[[], Any]] = {
    "put": lambda: table.put({**KEY, **DEEP}).when(Attr("a").is_in([[1], {"x": [2]}])),
    "update": lambda: table.update(KEY).set(DEEP).add(tags={"x"}).when(Attr("a") == DEEP),
    "delete": lambda: table.delete(KEY).when(Attr("a").contains([1, [2]])),
    "get": lambda: table.get(KEY, ["a"]),
    "transaction": lambda: TransactWrite(table.put({**KEY, **DEEP}), table.check({"PK": "b"}).when(Attr("a") == DEEP)),
    "unique": lambda: unique.create({**KEY, "email": "ada@example.com", **DEEP}),
}


def spoil(value: Any) -> None:
    """Change everything inside that can be changed."""
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        spoil(inner)
    if isinstance(value, (dict, list)):
        value.clear()


@pytest.mark.parametrize("name", MAKERS)
def test_a_changed_request_changes_no_action(name: str) -> None:
    made = MAKERS[name]()
    before = copy.deepcopy(made.to_request())
    spoil(made.to_request())
    for attribute in ("item", "key"):
        if hasattr(made, attribute):
            spoil(getattr(made, attribute))
    for action in getattr(made, "slots", {}).values():
        spoil(action.to_transact_item())
        spoil(action.key)
    assert made.to_request() == before


@given(items())
def test_a_changed_item_changes_no_put(item: dict[str, Any]) -> None:
    put = table.put({**item, **KEY})
    before = copy.deepcopy(put.to_request())
    spoil(put.item)
    spoil(put.to_request())
    assert put.to_request() == before


def test_a_transaction_keeps_one_token_for_its_whole_life() -> None:
    tx = TransactWrite(table.delete(KEY))
    assert "ClientRequestToken" not in tx.to_request()  # a draft on disk stays the same
    client = Client({}, {})
    tx.send(client)
    tx.send(client)
    pickle.loads(pickle.dumps(tx)).send(client)
    copy.copy(tx).send(client)
    assert {request["ClientRequestToken"] for request in client.sent} == {tx.token}
    assert TransactWrite(table.delete(KEY)).token != tx.token


def test_a_transaction_that_is_sent_again_after_a_lost_answer_is_the_same_one() -> None:
    tx = TransactWrite(table.update(KEY).add(n=1))
    client = Client(ServiceError("InternalServerError", 500), {})
    with pytest.raises(RequestUnavailable) as caught:
        tx.send(client, max_attempts=1)
    assert caught.value.token == tx.token
    tx.send(client)
    assert [request["ClientRequestToken"] for request in client.sent] == [tx.token] * 2
