"""TLS contexts for listening sockets."""

import ssl
from collections.abc import Callable, Sequence
from pathlib import Path

from fakeapi.inputfile import KEY_FILE_BYTES_MAX, read_regular
from fakeapi.machinery.lazy_pattern import lazy_pattern

_CERTIFICATE = lazy_pattern(rb"-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]*-----END CERTIFICATE-----")

TLSSource = Callable[[], ssl.SSLContext]
"""A function that returns the TLS context for a new connection."""


def server_context() -> ssl.SSLContext:
    """Returns a TLS context for a server without a certificate: TLS 1.2 and newer, HTTP/2 and HTTP/1.1."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_COMPRESSION
    context.set_alpn_protocols(["h2", "http/1.1"])
    return context


def accept_client_certificates(context: ssl.SSLContext, authorities: Sequence[Path]) -> None:
    """Lets clients send a certificate. The handshake fails if a client sends a certificate of another CA.

    kube-apiserver completes such a handshake and responds with 401. Python's TLS cannot do that.

    `authorities`: files with CA certificates in PEM. Raises OSError if a file cannot be read, and ValueError
    if a file has no usable certificate.
    """
    context.verify_mode = ssl.CERT_OPTIONAL
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # as in Go, each of the CAs is a root
    for file in authorities:
        try:
            context.load_verify_locations(cadata=certificates_in(file).decode("ascii"))
        except ssl.SSLError as error:
            raise ValueError(f"{file} has an unusable certificate: {error}") from error


def certificates_in(file: Path) -> bytes:
    """Returns only the certificates in a PEM file. Drops everything else, such as a private key.

    Raises OSError if the file cannot be read, and ValueError if the file has no certificate.
    """
    return b"".join(block + b"\n" for block in certificate_blocks(file))


def certificate_blocks(file: Path) -> list[bytes]:
    """Returns each certificate in a PEM file. Raises the errors of `certificates_in`."""
    blocks: list[bytes] = _CERTIFICATE.findall(read_regular(file, KEY_FILE_BYTES_MAX))
    if not blocks:
        raise ValueError(f"{file} has no certificate in PEM")
    return blocks
