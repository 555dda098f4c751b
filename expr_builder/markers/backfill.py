"""Backfill: add markers to the records of a table that had none.

For each field of each record, one transaction puts the marker if there is none and the record still has its value.
Where another record holds the marker, two records share one value: that is reported, and nothing is merged. Writers
must maintain markers before this starts, or what they write meanwhile has none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .examine import Examiner, Unsettled
from .findings import Finding, Kind
from .repair import Mend, Mender, Outcome
from .scan import Report, ScanOptions, scan_table
from .suspects import find_suspects

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Sequence

    from mypy_boto3_dynamodb import DynamoDBClient

    from expr_builder.attribute_values.values import Item

    from .layout import Layout

_ONLY = frozenset({Kind.MISSING})


def backfill(
    layout: Layout,
    client: DynamoDBClient,
    options: ScanOptions | None = None,
    *,
    plan: Callable[[Mend], None] | None = None,
) -> Report:
    """Add the markers that records lack.

    See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html

    Args:
        layout, client, options: See :func:`audit`, which also says what is raised.
        plan: Makes it a dry run: nothing is written, and this is called, in several threads, with each transaction that
            would be sent. A dry run cannot see that two records without markers share a value.

    Returns:
        ``tally["added"]`` is how many markers were, or would be, added; ``findings`` are the records that got none.
    """
    examiner, mender = Examiner(layout, client), Mender(layout, client)

    def add_marker(finding: Finding) -> Mend:
        if plan is None:
            # By now it may be damage of another kind, which only a repair may touch.
            return mender.mend(finding, only=_ONLY)
        planned = mender.plan(finding)
        if planned.finding.kind in _ONLY:
            plan(planned)
        return planned

    def fill_page(items: Sequence[Item]) -> tuple[Counter[str], list[Finding]]:
        tally, found = find_suspects(layout, client, items, markers=False)
        mends = []
        for suspect in found:
            try:
                sight = examiner.examine(suspect)
            except Unsettled:
                tally["unsettled"] += 1
                continue
            if sight.finding is not None:
                mends.append(add_marker(sight.finding))
        added = [mend for mend in mends if mend.finding.kind in _ONLY and mend.transaction is not None]
        left = [mend.finding for mend in mends if mend.outcome is not Outcome.GONE and mend not in added]
        tally["added"] += len(added)
        return tally, left

    return scan_table(layout, client, fill_page, options or ScanOptions())
