"""Changes the e-mail address of the caller's account."""

from __future__ import annotations

from accounts.api import Request, Response, change_account, serve
from accounts.model import ChangeEmail


def change_email(request: Request) -> Response:
    """200 with the account as it is now."""
    return change_account(request, ChangeEmail)


handler = serve(change_email)
