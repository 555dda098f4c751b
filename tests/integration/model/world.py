"""The model: what the service promises, in plain Python. No store, no transactions, nothing that can be half done."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Change", "Delete", "Operation", "Read", "SignUp", "World"]

_RECEIPTS = 3

Answer = tuple[Any, ...]
"""``("account", email, username, version)``, ``("taken", fields)``, or one word: what a caller is told."""


@dataclass(frozen=True)
class SignUp:
    """Somebody wants an account. ``account`` is its name in the model."""

    account: str
    subject: str
    email: str
    username: str
    key: str | None = None


@dataclass(frozen=True)
class Change:
    """Somebody wants another e-mail or another username."""

    account: str
    subject: str
    field: str
    value: str
    expected: int | None = None
    key: str | None = None


@dataclass(frozen=True)
class Delete:
    """Somebody wants an account to be gone."""

    account: str
    subject: str
    expected: int | None = None
    key: str | None = None


@dataclass(frozen=True)
class Read:
    """Somebody wants to see an account."""

    account: str
    subject: str


Operation = SignUp | Change | Delete | Read


@dataclass
class _Receipt:
    token: tuple[str, str]
    value: str
    answer: Answer


@dataclass
class _Account:
    subject: str
    email: str
    username: str
    version: int = 1
    receipts: list[_Receipt] = field(default_factory=list)

    def shown(self) -> Answer:
        return "account", self.email, self.username, self.version


@dataclass
class World:
    """All accounts, and which idempotency keys were used."""

    accounts: dict[str, _Account] = field(default_factory=dict)
    sign_ups: dict[tuple[str, str], SignUp] = field(default_factory=dict)
    used: set[tuple[str, ...]] = field(default_factory=set)

    def without_tokens(self) -> World:
        """The world when DynamoDB remembers no transaction any more. What is stored remembers: an account its sign-up,
        and its last changes."""
        world = copy.deepcopy(self)
        world.used.clear()
        return world

    def after(self, operation: Operation) -> tuple[Answer, World]:
        """The answer to an operation, and the world as it is then."""
        world = copy.deepcopy(self)
        match operation:
            case SignUp():
                return world._sign_up(operation), world
            case Change():
                return world._change(operation), world
            case Delete():
                return world._delete(operation), world
            case Read():
                account = world._own(operation)
                return account.shown() if account else ("not found",), world

    def _own(self, operation: Change | Delete | Read) -> _Account | None:
        account = self.accounts.get(operation.account)
        return account if account and account.subject == operation.subject else None

    def _taken(self, by: str, **values: str) -> tuple[str, ...]:
        """Upper and lower case are one."""
        return tuple(
            name
            for name, value in values.items()
            if any(
                getattr(account, name).lower() == value.lower() for who, account in self.accounts.items() if who != by
            )
        )

    def _sign_up(self, wanted: SignUp) -> Answer:
        key = None if wanted.key is None else (wanted.subject, wanted.key)
        first = self.sign_ups.get(key) if key is not None else None
        if first is not None and first.account in self.accounts:
            same = (first.email, first.username) == (wanted.email, wanted.username)
            return ("account", first.email, first.username, 1) if same else ("key reused",)
        if ("sign up", *(key or ())) in self.used:
            return ("key reused",)
        if taken := self._taken(wanted.account, email=wanted.email, username=wanted.username):
            return "taken", taken
        self.accounts[wanted.account] = _Account(wanted.subject, wanted.email, wanted.username)
        if key is not None:
            self.sign_ups[key] = wanted
            self.used.add(("sign up", *key))
        return self.accounts[wanted.account].shown()

    def _change(self, wanted: Change) -> Answer:
        account = self._own(wanted)
        if account is None:
            return ("not found",)
        token = None if wanted.key is None else (wanted.field, wanted.key)
        for receipt in account.receipts:
            if receipt.token == token:
                return receipt.answer if receipt.value == wanted.value else ("key reused",)
        # What is in place already is a success, also right after the expected version: it may have been this change.
        if getattr(account, wanted.field) == wanted.value and _allowed(
            wanted.expected, account.version, account.version - 1
        ):
            return account.shown()
        if not _allowed(wanted.expected, account.version):
            return ("stale",)
        if token is not None and ("change", wanted.account, *token) in self.used:
            return ("key reused",)
        if taken := self._taken(wanted.account, **{wanted.field: wanted.value}):
            return "taken", taken
        setattr(account, wanted.field, wanted.value)
        account.version += 1
        if token is not None:
            self.used.add(("change", wanted.account, *token))
            account.receipts = [*account.receipts, _Receipt(token, wanted.value, account.shown())][-_RECEIPTS:]
        return account.shown()

    def _delete(self, wanted: Delete) -> Answer:
        token = None if wanted.key is None else ("delete", wanted.account, wanted.subject, wanted.key)
        account = self._own(wanted)
        if account is None:
            gone = wanted.account not in self.accounts
            return ("done",) if gone and token in self.used else ("not found",)
        if not _allowed(wanted.expected, account.version):
            return ("stale",)
        del self.accounts[wanted.account]
        if token is not None:
            self.used.add(token)
        return ("done",)


def _allowed(expected: int | None, *versions: int) -> bool:
    return expected is None or expected in versions
