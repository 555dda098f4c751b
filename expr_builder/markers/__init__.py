"""Finds records and uniqueness markers that do not fit together, and mends them while writers go on working.

Works on any table for which an :class:`expr_builder.Unique` is declared; a :class:`Layout` says which of its items are
records. ``expr-builder markers`` is the command line of it.

Modules, from the ground up: ``layout`` (which items are records, and which are whose markers), ``findings`` (what can
be wrong), ``examine`` (the verdict on one record or marker, as of one moment), ``position`` and ``checkpoint`` (how far
a scan has come), ``suspects`` (what looks wrong on one page), ``scan`` (page by page, in parallel, resumable), then
``audit``, ``repair``, ``backfill``, ``show``, and ``connect`` (a client for all this).
"""

from __future__ import annotations

from .audit import audit
from .backfill import backfill
from .checkpoint import Checkpoint, CheckpointError
from .connect import make_scan_client
from .examine import Unsettled
from .findings import Finding, Kind, Redactor
from .layout import Layout
from .repair import Mend, Mender, Outcome
from .scan import Report, ScanOptions
from .show import Answer, show

__all__ = [
    "Answer",
    "Checkpoint",
    "CheckpointError",
    "Finding",
    "Kind",
    "Layout",
    "Mend",
    "Mender",
    "Outcome",
    "Redactor",
    "Report",
    "ScanOptions",
    "Unsettled",
    "audit",
    "backfill",
    "make_scan_client",
    "show",
]
