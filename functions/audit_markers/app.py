"""On a schedule: does every account have its markers, and every marker its account? Reads only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.metrics import MetricUnit

from accounts.observability import logger, metrics
from accounts.schema import declare_layout
from accounts.settings import settings
from expr_builder.markers import Redactor, ScanOptions, audit, make_scan_client

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

SEGMENTS = 4
MOST_FINDINGS = 100  # each is a line in the log, and a single one is enough for an alarm
RESERVE_SECONDS = 30  # to finish the pages that are being read, and to write the report


class AuditIncomplete(RuntimeError):
    """The time was up before the end of the table. As the function's error, it raises an alarm."""


@logger.inject_lambda_context(clear_state=True)
@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Audit the table, log each finding without the value that it is about, and count them as ``MarkerFindings``."""
    layout = declare_layout(settings().table_name)

    def time_is_up() -> bool:
        return context.get_remaining_time_in_millis() < RESERVE_SECONDS * 1000

    options = ScanOptions(SEGMENTS, most=MOST_FINDINGS, enough=time_is_up)
    report = audit(layout, make_scan_client(SEGMENTS), options)
    for finding in map(Redactor(layout), report.findings):
        logger.warning("marker finding", extra=finding.to_json())
    summary = report.to_json()
    logger.info("marker audit", extra=summary)
    metrics.add_metric(name="MarkerFindings", unit=MetricUnit.Count, value=len(report.findings))
    if not report.complete and len(report.findings) < MOST_FINDINGS:
        raise AuditIncomplete("the time was up before the end of the table; see docs/markers.md")
    return summary
