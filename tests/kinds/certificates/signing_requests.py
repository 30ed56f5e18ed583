"""Makes certificate signing requests."""

import base64
from functools import cache

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


@cache
def csr() -> str:
    """Returns a PKCS #10 request for the user jane, as the API has it: PEM in base64."""
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "jane")])
    builder = x509.CertificateSigningRequestBuilder().subject_name(name)
    signed_request = builder.sign(ec.generate_private_key(ec.SECP256R1()), hashes.SHA256())
    return base64.b64encode(signed_request.public_bytes(serialization.Encoding.PEM)).decode()
