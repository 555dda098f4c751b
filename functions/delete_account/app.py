"""Deletes the caller's account and frees its e-mail and its username."""

from __future__ import annotations

from accounts.api import Request, Response, respond_empty, serve
from accounts.wiring import make_service


def delete_account(request: Request) -> Response:
    """204; a second deletion finds nothing and gets 404, unless it has the ``Idempotency-Key`` of the first."""
    subject = request.subject  # first: a stranger learns nothing about the rest of the request
    make_service().delete(
        request.account_id,
        subject=subject,
        expected=request.if_match,
        key=request.idempotency_key,
        time_left=request.time_left,
    )
    return respond_empty(204)


handler = serve(delete_account)
