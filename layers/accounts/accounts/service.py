"""The operations on accounts. Knows the store, and nothing of HTTP.

Every write is one transaction with guards of its own: the markers are free, the record is the one that was read, and
its subject is the caller. So nothing can slip in between a check and a write; what was read before only makes the
answer more precise.

A refused write is examined before it is reported: an earlier attempt, whose answer was lost, may have caused the
refusal, and then the write has succeeded.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import UUID, uuid4, uuid5

from accounts.errors import Busy, Inconsistent, KeyReused, NotFound, Stale, Taken
from accounts.model import Account, SignUp
from accounts.receipts import RECEIPTS, add_receipt, answer_again, fingerprint
from accounts.schema import declare_table, declare_unique, make_account_item, make_account_key
from expr_builder import (
    Attr,
    IdempotentParameterMismatch,
    RequestUnfinished,
    TransactGet,
    TransactionCanceled,
    TransactWrite,
    UniqueViolation,
)

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from accounts.model import Change
    from expr_builder import Condition
    from expr_builder.attribute_values.values import Item

# Must never change: ids of accounts are derived from it.
_NAMESPACE = UUID("6b0f1f5e-3f0a-5f0e-9d0b-6f3f0c1c7a52")
_ROUNDS = 4  # how often a change or a deletion starts when somebody else keeps being faster
_LOOKS = 2  # how often to look for an account that exists according to its token
_LOOK_SECONDS = 0.1

TimeLeft = Callable[[], float]
Versions = Collection[int]


class AccountService:
    """Sign up, look up, change and delete accounts.

    Each method takes ``subject``, the caller. Those that write also take ``key``, an idempotency key, and
    ``time_left``, which returns the seconds that remain for retries; those that change an account take ``expected``,
    the versions at which they may (``None`` for any).

    Args:
        client: A boto3 DynamoDB client (not a resource's, which would serialise twice).
        table_name: The table.
        clock: Returns the time, with its time zone.
        ids: Makes fresh ids, for requests without an idempotency key.
        sleep: Waits some seconds.
    """

    def __init__(
        self,
        client: DynamoDBClient,
        table_name: str,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        ids: Callable[[], UUID] = uuid4,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._client = client
        self._table = declare_table(table_name)
        self._unique = declare_unique(self._table)
        self._clock = clock
        self._ids = ids
        self._sleep = sleep

    def sign_up(
        self, request: SignUp, *, subject: str, key: str | None = None, time_left: TimeLeft | None = None
    ) -> Account:
        """Make an account, if its e-mail and its username are free.

        With an idempotency ``key``, the account's id and the transaction's token are derived from caller and key: the
        same request again finds its own account and gets the first answer again, for as long as the account exists.

        Raises:
            Taken: with all taken fields.
            KeyReused: when the key came with another request before, or its account is deleted since.
            Busy: when no final answer came in time.
        """
        if key is None:
            account_id, token = str(self._ids()), str(self._ids())
        else:
            account_id, token = _derive_id("account", subject, key), self._derive_token("sign-up", subject, key)
        item = make_account_item(
            account_id,
            email=request.email,
            username=request.username,
            subject=subject,
            created_at=_format_time(self._clock()),
            fingerprint=fingerprint(request),
        )
        try:
            self._send(self._unique.create(item, token=token), time_left)
        except IdempotentParameterMismatch:
            return self._repeat_sign_up(item, time_left)
        except TransactionCanceled as refusal:
            return self._settle_sign_up(refusal, item, time_left)
        return Account.of(item)

    def get(self, account_id: str, *, subject: str) -> Account:
        """Read an account.

        Raises:
            NotFound: when there is none, or it is not the caller's.
            Busy: when no answer came.
        """
        return Account.of(self._read_own(account_id, subject))

    def change(
        self,
        account_id: str,
        request: Change,
        *,
        subject: str,
        expected: Versions | None = None,
        key: str | None = None,
        time_left: TimeLeft | None = None,
    ) -> Account:
        """Give the account another e-mail or another username. The same value again writes nothing and is a success.

        With an idempotency ``key``, the same request again gets the first answer again, until three later changes with
        keys of their own have taken its place (``receipts``).

        Raises:
            NotFound: when there is no such account, or it is not the caller's.
            Stale: when the account is at none of the expected versions.
            Taken: when the value belongs to another account.
            KeyReused: when the key came with another value before.
            Busy: when no final answer came in time.
        """
        fields = request.model_dump()
        token = self._derive_token(f"change-{'-'.join(fields)}", subject, account_id, key) if key is not None else None
        stored = self._read_own(account_id, subject)
        for _ in range(_ROUNDS):
            # Before the version is checked: the change that left the receipt has moved the account past it.
            if token is not None and (earlier := answer_again(stored, token, request)) is not None:
                return earlier
            if fields.items() <= stored.items() and _may_answer(stored["version"], expected):
                return Account.of(stored)
            if not _allows(stored["version"], expected):
                raise Stale
            changed = {**stored, **fields, "version": stored["version"] + 1}
            try:
                self._send(self._change(stored, changed, fields, token, request), time_left)
            except IdempotentParameterMismatch:
                return self._repeat_change(account_id, subject, str(token), request, time_left)
            except TransactionCanceled as refusal:
                _check_time(time_left)
                now = self._read_own(account_id, subject)
                if now["version"] == stored["version"]:  # nobody was faster, so the refusal is about something else
                    raise _judge(refusal, stored) from None
                stored = now  # by somebody else, or by an attempt of ours whose answer was lost
            else:
                return Account.of(changed)
        raise Busy

    def delete(
        self,
        account_id: str,
        *,
        subject: str,
        expected: Versions | None = None,
        key: str | None = None,
        time_left: TimeLeft | None = None,
    ) -> None:
        """Delete the account and free its e-mail and its username.

        The markers to delete are those of the stored values. With an idempotency ``key``, the same deletion again is a
        success again, for the ten minutes of a transaction's token: nothing is left that could remember it for longer.

        Raises:
            NotFound: when there is no such account (any more), or it is not the caller's.
            Stale: when the account is at none of the expected versions.
            Busy: when no final answer came in time.
        """
        token = self._derive_token("delete", subject, account_id, key) if key is not None else None
        # Not _read_own: a repeated deletion finds no account, but its token may still be known.
        stored = self._read(account_id)
        if token is not None and stored is None and self._is_used(token, account_id, time_left):
            return None
        if stored is None or stored["subject"] != subject:
            raise NotFound
        for _ in range(_ROUNDS):
            if not _allows(stored["version"], expected):
                raise Stale
            try:
                deletion = self._unique.delete(stored, when=_demand_unmoved(stored), token=token or str(self._ids()))
                return self._send(deletion, time_left)
            except (TransactionCanceled, IdempotentParameterMismatch) as refusal:
                _check_time(time_left)
                now = self._read(account_id)
                if now is None:
                    return None  # by an attempt of ours whose answer was lost, or by somebody who asked for the same
                if isinstance(refusal, TransactionCanceled) and now["version"] == stored["version"]:
                    raise _judge(refusal, stored) from None
                stored = now
        raise Busy

    def _change(self, stored: Item, changed: Item, fields: Item, token: str | None, request: Change) -> TransactWrite:
        receipts = {} if token is None else {RECEIPTS: add_receipt(changed, token, request)}
        return self._unique.change(
            stored,
            fields,
            set={"version": changed["version"], **receipts},
            when=_demand_unmoved(stored),
            token=token or str(self._ids()),  # without a key too: with a token, sending again after a timeout is safe
        )

    def _derive_token(self, *parts: str) -> str:
        """A transaction's token, derived from the parts and the table: the tables of an AWS account share their tokens,
        and the same caller's key for two stages must not be one token."""
        return _derive_id("token", self._table.name, *parts)

    def _settle_sign_up(self, refusal: TransactionCanceled, item: Item, time_left: TimeLeft | None) -> Account:
        # The account is there, or a marker names it as owner: an earlier attempt of this sign-up got through.
        if "record" in refusal.failed or item["PK"] in _list_holders(refusal).values():
            _check_time(time_left)
            earlier = self._read(item["account_id"])
            if earlier is not None:
                return _give_first_answer(earlier, item)
        raise _judge(refusal, item) from None

    def _repeat_sign_up(self, item: Item, time_left: TimeLeft | None) -> Account:
        """The token was used: the account exists, is just being made, or has been deleted."""
        for look in range(_LOOKS):
            if look:
                self._sleep(_LOOK_SECONDS)
            earlier = self._read_settled(item["account_id"], time_left)
            if earlier is not None:
                return _give_first_answer(earlier, item)
        raise KeyReused(deleted=True)

    def _repeat_change(
        self, account_id: str, subject: str, token: str, request: Change, time_left: TimeLeft | None
    ) -> Account:
        """The token was used: for the same change, for another one, or so long ago that the receipt is gone."""
        stored = self._read_settled(account_id, time_left)
        if stored is None or stored["subject"] != subject:
            raise NotFound
        earlier = answer_again(stored, token, request)
        if earlier is None:
            raise KeyReused
        return earlier

    def _is_used(self, token: str, account_id: str, time_left: TimeLeft | None) -> bool:
        """Whether a transaction with this token took place within the last ten minutes.

        The only way to ask is to use it: for a deletion whose condition can never hold, so that nothing is written.
        """
        never = Attr("PK").exists() & Attr("PK").not_exists()
        try:
            self._send(
                TransactWrite(self._table.delete(make_account_key(account_id)).when(never), token=token), time_left
            )
        except IdempotentParameterMismatch:
            return True
        except TransactionCanceled:
            pass  # by its condition: the token was free, and is free again
        return False

    def _read_settled(self, account_id: str, time_left: TimeLeft | None) -> Item | None:
        """Read the account when no transaction is at work on it: until then the read is refused, and repeated."""
        reading = TransactGet(self._table.get(make_account_key(account_id)).named("account"))
        try:
            return reading.fetch(self._client, time_left=time_left)["account"]
        except RequestUnfinished:
            raise Busy from None

    def _read_own(self, account_id: str, subject: str) -> Item:
        stored = self._read(account_id)
        if stored is None or stored["subject"] != subject:
            raise NotFound
        return stored

    def _read(self, account_id: str) -> Item | None:
        try:
            # botocore has made its attempts by then; another one is up to the client.
            return self._table.get(make_account_key(account_id), consistent=True).fetch(self._client, max_attempts=1)
        except RequestUnfinished:
            raise Busy from None

    def _send(self, transaction: TransactWrite, time_left: TimeLeft | None) -> None:
        try:
            transaction.send(self._client, time_left=time_left)
        except RequestUnfinished:
            raise Busy from None


def _derive_id(*parts: str) -> str:
    """An id derived from the parts. As JSON, since two lists of parts could be the same text when joined."""
    return str(uuid5(_NAMESPACE, json.dumps(parts)))


def _format_time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _demand_unmoved(stored: Item) -> Condition:
    """The record's own guard: still the caller's, still at the version that was read."""
    return Attr("subject").eq(stored["subject"]) & Attr("version").eq(stored["version"])


def _check_time(time_left: TimeLeft | None) -> None:
    """Give up while there is still time to answer."""
    if time_left is not None and time_left() <= 0:
        raise Busy


def _allows(version: int, expected: Versions | None) -> bool:
    return expected is None or version in expected


def _may_answer(version: int, expected: Versions | None) -> bool:
    """Whether a change that is already in place may be reported as done.

    Also at the version after the expected one: this may repeat a request whose answer was lost (RFC 9110, section
    13.1.1, allows success for a change that was applied already).
    """
    return _allows(version, expected) or _allows(version - 1, expected)


def _give_first_answer(earlier: Item, item: Item) -> Account:
    """The answer to the first sign-up with this key, whatever happened to the account since."""
    if (earlier["subject"], earlier["fingerprint"]) != (item["subject"], item["fingerprint"]):
        raise KeyReused
    return Account.of({**item, "created_at": earlier["created_at"]})


def _judge(refusal: TransactionCanceled, record: Item) -> Exception:
    """Why a write was refused although the record was as expected (or, for a sign-up, absent).

    A marker that names the record itself as owner is never "taken".
    """
    taken = tuple(field for field, owner in _list_holders(refusal).items() if owner != record["PK"])
    if taken:
        return Taken(taken)
    if "record" in refusal.failed:
        return Busy()  # the record was not as expected when the write arrived, but it is now
    return Inconsistent() if refusal.failed else refusal


def _list_holders(refusal: TransactionCanceled) -> Mapping[str, object]:
    """The owners of the taken values, by field."""
    return refusal.holders if isinstance(refusal, UniqueViolation) else {}
