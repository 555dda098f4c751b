"""Makes an account for the caller."""

from __future__ import annotations

from accounts.api import Request, Response, respond_with, serve
from accounts.model import SignUp
from accounts.wiring import make_service


def sign_up(request: Request) -> Response:
    """201 with the account; the same ``Idempotency-Key`` again gets the same answer again."""
    subject = request.subject  # first: a stranger learns nothing about the rest of the request
    account = make_service().sign_up(
        request.read_body(SignUp),
        subject=subject,
        key=request.idempotency_key,
        time_left=request.time_left,
    )
    return respond_with(account, status=201, location=f"{request.url_path}/{account.account_id}")


handler = serve(sign_up)
