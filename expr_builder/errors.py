"""What can go wrong, as types.

Two families. :class:`BuildError` says that a request could never be right, before anything is sent.
:class:`RequestError` says how DynamoDB answered one that was sent. No message of either family
contains an attribute's value: values are people's data, and messages end up in logs.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any


class BuildError(ValueError):
    """A request, or a part of one, that DynamoDB would refuse.

    Args:
        message: What is wrong, in a sentence without the offending value.
        rule: The stable id of the broken rule (``docs/rules.md`` lists them), such as ``"set-empty"``.
        place: Where, from the outside in, such as ``'slot "email", Item.tags[2]'``; may be filled in later, by those
            who know more of the surroundings (:meth:`within`).
        fix: What to write instead.

    Attributes:
        rule: see above.
        place: see above.
        fix: see above.
        message: see above.
    """

    def __init__(self, message: str, *, rule: str, place: str = "", fix: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.rule = rule
        self.place = place
        self.fix = fix

    def within(self, outer: str) -> BuildError:
        """Put a further place in front (``"Item"`` before ``".tags[2]"``) and return the same error."""
        joint = "" if not self.place or self.place[0] in ".[" else ", "
        self.place = f"{outer}{joint}{self.place}"
        return self

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        fix = f" ({self.fix})" if self.fix else ""
        return f"{where}{self.message}{fix} [{self.rule}]"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.message, self.rule, self.place, self.fix)


def _rebuild(kind: type[BuildError], message: str, rule: str, place: str, fix: str) -> BuildError:
    return kind(message, rule=rule, place=place, fix=fix)


class BatchIncomplete(Exception):
    """DynamoDB kept leaving part of a batch undone.

    Attributes:
        left: The actions, of those taken so far, that were not carried out; all others were.
        attempts: How often they were sent.
    """

    def __init__(self, left: Sequence[Any], *, attempts: int) -> None:
        super().__init__(f"{len(left)} actions of the batch left after {attempts} attempts")
        self.left = list(left)
        self.attempts = attempts


class Reason:
    """Why one action of a cancelled transaction was, or was not, to blame.

    Attributes:
        code: ``"None"`` for an innocent action, else a reason code such as ``"ConditionalCheckFailed"`` or
            ``"TransactionConflict"``; ``"Unknown"`` when the answer carried no usable reasons.
        message: DynamoDB's words, or ``None``.
        item: The stored item as Python values, when the action asked for it
            (``return_old_on_failure``) and an item existed; else ``None``.

    See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_CancellationReason.html
    """

    __slots__ = ("code", "item", "message")

    def __init__(self, code: str, message: str | None = None, item: dict[str, Any] | None = None) -> None:
        self.code = code
        self.message = message
        self.item = item

    def __repr__(self) -> str:
        # The item is left out on purpose: reprs are logged.
        return f"Reason(code={self.code!r}, item={'present' if self.item is not None else 'absent'})"


class RequestError(Exception):
    """A transaction that did not take place, or may not have."""


class TransactionCanceled(RequestError):
    """DynamoDB refused the transaction: nothing of it was written.

    Attributes:
        slots: For each slot name, in the order of the actions, the :class:`Reason`.
        failed: The names of the slots whose own condition failed, in the order of the actions.
        retried: True when an earlier attempt of the same ``send`` had no clear outcome.

    See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
    """

    def __init__(
        self,
        slots: Mapping[str, Reason],
        *,
        explain: Callable[[], str] | None = None,
        retried: bool = False,
    ) -> None:
        self.slots = dict(slots)
        self.failed = tuple(name for name, reason in self.slots.items() if reason.code == "ConditionalCheckFailed")
        self.retried = retried
        self._explain = explain
        super().__init__(self._summary())

    def _summary(self) -> str:
        if self.failed:
            return f"the condition of {_listed(self.failed)} failed"
        blamed = [f"{name} ({reason.code})" for name, reason in self.slots.items() if reason.code != "None"]
        return f"the transaction was cancelled by {', '.join(blamed) or 'no known action'}"

    def explain(self) -> str:
        """Say, slot by slot, which clause of which condition was false and what was stored.

        Returns:
            Text of several lines. It shows stored values, so it is for people at a terminal, not for logs.
        """
        return self._explain() if self._explain else str(self)


class UniqueViolation(TransactionCanceled):
    """One or more unique values belong to another record.

    Attributes:
        fields: All taken fields, in the order in which ``Unique`` declares them.
        holders: For each taken field the owner that its marker names, ``None`` when unknown.
    """

    def __init__(
        self,
        slots: Mapping[str, Reason],
        *,
        holders: Mapping[str, Any],
        explain: Callable[[], str] | None = None,
        retried: bool = False,
    ) -> None:
        self.holders = dict(holders)
        self.fields = tuple(self.holders)
        super().__init__(slots, explain=explain, retried=retried)

    def _summary(self) -> str:
        return f"{_listed(self.fields)} already taken"


class IdempotentParameterMismatch(RequestError):
    """The token was used within the last ten minutes for a transaction with another body."""


class RequestUnfinished(RequestError):
    """No answer that settles the matter came within the attempts or the time that were allowed.

    Attributes:
        attempts: How often the transaction was sent.
        outcome_unknown: True when an attempt may have been carried out although its answer was lost. Sending the same
            transaction again with the same token is safe.
    """

    def __init__(self, message: str, *, attempts: int, outcome_unknown: bool) -> None:
        super().__init__(message)
        self.attempts = attempts
        self.outcome_unknown = outcome_unknown


class RequestConflict(RequestUnfinished):
    """Other requests kept touching the same items. Nothing was refused for its values."""


class RequestThrottled(RequestUnfinished):
    """DynamoDB kept asking to slow down."""


class RequestInProgress(RequestUnfinished):
    """An earlier attempt with the same token was still being carried out."""


class RequestUnavailable(RequestUnfinished):
    """DynamoDB could not be reached, or answered with a server error."""


def _listed(names: tuple[str, ...]) -> str:
    return " and ".join(names) if len(names) < 3 else f"{', '.join(names[:-1])} and {names[-1]}"
