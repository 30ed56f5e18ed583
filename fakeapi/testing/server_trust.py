"""Determines how a server and the API servers behind APIServices trust each other."""

import ssl
from pathlib import Path
from typing import TYPE_CHECKING

from fakeapi.serving.start_error import StartError
from fakeapi.serving.tls_context import certificate_blocks
from fakeapi.settings import Settings

if TYPE_CHECKING:
    from fakeapi.controlplane.bootstrap.authentication_trust import AuthenticationTrust
    from fakeapi.outbound.client_identity import ClientIdentity


def authentication_trust(settings: Settings) -> "AuthenticationTrust | None":
    """Returns the CAs and proxies that a server trusts; None if it trusts none.

    Raises StartError if a file with CA certificates is unusable.
    """
    proxies = settings.front_proxy
    if settings.client_ca is None and proxies is None:
        return None
    from fakeapi.controlplane.bootstrap.authentication_trust import AuthenticationTrust  # noqa: PLC0415 - rarely used

    try:
        return AuthenticationTrust(
            "" if settings.client_ca is None else _certificates(Path(settings.client_ca)),
            "" if proxies is None else _certificates(proxies.client_ca),
            proxies,
        )
    except (OSError, ValueError) as error:
        raise StartError(str(error)) from error


def _certificates(file: Path) -> str:
    """Returns the certificates in a file in PEM, each once, with the line breaks that Go writes."""
    ders = (ssl.PEM_cert_to_DER_cert(block.decode("ascii")) for block in certificate_blocks(file))
    return "".join(dict.fromkeys(map(ssl.DER_cert_to_PEM_cert, ders)))


def proxy_identity(settings: Settings) -> "ClientIdentity | None":
    """Returns the client certificate for the servers behind APIServices; None if no option names one.

    Raises StartError if the certificate or its key is unusable.
    """
    certificate, key = settings.proxy_client_cert, settings.proxy_client_key
    if certificate is None or key is None:
        return None
    from fakeapi.outbound.client_identity import ClientIdentity  # noqa: PLC0415 - rarely used

    try:
        return ClientIdentity(Path(certificate), Path(key))
    except (OSError, ValueError) as error:
        raise StartError(str(error)) from error
