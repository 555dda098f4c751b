"""Development tokens: what they say, and that only the checkout's own key makes good ones."""

from __future__ import annotations

import json
import stat
from typing import TYPE_CHECKING, Any

import jwt
import pytest

from tools.tokens import AUDIENCE, ISSUER, Signer, fill

if TYPE_CHECKING:
    from pathlib import Path


def read(token: str, signer: Signer) -> dict[str, Any]:
    """The claims, when the signer's published key vouches for them."""
    key = jwt.PyJWKSet.from_json(signer.jwks())[jwt.get_unverified_header(token)["kid"]]
    claims: dict[str, Any] = jwt.decode(token, key, algorithms=["ES256"], audience=AUDIENCE, issuer=ISSUER)
    return claims


def test_a_token_says_who_it_is_for_and_is_vouched_for_by_the_published_key() -> None:
    signer = Signer.generate()

    claims = read(signer.token("alice", lifetime=60), signer)

    assert claims == {
        "iss": ISSUER,
        "aud": AUDIENCE,
        "sub": "alice",
        "iat": claims["iat"],
        "exp": claims["iat"] + 60,
    }


def test_claims_can_be_overridden_and_left_out() -> None:
    signer = Signer.generate()

    claims = read(signer.token("alice", iat=None, scope="read"), signer)

    assert set(claims) == {"iss", "aud", "sub", "exp", "scope"}


def test_the_published_key_set_holds_no_private_part() -> None:
    (key,) = json.loads(Signer.generate().jwks())["keys"]

    assert set(key) == {"kty", "crv", "x", "y", "kid", "alg", "use"}


def test_the_checkouts_key_is_made_once_and_readable_by_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "keys/dev.pem"

    first, second = Signer.of_checkout(path), Signer.of_checkout(path)

    assert first.jwks() == second.jwks()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_the_placeholder_of_a_good_token_is_filled_in() -> None:
    signer = Signer.generate()

    assert read(fill("${TOKEN:sub=alice}", signer), signer)["sub"] == "alice"


@pytest.mark.parametrize(
    ("placeholder", "refusal"),
    [
        ("expired", jwt.ExpiredSignatureError),
        ("wrong-key", jwt.InvalidSignatureError),
        ("wrong-issuer", jwt.InvalidIssuerError),
        ("wrong-audience", jwt.InvalidAudienceError),
    ],
)
def test_the_placeholder_of_a_bad_token_gives_one_that_is_refused_for_that(
    placeholder: str, refusal: type[Exception]
) -> None:
    signer = Signer.generate()

    with pytest.raises(refusal):
        read(fill(f"${{TOKEN:{placeholder}}}", signer), signer)


def test_an_unsigned_token_says_so() -> None:
    token = fill("${TOKEN:unsigned}", Signer.generate())

    assert (jwt.get_unverified_header(token)["alg"], token.rpartition(".")[2]) == ("none", "")


def test_an_unknown_placeholder_is_named() -> None:
    with pytest.raises(ValueError, match=r"no token placeholder \$\{TOKEN:perfect\}; see events/README.md"):
        fill("${TOKEN:perfect}", Signer.generate())
