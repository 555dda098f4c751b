"""``PUT /accounts/{account_id}/email``: give the caller's account another address."""

from __future__ import annotations

from accounts.api import Request, Response, account_response, serve
from accounts.model import ChangeEmail
from accounts.wiring import account_service


def change_email(request: Request) -> Response[str]:
    """200 with the account as it is now; 412 when ``If-Match`` names other versions only."""
    subject = request.subject
    account = account_service().change_email(
        request.account_id,
        request.body(ChangeEmail),
        subject=subject,
        expected=request.if_match,
        key=request.idempotency_key,
        time_left=request.time_left,
    )
    return account_response(account)


handler = serve("PUT", "/accounts/<account_id>/email", change_email)
