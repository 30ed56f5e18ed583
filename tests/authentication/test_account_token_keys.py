"""The server signs service account tokens with the given key and issuer, and accepts those of more keys."""

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
import trustme
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from fakeapi.registry.identity.token_keys import PrivateKey, read_private_key, read_public_keys
from fakeapi.registry.identity.token_settings import TokenSettings
from fakeapi.registry.identity.token_signer import TokenSigner
from fakeapi.testing.server import FakeAPI
from tests.http.asking import ask
from tests.http.filters.users import bearer, token_of, user_seen

ISSUER = "https://127.0.0.1:6443/"
ACCOUNT = "system:serviceaccount:default:sa"
KEYS: dict[str, Callable[[], PrivateKey]] = {
    "RS256": lambda: rsa.generate_private_key(public_exponent=65537, key_size=2048),
    "ES256": lambda: ec.generate_private_key(ec.SECP256R1()),
    "ES384": lambda: ec.generate_private_key(ec.SECP384R1()),
    "ES512": lambda: ec.generate_private_key(ec.SECP521R1()),
}


def text_of(key: PrivateKey) -> str:
    return key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()


def part(token: str, number: int) -> Any:
    text = token.split(".")[number]
    return json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))


@pytest.mark.parametrize("algorithm", KEYS)
def test_a_token_is_signed_with_the_given_key_as_the_given_issuer(
    fakeapi_factory: Callable[..., FakeAPI], algorithm: str
) -> None:
    settings = TokenSettings(issuers=(ISSUER,), signing_key=text_of(KEYS[algorithm]()))
    api = fakeapi_factory(release="1.34", service_account_tokens=settings)
    token = token_of(api)
    assert part(token, 0)["alg"] == algorithm
    assert (part(token, 1)["iss"], part(token, 1)["aud"]) == (ISSUER, [ISSUER])
    assert user_seen(api, **bearer(token))["username"] == ACCOUNT
    [key] = ask(api, "/openid/v1/jwks").json()["keys"]
    assert (key["alg"], key["kid"]) == (algorithm, part(token, 0)["kid"])
    assert ask(api, "/.well-known/openid-configuration").json()["issuer"] == ISSUER


def test_a_token_of_another_accepted_key_counts(fakeapi_factory: Callable[..., FakeAPI]) -> None:
    authority = trustme.CA()
    settings = TokenSettings(issuers=(ISSUER, "https://old"), public_keys=(authority.cert_pem.bytes(),))
    api = fakeapi_factory(release="1.34", service_account_tokens=settings, authorization="rbac")
    own = part(token_of(api), 1)
    key = authority.private_key_pem.bytes().decode()
    claims = {**own, "aud": [ISSUER]}
    for issuer, expected in (("https://old", 201), (ISSUER, 201), ("https://stranger", 401)):
        token = TokenSigner(key, (issuer,)).sign(claims)
        path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
        assert ask(api, path, "POST", {"kind": "SelfSubjectReview"}, **bearer(token)).code == expected


def test_a_token_without_the_claims_of_an_account_proves_nobody(
    fakeapi_factory: Callable[..., FakeAPI],
) -> None:
    key = text_of(KEYS["ES256"]())
    settings = TokenSettings(signing_key=key)
    api = fakeapi_factory(release="1.34", service_account_tokens=settings, authorization="rbac")
    complete = part(token_of(api), 1)
    missing = [{**complete, name: None} for name in ("aud", "exp", "nbf", "sub", "kubernetes.io")]
    for claims in ({**complete, "aud": [1]}, *missing):
        assert ask(api, "/api/v1/pods", **bearer(TokenSigner(key).sign(claims))).code == 401, claims


def test_the_user_of_a_token_is_its_account_whatever_the_subject(
    fakeapi_factory: Callable[..., FakeAPI],
) -> None:
    key = text_of(KEYS["ES256"]())
    api = fakeapi_factory(release="1.34", service_account_tokens=TokenSettings(signing_key=key))
    claims = {**part(token_of(api), 1), "sub": "kubernetes-admin"}
    assert user_seen(api, **bearer(TokenSigner(key).sign(claims)))["username"] == ACCOUNT


@pytest.mark.parametrize(
    "pem", [b"", b"-----BEGIN CERTIFICATE REQUEST-----\nAA==\n-----END CERTIFICATE REQUEST-----\n"]
)
def test_a_file_without_a_key_is_refused(pem: bytes) -> None:
    with pytest.raises(ValueError, match="does not contain any valid RSA or ECDSA public keys"):
        read_public_keys(pem)


def test_a_curve_without_an_algorithm_is_refused() -> None:
    with pytest.raises(ValueError, match="P-256, P-384 or P-521"):
        read_private_key(text_of(ec.generate_private_key(ec.SECP256K1())).encode())


UNSUPPORTED = b"""-----BEGIN EC PRIVATE KEY-----
MF8CAQEEGCE0IY1qOewaeJ5+xUjb+5jSZvtvOfM4iqAKBggqhkjOPQMABaE0AzIA
BFQFjKK1y9PIKoZMW0ZRg2SEKZ3VQepTCzT3ous4FGVAAjvHbZnjwD2NSzPlOB/5
zQ==
-----END EC PRIVATE KEY-----
"""
"""A key of the curve c2tnb191v1, which OpenSSL can make and the package cryptography cannot read."""


@pytest.mark.parametrize("read", [read_private_key, read_public_keys])
def test_a_key_of_an_unsupported_curve_is_refused(read: Callable[[bytes], object]) -> None:
    with pytest.raises(ValueError, match=r"not supported|ECDSA public keys"):
        read(UNSUPPORTED)
