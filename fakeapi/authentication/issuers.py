"""Issuers: the CAs for one purpose. A server can have different CAs for users and for front proxies.

OpenSSL verifies a client certificate with all CAs of the server at once. It does not say which CA matched.
"""

from cryptography import x509
from cryptography.exceptions import InvalidSignature

from fakeapi.asgi import ClientCertificate

KNOWN_CERTIFICATES_MAX = 1024
"""Maximum number of certificates whose issuer is cached. A full cache is cleared."""


class Issuers:
    """The CA certificates for one purpose, such as the verification of front proxies.

    Raises ValueError for text without a certificate in PEM.
    """

    def __init__(self, pem: bytes) -> None:
        self._authorities = x509.load_pem_x509_certificates(pem)
        self._known: dict[bytes, bool] = {}

    def have_issued(self, certificate: ClientCertificate) -> bool:
        """Whether one of the CAs has signed the certificate directly, without intermediate CAs."""
        known = self._known.get(certificate.der)
        if known is None:
            if len(self._known) >= KNOWN_CERTIFICATES_MAX:
                self._known.clear()
            issued = x509.load_der_x509_certificate(certificate.der)
            known = any(_has_issued(authority, issued) for authority in self._authorities)
            self._known[certificate.der] = known
        return known


def _has_issued(authority: x509.Certificate, issued: x509.Certificate) -> bool:
    try:
        issued.verify_directly_issued_by(authority)
    except (InvalidSignature, ValueError, TypeError):
        return False
    return True
