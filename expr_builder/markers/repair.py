"""Repair: mend findings, each in one guarded transaction, while writers keep working.

Each finding is examined again first. What is done follows from that alone, and only if everything is still as it was
seen: so an old finding, or the same one twice, does no harm.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from expr_builder.attribute_values.json_form import make_json
from expr_builder.errors import TransactionCanceled
from expr_builder.expressions.attr import Attr
from expr_builder.expressions.joining import all_of
from expr_builder.limits import MAX_TRANSACTION_ACTIONS
from expr_builder.requests.transactions import TransactWrite
from expr_builder.unique import FREE_AT, OWNER

from .examine import Examiner, Unsettled
from .findings import Finding, Kind
from .layout import Unkeyed, name_holder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mypy_boto3_dynamodb import DynamoDBClient

    from expr_builder.attribute_values.values import Item
    from expr_builder.expressions.nodes import Condition
    from expr_builder.requests.writes import Check, Put

    from .examine import Sight
    from .layout import Layout

MOST_ADDED = MAX_TRANSACTION_ACTIONS - 1
"""How many markers one transaction can add: it checks the record, too."""

_ROUNDS = 5  # how often to start again because something changed between examining and writing


class Outcome(StrEnum):
    """What became of a finding."""

    MENDED = "mended"
    PLANNED = "planned"
    """It would be mended by this transaction."""
    GONE = "gone"
    """Nothing is wrong any more."""
    LEFT = "left"
    """A person must decide: two records have one value, a record's value is impossible, a marker may be somebody's."""
    BUSY = "busy"
    """It kept changing; repairing again will help."""


@dataclass(frozen=True, slots=True)
class Mend:
    """What was, or would be, done about a finding.

    Attributes:
        finding: The finding, as it turned out to be when it was looked at again.
        outcome: What became of it.
        transaction: What was sent, or would be.
        reason: Why it was left, where that does not follow from the finding's kind.
        also: Further findings that the same transaction mends.
    """

    finding: Finding
    outcome: Outcome
    transaction: TransactWrite | None = None
    reason: str = ""
    also: tuple[Finding, ...] = ()

    def to_json(self) -> dict[str, object]:
        """As JSON data."""
        also = {"also": [finding.to_json() for finding in self.also]} if self.also else {}
        request = {} if self.transaction is None else {"request": make_json(self.transaction.to_request())}
        reason = {"reason": self.reason} if self.reason else {}
        return {"outcome": self.outcome.value, "finding": self.finding.to_json(), **also, **reason, **request}


class Mender:
    """Mends findings of a table: ``Mender(layout, client).mend(finding)``.

    See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html

    Args:
        layout: Which items are records, and which are markers.
        client: ``boto3.client("dynamodb")``, or :func:`make_scan_client` for several threads.
        delete_orphans: Delete markers whose owner has no record, also where the layout has no ``record_prefix``, by
            which an owner can be told from what an operator wrote there.
        delete_reserved: Delete markers that no record wrote, or hand them over to the record whose value they block.
    """

    def __init__(
        self, layout: Layout, client: DynamoDBClient, *, delete_orphans: bool = False, delete_reserved: bool = False
    ) -> None:
        self._layout = layout
        self._client = client
        self._examiner = Examiner(layout, client)
        self._delete_orphans = delete_orphans
        self._delete_reserved = delete_reserved

    def plan(self, finding: Finding) -> Mend:
        """Examine a finding again, and say what would be done about it.

        Whatever the finding says, only a marker of a declared field is ever deleted or handed over, and only if it is
        wrong now.
        """
        if reason := self._find_misfit(finding):
            return Mend(finding, Outcome.LEFT, reason=reason)
        try:
            sight = self._examiner.look_again(finding)
        except Unsettled:
            return Mend(finding, Outcome.BUSY)
        if sight.finding is None:
            return Mend(finding, Outcome.GONE)
        reason = self._find_scruple(sight)
        if reason:
            return Mend(sight.finding, Outcome.LEFT, reason=reason)
        transaction = self._draft(sight.finding, sight)
        return Mend(sight.finding, Outcome.LEFT if transaction is None else Outcome.PLANNED, transaction)

    def give(self, field: str, value: str, owner: object, *, dry_run: bool = False) -> Mend:
        """Make a record the owner of the marker of a value that it has, whoever holds the marker now.

        This settles which of two records with one value keeps it: the other one has no marker from then on, and can be
        changed or deleted without touching this one's.

        Args:
            field: The unique field.
            value: The value, as a person writes it; several as they stand in the marker's key (``7#SLUG#home``).
            owner: Whom the marker shall name: the record must exist and have the value.
            dry_run: Only say what would be done.

        Returns:
            What was done; ``GONE`` when the record owns the marker already, ``LEFT`` with the reason when it cannot be
            given to it. ``finding.holder`` is the former owner.

        Raises:
            RequestUnfinished: when DynamoDB gave no final answer. Giving again is safe.
        """
        subject = Finding(Kind.MISSING, field, record=owner)
        if reason := self._find_misfit(subject):
            return Mend(subject, Outcome.LEFT, reason=reason)
        try:
            partitions = self._layout.derive_markers(field, value)
        except Unkeyed as unfit:
            return Mend(subject, Outcome.LEFT, reason=str(unfit))
        # By previous rules, a value has further markers; each is given by itself, that of today's rule last.
        mends = [
            self.settle(dataclasses.replace(subject, marker=partition), dry_run=dry_run)
            for partition in reversed(partitions)
        ]
        *others, mend = mends
        also = tuple(other.finding for other in others if other.outcome is mend.outcome)
        return next((one for one in others if one.outcome is Outcome.BUSY), dataclasses.replace(mend, also=also))

    def settle(self, subject: Finding, *, only: frozenset[Kind] = frozenset(Kind), dry_run: bool = False) -> Mend:
        """Make a record the owner of one marker that it needs, as :meth:`give` does for all markers of a value.

        Args:
            subject: With the record's owner key and the marker. With a holder, nobody else's marker is handed over.
            only: Leave it if what is wrong is of another kind by now.
            dry_run: Only say what would be done.

        Returns:
            See :meth:`give`.

        Raises:
            RequestUnfinished: when DynamoDB gave no final answer. Settling again is safe.
        """
        for _ in range(_ROUNDS):
            try:
                sight = self._examiner.look_again(subject)
            except Unsettled:
                break
            if subject.marker not in self._layout.find_markers(sight.record, subject.field):
                return Mend(subject, Outcome.LEFT, reason=f"no record of this owner has this {subject.field}")
            if sight.finding is None:
                return Mend(subject, Outcome.GONE)
            if sight.finding.kind not in only:
                return Mend(sight.finding, Outcome.LEFT)
            if subject.holder is not None and sight.finding.holder not in (None, subject.holder):
                # Whoever decided knew nothing of this one, who may have the value by every right.
                return Mend(sight.finding, Outcome.LEFT, reason="the marker is another record's by now")
            missing = sight.finding.kind is Kind.MISSING
            transaction = (self._add if missing else self._hand_over)(sight.finding, sight)
            if dry_run:
                return Mend(sight.finding, Outcome.PLANNED, transaction)
            try:
                transaction.send(self._client)
            except TransactionCanceled:
                continue
            return Mend(sight.finding, Outcome.MENDED, transaction)
        return Mend(subject, Outcome.BUSY)

    def mend(self, finding: Finding, *, only: frozenset[Kind] = frozenset(Kind)) -> Mend:
        """Examine a finding again and mend it, unless it is now of a kind that is not in ``only``.

        Raises:
            RequestUnfinished: when DynamoDB gave no final answer. Mending again is safe.
        """
        for _ in range(_ROUNDS):
            plan = self.plan(finding)
            if plan.transaction is None:
                return plan
            if plan.finding.kind not in only:
                return Mend(plan.finding, Outcome.LEFT)
            try:
                plan.transaction.send(self._client)
            except TransactionCanceled:
                continue  # something changed meanwhile, or an attempt of ours whose answer was lost has mended it
            return Mend(plan.finding, Outcome.MENDED, plan.transaction)
        return Mend(finding, Outcome.BUSY)

    def add(self, record: Item, missing: Sequence[tuple[str, str]], *, dry_run: bool = False) -> Mend | None:
        """Put markers that a record lacks, all in one transaction.

        Args:
            record: The record as it was read.
            missing: The markers, each as its field and its partition key; at most :data:`MOST_ADDED`.
            dry_run: Only say what would be done.

        Returns:
            What was done; ``None`` when nothing was, as the record has changed or a marker is there by now.

        Raises:
            RequestUnfinished: when DynamoDB gave no final answer. Adding again is safe.
        """
        owner = self._layout.find_owner(record)
        findings = [Finding(Kind.MISSING, field, owner, partition) for field, partition in missing]
        fields = dict.fromkeys(field for field, _ in missing)
        puts = (self._put_marker(finding).named(f"marker {number}") for number, finding in enumerate(findings))
        transaction = TransactWrite(self._check_unchanged("record", owner, record, *fields), *puts)
        if not dry_run:
            try:
                transaction.send(self._client)
            except TransactionCanceled:
                return None
        return Mend(findings[0], Outcome.PLANNED if dry_run else Outcome.MENDED, transaction, also=tuple(findings[1:]))

    def retire(self, field: str, partition: str, *, dry_run: bool = False) -> Mend | None:
        """Delete a marker that only a previous rule makes, if its owner's record has all markers of the new rule.

        Args:
            field: The unique field.
            partition: The marker's partition key.
            dry_run: Only say what would be done.

        Returns:
            What was done, or the finding that is in the way; ``None`` when this is no such marker, or it is gone.

        Raises:
            RequestUnfinished: when DynamoDB gave no final answer. Retiring again is safe.
        """
        for _ in range(_ROUNDS):
            try:
                sight = self._examiner.examine_marker(field, partition)
                if sight.finding is not None or sight.holder is None:  # damage, which a repair mends; or it rests
                    return None if sight.finding is None else Mend(sight.finding, Outcome.LEFT)
                current = self._layout.find_current_markers(sight.holder, field)
                if partition in current or partition not in self._layout.find_markers(sight.holder, field):
                    return None
                owner = name_holder(sight.marker)
                finding = Finding(Kind.PREVIOUS, field, marker=partition, holder=owner)
                if len(current) > MAX_TRANSACTION_ACTIONS - 2:
                    return Mend(finding, Outcome.LEFT, reason="the record has more values than one request can check")
                transaction = self._draft_retirement(finding, sight, current)
                if dry_run:
                    return Mend(finding, Outcome.PLANNED, transaction)
                try:
                    transaction.send(self._client)
                except TransactionCanceled:
                    for key in current:
                        if lacking := self._examiner.examine_record(owner, field, key).finding:
                            return Mend(lacking, Outcome.LEFT)
                    continue
                return Mend(finding, Outcome.MENDED, transaction)
            except Unsettled:
                break
        return Mend(Finding(Kind.PREVIOUS, field, marker=partition), Outcome.BUSY)

    def _draft_retirement(self, finding: Finding, sight: Sight, current: Sequence[str]) -> TransactWrite:
        table, layout = self._layout.table, self._layout
        # A marker by the new rule that rests would be swept, and the value be free.
        kept = Attr(FREE_AT).not_exists() if self._may_rest(finding.field) else None
        named = all_of(Attr(OWNER).eq(finding.holder), kept)
        checks = (table.check(layout.make_marker_key(finding.field, key)).when(named) for key in current)
        marker = table.delete(layout.make_marker_key(finding.field, str(finding.marker)))
        record = self._check_unchanged("record", finding.holder, sight.holder, finding.field)
        return TransactWrite(record, *checks, marker.when(self._expect_marker(finding, sight)).named("marker"))

    def _find_misfit(self, finding: Finding) -> str:
        """Why a finding is none of this declaration, as those from a file can be."""
        if finding.field not in self._layout.fields:
            return f"{finding.field} is no field of this declaration"
        if finding.record is None and not self._layout.fits(finding.field, finding.marker):
            return f"this is no key of a marker of {finding.field}"
        return ""

    def _find_scruple(self, sight: Sight) -> str:
        """Why a marker is left, though it is in the way; empty when nothing speaks against mending."""
        kind = None if sight.finding is None else sight.finding.kind
        if kind is Kind.ORPHAN and not self._layout.record_prefix and not self._delete_orphans:
            return "an operator may keep the value: name the records' prefix, or say that orphans are deleted"
        if kind is Kind.RESERVED:
            if not self._delete_reserved:
                return "say that reserved markers are deleted, if this one is not needed"
            if sight.marker is None or not self._layout.is_marker(sight.marker):
                return "this is an item of another kind"
        return ""

    def _draft(self, finding: Finding, sight: Sight) -> TransactWrite | None:
        match finding.kind:
            case Kind.ORPHAN | Kind.DOUBLE:
                return self._release(finding, sight)
            case Kind.MISSING:
                return self._add(finding, sight)
            case Kind.STOLEN | Kind.RESTING:
                return self._hand_over(finding, sight)
            case Kind.RESERVED:
                return self._release(finding, sight) if finding.record is None else self._hand_over(finding, sight)
        return None  # duplicate, held or invalid: which of two people has a value is not ours to decide

    def _release(self, finding: Finding, sight: Sight) -> TransactWrite:
        """Delete a marker that its owner, if it exists at all, does not need."""
        key = self._layout.make_marker_key(finding.field, str(finding.marker))
        delete = self._layout.table.delete(key).when(self._expect_marker(finding, sight))
        return TransactWrite(*self._check_holder(finding, sight), delete.named("marker"))

    def _add(self, finding: Finding, sight: Sight) -> TransactWrite:
        """Put the marker that a record's value lacks."""
        check = self._check_unchanged("record", finding.record, sight.record, finding.field)
        return TransactWrite(check, self._put_marker(finding).named("marker"))

    def _hand_over(self, finding: Finding, sight: Sight) -> TransactWrite:
        """Set the right owner in a marker, which then rests no more; what else it has stays."""
        key = self._layout.make_marker_key(finding.field, str(finding.marker))
        update = self._layout.table.update(key).set({OWNER: finding.record})
        if FREE_AT in (sight.marker or {}) and self._may_rest(finding.field):
            update = update.remove(FREE_AT)
        marker = update.when(self._expect_marker(finding, sight)).named("marker")
        record = self._check_unchanged("record", finding.record, sight.record, finding.field)
        return TransactWrite(record, *self._check_holder(finding, sight), marker)

    def _put_marker(self, finding: Finding) -> Put:
        marker = {**self._layout.make_marker_key(finding.field, str(finding.marker)), OWNER: finding.record}
        return self._layout.table.put(marker).if_not_exists()

    def _may_rest(self, field: str) -> bool:
        return self._layout.unique.markers[field].hold_seconds > 0

    def _expect_marker(self, finding: Finding, sight: Sight) -> Condition:
        """The marker exists, names this owner, or none, and rests as long as was seen."""
        holder = finding.holder
        # One damaged by hand may have lost its owner, or have NULL for one.
        named = Attr(OWNER).not_exists() | Attr(OWNER).eq(None) if holder is None else Attr(OWNER).eq(holder)
        rest = None
        if self._may_rest(finding.field):
            free_at = (sight.marker or {}).get(FREE_AT)
            rest = Attr(FREE_AT).not_exists() if free_at is None else Attr(FREE_AT).eq(free_at)
        return all_of(self._layout.table.key_schema.present, named, rest)

    def _check_holder(self, finding: Finding, sight: Sight) -> list[Check]:
        # An owner that cannot be a key has no record that could appear meanwhile; the record itself is checked already.
        holder_key = self._layout.find_record_key(finding.holder)
        if holder_key is None or holder_key == self._layout.find_record_key(finding.record):
            return []
        return [self._check_unchanged("holder", finding.holder, sight.holder, finding.field)]

    def _check_unchanged(self, slot: str, owner: object, record: Item | None, *fields: str) -> Check:
        """Demand that a record is still absent, or still has the values that were seen."""
        table = self._layout.table
        check = table.check(self._layout.find_record_key(owner) or {}).named(slot)
        if record is None:
            return check.when(table.key_schema.absent)
        return check.when(
            all_of(
                table.key_schema.present,
                *(one for field in fields for one in self._layout.unique.expect_values(field, record)),
            )
        )
