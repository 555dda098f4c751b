"""``expr-builder markers``: audits and repairs uniqueness markers, adds missing ones, shows who holds a value.

Exit codes, for scheduled jobs: 0 nothing is wrong, 1 something is, 2 the command could not do its work.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from expr_builder.errors import BatchIncomplete, BuildError, RequestError
from expr_builder.markers import (
    Checkpoint,
    CheckpointError,
    Finding,
    Mender,
    Outcome,
    Redactor,
    ScanOptions,
    Unsettled,
    audit,
    backfill,
    make_scan_client,
    paced,
    plan,
    retire,
    show,
)

from .documents import CommandError, name_file, read_text
from .markers_arguments import read_layout, read_owners, read_policy, repeat_layout
from .markers_text import (
    count_outcomes,
    format_answers,
    format_findings,
    format_gifts,
    format_groups,
    format_mend,
    format_plan,
    format_report,
)
from .progress import Progress

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Mapping

    from botocore.exceptions import ClientError
    from mypy_boto3_dynamodb import DynamoDBClient

    from expr_builder.markers import Layout, Mend, Report

_CLEAN, _FOUND = 0, 1

_HINTS = {
    "ResourceNotFoundException": "there is no such table here: check --table, the Region and AWS_ENDPOINT_URL",
    "AccessDeniedException": "the permissions that each command needs are listed in docs/markers.md",
}


def run_markers(options: Namespace) -> int:
    """Carry out ``expr-builder markers``; every failure becomes a CommandError, and so exit code 2."""
    try:
        import boto3  # noqa: F401  # botocore may be there without it, as a part of another tool
        from botocore.exceptions import BotoCoreError, ClientError
    except ImportError:
        raise CommandError("the markers command needs boto3: install it (pip install boto3)") from None
    try:
        layout = read_layout(options)
        return _COMMANDS[options.command](layout, make_scan_client(options.segments), options)
    except KeyboardInterrupt:  # exit code 2 as well: the table was not read to its end
        kept = getattr(options, "checkpoint", None)
        going_on = f" The same command again goes on from {kept}." if kept else ""
        raise CommandError(f"Stopped.{going_on}") from None
    # A BuildError here is a layout that does not fit the table, not a finding: it must not end with status 1.
    except (CheckpointError, Unsettled, RequestError, BatchIncomplete, BuildError) as error:
        raise CommandError(str(error)) from None
    except ClientError as error:
        raise CommandError(_explain(error)) from None
    except BotoCoreError as error:
        place = "AWS_PROFILE, AWS_REGION and AWS_ENDPOINT_URL say where the table is"
        raise CommandError(f"{error} ({place})") from None


def _audit(layout: Layout, client: DynamoDBClient, options: Namespace) -> int:
    report = _scan(audit, layout, client, options)
    if options.redact:
        report = replace(report, findings=[*map(Redactor(layout), report.findings)])
    return _print_report(layout, report, options)


def _repair(layout: Layout, client: DynamoDBClient, options: Namespace) -> int:
    findings = _read_findings(options.source) if options.source else _scan(audit, layout, client, options).findings
    mender = Mender(
        layout, client, delete_orphans=options.orphans == "delete", delete_reserved=options.reserved == "delete"
    )
    with paced(client, options.rate) as stop, ThreadPoolExecutor(options.segments) as pool:
        try:
            mends = list(pool.map(mender.plan if options.dry_run else mender.mend, findings))
        except BaseException:
            stop()
            raise
    for mend in mends:
        _print_mend(mend, options)
    outcomes = count_outcomes(mends)
    listed = ", ".join(f"{number} {outcome}" for outcome, number in outcomes.items()) or "nothing to mend"
    sys.stdout.write(_format_json({"summary": outcomes}) if options.format == "json" else f"{listed}.\n")
    # Audited again only after a whole repair: other damage is no failure of mending the findings of one file.
    if options.dry_run or options.source or not mends:
        return _CLEAN if all(mend.outcome in (Outcome.MENDED, Outcome.GONE) for mend in mends) else _FOUND
    after = _scan(audit, layout, client, options, "audit again")
    if options.format == "text":
        sys.stdout.write("Audited again:\n")
    return _print_report(layout, after, options)


def _plan(layout: Layout, client: DynamoDBClient, options: Namespace) -> int:
    progress = Progress(sys.stderr, "plan", _count_items(client, layout.table.name))
    scan = ScanOptions(options.segments, watch=progress)
    with ExitStack() as stack:
        try:
            found = stack.enter_context(plan(layout, client, scan, keep=read_policy(options.keep)))
        finally:
            progress.end()
        if options.format == "json":
            for group in found.list_groups():
                sys.stdout.write(_format_json(group.to_json()))
            sys.stdout.write(_format_json({"summary": found.to_json()}))
        else:
            sys.stdout.write(format_findings([*found.list_invalid(options.most)]))
            sys.stdout.write(format_groups([*found.list_groups(options.most)], found.groups))
            cost = found.estimate_cost(write_price=options.write_price, read_price=options.read_price)
            sys.stdout.write(format_plan(found, cost, options.rate))
        return _FOUND if found.groups or found.invalid else _CLEAN


def _backfill(layout: Layout, client: DynamoDBClient, options: Namespace) -> int:
    show_plan = (lambda mend: _print_mend(mend, options)) if options.dry_run else None
    keep = read_policy(options.keep)
    report = _scan(partial(backfill, plan=show_plan, keep=keep), layout, client, options, "backfill")
    return _print_report(layout, report, options)


def _retire(layout: Layout, client: DynamoDBClient, options: Namespace) -> int:
    if not any(marker.previous for marker in layout.unique.markers.values()):
        raise CommandError("No Marker of this declaration has previous=[…]: name the rules to retire there.")
    show_plan = (lambda mend: _print_mend(mend, options)) if options.dry_run else None
    return _print_report(layout, _scan(partial(retire, plan=show_plan), layout, client, options, "retire"), options)


def _show(layout: Layout, client: DynamoDBClient, options: Namespace) -> int:
    scan = ScanOptions(options.segments) if options.scan else None
    answers = show(layout, client, options.value, scan=scan)
    if options.format == "json":
        for answer in answers:
            sys.stdout.write(_format_json(answer.to_json()))
    else:
        sys.stdout.write(format_answers(options.value, answers))
    return _FOUND if any(answer.findings for answer in answers) else _CLEAN


def _give(layout: Layout, client: DynamoDBClient, options: Namespace) -> int:
    field = options.field or (layout.fields[0] if len(layout.fields) == 1 else None)
    if field not in layout.fields:
        raise CommandError(f"Name the field with --field: {', '.join(layout.fields)}.")
    mender = Mender(layout, client)
    mends = (mender.give(field, options.value, owner, dry_run=options.dry_run) for owner in read_owners(options.to))
    # Text, then what else the owner can be: the first that leads to a record with this value.
    first = next(mends)
    mend = first if first.outcome is not Outcome.LEFT else next((m for m in mends if m.outcome != Outcome.LEFT), first)
    _print_mend(mend, options)
    return _CLEAN if mend.outcome in (Outcome.MENDED, Outcome.GONE) else _FOUND


_COMMANDS = {
    "audit": _audit,
    "repair": _repair,
    "plan": _plan,
    "backfill": _backfill,
    "retire": _retire,
    "show": _show,
    "give": _give,
}


# --- scanning


def _scan(
    work: Callable[[Layout, DynamoDBClient, ScanOptions], Report],
    layout: Layout,
    client: DynamoDBClient,
    options: Namespace,
    title: str = "audit",
) -> Report:
    """Scan the table, with the progress on standard error."""
    progress = Progress(sys.stderr, title, _count_items(client, layout.table.name))
    # The real run after a dry run must not resume from where that one stopped.
    task = f"{options.command} --dry-run" if getattr(options, "dry_run", False) else options.command
    checkpoint = Checkpoint(Path(options.checkpoint), layout, task) if options.checkpoint else None
    try:
        scan = ScanOptions(
            options.segments, most=options.most, checkpoint=checkpoint, watch=progress, rate=options.rate
        )
        return work(layout, client, scan)
    finally:
        progress.end()


def _count_items(client: DynamoDBClient, table: str) -> int | None:
    """How many items the table has, as DynamoDB last counted them; ``None`` when that cannot be found out."""
    try:
        return client.describe_table(TableName=table)["Table"].get("ItemCount")
    except client.exceptions.ClientError:  # such as for lack of a permission: only the progress needs it
        return None


# --- input and output


def _read_findings(source: str) -> list[Finding]:
    findings = []
    for number, line in enumerate(read_text(source).splitlines(), 1):
        place = f"{name_file(source)}, line {number}"
        try:
            data = json.loads(line) if line.strip() else {"summary": None}  # skipped, as the audit's own summary is
            if "redacted" in data:
                raise CommandError(f"{place}: redacted; audit again without --redact to repair.")
            if "summary" not in data:
                findings.append(Finding.from_json(data))
        except (ValueError, TypeError, AttributeError):
            raise CommandError(f"{place}: no finding, as audit --format json writes them.") from None
    return findings


def _print_report(layout: Layout, report: Report, options: Namespace) -> int:
    """Write the result of a scan, and return the exit code for it."""
    if options.format == "json":
        # repair must refuse these lines: their keys are not the real ones.
        hidden = {"redacted": True} if getattr(options, "redact", False) else {}
        for finding in report.findings:
            sys.stdout.write(_format_json({**finding.to_json(), **hidden}))
        sys.stdout.write(_format_json({"summary": report.to_json()}))
    else:
        sys.stdout.write(format_findings(report.findings))
        if not getattr(options, "redact", False):
            sys.stdout.write(format_gifts(layout, report.findings, repeat_layout(options)))
        sys.stdout.write(format_report(report))
    return _FOUND if report.findings or not report.complete else _CLEAN


def _print_mend(mend: Mend, options: Namespace) -> None:
    sys.stdout.write(_format_json(mend.to_json()) if options.format == "json" else format_mend(mend))


def _format_json(data: Mapping[str, object]) -> str:
    return json.dumps(data) + "\n"


def _explain(error: ClientError) -> str:
    # Without the service's own message: it may quote the request, and so people's data.
    code = error.response.get("Error", {}).get("Code", "Unknown")
    return f"{error.operation_name}: {code}" + (f" ({_HINTS[code]})" if code in _HINTS else "")
