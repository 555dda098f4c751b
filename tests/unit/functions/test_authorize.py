"""Whom the authorizer lets in: nobody but the bearer of a good token."""

from __future__ import annotations

import hmac
import json
import socket
import threading
import time
from base64 import urlsafe_b64encode
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import OKPAlgorithm, RSAAlgorithm

from tests.support.handlers import app_module, call
from tests.support.logs import Log, caught
from tests.support.tokens import authorizer_environment
from tools.tokens import AUDIENCE, ISSUER, Signer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ARN = "arn:aws:execute-api:us-east-1:123456789012:a1b2c3d4e5/v1/GET/accounts/a1f9c3"
SIGNER = Signer.generate()
RSA_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
SMALL_RSA_KEY = rsa.generate_private_key(public_exponent=65537, key_size=1024)
ED_KEY = ed25519.Ed25519PrivateKey.generate()


def claims(**changed: Any) -> dict[str, Any]:
    return {"iss": ISSUER, "aud": AUDIENCE, "sub": "user-1", "exp": int(time.time()) + 60, **changed}


def rsa_jwk(key: rsa.RSAPrivateKey, **members: str) -> dict[str, Any]:
    return {**RSAAlgorithm.to_jwk(key.public_key(), as_dict=True), "kid": "rsa", **members}


ED_JWK = {**OKPAlgorithm.to_jwk(ED_KEY.public_key(), as_dict=True), "kid": "ed"}
SECRET_JWK = {"kty": "oct", "kid": "oct", "k": "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3JldA"}


@pytest.fixture
def log() -> Iterator[Log]:
    with caught(app_module("AuthorizeFunction").logger) as log:
        yield log


@pytest.fixture
def configure(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Set the authorizer's environment: that of the signer, with some variables replaced."""
    app = app_module("AuthorizeFunction")

    def setting(**changed: str) -> None:
        for name, value in {**authorizer_environment(SIGNER), **changed}.items():
            monkeypatch.setenv(name, value)
        app.verifier.cache_clear()

    setting()
    yield setting
    app.verifier.cache_clear()


def answer(token: object) -> Any:
    return call("AuthorizeFunction", {"type": "TOKEN", "methodArn": ARN, "authorizationToken": token})


def reason(token: object, log: Log) -> str:
    """Why a token is refused, as logged; nothing else may be logged, and the caller learns nothing."""
    log.truncate(log.seek(0))
    with pytest.raises(Exception, match=r"^Unauthorized$") as refused:
        answer(token)
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__
    assert [line["message"] for line in log.lines] == ["refused"]
    if isinstance(token, str) and len(token) > len("Bearer a"):
        assert token[7:] not in log.getvalue()
    return str(log.lines[0]["reason"])


def bearer(token: str) -> str:
    return f"Bearer {token}"


def test_a_good_token_opens_the_whole_stage_for_its_subject(configure: Callable[..., None]) -> None:
    assert answer(bearer(SIGNER.token("user-1"))) == {
        "principalId": "user-1",
        "policyDocument": {
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Action": "execute-api:Invoke",
                    "Effect": "Allow",
                    "Resource": "arn:aws:execute-api:us-east-1:123456789012:a1b2c3d4e5/v1/*",
                }
            ],
        },
        "context": {"sub": "user-1"},
    }


def test_clocks_may_differ_by_some_seconds(configure: Callable[..., None]) -> None:
    now = int(time.time())

    assert answer(bearer(SIGNER.token("user-1", exp=now - 3, nbf=now + 3)))["principalId"] == "user-1"


def test_an_audience_may_be_one_of_several(configure: Callable[..., None]) -> None:
    assert answer(bearer(SIGNER.token("user-1", aud=["other", AUDIENCE])))["principalId"] == "user-1"


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"exp": int(time.time()) - 60}, "ExpiredSignatureError"),
        ({"nbf": int(time.time()) + 600}, "ImmatureSignatureError"),
        ({"iss": "https://elsewhere.example.com"}, "InvalidIssuerError"),
        ({"iss": ISSUER + "/"}, "InvalidIssuerError"),
        ({"aud": "another-api"}, "InvalidAudienceError"),
        ({"exp": None}, "MissingRequiredClaimError"),
        ({"iss": None}, "MissingRequiredClaimError"),
        ({"aud": None}, "MissingRequiredClaimError"),
        ({"sub": None}, "MissingRequiredClaimError"),
        ({"sub": ""}, "InvalidSubject"),
        ({"sub": 7}, "InvalidSubjectError"),
        ({"sub": "x" * 256}, "InvalidSubject"),
        ({"exp": "soon"}, "DecodeError"),
    ],
)
def test_a_token_with_a_wrong_claim_is_refused(
    changed: dict[str, Any], why: str, configure: Callable[..., None], log: Log
) -> None:
    assert reason(bearer(SIGNER.token(**{"subject": "user-1", **changed})), log) == why


def test_a_token_signed_with_another_key_is_refused(configure: Callable[..., None], log: Log) -> None:
    assert reason(bearer(Signer.generate(SIGNER.key_id).token("user-1")), log) == "InvalidSignatureError"


def test_a_token_of_an_unknown_key_is_refused(configure: Callable[..., None], log: Log) -> None:
    assert reason(bearer(Signer.generate("other").token("user-1")), log) == "PyJWKSetError"


def test_a_token_that_names_no_key_is_refused(configure: Callable[..., None], log: Log) -> None:
    assert reason(bearer(jwt.encode(claims(), SIGNER.private_key, algorithm="ES256")), log) == "InvalidKeyError"


def test_an_unsigned_token_is_refused(configure: Callable[..., None], log: Log) -> None:
    token = jwt.encode(claims(), "", algorithm="none", headers={"kid": SIGNER.key_id})

    assert reason(bearer(token), log) == "NoBearerToken"
    assert reason(bearer(token + "c2ln"), log) == "InvalidAlgorithmError"


def test_a_public_key_does_not_pass_for_a_shared_secret(configure: Callable[..., None], log: Log) -> None:
    pem = SIGNER.private_key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    parts = [{"alg": "HS256", "kid": SIGNER.key_id}, claims()]
    signed = b".".join(urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=") for part in parts)
    signature = urlsafe_b64encode(hmac.digest(pem, signed, "sha256")).rstrip(b"=")
    token = f"{signed.decode()}.{signature.decode()}"

    assert reason(bearer(token), log) == "InvalidAlgorithmError"


def test_a_shared_secret_among_the_keys_signs_nothing(configure: Callable[..., None], log: Log) -> None:
    configure(JWT_JWKS=json.dumps({"keys": [SECRET_JWK]}))
    secret = jwt.PyJWK(SECRET_JWK).key

    assert reason(bearer(jwt.encode(claims(), secret, "HS256", headers={"kid": "oct"})), log) == "InvalidAlgorithmError"


@pytest.mark.parametrize(
    ("key", "jwk", "algorithm"),
    [(RSA_KEY, rsa_jwk(RSA_KEY), "RS256"), (ED_KEY, ED_JWK, "EdDSA")],
    ids=["RS256", "EdDSA"],
)
def test_other_key_pairs_are_welcome(
    key: Any, jwk: dict[str, Any], algorithm: str, configure: Callable[..., None]
) -> None:
    configure(JWT_JWKS=json.dumps({"keys": [jwk]}))
    token = jwt.encode(claims(), key, algorithm, headers={"kid": jwk["kid"]})

    assert answer(bearer(token))["context"] == {"sub": "user-1"}


@pytest.mark.parametrize(
    ("jwk", "algorithm"),
    [(rsa_jwk(RSA_KEY), "PS256"), (rsa_jwk(RSA_KEY, alg="RS512"), "RS512")],
    ids=["other", "not-ours"],
)
def test_an_algorithm_beyond_the_three_is_refused(
    jwk: dict[str, Any], algorithm: str, configure: Callable[..., None], log: Log
) -> None:
    configure(JWT_JWKS=json.dumps({"keys": [jwk]}))

    assert (
        reason(bearer(jwt.encode(claims(), RSA_KEY, algorithm, headers={"kid": "rsa"})), log) == "InvalidAlgorithmError"
    )


def test_a_key_meant_for_encryption_signs_nothing(configure: Callable[..., None], log: Log) -> None:
    configure(JWT_JWKS=json.dumps({"keys": [rsa_jwk(RSA_KEY, use="enc")]}))

    assert reason(bearer(jwt.encode(claims(), RSA_KEY, "RS256", headers={"kid": "rsa"})), log) == "PyJWKSetError"


@pytest.mark.filterwarnings("ignore::jwt.InsecureKeyLengthWarning")
def test_a_key_that_is_too_short_signs_nothing(configure: Callable[..., None], log: Log) -> None:
    configure(JWT_JWKS=json.dumps({"keys": [rsa_jwk(SMALL_RSA_KEY)]}))

    assert (
        reason(bearer(jwt.encode(claims(), SMALL_RSA_KEY, "RS256", headers={"kid": "rsa"})), log) == "InvalidKeyError"
    )


@pytest.mark.parametrize(
    "garbage",
    [
        None,
        7,
        "",
        "Bearer",
        "Bearer ",
        "Bearer a.b",
        "Bearer a.b.c.d",
        "Bearer  a.b.c",
        "bearer a b.c.d",
        "Bearer a.b.c\n",
        "Basic dXNlcjpwYXNz",
        "Bearer é.b.c",
        "Bearer " + "a" * 9000 + ".b.c",
    ],
)
def test_what_is_no_bearer_token_is_refused(garbage: object, configure: Callable[..., None], log: Log) -> None:
    assert reason(garbage, log) == "NoBearerToken"


@pytest.mark.parametrize(
    "token", ["a.b.c", "e30.e30.e30", "bnVsbA.e30.e30", "eyJhbGciOiJFUzI1NiIsImtpZCI6eyJhIjoxfX0.e30.e30"]
)
def test_a_token_of_garbage_is_refused(token: str, configure: Callable[..., None], log: Log) -> None:
    assert reason(bearer(token), log) in ("DecodeError", "InvalidKeyError", "InvalidTokenError")


@pytest.mark.parametrize(
    "changed",
    [
        {"JWT_ISSUER": "", "JWT_AUDIENCE": "", "JWT_JWKS": ""},
        {"JWT_ISSUER": ""},
        {"JWT_AUDIENCE": " "},
        {"JWT_JWKS": "not JSON"},
        {"JWT_JWKS": "[]"},
        {"JWT_JWKS": '{"keys": []}'},
        {"JWT_JWKS": '{"keys": [7]}'},
        {"JWT_JWKS": "", "JWT_JWKS_URL": "file:///etc/hosts"},
        {"JWT_JWKS": "", "JWT_JWKS_URL": "http://issuer.example.com/jwks.json"},
        {"JWT_JWKS": "", "JWT_ISSUER": "accounts"},
    ],
)
def test_half_a_configuration_lets_nobody_in(changed: dict[str, str], configure: Callable[..., None], log: Log) -> None:
    configure(**changed)

    assert reason(bearer(SIGNER.token("user-1")), log) == "NotConfigured"


def test_nothing_configured_lets_nobody_in(monkeypatch: pytest.MonkeyPatch, log: Log) -> None:
    for name in ("JWT_ISSUER", "JWT_AUDIENCE", "JWT_JWKS", "JWT_JWKS_URL"):
        monkeypatch.delenv(name, raising=False)
    app_module("AuthorizeFunction").verifier.cache_clear()

    assert reason(bearer(SIGNER.token("user-1")), log) == "NotConfigured"


# --- keys fetched from the issuer


class Issuer(HTTPServer):
    """Publishes a JWKS and counts how often it is asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Publishing)
        self.jwks = SIGNER.jwks()
        self.status = 200
        self.location = ""
        self.asked: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Publishing(BaseHTTPRequestHandler):
    server: Issuer

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        self.send_response(self.server.status)
        if self.server.location:
            self.send_header("Location", self.server.location)
        self.end_headers()
        self.wfile.write(self.server.jwks.encode())

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def publishing() -> Iterator[Issuer]:
    with Issuer() as issuer:
        thread = threading.Thread(target=issuer.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield issuer
        finally:
            issuer.shutdown()
            thread.join()


def test_keys_are_fetched_from_the_issuer_once(configure: Callable[..., None]) -> None:
    with publishing() as issuer:
        configure(JWT_ISSUER=issuer.url, JWT_JWKS="")

        for _ in range(3):
            assert answer(bearer(SIGNER.token("user-1", iss=issuer.url)))["principalId"] == "user-1"

        assert issuer.asked == ["/.well-known/jwks.json"]


def test_keys_may_be_published_elsewhere(configure: Callable[..., None]) -> None:
    with publishing() as issuer:
        configure(JWT_JWKS="", JWT_JWKS_URL=f"{issuer.url}/keys")

        assert answer(bearer(SIGNER.token("user-1")))["principalId"] == "user-1"
        assert issuer.asked == ["/keys"]


def test_an_issuer_that_fails_lets_nobody_in_and_is_asked_again(configure: Callable[..., None], log: Log) -> None:
    with publishing() as issuer:
        issuer.status = 503
        configure(JWT_JWKS="", JWT_JWKS_URL=issuer.url)
        token = bearer(SIGNER.token("user-1"))

        assert reason(token, log) == "PyJWKClientConnectionError"

        issuer.status = 200
        assert answer(token)["principalId"] == "user-1"


@pytest.mark.parametrize("published", ["not JSON", "[]", '{"keys": []}'])
def test_an_issuer_that_publishes_nonsense_lets_nobody_in(
    published: str, configure: Callable[..., None], log: Log
) -> None:
    with publishing() as issuer:
        issuer.jwks = published
        configure(JWT_JWKS="", JWT_JWKS_URL=issuer.url)

        assert reason(bearer(SIGNER.token("user-1")), log) in (
            "JSONDecodeError",
            "PyJWKClientError",
            "PyJWKSetError",
        )


def test_an_issuer_out_of_reach_lets_nobody_in(configure: Callable[..., None], log: Log) -> None:
    with publishing() as issuer:
        url = issuer.url
    configure(JWT_JWKS="", JWT_JWKS_URL=url)

    assert reason(bearer(SIGNER.token("user-1")), log) == "PyJWKClientConnectionError"


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Lets so many seconds pass for whoever looks at the monotonic clock."""
    real, passed = time.monotonic, [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: real() + passed[0])

    def pass_(seconds: float) -> None:
        passed[0] += seconds

    return pass_


def test_a_new_key_is_taken_up_and_the_old_one_let_go(
    configure: Callable[..., None], log: Log, later: Callable[[float], None]
) -> None:
    new = Signer.generate("new")
    with publishing() as issuer:
        configure(JWT_JWKS="", JWT_JWKS_URL=issuer.url)
        assert answer(bearer(SIGNER.token("user-1")))["principalId"] == "user-1"

        both = json.loads(SIGNER.jwks())["keys"] + json.loads(new.jwks())["keys"]
        issuer.jwks = json.dumps({"keys": both})
        later(31)
        for signer in (SIGNER, new):
            assert answer(bearer(signer.token("user-1")))["principalId"] == "user-1"

        issuer.jwks = new.jwks()
        later(301)
        assert answer(bearer(new.token("user-1")))["principalId"] == "user-1"
        assert reason(bearer(SIGNER.token("user-1")), log) == "PyJWKClientError"


def test_unknown_keys_do_not_make_the_authorizer_pester_the_issuer(configure: Callable[..., None], log: Log) -> None:
    with publishing() as issuer:
        configure(JWT_JWKS="", JWT_JWKS_URL=issuer.url)

        for number in range(20):
            assert reason(bearer(Signer.generate(f"k{number}").token("user-1")), log) == "PyJWKClientError"

        assert len(issuer.asked) == 1


def test_known_keys_outlast_an_issuer_that_is_away_for_some_minutes_only(
    configure: Callable[..., None], log: Log, later: Callable[[float], None]
) -> None:
    token = bearer(SIGNER.token("user-1"))
    with publishing() as issuer:
        configure(JWT_JWKS="", JWT_JWKS_URL=issuer.url)
        assert answer(token)["principalId"] == "user-1"

    later(200)
    assert answer(token)["principalId"] == "user-1"
    later(200)
    assert reason(token, log) == "PyJWKClientConnectionError"


def test_an_issuer_that_does_not_answer_in_time_lets_nobody_in(
    configure: Callable[..., None], log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verify._FETCH_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        configure(JWT_JWKS="", JWT_JWKS_URL=f"http://127.0.0.1:{silent.getsockname()[1]}/")

        assert reason(bearer(SIGNER.token("user-1")), log) == "PyJWKClientConnectionError"


def test_an_issuer_that_points_elsewhere_is_not_followed(configure: Callable[..., None], log: Log) -> None:
    with publishing() as issuer, publishing() as elsewhere:
        issuer.status, issuer.location = 302, elsewhere.url
        configure(JWT_JWKS="", JWT_JWKS_URL=issuer.url)

        assert reason(bearer(SIGNER.token("user-1")), log) == "PyJWKClientConnectionError"
        assert elsewhere.asked == []


def test_two_keys_of_one_name_sign_nothing(configure: Callable[..., None], log: Log) -> None:
    twins = json.loads(SIGNER.jwks())["keys"] * 2
    configure(JWT_JWKS=json.dumps({"keys": twins}))

    assert reason(bearer(SIGNER.token("user-1")), log) == "PyJWKSetError"
