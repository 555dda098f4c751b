"""Finds records and uniqueness markers that do not match, and repairs them while writers keep working.

Works on any table for which an :class:`expr_builder.Unique` is declared; a :class:`Layout` says which of its items are
records. ``expr-builder markers`` does the same from a shell; ``docs/markers.md`` is the guide.

>>> from expr_builder.markers import Layout, Mender, audit, make_scan_client
"""

from __future__ import annotations

from .audit import audit
from .backfill import backfill
from .census import Group
from .checkpoint import Checkpoint, CheckpointError
from .connect import make_scan_client
from .examine import Unsettled
from .findings import Finding, Kind, Redactor
from .layout import Layout
from .pace import paced
from .plan import Plan, plan
from .policies import KeepChosen, KeepExtreme, KeepFirst, Policy, write_owner
from .repair import Mend, Mender, Outcome
from .retire import retire
from .scan import Report, ScanOptions
from .show import Answer, show

__all__ = [
    "Answer",
    "Checkpoint",
    "CheckpointError",
    "Finding",
    "Group",
    "KeepChosen",
    "KeepExtreme",
    "KeepFirst",
    "Kind",
    "Layout",
    "Mend",
    "Mender",
    "Outcome",
    "Plan",
    "Policy",
    "Redactor",
    "Report",
    "ScanOptions",
    "Unsettled",
    "audit",
    "backfill",
    "make_scan_client",
    "paced",
    "plan",
    "retire",
    "show",
    "write_owner",
]
