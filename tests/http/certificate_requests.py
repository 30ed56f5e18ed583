"""Builds CertificateSigningRequests for tests."""

import base64
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"


def request(group: str, signer: str = "kubernetes.io/kube-apiserver-client") -> dict[str, Any]:
    name = x509.Name([x509.NameAttribute(x509.NameOID.ORGANIZATION_NAME, group)])
    builder = x509.CertificateSigningRequestBuilder().subject_name(name)
    made = builder.sign(ec.generate_private_key(ec.SECP256R1()), hashes.SHA256())
    text = base64.b64encode(made.public_bytes(serialization.Encoding.PEM)).decode()
    return {
        "apiVersion": "certificates.k8s.io/v1",
        "kind": "CertificateSigningRequest",
        "metadata": {"name": "jane"},
        "spec": {"request": text, "signerName": signer, "usages": ["client auth"], "username": "root"},
    }
