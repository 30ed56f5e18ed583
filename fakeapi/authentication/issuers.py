"""Issuers: the CAs for one purpose. A server can have different CAs for users and for front proxies.

OpenSSL verifies a client certificate with all CAs of the server at once. OpenSSL does not report which CA
matched.
"""

from pathlib import Path

from cryptography import x509
from cryptography.exceptions import InvalidSignature

from fakeapi.asgi import ClientCertificate
from fakeapi.followed_files import FollowedFiles
from fakeapi.inputfile import KEY_FILE_BYTES_MAX, read_regular

KNOWN_CERTIFICATES_MAX = 1024
"""Maximum number of certificates whose issuer is cached. A full cache is cleared."""


class Issuers:
    """The CA certificates for one purpose, such as the verification of front proxies.

    Reads the file again after each change of the file, like the TLS contexts of the server. Raises OSError if
    the file cannot be read, and ValueError if the file contains no certificate in PEM.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._current = FollowedFiles(self._load, [file])

    def _load(self) -> tuple[list[x509.Certificate], dict[bytes, bool]]:
        """Returns the CAs, and an empty cache for the results of `have_issued`."""
        return x509.load_pem_x509_certificates(read_regular(self._file, KEY_FILE_BYTES_MAX)), {}

    def have_issued(self, certificate: ClientCertificate) -> bool:
        """Whether one of the CAs has signed the certificate directly, without intermediate CAs."""
        authorities, known = self._current()
        has_issued = known.get(certificate.der)
        if has_issued is None:
            if len(known) >= KNOWN_CERTIFICATES_MAX:
                known.clear()
            issued = x509.load_der_x509_certificate(certificate.der)
            has_issued = any(_has_issued(authority, issued) for authority in authorities)
            known[certificate.der] = has_issued
        return has_issued


def _has_issued(authority: x509.Certificate, issued: x509.Certificate) -> bool:
    try:
        issued.verify_directly_issued_by(authority)
    except (InvalidSignature, ValueError, TypeError):
        return False
    return True
