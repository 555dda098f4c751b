"""Logs and metrics: one line and one count for each request, and nothing about a person in either.

What may be logged is listed here and nowhere else: operation, status, outcome, duration, ids of requests, names of
error types and places in the code. Messages of exceptions are left out, since they may quote what somebody typed.
There is no tracer: it would cost about 240 ms of every cold start.
"""

from __future__ import annotations

import os
import traceback
from pathlib import PurePath

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.metrics import MetricUnit

from accounts.settings import SettingsError

# Defaults, so that a function without these variables still answers: without a namespace, metrics raise.
_SERVICE = os.environ.get("POWERTOOLS_SERVICE_NAME") or "accounts"
_NAMESPACE = os.environ.get("POWERTOOLS_METRICS_NAMESPACE") or "Accounts"

logger = Logger(service=_SERVICE)
metrics = Metrics(namespace=_NAMESPACE, service=_SERVICE)

_OUTCOMES = {401: "Unauthenticated", 404: "NotFound", 409: "Taken", 412: "Stale", 500: "Failed", 503: "Busy"}


def name_outcome(status: int) -> str:
    """The name of the metric that counts an answer: ``Succeeded``, ``Taken``, ``Invalid`` …"""
    return "Succeeded" if status < 400 else _OUTCOMES.get(status, "Invalid")


def record(operation: str, status: int, milliseconds: float) -> None:
    """Write the request's one line and count its outcome."""
    outcome = name_outcome(status)
    logger.info("request", operation=operation, status=status, outcome=outcome, duration_ms=round(milliseconds, 1))
    metrics.add_dimension(name="operation", value=operation)
    metrics.add_metric(name=outcome, unit=MetricUnit.Count, value=1)
    metrics.add_metric(name="Duration", unit=MetricUnit.Milliseconds, value=milliseconds)


def log_failure(error: BaseException) -> None:
    """Log an unexpected error, by its type and the place that it came from."""
    response = getattr(error, "response", None)
    details = {
        "error": type(error).__name__,
        "code": response.get("Error", {}).get("Code") if isinstance(response, dict) else None,
        # The only message that is sure to quote nobody: it names a variable.
        "hint": str(error) if isinstance(error, SettingsError) else None,
        "where": [
            f"{PurePath(frame.filename).name}:{frame.lineno} {frame.name}"
            for frame in traceback.extract_tb(error.__traceback__)
        ],
    }
    logger.error("unexpected error", extra={name: value for name, value in details.items() if value})
