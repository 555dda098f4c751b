"""Backfill: add markers to the records of a table that had none.

For each record, one transaction puts the markers that it lacks, if there are none and it still has its values. Where
that is refused, its fields are looked at one by one: where another record holds the marker, two records share one
value, which is reported, and nothing is merged. Writers must maintain markers before this starts, or what they write
meanwhile has none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .census import take_census
from .examine import Examiner, Suspect, Unsettled
from .findings import Finding, Kind
from .repair import MOST_ADDED, Mend, Mender, Outcome
from .scan import Report, ScanOptions, scan_table
from .suspects import find_suspects

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mypy_boto3_dynamodb import DynamoDBClient

    from expr_builder.attribute_values.values import Item

    from .census import Group
    from .layout import Layout
    from .policies import Policy

_ONLY = frozenset({Kind.MISSING})
_SHARED = frozenset({Kind.MISSING, Kind.DUPLICATE})


def backfill(
    layout: Layout,
    client: DynamoDBClient,
    options: ScanOptions | None = None,
    *,
    plan: Callable[[Mend], None] | None = None,
    keep: Policy | None = None,
) -> Report:
    """Add the markers that records lack.

    See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html

    Args:
        layout, client, options: See :func:`audit`, which also says what is raised.
        plan: Makes it a dry run: nothing is written, and this is called, in several threads, with each transaction that
            would be sent. A dry run without ``keep`` cannot see that two records without markers share a value.
        keep: Who keeps a value that several records have. The table is then read once more before, to know them all. A
            marker that another of them has is handed over, and nobody new gets one while it is undecided. Left out, the
            first has it.

    Returns:
        ``tally["added"]`` is how many markers were, or would be, added; ``findings`` are the records that got none.
    """
    options = options or ScanOptions()
    if keep is None:
        return _fill(layout, client, options, plan, lambda *_: None)
    with take_census(layout, client, options, keep) as census:
        return _fill(layout, client, options, plan, census.find_group)


def _fill(
    layout: Layout,
    client: DynamoDBClient,
    options: ScanOptions,
    plan: Callable[[Mend], None] | None,
    find_group: Callable[[str, str], Group | None],
) -> Report:
    examiner, mender = Examiner(layout, client), Mender(layout, client)

    def decide(suspects: Iterable[Suspect], left: list[Finding]) -> Iterator[Suspect]:
        """Those that may have their marker; of the others it is said who has it."""
        for suspect in suspects:
            group = find_group(suspect.field, str(suspect.marker))
            if group is None or suspect.owner == group.keep:
                yield suspect
            else:
                has_it = group.holder if group.keep is None else group.keep
                left.append(Finding(Kind.DUPLICATE, suspect.field, suspect.owner, suspect.marker, has_it))

    def hand_over(finding: Finding) -> Mend | None:
        """Give the marker of a shared value to the record that keeps it."""
        if finding.kind is not Kind.DUPLICATE:
            return None
        group = find_group(finding.field, str(finding.marker))
        if group is None or finding.holder not in group.owners:
            return None
        return mender.settle(finding, only=_SHARED, dry_run=plan is not None)

    def fill_page(items: Sequence[Item]) -> tuple[Counter[str], list[Finding]]:
        tally, found = find_suspects(layout, client, items, markers=False)
        left: list[Finding] = []
        found = [*decide(found, left)]
        doubtful = [suspect for suspect in found if not suspect.absent]
        for record, suspects in _group_by_record(layout, items, found):
            missing = [(suspect.field, str(suspect.marker)) for suspect in suspects]
            mend = mender.add(record, missing, dry_run=plan is not None)
            if mend is None:  # a change meanwhile, or another record on its way to the same marker
                doubtful += suspects
                continue
            tally["added"] += len(missing)
            if plan is not None:
                plan(mend)
        for suspect in doubtful:
            try:
                finding = examiner.examine(suspect).finding
            except Unsettled:
                tally["unsettled"] += 1
                continue
            if finding is None:
                continue
            if (given := hand_over(finding)) is not None:
                if given.outcome in (Outcome.MENDED, Outcome.PLANNED):
                    former, marker = given.finding.holder, finding.marker
                    tally["added" if former is None else "handed"] += 1  # it may have given the value up meanwhile
                    if former is not None:
                        left.append(Finding(Kind.DUPLICATE, finding.field, former, marker, finding.record))
                    if plan is not None:
                        plan(given)
                elif given.outcome is not Outcome.GONE:
                    left.append(given.finding)
                continue
            # By now it may be damage of another kind, which only a repair may touch.
            mend = mender.plan(finding) if plan is not None else mender.mend(finding, only=_ONLY)
            if mend.finding.kind in _ONLY and mend.transaction is not None:
                tally["added"] += 1
                if plan is not None:
                    plan(mend)
            elif mend.outcome is not Outcome.GONE:
                left.append(mend.finding)
        return tally, left

    return scan_table(layout, client, fill_page, options)


def _group_by_record(
    layout: Layout, items: Sequence[Item], suspects: Iterable[Suspect]
) -> Iterator[tuple[Item, list[Suspect]]]:
    """The records of a page that lack markers, each with the suspects that say which, as many as one request takes."""
    lacking: dict[str, list[Suspect]] = {}
    for suspect in suspects:
        if suspect.absent:
            lacking.setdefault(repr(layout.find_record_key(suspect.owner)), []).append(suspect)
    for item in items:
        found = lacking.get(repr(layout.pick_key(item)), [])
        for start in range(0, len(found), MOST_ADDED):
            yield item, found[start : start + MOST_ADDED]
