"""What can go wrong: one tree of errors, from invalid requests to lost answers.

Every error that the library raises has its place here::

    ExprBuilderError
      BuildError(ValueError)           before anything is sent: rule, place and fix, never a value
        ExpressionSyntaxError
      RequestError                     the service answered, or did not
        ConditionFailed                a single write
        TransactionCanceled
          UniqueViolation
        IdempotentParameterMismatch
        BatchIncomplete
        RequestUnfinished
          RequestConflict, RequestThrottled, RequestInProgress, RequestUnavailable

No message and no repr contains an attribute's value: values are people's data, and messages end up in logs. Every error
survives ``pickle`` and ``copy``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Self

    Explain = Callable[[], str]


class ExprBuilderError(Exception):
    """The base class of all errors that the library raises on purpose."""

    def __reduce__(self) -> tuple[object, ...]:
        # Exception's own way calls the class with ``args`` only, which fails for keyword-only parameters.
        return _rebuild, (type(self), self.args, self.__getstate__())

    def __getstate__(self) -> dict[str, object]:
        state = dict(self.__dict__)
        explain = state.get("_explain")
        if callable(explain):
            state["_explain"] = explain()  # the text: the function holds the whole request
        return state


def _rebuild(kind: type[ExprBuilderError], args: tuple[object, ...], state: dict[str, object]) -> ExprBuilderError:
    error = kind.__new__(kind, *args)  # not by __init__, which would need what the message was made of
    error.__dict__.update(state)
    return error


class BuildError(ExprBuilderError, ValueError):
    """A request, or a part of one, that DynamoDB would refuse.

    Args:
        message: What is wrong, in a sentence without the offending value.
        rule: The stable id of the broken rule (``docs/rules.md`` lists them), such as ``"set-empty"``.
        place: Where, from the outside in, such as ``'slot "email", Item.tags[2]'``. Callers that know more of the
            surroundings add to it (:meth:`within`).
        fix: What to write instead.

    The attributes of the same names hold these arguments.
    """

    def __init__(self, message: str, *, rule: str, place: str = "", fix: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.rule = rule
        self.place = place
        self.fix = fix

    def within(self, outer: str) -> Self:
        """Put an outer place in front (``"Item"`` before ``".tags[2]"``) and return the same error."""
        joint = "" if not self.place or self.place[0] in ".[" else ", "
        self.place = f"{outer}{joint}{self.place}"
        return self

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        fix = f" ({self.fix})" if self.fix else ""
        return f"{where}{self.message}{fix} [{self.rule}]"


class ExpressionSyntaxError(BuildError):
    """Expression text that cannot be read.

    Attributes:
        text: The whole text.
        column: Where it goes wrong, from 1.
    """

    def __init__(self, message: str, *, text: str, column: int, fix: str = "") -> None:
        super().__init__(message, rule="syntax", place=f"column {column}", fix=fix)
        self.text = text
        self.column = column

    def point(self) -> str:
        """The line of text with a caret below the column. It shows values: for people, not for logs."""
        line_start = self.text.rfind("\n", 0, self.column - 1) + 1
        line = self.text[line_start:].partition("\n")[0]
        return f"{line}\n{' ' * (self.column - 1 - line_start)}^"


class RequestError(ExprBuilderError):
    """A request that was not carried out, or may not have been: it was refused, or there was no final answer."""

    _explain: Explain | str | None = None  # made only when somebody asks; text once it was pickled

    def explain(self) -> str:
        """Say which clause of which condition was false, and what was stored.

        Returns:
            Text of several lines. It shows stored values: for people at a terminal, not for logs.
        """
        return self._explain() if callable(self._explain) else self._explain or str(self)


class ConditionFailed(RequestError):
    """The condition of a single write was false. Nothing was written.

    Attributes:
        table: The table's name.
        item: The stored item as Python values (from a typed table as its model, if it can be read as one); ``None``
            when there is none.
        retried: True when an earlier attempt got no answer: it may have been carried out, and made the condition false.

    See https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.ConditionExpressions.html
    """

    def __init__(self, table: str, item: Any, *, explain: Explain | None = None, retried: bool = False) -> None:
        found = "there is no such item" if item is None else "the stored item is another"
        super().__init__(f'the condition of a write to table "{table}" failed: {found}')
        self.table = table
        self.item = item
        self.retried = retried
        self._explain = explain


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
        return f"Reason(code={self.code!r}, item={'present' if self.item is not None else 'absent'})"


class TransactionCanceled(RequestError):
    """DynamoDB refused the transaction: nothing of it was written.

    Attributes:
        slots: For each slot name, in the order of the actions, the :class:`Reason`.
        failed: The names of the slots whose own condition failed, in the order of the actions.
        retried: True when an earlier attempt of the same ``send`` had no clear outcome.

    See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
    """

    def __init__(self, slots: Mapping[str, Reason], *, explain: Explain | None = None, retried: bool = False) -> None:
        self.slots = dict(slots)
        self.failed = tuple(name for name, reason in self.slots.items() if reason.code == "ConditionalCheckFailed")
        self.retried = retried
        self._explain = explain
        super().__init__(self._summarize())  # last: the message is made of the attributes

    def _summarize(self) -> str:
        if self.failed:
            return f"the condition of {_join_names(self.failed)} failed"
        blamed = [f"{name} ({reason.code})" for name, reason in self.slots.items() if reason.code != "None"]
        return f"the transaction was cancelled by {', '.join(blamed) or 'no known action'}"


class UniqueViolation(TransactionCanceled):
    """One or more unique values belong to another record. Nothing was written.

    Attributes:
        fields: All fields whose values are taken, in the order in which ``Unique`` declares them.
        holders: For each of them the owner that its marker names; ``None`` when unknown.
    """

    def __init__(
        self,
        slots: Mapping[str, Reason],
        *,
        holders: Mapping[str, object],
        explain: Explain | None = None,
        retried: bool = False,
    ) -> None:
        self.holders = dict(holders)  # before super().__init__, which asks for the message
        self.fields = tuple(self.holders)
        super().__init__(slots, explain=explain, retried=retried)

    def _summarize(self) -> str:
        return f"{_join_names(self.fields)} already taken"


class IdempotentParameterMismatch(RequestError):
    """The token was used within the last ten minutes for a transaction with another body."""


class BatchIncomplete(RequestError):
    """DynamoDB kept leaving part of a batch undone.

    Attributes:
        left: Of the actions that were sent, those that the last answer gave back undone; the others were carried out.
            If an earlier answer was lost, some of these may have been, too.
        attempts: How often they were sent.
    """

    def __init__(self, left: Sequence[Any], *, attempts: int) -> None:
        super().__init__(f"{len(left)} actions of the batch left after {attempts} attempts")
        self.left = list(left)
        self.attempts = attempts


class RequestUnfinished(RequestError):
    """No final answer came within the attempts and the time that were allowed.

    Attributes:
        attempts: How often the request was sent.
        outcome_unknown: True when an attempt may have been carried out although its answer was lost. A transaction
            may be sent again with the same token; after a single write, read the item to see.
        token: The ClientRequestToken that was sent, if any.
    """

    def __init__(self, message: str, *, attempts: int, outcome_unknown: bool, token: str | None = None) -> None:
        super().__init__(message)
        self.attempts = attempts
        self.outcome_unknown = outcome_unknown
        self.token = token


class RequestConflict(RequestUnfinished):
    """Other requests kept touching the same items. Nothing was refused for its values."""


class RequestThrottled(RequestUnfinished):
    """DynamoDB kept asking to slow down."""


class RequestInProgress(RequestUnfinished):
    """An earlier attempt with the same token was still being carried out."""


class RequestUnavailable(RequestUnfinished):
    """DynamoDB could not be reached, or answered with a server error."""


def _join_names(names: tuple[str, ...]) -> str:
    return " and ".join(names) if len(names) < 3 else f"{', '.join(names[:-1])} and {names[-1]}"
