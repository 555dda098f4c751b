"""Development tokens: a key pair of this checkout's own, its public key as JWKS, and JSON Web Tokens signed with it.

The private key stays in ``.local/keys`` (mode 600, never committed); the local cloud gets only the public one.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tools.venvs import LOCAL

if TYPE_CHECKING:
    from pathlib import Path

ISSUER = "https://issuer.example.com/dev"
AUDIENCE = "accounts"
KEY_FILE = LOCAL / "keys/dev.pem"
HOUR = 3600
PLACEHOLDER = re.compile(r"\$\{TOKEN:(?P<kind>[^}]*)\}")


@dataclass(frozen=True, slots=True)
class Signer:
    """An ES256 key pair that issues tokens under one key id."""

    private_key: ec.EllipticCurvePrivateKey
    key_id: str = "dev"

    @classmethod
    def generate(cls, key_id: str = "dev") -> Signer:
        """A new key pair, which is not saved."""
        return cls(ec.generate_private_key(ec.SECP256R1()), key_id)

    @classmethod
    def of_checkout(cls, path: Path = KEY_FILE) -> Signer:
        """The checkout's own key pair, made the first time it is asked for."""
        if not path.exists():
            _save_new_key(path)
        key = serialization.load_pem_private_key(path.read_bytes(), password=None)
        if not isinstance(key, ec.EllipticCurvePrivateKey):
            raise TypeError(f"{path} holds no EC key: delete it, and a new one is made.")
        return cls(key)

    def jwks(self) -> str:
        """The public half as a JSON Web Key Set, as the template's JwtJwks parameter takes it."""
        key = jwt.algorithms.ECAlgorithm.to_jwk(self.private_key.public_key(), as_dict=True)
        key |= {"kid": self.key_id, "alg": "ES256", "use": "sig"}
        return json.dumps({"keys": [key]}, separators=(",", ":"))

    def token(self, subject: str, *, lifetime: int = 12 * HOUR, **claims: Any) -> str:
        """A signed token, valid for ``lifetime`` seconds; ``claims`` replace its own, ``None`` leaves one out."""
        now = int(time.time())
        payload = {"iss": ISSUER, "aud": AUDIENCE, "sub": subject, "iat": now, "exp": now + lifetime, **claims}
        kept = {name: value for name, value in payload.items() if value is not None}
        return jwt.encode(kept, self.private_key, algorithm="ES256", headers={"kid": self.key_id})


def fill(text: str, signer: Signer) -> str:
    """The text of an event with its token placeholders (events/README.md lists them) replaced by tokens."""
    return PLACEHOLDER.sub(lambda match: make_named_token(match["kind"], signer), text)


def make_named_token(kind: str, signer: Signer) -> str:
    """The token that a placeholder stands for: ``sub=NAME`` is valid, all others must be refused."""
    name, _, value = kind.partition("=")
    match name:
        case "sub":
            return signer.token(value)
        case "expired":
            return signer.token("user-1", lifetime=-HOUR)
        case "wrong-key":
            return Signer.generate(signer.key_id).token("user-1")
        case "wrong-issuer":
            return signer.token("user-1", iss="https://other.example.com")
        case "wrong-audience":
            return signer.token("user-1", aud="another-service")
        case "unsigned":
            # The claims of a valid token, so that it is refused for its missing signature alone.
            return jwt.encode(jwt.decode(signer.token("user-1"), options={"verify_signature": False}), "", "none")
        case _:
            raise ValueError(f"There is no token placeholder ${{TOKEN:{kind}}}; see events/README.md.")


def _save_new_key(path: Path) -> None:
    pem = ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # Written beside and then linked: of two makes at once the first one's key stays, and nobody reads half of one.
    draft = path.with_suffix(f".{os.getpid()}")
    draft.touch(mode=0o600)  # private before it contains anything
    draft.write_bytes(pem)
    with contextlib.suppress(FileExistsError):
        path.hardlink_to(draft)
    draft.unlink()


def main() -> int:
    """Prints a token for a subject, and nothing else."""
    parser = argparse.ArgumentParser(prog="make token", description="A development token for the local cloud.")
    parser.add_argument("subject", help="who the token is for (make token SUB=alice)")
    arguments = parser.parse_args()
    if not arguments.subject.strip():
        print("Say who the token is for: make token SUB=alice", file=sys.stderr)
        return 2
    print(Signer.of_checkout().token(arguments.subject))
    return 0


if __name__ == "__main__":
    sys.exit(main())
