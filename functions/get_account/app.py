"""Shows the caller's account."""

from __future__ import annotations

from accounts.api import Request, Response, respond_empty, respond_with, serve
from accounts.wiring import make_service


def get_account(request: Request) -> Response:
    """200 with the account, or 304 when the client has this version already."""
    subject = request.subject  # first: a stranger learns nothing about the rest of the request
    account = make_service().get(request.account_id, subject=subject)
    if request.is_known(account.version):
        return respond_empty(304, version=account.version)
    return respond_with(account)


handler = serve(get_account)
