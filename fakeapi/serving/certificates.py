"""Issues the server's TLS certificate, and creates the certificate authority (CA) that signs it.

Only servers with TLS import this module.
"""

import ssl
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import trustme
from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from fakeapi.atomic_file import alone_in, atomic_file, make_directory
from fakeapi.inputfile import KEY_FILE_BYTES_MAX, read_regular
from fakeapi.serving.tls_context import server_context

CA_CERTIFICATE = "ca.pem"
CA_KEY = "ca-key.pem"


class CertificateError(ValueError):
    """Raised if the files of a CA are not a valid CA certificate and its private key.

    Also raised for a key without a certificate file. The message names the files.
    """


@dataclass(frozen=True, slots=True)
class Certificates:
    """The certificates of a server. `ca`: the CA certificate (PEM), with which clients verify the server."""

    ca: bytes
    _issued: trustme.LeafCert

    def server(self) -> ssl.SSLContext:
        """Returns a new TLS context for a listening socket, with the server's certificate."""
        context = server_context()
        self._issued.configure_cert(context)
        return context


def issue(names: Iterable[str], directory: Path | None = None) -> Certificates:
    """Issues a server certificate.

    - `names`: the host names and IP addresses of the server.
    - `directory`: the directory of the CA that signs the certificate; None uses a new CA that is not stored.

    If the directory has no CA, this function creates one. Clients that trust the CA trust all servers with
    this directory, also after a restart. If users other than the owner can access the CA key, the function
    sets its mode to 0600. A new directory has mode 0755 and the CA certificate 0644, as in k8s.io/client-go
    `util/cert` and `util/keyutil`.

    Raises OSError if a file cannot be read or written. Raises CertificateError if the certificate and key are
    unusable, or if the directory has a key but no certificate. The contents of the files then stay the same.
    """
    if directory is None:
        authority = trustme.CA()
    else:
        make_directory(directory, 0o755)
        with alone_in(directory):
            authority = _authority_in(directory)
    return Certificates(authority.cert_pem.bytes(), authority.issue_cert(*dict.fromkeys(names)))


def _authority_in(directory: Path) -> trustme.CA:
    certificate, key = directory / CA_CERTIFICATE, directory / CA_KEY
    if certificate.exists():
        _hide(key)
        try:
            pair = read_regular(certificate, KEY_FILE_BYTES_MAX), read_regular(key, KEY_FILE_BYTES_MAX)
            _check_pair(*pair)
            return trustme.CA.from_pem(*pair)
        except (ValueError, TypeError) as error:
            raise CertificateError(f"{certificate} and {key} are not a CA: {error}") from error
    if key.exists():  # the server must not overwrite the key, because the file may be the only copy
        raise CertificateError(
            f"{key} has no {CA_CERTIFICATE} beside it: put it there, or remove the key for a new CA"
        )
    authority = trustme.CA(organization_name="fakeapi")
    with atomic_file(key) as file:
        file.write(authority.private_key_pem.bytes())
    with atomic_file(certificate) as file:
        file.write(authority.cert_pem.bytes())
    certificate.chmod(0o644)
    return authority


def _check_pair(certificate: bytes, key: bytes) -> None:
    """Raises ValueError if the files are not a CA certificate that is valid now, and its private key.

    Raises TypeError if the key is encrypted.
    """
    read = x509.load_pem_x509_certificate(certificate)
    if load_pem_private_key(key, password=None).public_key() != read.public_key():
        raise ValueError("the key belongs to another certificate")
    begin, end = read.not_valid_before_utc, read.not_valid_after_utc
    if not begin <= datetime.now(UTC) <= end:
        raise ValueError(f"the certificate is valid from {begin:%Y-%m-%d} to {end:%Y-%m-%d}")
    try:
        is_authority = read.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
        # Issued certificates refer to the subject key identifier of the CA.
        read.extensions.get_extension_for_class(x509.SubjectKeyIdentifier)
    except x509.ExtensionNotFound:
        raise ValueError("the certificate needs basicConstraints and a subjectKeyIdentifier") from None
    if not is_authority:
        raise ValueError("the certificate may not sign other certificates (basicConstraints)")


def _hide(key: Path) -> None:
    """Sets the mode of the key file to 0600 if its group or other users have any permission."""
    if stat.S_IMODE(key.stat().st_mode) & 0o077:
        key.chmod(0o600)
