"""Changes the username of the caller's account."""

from __future__ import annotations

from accounts.api import Request, Response, change_account, serve
from accounts.model import ChangeUsername


def change_username(request: Request) -> Response:
    """200 with the account as it is now."""
    return change_account(request, ChangeUsername)


handler = serve(change_username)
