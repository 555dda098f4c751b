"""The command line: ``python -m expr_builder.markers audit|repair|backfill|show``.

Exit codes, for scheduled jobs: 0 nothing is wrong, 1 something is, 2 the command could not do its work.
"""

from __future__ import annotations

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from expr_builder import BatchIncomplete, BuildError, RequestError

from .arguments import UsageError, layout_from, parse
from .audit import audit
from .backfill import backfill
from .checkpoint import Checkpoint, CheckpointError
from .connect import scanning_client
from .examine import Unsettled
from .findings import Finding, Redactor
from .progress import Progress
from .repair import Mender, Outcome
from .show import show
from .survey import ScanOptions
from .text import finding_table, mend_text, outcomes, outcomes_text, report_text, shown_text

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from mypy_boto3_dynamodb import DynamoDBClient

    from .layout import Layout
    from .repair import Mend
    from .survey import Report

CLEAN, FOUND, FAILED = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    options = parse(arguments)
    try:
        layout = layout_from(options)
        code = _COMMANDS[options.command](layout, scanning_client(options.segments), options)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except KeyboardInterrupt:
        kept = getattr(options, "checkpoint", None)
        _say(f"Stopped. The same command again goes on from {kept}." if kept else "Stopped.")
        return FAILED
    except (UsageError, CheckpointError, Unsettled, RequestError, BatchIncomplete, BuildError) as error:
        _say(str(error))
        return FAILED
    except (ClientError, BotoCoreError) as error:
        _say(_refusal(error))
        return FAILED
    return code


def _audit(layout: Layout, client: DynamoDBClient, options: argparse.Namespace) -> int:
    report = _scanned(layout, client, options, "audit")
    if options.redact:
        report = replace(report, findings=[*map(Redactor(layout), report.findings)])
    _print_report(report, options)
    return _code(report)


def _repair(layout: Layout, client: DynamoDBClient, options: argparse.Namespace) -> int:
    findings = _read_findings(options.source) if options.source else _scanned(layout, client, options, "audit").findings
    mender = Mender(layout, client)
    with ThreadPoolExecutor(options.segments) as pool:
        mends = list(pool.map(mender.plan if options.dry_run else mender.mend, findings))
    for mend in mends:
        _print_mend(mend, options)
    _write(_json_line({"summary": outcomes(mends)}) if options.format == "json" else outcomes_text(mends))
    if options.dry_run or options.source or not mends:
        return CLEAN if all(mend.outcome in (Outcome.MENDED, Outcome.GONE) for mend in mends) else FOUND
    after = _scanned(layout, client, options, "audit again")
    if options.format == "text":
        _write("Audited again:\n")
    _print_report(after, options)
    return _code(after)


def _backfill(layout: Layout, client: DynamoDBClient, options: argparse.Namespace) -> int:
    plan = (lambda mend: _print_mend(mend, options)) if options.dry_run else None
    with _watched(layout, client, options, "backfill") as scan:
        report = backfill(layout, client, scan, plan=plan)
    _print_report(report, options)
    return _code(report)


def _show(layout: Layout, client: DynamoDBClient, options: argparse.Namespace) -> int:
    answers = show(layout, client, options.value)
    if options.format == "json":
        for answer in answers:
            _write(_json_line(answer.to_json()))
    else:
        _write(shown_text(options.value, answers))
    return FOUND if any(answer.findings for answer in answers) else CLEAN


_COMMANDS = {"audit": _audit, "repair": _repair, "backfill": _backfill, "show": _show}


# --- scanning


def _scanned(layout: Layout, client: DynamoDBClient, options: argparse.Namespace, title: str) -> Report:
    with _watched(layout, client, options, title) as scan:
        return audit(layout, client, scan)


@contextmanager
def _watched(layout: Layout, client: DynamoDBClient, options: argparse.Namespace, title: str) -> Iterator[ScanOptions]:
    """The options of a scan that shows its progress on standard error, inside the block."""
    progress = Progress(sys.stderr, title, _about(client, layout.table.name))
    # A dry run goes over the same table as the run after it, and must not stand in for it.
    task = f"{options.command} --dry-run" if getattr(options, "dry_run", False) else options.command
    checkpoint = Checkpoint(Path(options.checkpoint), layout, task) if options.checkpoint else None
    try:
        yield ScanOptions(options.segments, most=options.most, checkpoint=checkpoint, watch=progress)
    finally:
        progress.end()


def _about(client: DynamoDBClient, table: str) -> int | None:
    """How many items the table has, unless that may not be asked: it only serves the progress."""
    try:
        return client.describe_table(TableName=table)["Table"].get("ItemCount")
    except ClientError:
        return None


# --- input


def _read_findings(source: str) -> list[Finding]:
    try:
        text = sys.stdin.read() if source == "-" else Path(source).read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise UsageError(f"{source} cannot be read ({type(error).__name__}).") from None
    findings = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            data = json.loads(line) if line.strip() else {"summary": None}
            if "redacted" in data:
                raise UsageError(f"{source}, line {number}: redacted; audit again without --redact to repair.")
            if "summary" not in data:
                findings.append(Finding.from_json(data))
        except (ValueError, TypeError, AttributeError):
            raise UsageError(f"{source}, line {number}: no finding, as audit --format json writes them.") from None
    return findings


# --- output


def _print_report(report: Report, options: argparse.Namespace) -> None:
    if options.format == "json":
        # Whoever repairs by these lines must see that their keys are not the real ones.
        hidden = {"redacted": True} if getattr(options, "redact", False) else {}
        for finding in report.findings:
            _write(_json_line({**finding.to_json(), **hidden}))
        _write(_json_line({"summary": report.to_json()}))
    else:
        _write(finding_table(report.findings) + report_text(report))


def _print_mend(mend: Mend, options: argparse.Namespace) -> None:
    _write(_json_line(mend.to_json()) if options.format == "json" else mend_text(mend))


def _json_line(data: dict[str, Any]) -> str:
    return json.dumps(data, default=str) + "\n"


def _code(report: Report) -> int:
    return FOUND if report.findings or not report.complete else CLEAN


def _refusal(error: ClientError | BotoCoreError) -> str:
    """What went wrong, without the message of the service, which may quote a request."""
    if isinstance(error, BotoCoreError):
        return f"{error} (AWS_PROFILE, AWS_REGION and AWS_ENDPOINT_URL say where the table is)"
    code = error.response.get("Error", {}).get("Code", "Unknown")
    hints = {
        "ResourceNotFoundException": "there is no such table here: check --table, the Region and AWS_ENDPOINT_URL",
        "AccessDeniedException": "the permissions that each command needs are listed in docs/markers.md",
    }
    return f"{error.operation_name}: {code}" + (f" ({hints[code]})" if code in hints else "")


def _write(text: str) -> None:
    sys.stdout.write(text)


def _say(text: str) -> None:
    sys.stderr.write(f"accounts-markers: {text}\n")
