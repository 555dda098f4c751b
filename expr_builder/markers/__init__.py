"""Markers under control: find records and markers that do not fit together, and mend them while the service runs.

Works on any table for which an ``expr_builder.Unique`` is declared; the accounts are one such table (:mod:`.layout`).

Modules, from the ground up: ``layout`` (which items are records, and which are whose markers), ``findings`` (what can
be wrong), ``examine`` (the verdict on one record or marker, as of one moment), ``position`` and ``checkpoint`` (how far
a scan has come), ``suspects`` (what one page of it shows), ``survey`` (the scan: parallel, to be stopped and taken up
again), then ``audit``, ``repair``, ``backfill`` and ``show``, and the command line of these: ``arguments``,
``connect``, ``progress``, ``text`` and ``cli``, for ``python -m expr_builder.markers``.
"""

from __future__ import annotations

from .audit import audit
from .backfill import backfill
from .findings import Finding, Kind
from .layout import Layout
from .repair import Mend, Mender, Outcome
from .show import show
from .survey import Report, ScanOptions

__all__ = [
    "Finding",
    "Kind",
    "Layout",
    "Mend",
    "Mender",
    "Outcome",
    "Report",
    "ScanOptions",
    "audit",
    "backfill",
    "show",
]
