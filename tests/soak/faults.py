"""What goes wrong between the service and DynamoDB during a soak: rules for microburst, by name.

Where a rule has a ``sequence``, it strikes that often and then lets that many pass, so that even a short soak meets it.
"""

from __future__ import annotations

from typing import Any

__all__ = ["rules"]

_REFUSED = "Transaction cancelled, please refer cancellation reasons for specific reasons [{}]"


def _write(strike: int, spare: int, **what: Any) -> dict[str, Any]:
    sequence = {"fail": strike, "pass": spare}
    return {"service": "dynamodb", "operation": "TransactWriteItems", "sequence": sequence, **what}


def _read(strike: int, spare: int, **what: Any) -> dict[str, Any]:
    return {"service": "dynamodb", "operation": "GetItem", "sequence": {"fail": strike, "pass": spare}, **what}


def _cancelled(*codes: str) -> dict[str, Any]:
    """A cancelled transaction of three actions (every sign-up, most changes, every deletion is one)."""
    reasons = [{"Code": code} if code == "None" else {"Code": code, "Message": "an injected reason"} for code in codes]
    return {
        "body": f"length(TransactItems) == `{len(codes)}`",
        "error": {
            "code": "TransactionCanceledException",
            "status": 400,
            "message": _REFUSED.format(", ".join(codes)),
            "fields": {"CancellationReasons": reasons},
        },
    }


def rules(outage_at: float, outage_size: int) -> dict[str, dict[str, Any]]:
    """All rules, of which the first that fits a request strikes.

    Args:
        outage_at: When the outage begins, in seconds since the epoch.
        outage_size: How many requests it lasts.
    """
    return {
        "write: outage": _write(
            outage_size, 10_000, active_at=outage_at, error={"code": "ServiceUnavailable", "status": 503}
        ),
        # The answer to a write that took place is cut off after the headers.
        "write: answer lost after the commit": _write(1, 9, response={"abort_bytes": 0}),
        "write: connection reset before it": _write(1, 22, reset=True),
        "write: conflict": _write(2, 20, **_cancelled("None", "TransactionConflict", "None")),
        "write: in progress": _write(2, 28, error={"code": "TransactionInProgressException", "status": 400}),
        "write: server error": _write(2, 26, error={"code": "InternalServerError", "status": 500}),
        "write: throttled": _write(2, 30, error={"code": "ProvisionedThroughputExceededException", "status": 400}),
        "write: throttled, as a reason": _write(1, 24, **_cancelled("ThrottlingError", "None", "None")),
        "write: slow": _write(1, 5, latency={"min": 200, "max": 800}),
        "read: throttled": _read(2, 24, error={"code": "ThrottlingException", "status": 400}),
        "read: server error": _read(2, 28, error={"code": "InternalServerError", "status": 500}),
        "read: answer lost": _read(1, 26, response={"abort_bytes": 0}),
        "read: slow": _read(1, 18, latency={"min": 100, "max": 500}),
    }
