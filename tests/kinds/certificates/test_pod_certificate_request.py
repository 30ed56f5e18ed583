"""PodCertificateRequest: proof of possession, validation, and the issued certificate."""

import base64
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519

from fakeapi.registry.model.resource import Resource
from tests.kinds.judging import NOW, Body, refusals, refused_change, resource_of

BEGINS = datetime.fromisoformat(NOW)
DENIED = {"type": "Denied", "status": "True", "reason": "R", "message": "", "lastTransitionTime": NOW}


def requests(release: str = "1.36") -> Resource:
    return resource_of(release, "certificates.k8s.io", "v1beta1", "podcertificaterequests")


@cache
def key() -> ed25519.Ed25519PrivateKey:
    return ed25519.Ed25519PrivateKey.generate()


def encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()


def public(of: Any) -> str:
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return encoded(of.public_key().public_bytes(serialization.Encoding.DER, form))


def request(status: Body | None = None, **spec: Any) -> Body:
    found = {
        "signerName": "example.com/signer",
        "podName": "p",
        "podUID": "u",
        "serviceAccountName": "sa",
        "serviceAccountUID": "u",
        "nodeName": "n",
        "nodeUID": "u",
        "maxExpirationSeconds": 86400,
        "pkixPublicKey": public(key()),
        "proofOfPossession": encoded(key().sign(b"u")),
        **spec,
    }
    return {"spec": found, **({} if status is None else {"status": status})}


def stub(of: Any) -> str:
    builder = x509.CertificateSigningRequestBuilder().subject_name(x509.Name([]))
    return encoded(builder.sign(of, None).public_bytes(serialization.Encoding.DER))


def issued(of: Any = None, hours: int = 24, **status: Any) -> Body:
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "p")])
    ends = BEGINS + timedelta(hours=hours)
    builder = x509.CertificateBuilder(name, name, (of or key()).public_key(), 1, BEGINS, ends)
    chain = builder.sign(ec.generate_private_key(ec.SECP256R1()), hashes.SHA256())
    return {
        "conditions": [{**DENIED, "type": "Issued"}],
        "certificateChain": chain.public_bytes(serialization.Encoding.PEM).decode(),
        "notBefore": NOW,
        "notAfter": ends.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "beginRefreshAt": "2025-01-01T00:30:00Z",
        **status,
    }


def test_a_request_shows_that_it_has_the_key_by_a_proof_or_a_stub() -> None:
    assert refusals(requests(), request()) == []
    bare: Body = {"pkixPublicKey": None, "proofOfPossession": None}
    assert refusals(requests(), request(**bare, stubPKCS10Request=stub(key()))) == []
    why = "exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set"
    assert refusals(requests(), request(**bare)) == [("spec", f"Invalid value: {why}")]


@pytest.mark.parametrize(
    ("change", "place", "text"),
    [
        ({"podUID": ""}, "podUID", 'Invalid value: "": must not be empty'),
        ({"maxExpirationSeconds": 60}, "maxExpirationSeconds", "must be in the range [3600, 7862400]"),
        (
            {"signerName": "kubernetes.io/a", "maxExpirationSeconds": 86401},
            "maxExpirationSeconds",
            "[3600, 86400]",
        ),
        ({"nodeName": "Bad"}, "nodeName", "a lowercase RFC 1123 subdomain"),
        ({"pkixPublicKey": "YQ=="}, "pkixPublicKey", '"YQ==": must be a valid PKIX-serialized public key'),
        (
            {"proofOfPossession": "YQ=="},
            "proofOfPossession",
            "could not verify proof-of-possession",
        ),
        (
            {"pkixPublicKey": public(ec.generate_private_key(ec.SECP224R1()))},
            "pkixPublicKey",
            '"curve P-224": elliptic public keys must use curve P256 or P384',
        ),
    ],
)
def test_what_is_wrong_with_a_request_is_said(change: Body, place: str, text: str) -> None:
    errors = refusals(requests(), request(**change))
    assert (f"spec.{place}", True) in [(field, text in message) for field, message in errors]


def test_the_spec_stays() -> None:
    [(field, text)] = refused_change(requests(), request(), request(nodeName="other"))
    assert (field, text.endswith("field is immutable")) == ("spec", True)


def test_a_decision_is_made_once() -> None:
    denied = {"conditions": [DENIED]}
    assert refused_change(requests(), request(), request(denied), "status") == []
    both = {"conditions": [DENIED, {**DENIED, "type": "Failed"}]}
    [(field, text)] = refused_change(requests(), request(), request(both), "status")
    assert field == "status.conditions.[1].type"
    assert 'at most one condition with type "Issued", "Denied", or "Failed"' in text
    [(_, text)] = refused_change(requests(), request(), request({"notBefore": NOW}), "status")
    assert text.startswith("Invalid value: status is immutable unless transitioning")


@pytest.mark.parametrize(
    ("status", "place", "text"),
    [
        (issued(certificateChain="x"), "certificateChain", "must contain at least one certificate"),
        (
            issued(ec.generate_private_key(ec.SECP256R1())),
            "certificateChain",
            "was not issued to the",
        ),
        (
            issued(hours=25),
            "certificateChain",
            "lifetime must be <= spec.maxExpirationSeconds",
        ),
        (
            issued(notAfter=NOW),
            "notAfter",
            "must be set to the NotAfter time encoded",
        ),
        (issued(beginRefreshAt=NOW), "beginRefreshAt", "at least 10 minutes after status.notBefore"),
    ],
)
def test_what_is_issued_is_for_the_key_and_for_a_while(status: Body, place: str, text: str) -> None:
    [(field, message)] = refused_change(requests(), request(), request(status), "status")
    assert field == f"status.{place}"
    assert text in message


def test_a_good_certificate_is_issued() -> None:
    assert refused_change(requests(), request(), request(issued()), "status") == []
