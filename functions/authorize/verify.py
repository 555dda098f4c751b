"""Checks bearer tokens, and finds the caller that one stands for.

Signatures are checked with the issuer's public keys only: given inline (for local use), or fetched from the issuer
and kept for five minutes. A token must name the configured issuer and audience, an expiry and a subject. Without
configuration everybody is refused.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import jwt

ALGORITHMS = frozenset({"RS256", "ES256", "EdDSA"})
"""Signatures with a key pair. Never ``none``, never a shared secret: a public key must not pass for one."""

_LEEWAY_SECONDS = 10  # clocks differ a little
_FETCH_SECONDS = 2
_KEEP_SECONDS = 300
_TOKEN_MAX = 8192  # API Gateway takes 10,240 bytes of headers in all
_SUBJECT_MAX = 255  # OpenID Connect Core, section 2
_BEARER = re.compile(r"[Bb]earer ([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)")

FindKey = Callable[[str | None], jwt.PyJWK]


class Refused(Exception):
    """The token is not valid. ``reason`` is a word for the log and contains nothing of the token."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Verifier:
    """Checks tokens of one issuer for one audience.

    Args:
        issuer: The ``iss`` that tokens must name; empty refuses everybody.
        audience: The ``aud`` that tokens must name; empty refuses everybody.
        jwks: The issuer's public keys as JWKS text; empty to fetch them.
        jwks_url: Where to fetch them; empty for the issuer's ``/.well-known/jwks.json``.
    """

    def __init__(self, *, issuer: str, audience: str, jwks: str = "", jwks_url: str = "") -> None:
        self._issuer = issuer
        self._audience = audience
        self._find_key = self._make_finder(jwks, jwks_url) if issuer and audience else None

    @classmethod
    def from_environment(cls) -> Verifier:
        """Read ``JWT_ISSUER``, ``JWT_AUDIENCE``, ``JWT_JWKS`` and ``JWT_JWKS_URL``."""
        names = ("issuer", "audience", "jwks", "jwks_url")
        return cls(**{name: os.environ.get(f"JWT_{name.upper()}", "").strip() for name in names})

    def find_subject(self, authorization: object) -> str:
        """Return the ``sub`` of a valid token.

        Args:
            authorization: The value of the ``Authorization`` header, ``Bearer`` and token.

        Raises:
            Refused: for everything else.
        """
        if self._find_key is None:
            raise Refused("NotConfigured")
        if not isinstance(authorization, str) or len(authorization) > _TOKEN_MAX:
            raise Refused("NoBearerToken")
        found = _BEARER.fullmatch(authorization)
        if not found:
            raise Refused("NoBearerToken")
        try:
            subject = self._read_claims(found[1], self._find_key)["sub"]
        except (jwt.PyJWTError, ValueError, TypeError) as error:
            raise Refused(type(error).__name__) from None
        if not isinstance(subject, str) or not 0 < len(subject) <= _SUBJECT_MAX:
            raise Refused("InvalidSubject")
        return subject

    def _read_claims(self, token: str, find_key: FindKey) -> dict[str, Any]:
        key = find_key(jwt.get_unverified_header(token).get("kid"))
        # What is allowed follows from the key alone; the token's own word for its algorithm only has to agree.
        allowed = ALGORITHMS & {key.algorithm_name}
        return jwt.decode(
            token,
            key,
            algorithms=sorted(allowed),
            issuer=self._issuer,
            audience=self._audience,
            leeway=_LEEWAY_SECONDS,
            options={"require": ["exp", "iss", "aud", "sub"], "enforce_minimum_key_length": True},
        )

    def _make_finder(self, jwks: str, jwks_url: str) -> FindKey | None:
        if jwks:
            return _read_inline(jwks)
        url = jwks_url or f"{self._issuer.rstrip('/')}/.well-known/jwks.json"
        if not _is_safe(url):
            return None  # refuses everybody, rather than trust keys that could be swapped on their way
        client = jwt.PyJWKClient(url, timeout=_FETCH_SECONDS, lifespan=_KEEP_SECONDS)
        return lambda kid: client.get_signing_key(_require_kid(kid))


def _read_inline(text: str) -> FindKey | None:
    try:
        keys = jwt.PyJWKSet.from_dict(json.loads(text)).keys
    except (jwt.PyJWTError, ValueError, TypeError, AttributeError):
        return None

    def find(kid: str | None) -> jwt.PyJWK:
        # An encryption key must not verify a signature; with two keys of one id, nobody can tell which one signed.
        fitting = [key for key in keys if key.public_key_use in (None, "sig") and key.key_id == _require_kid(kid)]
        if len(fitting) != 1:
            raise jwt.PyJWKSetError("no such key")
        return fitting[0]

    return find


def _require_kid(kid: object) -> str:
    """A token must say which key signed it: while keys are replaced, the issuer has several."""
    if not isinstance(kid, str) or not kid:
        raise jwt.InvalidKeyError("no kid")
    return kid


def _is_safe(url: str) -> bool:
    """Whether the keys come over TLS, or from this very machine."""
    parts = urlsplit(url)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in ("localhost", "127.0.0.1", "::1"))
