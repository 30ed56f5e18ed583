"""ServerTLS: the certificate of a server, and the CAs whose client certificates it accepts."""

import ssl
from pathlib import Path

import msgspec

from fakeapi.followed_files import FollowedFiles
from fakeapi.key_files import load_key_pair
from fakeapi.serving.start_error import StartError
from fakeapi.serving.tls_context import (
    TLSSource,
    accept_client_certificates,
    certificates_in,
    server_context,
)
from fakeapi.settings import Settings
from fakeapi.testing.server_names import issue_certificates


class ServerTLS(msgspec.Struct, frozen=True):
    """The certificates and TLS contexts of a server.

    - `ca`: CA certificates in PEM that clients verify the server with.
    - `contexts`: returns the TLS context for a new connection.
    - `is_pinned`: whether `ca` is the server's own certificate. Clients then trust this certificate and
      ignore the host names in it.
    """

    ca: bytes
    contexts: TLSSource
    is_pinned: bool

    @property
    def trust(self) -> ssl.SSLContext:
        """A TLS context for clients of this server in the same process."""
        context = ssl.create_default_context(cadata=self.ca.decode("ascii"))
        if self.is_pinned:
            context.check_hostname = False
            context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
        return context


def server_tls(settings: Settings) -> ServerTLS | None:
    """Returns the ServerTLS for the settings; None for plain HTTP.

    Raises StartError if a file with a certificate or key is unusable.
    """
    if not settings.uses_tls:
        return None
    authorities = [] if settings.client_ca is None else [Path(settings.client_ca)]
    if settings.front_proxy is not None:
        authorities.append(settings.front_proxy.client_ca)
    try:
        return _from_files(settings, authorities) if settings.tls_cert else _issued(settings, authorities)
    except (OSError, ValueError) as error:
        raise StartError(f"cannot serve HTTPS: {error}") from error


def _from_files(settings: Settings, authorities: list[Path]) -> ServerTLS:
    assert settings.tls_cert is not None, "checked by the caller"
    assert settings.tls_key is not None, "checked with the settings"
    certificate, key = Path(settings.tls_cert), Path(settings.tls_key)

    def make() -> ssl.SSLContext:
        context = server_context()
        load_key_pair(context, certificate, key)
        return _with_clients(context, authorities)

    contexts = FollowedFiles(make, [certificate, key, *authorities])
    return ServerTLS(certificates_in(certificate), contexts, is_pinned=True)


def _issued(settings: Settings, authorities: list[Path]) -> ServerTLS:
    issued = issue_certificates(settings)
    contexts = FollowedFiles(lambda: _with_clients(issued.server(), authorities), authorities)
    return ServerTLS(issued.ca, contexts, is_pinned=False)


def _with_clients(context: ssl.SSLContext, authorities: list[Path]) -> ssl.SSLContext:
    if authorities:
        accept_client_certificates(context, authorities)
    return context
