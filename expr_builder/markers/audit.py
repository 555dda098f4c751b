"""Audit: does every record have its markers, and every marker its record? Reads only."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from .examine import Examiner
from .findings import Finding, distinct
from .survey import Report, ScanOptions, survey
from .suspects import suspects

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence

    from mypy_boto3_dynamodb import DynamoDBClient

    from .layout import Item, Layout


def audit(layout: Layout, client: DynamoDBClient, options: ScanOptions | None = None) -> Report:
    """Find everything that is wrong between records and markers, while the service goes on working.

    A scan finds suspects; each of them is then read again, with its counterparts, as of one moment, and reported only
    if it is wrong then. Damage that is done after its page was read may be missed until the next audit.

    Args:
        layout: What to look at.
        client: With a connection for each segment.
        options: How to scan.
    """
    examiner = Examiner(layout, client)
    options = options or ScanOptions()

    def examined(items: Sequence[Item]) -> tuple[Counter[str], list[Finding]]:
        tally, found = suspects(layout, client, items)
        sights = (
            examiner.record(suspect.owner, suspect.field)
            if suspect.marker is None
            else examiner.marker(suspect.field, suspect.marker)
            for suspect in found
        )
        findings = (sight.finding for sight in sights if sight.finding is not None)
        return tally, list(islice(findings, options.most))

    report = survey(layout, client, examined, options)
    if not report.resumed:
        return report
    # What was found before the interruption may have been mended since.
    with ThreadPoolExecutor(options.segments) as pool:
        sights = list(pool.map(examiner.again, report.findings))
    return replace(report, findings=distinct(sight.finding for sight in sights if sight.finding is not None))
