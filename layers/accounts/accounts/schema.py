"""How accounts are stored.

================  =========================  ===========  ==================================
item              PK                         SK           attributes
================  =========================  ===========  ==================================
account           ``ACCT#<account_id>``      ``PROFILE``  see :func:`make_account_item`
e-mail marker     ``UNIQ#EMAIL#<key>``       ``LOCK``     ``owner``: the account's PK
username marker   ``UNIQ#HANDLE#<key>``      ``LOCK``     ``owner``: the account's PK
================  =========================  ===========  ==================================

The value is in the partition key, so that markers spread over all partitions instead of making one hot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from accounts.identity import NORM, normalize_email, normalize_username
from expr_builder import Marker, Table, Unique

if TYPE_CHECKING:
    from expr_builder.attribute_values.values import StoredItem
    from expr_builder.markers import Layout


def declare_table(name: str) -> Table:
    """The table of accounts and markers, under its deployed name."""
    return Table(name, partition_key="PK", sort_key="SK")


def declare_unique(table: Table) -> Unique:
    """What must be unique in the table: the key form of e-mail and of username."""
    return Unique(
        table,
        owner="PK",
        email=Marker("UNIQ#EMAIL#{}", normalize=normalize_email),
        username=Marker("UNIQ#HANDLE#{}", normalize=normalize_username),
    )


def declare_layout(table: str) -> Layout:
    """How accounts and markers lie in the table of this name, for an audit or a repair of the markers."""
    from expr_builder.markers import Layout  # an operator's tool: no request loads it

    return Layout(declare_unique(declare_table(table)), record_sort="PROFILE", record_prefix="ACCT#")


def make_account_key(account_id: str) -> dict[str, str]:
    """The key of an account's item."""
    return {"PK": f"ACCT#{account_id}", "SK": "PROFILE"}


def make_account_item(
    account_id: str, *, email: str, username: str, subject: str, created_at: str, fingerprint: str, version: int = 1
) -> StoredItem:
    """A new account's item. Changes with an idempotency key add ``receipts`` (see that module).

    Args:
        account_id: The account's id.
        email: The address as typed.
        username: The username as typed.
        subject: The ``sub`` of the token that signed up: the only one who may see, change or delete the account.
        created_at: ISO 8601, UTC, with ``Z``.
        fingerprint: SHA-256 of the sign-up request, by which a repeated one is recognised.
        version: Counts changes, from 1.
    """
    return {
        **make_account_key(account_id),
        "account_id": account_id,
        "email": email,
        "username": username,
        "subject": subject,
        "version": version,
        "created_at": created_at,
        "fingerprint": fingerprint,
        "norm": NORM,
    }
