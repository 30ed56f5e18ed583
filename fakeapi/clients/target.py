"""The server that a replay or a proxy sends requests to: its URL, TLS settings and credential."""

import asyncio
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable
from urllib.parse import urlsplit

from fakeapi.inputfile import read_regular

FILE_BYTES_MAX = 16 * 1024 * 1024
"""Most bytes of a kubeconfig, certificate, key or token file; a longer file raises TargetError."""


class TargetError(Exception):
    """The server cannot be used, or does not answer like an API server; `str()` is one line for the user."""


@runtime_checkable
class SlowCredential(Protocol):
    """A credential from a program; `stale` is whether the next call runs the program."""

    @property
    def stale(self) -> bool: ...

    def __call__(self) -> str | None: ...


@dataclass(slots=True)
class Target:
    """A server to send requests to: `url` without a slash at its end; `tls` is None for plain HTTP.

    `authorization` returns the value of the header Authorization, or None; it may raise TargetError.
    """

    url: str
    tls: ssl.SSLContext | None
    authorization: Callable[[], str | None]
    server_name: str | None = None

    async def authorize(self) -> str | None:
        """Returns `authorization()` without blocking the event loop. Raises TargetError."""
        credential = self.authorization
        if isinstance(credential, SlowCredential) and credential.stale:
            return await asyncio.to_thread(credential)
        return credential()


def target_of_url(
    url: str, *, ca_file: Path | None = None, insecure: bool = False, token: str | None = None
) -> Target:
    """Makes the target for a URL. Raises TargetError."""
    url = checked_url(url)
    tls = tls_context(read_file(ca_file) if ca_file else None, insecure=insecure) if is_https(url) else None
    header = f"Bearer {token}" if token else None
    return Target(url, tls, lambda: header)


def checked_url(url: str) -> str:
    """Checks the URL of a server and removes slashes at its end. Raises TargetError."""
    parts = urlsplit(url)
    try:
        fine = parts.scheme in {"http", "https"} and parts.hostname and (parts.port is None or parts.port)
    except ValueError:
        fine = False
    if not fine or parts.query or parts.fragment:
        raise TargetError(f"{url!r} is not the URL of a server, such as https://127.0.0.1:6443")
    if parts.username or parts.password:
        raise TargetError(
            "a URL must not contain a password, as process lists would show it; use a kubeconfig"
        )
    return url.rstrip("/")


def is_https(url: str) -> bool:
    return url.startswith("https://")


def tls_context(authority: bytes | None, *, insecure: bool) -> ssl.SSLContext:
    """Makes a TLS context that trusts the PEM certificates in `authority`, or the system's if None.

    Raises TargetError.
    """
    try:
        context = ssl.create_default_context(cadata=authority.decode("ascii") if authority else None)
    except (ssl.SSLError, UnicodeDecodeError) as error:
        raise TargetError(f"the certificate authority is not a PEM certificate: {error}") from error
    if insecure:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def read_file(path: Path) -> bytes:
    """Reads a kubeconfig, certificate, key or token. Raises TargetError."""
    try:
        return read_regular(path, FILE_BYTES_MAX)
    except OSError as error:
        raise TargetError(f"cannot read {path}: {error.strerror}") from error
