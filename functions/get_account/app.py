"""``GET /accounts/{account_id}``: show the caller's account."""

from __future__ import annotations

from accounts.api import Request, Response, account_response, empty_response, serve
from accounts.wiring import account_service


def get_account(request: Request) -> Response:
    """200 with the account, or 304 when the client has this version already."""
    subject = request.subject
    account = account_service().get(request.account_id, subject=subject)
    if request.not_modified(account.version):
        return empty_response(304, version=account.version)
    return account_response(account)


handler = serve("GET", "/accounts/<account_id>", get_account)
