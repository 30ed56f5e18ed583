"""TLS contexts for listening sockets, and TLSFiles: a context that follows its files."""

import logging
import re
import ssl
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from fakeapi.inputfile import read_regular

logger = logging.getLogger("fakeapi.serving")

FILE_BYTES_MAX = 1024 * 1024
"""Maximum size, in bytes, of a file with certificates or a key; a longer file raises OSError."""

_CERTIFICATE = re.compile(rb"-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]*-----END CERTIFICATE-----")

CHECK_SECONDS = 1.0
"""Minimum seconds between two checks whether the files of a TLSFiles have changed."""

TLSSource = Callable[[], ssl.SSLContext]
"""A function that returns the TLS context for a new connection."""


def server_context() -> ssl.SSLContext:
    """Returns a TLS context for a server without a certificate: TLS 1.2 and newer, HTTP/2 and HTTP/1.1."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_COMPRESSION
    context.set_alpn_protocols(["h2", "http/1.1"])
    return context


def load_certificate(context: ssl.SSLContext, certificate: Path, key: Path) -> None:
    """Loads a server certificate and its private key, which must not be encrypted.

    Raises OSError if a file cannot be read, and ValueError if the files are not a certificate and its key.
    """
    for file in (certificate, key):
        read_regular(file, FILE_BYTES_MAX)
    try:
        context.load_cert_chain(certificate, key, password="")
    except ssl.SSLError as error:
        raise ValueError(f"{certificate} and {key} are not a certificate and its key: {error}") from error


def accept_client_certificates(context: ssl.SSLContext, authorities: Sequence[Path]) -> None:
    """Lets clients send a certificate. The handshake fails if a client sends a certificate of another CA.

    kube-apiserver completes such a handshake and responds with 401. Python's TLS cannot do that.

    `authorities`: files with CA certificates in PEM. Raises OSError if a file cannot be read, and ValueError
    if a file has no usable certificate.
    """
    context.verify_mode = ssl.CERT_OPTIONAL
    for file in authorities:
        try:
            context.load_verify_locations(cadata=certificates_in(file).decode("ascii"))
        except ssl.SSLError as error:
            raise ValueError(f"{file} has an unusable certificate: {error}") from error


def certificates_in(file: Path) -> bytes:
    """Returns only the certificates in a PEM file. Drops everything else, such as a private key.

    Raises OSError if the file cannot be read, and ValueError if it has no certificate.
    """
    blocks: list[bytes] = _CERTIFICATE.findall(read_regular(file, FILE_BYTES_MAX))
    if not blocks:
        raise ValueError(f"{file} has no certificate in PEM")
    return b"".join(block + b"\n" for block in blocks)


class TLSFiles:
    """Provides a TLS context that is loaded from files. Loads a new context after a file has changed.

    So new connections use a certificate that was replaced on disk, as in kube-apiserver.

    - `make`: loads the context. Raises OSError or ValueError if a file is unusable.
    - `files`: the files that `make` reads.

    The constructor raises the errors of `make`. If `make` fails later, the error is logged, and the last
    context stays in use.
    """

    def __init__(self, make: TLSSource, files: Sequence[Path]) -> None:
        self._make = make
        self._files = files
        self._versions = self._read_versions()
        self._checked = time.monotonic()
        self._context = make()

    def __call__(self) -> ssl.SSLContext:
        """Returns the TLS context for a new connection."""
        now = time.monotonic()
        if now - self._checked >= CHECK_SECONDS:
            self._checked = now
            versions = self._read_versions()
            if versions != self._versions:
                self._versions = versions
                self._renew()
        return self._context

    def _renew(self) -> None:
        try:
            self._context = self._make()
        except (OSError, ValueError) as error:
            logger.warning("Cannot use the changed TLS files: %s", error)

    def _read_versions(self) -> list[tuple[int, int, int] | None]:
        return [_version(file) for file in self._files]


def _version(file: Path) -> tuple[int, int, int] | None:
    """Returns the inode, the size and the modification time of a file; None if it does not exist."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
