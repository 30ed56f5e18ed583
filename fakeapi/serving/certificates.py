"""The server's certificate, and the certificate authority that signs it; imported only with TLS."""

import fcntl
import os
import ssl
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import trustme
from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from fakeapi.atomic_file import atomic_file, make_directory
from fakeapi.inputfile import read_regular

CA_CERTIFICATE = "ca.pem"
CA_KEY = "ca-key.pem"

FILE_BYTES_MAX = 1024 * 1024
"""Maximum number of bytes of the CA's certificate or key; reading a longer file raises OSError."""


class CertificateError(ValueError):
    """The files in the directory are not a CA's certificate and key; the message names them."""


@dataclass(frozen=True, slots=True)
class Certificates:
    """`ca` is the PEM certificate that clients need; `server` is the TLS context of a listening socket."""

    ca: bytes
    server: ssl.SSLContext


def issue(names: Iterable[str], directory: Path | None = None) -> Certificates:
    """Makes a server certificate for these host names and addresses.

    With a directory, the CA in it signs the certificate; the first call creates the CA. Clients that trust
    this CA also trust the server after a restart, and all servers with the same directory. Only the owner can
    read the CA's key; if others could, its mode is corrected. A new directory has mode 0755 and the CA's
    certificate 0644, like those of k8s.io/client-go `util/cert` and `util/keyutil`. An unusable or incomplete
    pair of files is refused and not changed. Raises OSError and CertificateError.
    """
    if directory is None:
        authority = trustme.CA()
    else:
        make_directory(directory, 0o755)
        with _alone_in(directory):
            authority = _authority_in(directory)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_COMPRESSION
    context.set_alpn_protocols(["h2", "http/1.1"])
    authority.issue_cert(*dict.fromkeys(names)).configure_cert(context)
    return Certificates(ca=authority.cert_pem.bytes(), server=context)


@contextmanager
def _alone_in(directory: Path) -> Iterator[None]:
    """Locks the directory, so that servers that start at the same time create one CA."""
    handle = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _authority_in(directory: Path) -> trustme.CA:
    certificate, key = directory / CA_CERTIFICATE, directory / CA_KEY
    if certificate.exists():
        _hide(key)
        try:
            pair = read_regular(certificate, FILE_BYTES_MAX), read_regular(key, FILE_BYTES_MAX)
            _check_pair(*pair)
            return trustme.CA.from_pem(*pair)
        except (ValueError, TypeError) as error:
            raise CertificateError(f"{certificate} and {key} are not a CA: {error}") from error
    if key.exists():  # the file may be the only copy
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
    """Raises ValueError if clients that trust the certificate would refuse the key's signatures."""
    read = x509.load_pem_x509_certificate(certificate)
    if load_pem_private_key(key, password=None).public_key() != read.public_key():
        raise ValueError("the key is that of another certificate")
    begin, end = read.not_valid_before_utc, read.not_valid_after_utc
    if not begin <= datetime.now(UTC) <= end:
        raise ValueError(f"the certificate is valid from {begin:%Y-%m-%d} to {end:%Y-%m-%d}")
    try:
        is_authority = read.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
        read.extensions.get_extension_for_class(x509.SubjectKeyIdentifier)  # signed certificates refer to it
    except x509.ExtensionNotFound:
        raise ValueError("the certificate needs basicConstraints and a subjectKeyIdentifier") from None
    if not is_authority:
        raise ValueError("the certificate may not sign others (basicConstraints)")


def _hide(key: Path) -> None:
    """Makes the key readable only by its owner, if others could read it."""
    if stat.S_IMODE(key.stat().st_mode) & 0o077:
        key.chmod(0o600)
