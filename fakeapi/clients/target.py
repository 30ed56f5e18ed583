"""Target: the URL, TLS settings and credential of a server."""

import asyncio
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable
from urllib.parse import urlsplit

from fakeapi.inputfile import read_regular
from fakeapi.machinery.base_error import FakeAPIError
from fakeapi.machinery.lazy_pattern import lazy_pattern

FILE_BYTES_MAX = 16 * 1024 * 1024
"""Maximum size of a kubeconfig, certificate, key or token file, in bytes; a larger file raises
TargetError.
"""

_HOST_AND_PORT = lazy_pattern(r"[\w.-]+(:\d+)?/?|\[[0-9a-fA-F:.]+\](:\d+)?/?")


class TargetError(FakeAPIError):
    """Raised if the settings of a client are invalid, or if the server does not respond like an API server.

    The message is one line.
    """


@runtime_checkable
class SlowCredential(Protocol):
    """A credential from a credential plugin (`exec`). A call returns the header Authorization.

    A call blocks while the plugin runs. `stale`: whether the next call runs the plugin.
    """

    @property
    def stale(self) -> bool: ...

    def __call__(self) -> str | None: ...


@dataclass(slots=True)
class Target:
    """A server to send requests to.

    - `url`: the URL of the server without a slash at its end.
    - `tls`: the context that verifies the server's certificate; None for plain HTTP.
    - `authorization`: returns the header Authorization, or None for no header. It can raise TargetError.
    - `server_name`: the host name in the server's certificate; None for the host name in `url`.
    - `origin`: what named the server, for error messages, such as "$KUBECONFIG"; "" for a default.
    """

    url: str
    tls: ssl.SSLContext | None
    authorization: Callable[[], str | None]
    server_name: str | None = None
    origin: str = ""

    async def authorize(self) -> str | None:
        """Returns the header Authorization, or None for no header.

        Runs credential plugins in another thread, so that they do not block the event loop. Raises
        TargetError if the credential cannot be read, or if the plugin fails.
        """
        credential = self.authorization
        if isinstance(credential, SlowCredential) and credential.stale:
            return await asyncio.to_thread(credential)
        return credential()


def target_of_url(
    url: str, *, ca_file: Path | None = None, insecure: bool = False, token: str | None = None
) -> Target:
    """Returns the Target for a URL. Raises TargetError if the URL or `ca_file` is invalid.

    - `ca_file`: the CA certificates that verify the server; None for the system's CA certificates.
    - `insecure`: whether to skip the verification of the server's certificate.
    - `token`: the bearer token; None for no token.
    """
    url = checked_url(url)
    tls = tls_context(read_file(ca_file) if ca_file else None, insecure=insecure) if is_https(url) else None
    header = f"Bearer {token}" if token else None
    return Target(url, tls, lambda: header)


def checked_url(url: str) -> str:
    """Checks the URL of a server, and returns it without slashes at its end.

    Raises TargetError if the URL is not an HTTP or HTTPS URL, or has a query, a fragment, a user or a
    password.
    """
    parts = urlsplit(url)
    try:
        fine = parts.scheme in {"http", "https"} and parts.hostname and (parts.port is None or parts.port)
    except ValueError:
        fine = False
    if "://" not in url and _HOST_AND_PORT.fullmatch(url):
        raise TargetError(f"{url!r} is not the URL of a server: write http://{url} or https://{url}")
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
    """Returns a TLS context for a client. Raises TargetError if the CA certificates are invalid.

    - `authority`: the CA certificates in PEM that verify the server; None for the system's CA certificates.
    - `insecure`: whether to skip the verification of the server's certificate.
    """
    try:
        context = ssl.create_default_context(cadata=authority.decode("ascii") if authority else None)
    except (ssl.SSLError, UnicodeDecodeError) as error:
        raise TargetError(f"the certificate authority is not a PEM certificate: {error}") from error
    if insecure:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def read_file(path: Path) -> bytes:
    """Returns the content of a kubeconfig, certificate, key or token file.

    Raises TargetError if the file cannot be read, or is larger than FILE_BYTES_MAX.
    """
    try:
        return read_regular(path, FILE_BYTES_MAX)
    except OSError as error:
        raise TargetError(f"cannot read {path}: {error.strerror}") from error
