"""CertificateSigningRequest and ClusterTrustBundle: validation, requester and approval."""

import base64
from functools import cache
from typing import Any

import pytest
import trustme

from fakeapi.kinds.certificates.certificate_signing_request import signed
from fakeapi.registry.identity.users import User
from fakeapi.registry.model.resource import Resource
from tests.kinds.certificates.signing_requests import csr
from tests.kinds.judging import (
    NOW,
    Body,
    canonical,
    created,
    refusals,
    refused_change,
    resource_of,
)

GROUP = "certificates.k8s.io"
APPROVED = {"type": "Approved", "status": "True", "reason": "R", "message": "m"}


def requests(release: str = "1.33") -> Resource:
    return resource_of(release, GROUP, "v1", "certificatesigningrequests")


def bundles() -> Resource:
    return resource_of("1.33", GROUP, "v1beta1", "clustertrustbundles")


@cache
def authority() -> str:
    return trustme.CA().cert_pem.bytes().decode()


def request(status: Body | None = None, **spec: Any) -> Body:
    fields = {"request": csr(), "signerName": "example.com/signer", "usages": ["client auth"], **spec}
    return {"spec": fields, **({} if status is None else {"status": status})}


@pytest.mark.parametrize(
    ("change", "place", "text"),
    [
        ({"request": "bm90IGEgY3Ny"}, "request", "PEM block type must be CERTIFICATE REQUEST"),
        ({"request": None}, "request", "Invalid value: []byte(nil): PEM block type must be"),
        ({"request": ""}, "request", "Invalid value: []byte{}: PEM block type must be"),
        ({"usages": []}, "usages", "Required value"),
        ({"usages": ["odd"]}, "usages[0]", 'Unsupported value: "odd": supported values: "any", "cert sign"'),
        ({"usages": ["any", "any"]}, "usages[1]", 'Duplicate value: "any"'),
        ({"signerName": "bad"}, "signerName", "must be a fully qualified domain and path"),
        (
            {"signerName": "kubernetes.io/legacy-unknown"},
            "signerName",
            "the legacy signerName is not",
        ),
        ({"expirationSeconds": 599}, "expirationSeconds", "may not specify a duration less than 600 seconds"),
    ],
)
def test_what_is_wrong_with_a_request_is_said(change: Body, place: str, text: str) -> None:
    [(field, message)] = refusals(requests(), request(**change))
    assert field == f"spec.{place}"
    assert text in message


def test_a_good_request_has_no_errors() -> None:
    assert refusals(requests(), request(expirationSeconds=600)) == []


def test_a_request_whose_signature_is_of_another_key_is_refused() -> None:
    pem = base64.b64decode(csr()).decode().splitlines()
    content = bytearray(base64.b64decode("".join(pem[1:-1])))
    content[-1] ^= 1
    lines = [pem[0], base64.b64encode(content).decode(), pem[-1], ""]
    broken = base64.b64encode("\n".join(lines).encode()).decode()
    [(field, _)] = refusals(requests(), request(request=broken))
    assert field == "spec.request"


def test_who_asks_is_the_client_whatever_the_request_says() -> None:
    made = signed(request(username="root", uid="0"), User("jane", ("g",), extra={"k": ("v",)}))
    assert list(made["spec"]) == ["request", "signerName", "usages", "username", "groups", "extra"]
    assert (made["spec"]["username"], made["spec"]["extra"]) == ("jane", {"k": ["v"]})


def test_only_the_approval_adds_an_approval() -> None:
    changed = request({"conditions": [APPROVED]})
    why = 'Forbidden: updates may not add a condition of type "Approved"'
    assert refused_change(requests(), request(), changed, "status") == [("status.conditions", why)]
    assert refused_change(requests(), request(), changed, "approval") == []
    assert refused_change(requests(), request(), changed) == []


def test_a_condition_gets_the_times_that_its_writer_left_open() -> None:
    strategy = requests().strategy_for("approval")
    old = created(requests(), request())
    made = strategy.prepare_update(canonical(requests(), request({"conditions": [APPROVED]})), old)
    assert made["status"]["conditions"] == [{**APPROVED, "lastUpdateTime": NOW, "lastTransitionTime": NOW}]


@pytest.mark.parametrize(
    ("release", "place"), [("1.33", "status.conditions[1].type"), ("1.34", "status.conditions")]
)
def test_nothing_is_approved_and_denied(release: str, place: str) -> None:
    both = request({"conditions": [APPROVED, {**APPROVED, "type": "Denied"}]})
    why = 'Invalid value: "Denied": Approved and Denied conditions are mutually exclusive'
    assert refused_change(requests(release), request(), both, "approval") == [(place, why)]


def test_a_certificate_is_a_chain_of_certificates() -> None:
    def issued(text: str) -> list[tuple[str, str]]:
        certificate = base64.b64encode(text.encode()).decode()
        return refused_change(requests(), request(), request({"certificate": certificate}), "status")

    path = "status.certificate"
    none = 'Invalid value: "<certificate data>": must contain at least one CERTIFICATE PEM block'
    assert issued("not a cert") == [(path, none)]
    assert issued(authority()) == []


def test_a_bundle_holds_authorities_and_is_named_after_its_signer() -> None:
    assert refusals(bundles(), {"spec": {"trustBundle": authority()}}) == []
    [(field, text)] = refusals(bundles(), {"spec": {"trustBundle": authority() * 2}})
    assert (field, text.endswith("duplicate trust anchor (indices [0 1])")) == ("spec.trustBundle", True)
    [(field, text)] = refusals(bundles(), {"spec": {"trustBundle": "x"}})
    assert text == 'Invalid value: "<value omitted>": at least one trust anchor must be provided'
    [(field, text)] = refusals(
        bundles(), {"spec": {"trustBundle": authority(), "signerName": "a.example.com/b"}}
    )
    assert field == "metadata.name"
    assert "must be named with prefix a.example.com:b:" in text
