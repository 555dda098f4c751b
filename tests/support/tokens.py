"""What makes the authorizer trust a test's own signer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.tokens import AUDIENCE, ISSUER

if TYPE_CHECKING:
    from tools.tokens import Signer

__all__ = ["authorizer_environment"]


def authorizer_environment(signer: Signer) -> dict[str, str]:
    """The authorizer's variables."""
    return {"JWT_ISSUER": ISSUER, "JWT_AUDIENCE": AUDIENCE, "JWT_JWKS": signer.jwks(), "JWT_JWKS_URL": ""}
