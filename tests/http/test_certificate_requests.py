"""CertificateSigningRequests: the fields that admission sets, and approval."""

import base64
from collections.abc import Callable
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from fakeapi.testing.client import StatusError
from tests.http.conftest import SmallServer

REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"


@pytest.fixture
def server(with_history: Callable[[int], SmallServer]) -> SmallServer:
    return with_history(100)


def request(group: str, signer: str = "kubernetes.io/kube-apiserver-client") -> dict[str, Any]:
    name = x509.Name([x509.NameAttribute(x509.NameOID.ORGANIZATION_NAME, group)])
    builder = x509.CertificateSigningRequestBuilder().subject_name(name)
    signed_request = builder.sign(ec.generate_private_key(ec.SECP256R1()), hashes.SHA256())
    text = base64.b64encode(signed_request.public_bytes(serialization.Encoding.PEM)).decode()
    return {
        "apiVersion": "certificates.k8s.io/v1",
        "kind": "CertificateSigningRequest",
        "metadata": {"name": "jane"},
        "spec": {"request": text, "signerName": signer, "usages": ["client auth"], "username": "root"},
    }


def test_nobody_asks_to_be_an_administrator(server: SmallServer) -> None:
    with pytest.raises(StatusError, match="signer with system:masters group is not allowed") as refused:
        server.request("POST", REQUESTS, request("system:masters"))
    assert refused.value.code == 403
    server.request("POST", REQUESTS, request("system:masters", "example.com/own"))


def test_a_request_is_from_who_sends_it_and_is_approved_by_a_path_of_its_own(server: SmallServer) -> None:
    stored = server.request("POST", REQUESTS, request("developers"))
    assert stored["spec"]["username"] == "kubernetes-admin"
    assert stored["spec"]["groups"] == ["system:masters", "system:authenticated"]
    stored["status"]["conditions"] = [{"type": "Approved", "status": "True", "reason": "R"}]
    with pytest.raises(StatusError, match="updates may not add a condition"):
        server.request("PUT", f"{REQUESTS}/jane/status", stored)
    approved = server.request("PUT", f"{REQUESTS}/jane/approval", stored)
    [condition] = approved["status"]["conditions"]
    assert condition["lastUpdateTime"] == condition["lastTransitionTime"]
    assert condition["lastUpdateTime"].endswith("Z")
