"""What an account remembers of its last changes that came with an idempotency key.

DynamoDB knows a transaction's token for ten minutes; a client that lost an answer may ask again later than that. So
the change itself leaves a receipt in the account's item, and the answer can be given again from there: no second
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
"""How many are kept: with so few an account stays below 1 KB, and each of its writes at the least cost."""


def fingerprint(request: BaseModel) -> str:
    """SHA-256 over the checked request, the same for the same request in every process."""
    canonical = json.dumps(request.model_dump(), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def add_receipt(changed: Item, token: str, request: BaseModel) -> list[StoredItem]:
    """The receipts of an account once it is changed: its last ones, and the one of this change at the end."""
    receipt = {"token": token, "fingerprint": fingerprint(request), **_pick_answer(changed)}
    return [*changed.get(RECEIPTS, []), receipt][-KEPT:]


def answer_again(stored: Item, token: str, request: BaseModel) -> Account | None:
    """What the first request with this token was told; ``None`` when nothing is known of one.

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
    # A change touches nothing else, so the rest of an answer can be taken from the account itself.
    return {name: item[name] for name in ("email", "username", "version")}
