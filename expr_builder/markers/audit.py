"""Audit: does every record have its markers, and every marker its record? Reads only."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from .examine import Examiner
from .findings import Finding, merge_findings
from .scan import Report, ScanOptions, scan_table
from .suspects import find_suspects

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence

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

    Raises:
        CheckpointError: when the checkpoint cannot be used.
        Unsettled: when a suspect kept changing while it was read.
        RequestError: when DynamoDB gave no final answer.

    Example:
        ``audit(Layout(unique, record_sort="PROFILE"), make_scan_client(4)).findings``
    """
    examiner = Examiner(layout, client)
    options = options or ScanOptions()

    def examine_page(items: Sequence[Item]) -> tuple[Counter[str], list[Finding]]:
        tally, found = find_suspects(layout, client, items)
        findings = (sight.finding for sight in map(examiner.examine, found) if sight.finding is not None)
        # Lazily, as each costs a transaction: in a table without any markers every record is a suspect.
        return tally, list(islice(findings, options.most))

    report = scan_table(layout, client, examine_page, options)
    if not report.resumed:
        return report
    # What was found before the interruption may have been mended since.
    with ThreadPoolExecutor(options.segments) as pool:
        sights = list(pool.map(examiner.look_again, report.findings))
    return replace(report, findings=merge_findings(sight.finding for sight in sights if sight.finding is not None))
