"""Tokens for tests: good ones, and one of each bad kind."""

from __future__ import annotations

import re
import time

import jwt

from tools.tokens import AUDIENCE, HOUR, ISSUER, Signer

__all__ = ["authorizer_environment", "fill", "named_token"]

_PLACEHOLDER = re.compile(r"\$\{TOKEN:([^}]+)\}")


def authorizer_environment(signer: Signer) -> dict[str, str]:
    """The authorizer's variables that make it trust the signer."""
    return {"JWT_ISSUER": ISSUER, "JWT_AUDIENCE": AUDIENCE, "JWT_JWKS": signer.jwks(), "JWT_JWKS_URL": ""}


def named_token(signer: Signer, what: str) -> str:
    """The token that a placeholder of ``events/`` stands for (``events/README.md`` lists them).

    Args:
        signer: Whom the authorizer trusts.
        what: The placeholder's name, such as ``sub=user-1`` or ``expired``.
    """
    now = int(time.time())
    match what.partition("="):
        case ("sub", "=", subject):
            return signer.token(subject)
        case ("expired", "", ""):
            return signer.token("user-1", iat=now - 2 * HOUR, exp=now - HOUR)
        case ("wrong-key", "", ""):
            return Signer.generate(signer.key_id).token("user-1")
        case ("wrong-issuer", "", ""):
            return signer.token("user-1", iss="https://elsewhere.example.com")
        case ("wrong-audience", "", ""):
            return signer.token("user-1", aud="another-api")
        case ("unsigned", "", ""):
            claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": "user-1", "exp": now + HOUR}
            return jwt.encode(claims, "", algorithm="none", headers={"kid": signer.key_id})
    raise ValueError(f"events/README.md knows no token named {what!r}")


def fill(text: str, signer: Signer) -> str:
    """Replace each ``${TOKEN:…}`` in an event's text by a token."""
    return _PLACEHOLDER.sub(lambda found: named_token(signer, found[1]), text)
