"""Tokens of service accounts are signed, pass TokenReviews, and become invalid with their bound object."""

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from fakeapi.clients.errors import StatusError
from tests.http.conftest import SmallServer

CORE = "/api/v1/namespaces/default"
REVIEWS = "/apis/authentication.k8s.io/v1/tokenreviews"
REQUEST = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest"}
REVIEW = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview"}


def token_of(server: SmallServer, **spec: Any) -> str:
    stored = server.request("POST", f"{CORE}/serviceaccounts/sa/token", {**REQUEST, "spec": spec})
    token: str = stored["status"]["token"]
    return token


def review(server: SmallServer, token: str, **spec: Any) -> dict[str, Any]:
    answer = server.request("POST", REVIEWS, {**REVIEW, "spec": {"token": token, **spec}})
    status: dict[str, Any] = answer["status"]
    return status


def decoded(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


@pytest.fixture
def accounts(with_history: Callable[[int], SmallServer]) -> SmallServer:
    server = with_history(1000)
    server.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "sa"}})
    return server


def test_a_token_is_signed_by_the_key_that_the_server_shows(accounts: SmallServer) -> None:
    header, claims, signature = token_of(accounts, audiences=["a"]).split(".")
    (key,) = json.loads(accounts.request("GET", "/openid/v1/jwks"))["keys"]
    modulus, exponent = (int.from_bytes(decoded(key[name]), "big") for name in ("n", "e"))
    public = rsa.RSAPublicNumbers(exponent, modulus).public_key()
    signed = f"{header}.{claims}".encode()
    public.verify(decoded(signature), signed, padding.PKCS1v15(), hashes.SHA256())
    assert json.loads(decoded(header))["kid"] == key["kid"]
    value = json.loads(decoded(claims))
    configuration = accounts.request("GET", "/.well-known/openid-configuration")
    assert value["iss"] == configuration["issuer"]
    assert configuration["jwks_uri"].endswith("/openid/v1/jwks")
    assert (value["aud"], value["sub"]) == (["a"], "system:serviceaccount:default:sa")


def test_a_review_says_whose_token_it_is(accounts: SmallServer) -> None:
    token = token_of(accounts)
    status = review(accounts, token)
    assert status["authenticated"] is True
    assert status["user"]["username"] == "system:serviceaccount:default:sa"
    for wrong in (token[:-4] + "AAAA", "nonsense", "a.b.c", "", f"{token}.x"):
        if wrong:
            assert "authenticated" not in review(accounts, wrong)
    assert "authenticated" not in review(accounts, token, audiences=["other"])


def test_a_token_ends_with_its_account_and_with_the_object_that_it_is_bound_to(
    accounts: SmallServer,
) -> None:
    accounts.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}})
    bound = token_of(accounts, boundObjectRef={"apiVersion": "v1", "kind": "Secret", "name": "s"})
    free = token_of(accounts)
    assert review(accounts, bound)["authenticated"] is True
    accounts.request("DELETE", f"{CORE}/secrets/s")
    assert "authenticated" not in review(accounts, bound)
    assert review(accounts, free)["authenticated"] is True
    accounts.request("DELETE", f"{CORE}/serviceaccounts/sa")
    assert "authenticated" not in review(accounts, free)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"expirationSeconds": 599}, "may not specify a duration less than 10 minutes"),
        ({"expirationSeconds": 2**32 + 1}, "may not specify a duration larger than 2\\^32 seconds"),
        ({"boundObjectRef": {"apiVersion": "v1", "kind": "Secret", "name": "x"}}, 'secrets "x" not found'),
        ({"boundObjectRef": {"apiVersion": "v1", "kind": "Odd"}}, "object of type /v1, Kind=Odd"),
    ],
)
def test_a_request_for_a_token_is_checked(accounts: SmallServer, spec: Any, words: str) -> None:
    with pytest.raises(StatusError, match=words):
        token_of(accounts, **spec)
