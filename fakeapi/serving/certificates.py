"""A certificate authority of the server's own, and its certificate; imported only with TLS."""

import os
import ssl
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import trustme

CA_CERTIFICATE = "ca.pem"
CA_KEY = "ca-key.pem"


class CertificateError(ValueError):
    """The directory's CA is not one; the message names the file."""


@dataclass(frozen=True, slots=True)
class Certificates:
    """`ca` is the PEM certificate that clients need; `server` is ready for a listening socket."""

    ca: bytes
    server: ssl.SSLContext


def issue(names: Iterable[str], directory: Path | None = None) -> Certificates:
    """A server certificate for these host names and addresses.

    With a directory its CA is used, or made there at the first time, so that clients that trust it still do
    after a restart. Raises OSError and CertificateError.
    """
    authority = trustme.CA() if directory is None else _kept(directory)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_COMPRESSION
    context.set_alpn_protocols(["h2", "http/1.1"])
    authority.issue_cert(*dict.fromkeys(names)).configure_cert(context)
    return Certificates(ca=authority.cert_pem.bytes(), server=context)


def _kept(directory: Path) -> trustme.CA:
    certificate, key = directory / CA_CERTIFICATE, directory / CA_KEY
    if certificate.exists():
        try:
            return trustme.CA.from_pem(certificate.read_bytes(), key.read_bytes())
        except (ValueError, TypeError) as error:
            raise CertificateError(f"{certificate} and {key} are not a CA: {error}") from error
    authority = trustme.CA(organization_name="fakeapi")
    directory.mkdir(parents=True, exist_ok=True)
    with os.fdopen(os.open(key, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(authority.private_key_pem.bytes())
    certificate.write_bytes(authority.cert_pem.bytes())  # last: the CA exists once its certificate does
    return authority
