"""Errors of the service. No message contains a value that a person typed."""

from __future__ import annotations


class DomainError(Exception):
    """Base class of what :class:`accounts.service.AccountService` raises on purpose."""


class NotFound(DomainError):
    """There is no such account, or it belongs to somebody else: a stranger must not see which."""


class Taken(DomainError):
    """Unique values of the request belong to another account.

    Attributes:
        fields: All of them, such as ``("email", "username")``.
    """

    def __init__(self, fields: tuple[str, ...]) -> None:
        super().__init__(f"taken: {', '.join(fields)}")
        self.fields = fields


class Stale(DomainError):
    """The account is at none of the versions that the caller expects."""


class KeyReused(DomainError):
    """The idempotency key was used before, for something that cannot be answered again.

    Attributes:
        deleted: True when the account that the key made is gone.
    """

    def __init__(self, *, deleted: bool = False) -> None:
        super().__init__("the key made an account that is gone" if deleted else "the key was used for another request")
        self.deleted = deleted


class Busy(DomainError):
    """The store gave no final answer in time. The same request may be sent again."""


class Inconsistent(DomainError):
    """An account and its markers do not match. Nothing was written; the markers need an audit."""
