"""Retire: delete the markers that only previous rules make, once every writer follows the new rule alone.

A marker goes only if its owner's record has, by the new rule, all markers of its value: so that no value is without a
guard at any time. What is otherwise in the way is found, and left for a backfill or a repair.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from .repair import Mend, Mender, Outcome
from .scan import Report, ScanOptions, scan_table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mypy_boto3_dynamodb import DynamoDBClient

    from expr_builder.attribute_values.values import Item

    from .findings import Finding
    from .layout import Layout


def retire(
    layout: Layout,
    client: DynamoDBClient,
    options: ScanOptions | None = None,
    *,
    plan: Callable[[Mend], None] | None = None,
) -> Report:
    """Delete the markers that records have by previous rules alone.

    Writers that still follow a previous rule would write its markers anew, and rely on those that are gone: so they
    come first, and ``Marker(…, previous=…)`` stays in the declaration of this command alone.

    Args:
        layout, client, options: See :func:`audit`, which also says what is raised.
        plan: Makes it a dry run: nothing is written, and this is called, in several threads, with each transaction that
            would be sent.

    Returns:
        ``tally["retired"]`` is how many markers were, or would be, deleted; ``findings`` say why others were not.
    """
    mender = Mender(layout, client)

    def retire_page(items: Sequence[Item]) -> tuple[Counter[str], list[Finding]]:
        tally: Counter[str] = Counter()
        left: list[Finding] = []
        for item in items:
            field, partition = layout.find_field(item), layout.read_partition(item)
            if field is None:
                tally["records" if layout.is_record(item) else "others"] += 1
                continue
            tally["markers"] += 1
            mend = None
            if layout.is_previous(field, partition):
                mend = mender.retire(field, partition, dry_run=plan is not None)
            if mend is None:
                continue
            if mend.outcome is Outcome.BUSY:
                tally["unsettled"] += 1
            elif mend.transaction is None:
                left.append(mend.finding)
            else:
                tally["retired"] += 1
                if plan is not None:
                    plan(mend)
        return tally, left

    return scan_table(layout, client, retire_page, options or ScanOptions())
