"""Accounts and markers that do not fit together: one kind of damage each, put past the service into the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from expr_builder import to_item
from expr_builder.markers import Finding, Kind
from tests.support.store import signing_up

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.store import Store

    Damage = Callable[[Store], Finding]

__all__ = ["DAMAGES", "MENDABLE", "account", "change", "lock", "pick_key", "put", "remove"]


def account(store: Store, name: str) -> str:
    """Sign somebody up, the proper way; returns the account's PK."""
    made = store.service().sign_up(signing_up(f"{name}@example.com", name), subject=f"user-{name}")
    return f"ACCT#{made.account_id}"


def pick_key(pk: str) -> dict[str, str]:
    """The key of an account, or of a marker."""
    return {"PK": pk, "SK": "PROFILE" if pk.startswith("ACCT#") else "LOCK"}


def lock(pk: str, owner: str) -> dict[str, str]:
    """A marker."""
    return {**pick_key(pk), "owner": owner}


def put(store: Store, item: dict[str, Any]) -> None:
    """Write an item, whatever was there."""
    store.client.put_item(TableName=store.table, Item=to_item(item))


def remove(store: Store, pk: str) -> None:
    """Delete an account's item or a marker, and nothing with it."""
    store.client.delete_item(TableName=store.table, Key=to_item(pick_key(pk)))


def change(store: Store, pk: str, **attributes: Any) -> None:
    """Change an account's item, and nothing with it."""
    (item,) = (item for item in store.items() if item["PK"] == pk)
    put(store, {**item, **attributes})


def orphan(store: Store) -> Finding:
    gone = account(store, "orphan")
    remove(store, gone)
    remove(store, "UNIQ#HANDLE#orphan")
    return Finding(Kind.ORPHAN, "email", marker="UNIQ#EMAIL#orphan@example.com", holder=gone)


def ownerless(store: Store) -> Finding:
    put(store, pick_key("UNIQ#HANDLE#nobody"))
    return Finding(Kind.RESERVED, "username", marker="UNIQ#HANDLE#nobody")


def missing(store: Store) -> Finding:
    pk = account(store, "missing")
    remove(store, "UNIQ#HANDLE#missing")
    return Finding(Kind.MISSING, "username", record=pk, marker="UNIQ#HANDLE#missing")


def stolen(store: Store) -> Finding:
    pk, thief = account(store, "robbed"), account(store, "thief")
    put(store, lock("UNIQ#EMAIL#robbed@example.com", thief))
    return Finding(Kind.STOLEN, "email", record=pk, marker="UNIQ#EMAIL#robbed@example.com", holder=thief)


def stolen_by_nobody(store: Store) -> Finding:
    pk = account(store, "haunted")
    put(store, lock("UNIQ#HANDLE#haunted", "ACCT#ghost"))
    return Finding(Kind.STOLEN, "username", record=pk, marker="UNIQ#HANDLE#haunted", holder="ACCT#ghost")


def double(store: Store) -> Finding:
    pk = account(store, "double")
    put(store, lock("UNIQ#EMAIL#former@example.com", pk))
    return Finding(Kind.DOUBLE, "email", marker="UNIQ#EMAIL#former@example.com", holder=pk)


def duplicate(store: Store) -> Finding:
    first, second = account(store, "twin"), account(store, "other")
    change(store, second, email="Twin@Example.com")
    remove(store, "UNIQ#EMAIL#other@example.com")
    return Finding(Kind.DUPLICATE, "email", record=second, marker="UNIQ#EMAIL#twin@example.com", holder=first)


def invalid(store: Store) -> Finding:
    pk = account(store, "invalid")
    change(store, pk, email="not an address")
    remove(store, "UNIQ#EMAIL#invalid@example.com")
    return Finding(Kind.INVALID, "email", record=pk)


MENDABLE: tuple[Damage, ...] = (orphan, missing, stolen, stolen_by_nobody, double)
"""What can be mended without asking anybody."""

DAMAGES: tuple[Damage, ...] = (*MENDABLE, ownerless, duplicate, invalid)
"""Each kind of damage. Each function does it to accounts of its own, and returns what an audit must find."""
