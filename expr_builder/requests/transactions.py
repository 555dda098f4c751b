"""Transactions: up to 100 guarded writes, or reads, that happen together or not at all.

See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
"""

from __future__ import annotations

from expr_builder.attribute_values.capacity import read_units, write_units
from expr_builder.attribute_values.copying import copy_item
from expr_builder.attribute_values.text import to_text
from expr_builder.attribute_values.values import from_item, item_size
from expr_builder.errors import BuildError, RequestUnfinished, TransactionCanceled
from expr_builder.limits import (
    MAX_TOKEN_LENGTH,
    MAX_TRANSACTION_ACTIONS,
    MAX_TRANSACTION_BYTES,
)
from expr_builder.sending.answers import CANCELED, read_reasons
from expr_builder.sending.blocking import carry_out
from expr_builder.sending.conversation import Ask, Patience, converse, make_token

from .action import UNPACK
from .get import Get
from .table_name import find_two_homes
from .targets import list_targets
from .writes import WriteAction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeVar

    from mypy_boto3_dynamodb.client import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import (
        TransactGetItemsInputTypeDef,
        TransactWriteItemsInputTypeDef,
        TransactWriteItemsOutputTypeDef,
    )

    from expr_builder.attribute_values.values import StoredItem
    from expr_builder.errors import Reason
    from expr_builder.sending.answers import Response

    from .action import Action, Body
    from .key_schema import Target

    A = TypeVar("A", bound=Action)


class TransactWrite:
    """Guarded writes that happen together or not at all.

    Args:
        actions: 1 to 100 of ``table.put/update/delete/check(…)``, no two of them on one item, all in one Region and
            account.
        token: The ClientRequestToken, 1 to 36 characters: the same transaction with the same token is not carried out
            twice. Give one that is derived from the operation where another process may start it again; without one,
            the transaction makes its own, see :attr:`token`.

    Raises:
        BuildError: for no or too many actions, two on one item, two slots of one name, or a bad token.

    Example:
        ``TransactWrite(t.put(a).if_not_exists().named("email"), t.check(k).if_exists()).to_request()`` is
        ``{"TransactItems": [{"Put": {…}}, {"ConditionCheck": {…}}]}``.

    See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
    """

    _may_be_done = False  # whether a send may have carried it out

    def __init__(self, *actions: WriteAction, token: str | None = None) -> None:
        self._slots = _check_slots(actions, WriteAction, "put, update, delete or check")
        text = to_text(token) if isinstance(token, str) else None
        if token is not None and not (text and len(text) <= MAX_TOKEN_LENGTH):
            raise BuildError(
                f"a token has 1 to {MAX_TOKEN_LENGTH} characters",
                rule="token-length",
                place="ClientRequestToken",
                fix="use str(uuid.uuid5(…)) of what identifies the operation",
            )
        self._given_token = text

    @property
    def slots(self) -> dict[str, WriteAction]:
        """The actions by slot name, in order. An action without a name gets ``action0``, ``action1`` … by position."""
        return dict(self._slots)

    @property
    def token(self) -> str:
        """The ClientRequestToken: the one that was given, else one that is made when it is first needed.

        It is one for the transaction's whole life, also for its copies (``copy``, ``pickle``). So sending it again is a
        repetition, never a second time: DynamoDB remembers a token for ten minutes after the transaction was completed.
        The token of a *cancelled* transaction is free again. To write the same a second time, build a new transaction.
        """
        if self._given_token is not None:
            return self._given_token
        parts = self.__dict__
        # setdefault, which no other thread can interrupt: two that ask at once get one token.
        made: str = parts.get("_made_token") or parts.setdefault("_made_token", make_token())
        return made

    def __getstate__(self) -> dict[str, object]:
        self.token  # noqa: B018  # made before a copy is, so that both send the same one
        return self.__dict__

    def to_request(self) -> TransactWriteItemsInputTypeDef:
        """The arguments of ``client.transact_write_items``. They belong to the caller.

        They hold a ClientRequestToken only if one was given: equal transactions are equal text, which can be kept and
        compared. Add :attr:`token` to what is sent by other means, and may be sent again.

        Raises:
            BuildError: when an action breaks a rule, or all together are larger than 4 MB.
        """
        self._refuse_size()
        items: list[Body] = []
        for action in self._slots.values():  # as to_transact_item does, in fewer calls
            entry = action._make_transact_item()
            entry[action.operation][action._part] = copy_item(action._content)
            items.append(entry)
        request: Body = {"TransactItems": items}
        if self._given_token is not None:
            request["ClientRequestToken"] = self._given_token
        return request  # type: ignore[return-value]  # built dictionary by dictionary, see the golden test

    def _refuse_size(self) -> None:
        # What only an update has would cost each other action a call.
        total = sum([action.size if action._actions else action._content_size for action in self._slots.values()])
        if total > MAX_TRANSACTION_BYTES:
            raise BuildError(
                f"a transaction of {total} bytes, {MAX_TRANSACTION_BYTES} are allowed",
                rule="transaction-size",
                place="TransactItems",
                fix="split it into transactions that can stand alone",
            )

    def to_json(self) -> str:
        """The request as JSON text for ``aws dynamodb transact-write-items --cli-input-json``; binary as base64.

        As in :meth:`to_request`, there is a token only if one was given.
        """
        from expr_builder.attribute_values.json_form import write_json  # loaded only where text is wanted

        return write_json(self.to_request())

    def capacity(self) -> int:
        """Write units: two for each started KB of each item.

        This is exact for puts. For updates, deletes and checks it is the least that they can cost: DynamoDB counts the
        stored item, of which only the key and the new values are known here.
        """
        return sum(write_units(action.size, transactional=True) for action in self._slots.values())

    def send(
        self,
        client: DynamoDBClient,
        *,
        time_left: Callable[[], float] | None = None,
        max_attempts: int = 8,
    ) -> TransactWriteItemsOutputTypeDef:
        """Send the transaction; retry what is safe to retry, with the same body and the same :attr:`token`.

        Sending the same object again is a repetition too: after a :class:`RequestUnfinished` whose outcome is unknown
        it finds out, and completes what did not happen.

        Args:
            client: ``boto3.client("dynamodb")``; not the client of a resource, which would serialise values again.
            time_left: Returns the seconds that remain; a retry that has to wait longer is not started.
            max_attempts: How often to send at most; a transaction in progress is waited for more than five seconds all
                the same, as long as time is left.

        Returns:
            The client's answer.

        Raises:
            TransactionCanceled: refused; ``.slots`` tells which slot and why. Nothing was written by this attempt;
                ``.retried`` tells whether an earlier one may have been carried out.
            RequestUnfinished: no final answer within the attempts and time allowed.
            IdempotentParameterMismatch: the token was used for another body.
            BuildError: when the request breaks a rule; nothing was sent.
        """
        self._refuse_size()
        items = [action._make_transact_item() for action in self._slots.values()]
        ask = Ask("transact_write_items", {"TransactItems": items, "ClientRequestToken": self.token})
        # When DynamoDB has forgotten the token, the repetition of a success is refused.
        again = self._may_be_done
        asking = converse(
            ask,
            Patience(time_left, max_attempts),
            refusal=lambda code, response, retried: self._refuse(code, response, retried or again),
        )
        try:
            answer: TransactWriteItemsOutputTypeDef = carry_out(client, asking)
        except RequestUnfinished as error:
            if error.outcome_unknown:
                self._may_be_done = True
            raise
        self._may_be_done = True
        return answer

    def _refuse(self, code: str, response: Response, retried: bool) -> TransactionCanceled | None:
        if code != CANCELED:
            return None
        reasons = _read_slots(self._slots, response)
        return TransactionCanceled(reasons, explain=lambda: self._explain(reasons), retried=retried)

    def _explain(self, reasons: Mapping[str, Reason]) -> str:
        from .explain import explain_canceled  # loaded only when somebody asks

        return explain_canceled(self._slots, reasons)

    def __repr__(self) -> str:
        return f"TransactWrite({', '.join(f'{slot}: {action.operation}' for slot, action in self._slots.items())})"


class TransactGet:
    """Reads of up to 100 items as they were at one moment.

    Args:
        actions: 1 to 100 of ``table.get(…)``, no two of one item.

    Raises:
        BuildError: for no or too many reads, two of one item, or two slots of one name.

    Example:
        ``TransactGet(accounts.get(key).named("account")).fetch(client)`` is ``{"account": {"PK": …}}``.

    See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactGetItems.html
    """

    def __init__(self, *actions: Get) -> None:
        self._slots = _check_slots(actions, Get, "get")

    @property
    def slots(self) -> dict[str, Get]:
        """The reads by slot name, in order."""
        return dict(self._slots)

    def to_request(self) -> TransactGetItemsInputTypeDef:
        """The arguments of ``client.transact_get_items``."""
        request: Body = {"TransactItems": [action.to_transact_item() for action in self._slots.values()]}
        return request  # type: ignore[return-value]  # built dictionary by dictionary

    def to_json(self) -> str:
        """The request as JSON text for ``aws dynamodb transact-get-items --cli-input-json``."""
        from expr_builder.attribute_values.json_form import write_json  # loaded only where text is wanted

        return write_json(self.to_request())

    def capacity(self) -> int:
        """Read units, at least: two for each item. DynamoDB counts two for each started 4 KB of the stored item."""
        return sum(int(read_units(item_size(action.key), transactional=True)) for action in self._slots.values())

    def fetch(
        self,
        client: DynamoDBClient,
        *,
        time_left: Callable[[], float] | None = None,
        max_attempts: int = 8,
    ) -> dict[str, StoredItem | None]:
        """Read the items; arguments, retries and errors are those of :meth:`TransactWrite.send`.

        Returns:
            For each slot name the item as Python values, or ``None`` when there is none.
        """
        ask = Ask("transact_get_items", self.to_request())
        answer = carry_out(client, converse(ask, Patience(time_left, max_attempts), refusal=self._refuse))
        found = (from_item(response["Item"]) if "Item" in response else None for response in answer["Responses"])
        return dict(zip(self._slots, found, strict=True))

    def _refuse(self, code: str, response: Response, retried: bool) -> TransactionCanceled | None:
        return TransactionCanceled(_read_slots(self._slots, response), retried=retried) if code == CANCELED else None

    def __repr__(self) -> str:
        return f"TransactGet({', '.join(self._slots)})"


def _read_slots(slots: Mapping[str, Action], response: Response) -> dict[str, Reason]:
    return dict(zip(slots, read_reasons(response, len(slots)), strict=True))


def _check_slots(actions: Sequence[A], kind: type[A], makers: str) -> dict[str, A]:
    if not 1 <= len(actions) <= MAX_TRANSACTION_ACTIONS:
        raise BuildError(
            f"a transaction of {len(actions)} actions, 1 to {MAX_TRANSACTION_ACTIONS} are allowed",
            rule="transaction-count",
            place="TransactItems",
            fix="leave the transaction out" if not actions else "split it into transactions that can stand alone",
        )
    slots: dict[str, A] = {}
    for position, action in enumerate(actions):
        if not isinstance(action, kind):
            raise BuildError(
                f"a {type(action).__name__} is not an action for this transaction",
                rule="transaction-action",
                place=f"TransactItems[{position}]",
                fix=UNPACK if isinstance(action, (list, tuple)) else f"pass what table.{makers} returns",
            )
        name = action._slot or f"action{position}"
        if name in slots:
            raise BuildError(
                "two slots have this name",
                rule="slot-name",
                place=f'slot "{name}"',
                fix="give each action its own name",
            )
        slots[name] = action
    targets = {action._target for action in actions}
    # Nearly always all are in one table, and on an item each.
    if len(targets) < len(actions) or len({target[0] for target in targets}) > 1:
        _refuse_same_item(slots)
        _refuse_two_homes(slots)
    return slots


def _refuse_same_item(slots: Mapping[str, Action]) -> None:
    addressed: dict[Target, str] = {}
    for (name, action), target in zip(slots.items(), list_targets(slots.values()), strict=True):
        other = addressed.setdefault(target, name)
        if other != name:
            raise BuildError(
                f'this action and slot "{other}" are on one item of table "{action.table.name}"',
                rule="transaction-same-item",
                place=f'slot "{name}"',
                fix="join them: a put, update or delete takes conditions with when(…)",
            )


def _refuse_two_homes(slots: Mapping[str, Action]) -> None:
    """Refuse tables whose ARNs name two Regions or accounts."""
    found = find_two_homes(action.table.name for action in slots.values())
    if found is not None:
        one, other = (list(slots)[position] for position in found)
        raise BuildError(
            f'the tables of this action and of slot "{one}" are in two Regions or accounts',
            rule="transaction-region",
            place=f'slot "{other}"',
            fix="use a transaction for each: one transaction stays in one Region and account",
        )
