"""Passes the client certificate of a TLS connection to the application."""

import ssl
from typing import cast

from fakeapi.asgi import CLIENT_CERTIFICATE, ASGIApp, ClientCertificate, Receive, Scope, Send


def with_client_certificate(app: ASGIApp, tls: ssl.SSLObject) -> ASGIApp:
    """Returns an application that adds the client certificate to the extensions of each scope.

    Returns `app` itself if the client has sent no certificate, or if the TLS handshake has not verified the
    certificate.
    """
    der = tls.getpeercert(binary_form=True)
    certificate = None if der is None else _read(tls, der)
    if certificate is None:
        return app

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        scope["extensions"] = {**scope.get("extensions", {}), CLIENT_CERTIFICATE: certificate}
        await app(scope, receive, send)

    return serve


def _read(tls: ssl.SSLObject, der: bytes) -> ClientCertificate | None:
    """Returns the client certificate; None if the TLS handshake has not verified the certificate.

    `der`: the certificate in DER.
    """
    verified = tls.getpeercert()
    if not verified:
        return None
    names = cast("tuple[tuple[tuple[str, str], ...], ...]", verified.get("subject", ()))
    subject = tuple(attribute for relative_name in names for attribute in relative_name)
    return ClientCertificate(subject, float(ssl.cert_time_to_seconds(str(verified["notAfter"]))), der)
