"""The account service's own requests: nothing is wrong with them, and nothing is to be advised."""

from __future__ import annotations

from typing import TYPE_CHECKING

from expr_builder import lint
from tests.support.faults import counted
from tests.support.store import changing, renaming, signing_up

if TYPE_CHECKING:
    from tests.support.store import Store


def test_there_is_no_advice_on_what_the_account_service_sends(store: Store) -> None:
    service = store.service()
    with counted(store.client) as writes, counted(store.client, "GetItem") as reads:
        ada = service.sign_up(signing_up("ada@example.com", "ada"), subject="user-1", key="k-1")
        service.change(ada.account_id, changing("new@example.com"), subject="user-1", key="k-2")
        service.change(ada.account_id, changing("NEW@example.com"), subject="user-1")
        service.change(ada.account_id, renaming("eve"), subject="user-1")
        service.delete(ada.account_id, subject="user-1")

    sent = [("TransactWriteItems", request) for request in writes.requests]
    sent += [("GetItem", request) for request in reads.requests]
    assert len(writes.requests) == 5
    assert reads.requests
    assert [lint(request, operation, advice=True) for operation, request in sent] == [[]] * len(sent)
