"""Receipts: an account keeps the answers to its last changes that came with an idempotency key.

DynamoDB remembers a transaction's token for ten minutes, but a client that lost an answer may ask again later. So the
change itself writes a receipt into the account's item, from which the answer can be given again: there is no second
table, and no moment at which the change is stored and its receipt is not.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from accounts.errors import KeyReused
from accounts.model import Account

if TYPE_CHECKING:
    from pydantic import BaseModel

    from expr_builder.attribute_values.values import Item, StoredItem

RECEIPTS = "receipts"
"""The attribute of the account's item."""

KEPT = 3
"""How many are kept: with so few an account stays below 1 KB, and each write of it costs the least possible."""


def fingerprint(request: BaseModel) -> str:
    """SHA-256 over the checked request, the same for the same request in every process."""
    canonical = json.dumps(request.model_dump(), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def add_receipt(changed: Item, token: str, request: BaseModel) -> list[StoredItem]:
    """The receipts of the changed account: its last ones, with that of this change at the end."""
    receipt = {"token": token, "fingerprint": fingerprint(request), **_pick_answer(changed)}
    return [*changed.get(RECEIPTS, []), receipt][-KEPT:]


def answer_again(stored: Item, token: str, request: BaseModel) -> Account | None:
    """The answer to the first request with this token; ``None`` when there is no receipt of one.

    Raises:
        KeyReused: when the token came with another request.
    """
    for receipt in stored.get(RECEIPTS, []):
        if receipt["token"] == token:
            if receipt["fingerprint"] != fingerprint(request):
                raise KeyReused
            return Account.of({**stored, **_pick_answer(receipt)})
    return None


def _pick_answer(item: Item) -> StoredItem:
    # A change touches nothing else, so the rest of the answer can be taken from the account itself.
    return {name: item[name] for name in ("email", "username", "version")}
