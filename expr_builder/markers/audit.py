"""Audit: does every record have its markers, and every marker its record? Reads only."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from .examine import Examiner, Unsettled
from .findings import Finding, Kind, merge_findings
from .scan import Report, ScanOptions, scan_table
from .suspects import find_suspects

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Sequence

    from mypy_boto3_dynamodb import DynamoDBClient

    from expr_builder.attribute_values.values import Item

    from .layout import Layout


def audit(layout: Layout, client: DynamoDBClient, options: ScanOptions | None = None) -> Report:
    """Find everything that is wrong between records and markers, while writers keep working.

    A scan finds suspects; each of them is then read again, with its counterparts, as of one moment, and reported only
    if it is wrong then. Damage done after its page was read may be missed until the next audit.
    See https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Scan.html

    Args:
        layout: Which items are records, and which are markers.
        client: With a connection for each segment, as :func:`make_scan_client` makes it.
        options: How to scan; four segments when left out.

    Returns:
        The findings. ``tally["unsettled"]`` counts suspects that kept changing while they were examined: with any, the
        report is not complete. ``tally["reserved"]`` counts the markers that the layout expects to belong to no record.

    Raises:
        CheckpointError: when the checkpoint cannot be used.
        RequestError: when DynamoDB gave no final answer.

    Example:
        ``audit(Layout(unique, record_sort="PROFILE"), make_scan_client(4)).findings``
    """
    examiner = Examiner(layout, client)
    options = options or ScanOptions()

    def examine_page(items: Sequence[Item]) -> tuple[Counter[str], list[Finding]]:
        tally, found = find_suspects(layout, client, items)

        def examine_each() -> Iterator[Finding]:
            for suspect in found:
                try:
                    finding = examiner.examine(suspect).finding
                except Unsettled:
                    tally["unsettled"] += 1
                    continue
                if finding is None:
                    continue
                if layout.reserved and finding.kind is Kind.RESERVED and finding.record is None:
                    tally["reserved"] += 1
                else:
                    yield finding

        # Lazily, as each costs a transaction: in a table without any markers every record is a suspect.
        return tally, list(islice(examine_each(), options.most))

    report = scan_table(layout, client, examine_page, options)
    if not report.resumed:
        return report

    def look_again(finding: Finding) -> Finding | None:
        try:
            return examiner.look_again(finding).finding
        except Unsettled:
            return finding

    # What was found before the interruption may have been mended since.
    with ThreadPoolExecutor(options.segments) as pool:
        still = list(pool.map(look_again, report.findings))
    return replace(report, findings=merge_findings(finding for finding in still if finding is not None))
