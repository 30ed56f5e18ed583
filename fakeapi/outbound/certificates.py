"""Verifies the TLS certificates of webhooks, with Go's error messages for servers that are not trusted.

Follows crypto/x509 (VerifyHostname) and client-go `transport` (rootCertPool).
"""

import ipaddress
import ssl
from collections.abc import Mapping
from typing import Any

from fakeapi.registry.webhooks.transport import BadAuthority

PREFIX = "tls: failed to verify certificate: x509: "
_BEGIN = b"-----BEGIN CERTIFICATE-----"
_EXPIRED, _NOT_YET_VALID = 10, 9
_NOT_TLS = frozenset(
    ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "PACKET_LENGTH_TOO_LONG", "RECORD_LAYER_FAILURE")
)


def client_context(authority: bytes, *, verify: bool = True) -> ssl.SSLContext:
    """Returns a TLS context that trusts these CA certificates, or every certificate if `verify` is false.

    `authority`: the CA certificates in PEM; b"" for the CA certificates of the system.

    The context does not check the server's name; the function `name_problem` does. Raises BadAuthority if
    the certificates cannot be parsed.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_REQUIRED if verify else ssl.CERT_NONE
    context.set_alpn_protocols(["http/1.1"])
    if not verify:
        return context
    if not authority:
        context.load_default_certs()
        return context
    if _BEGIN not in authority:
        raise BadAuthority("unable to parse bytes as PEM block")
    try:
        context.load_verify_locations(cadata=authority.decode("ascii"))
    except (ssl.SSLError, UnicodeDecodeError):
        raise BadAuthority("failed to parse certificate: x509: malformed certificate") from None
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # Go accepts each certificate as a root
    return context


def name_problem(certificate: Mapping[str, Any], host: str) -> str:
    """Returns Go's error message if a certificate is not valid for a host; "" for a valid certificate.

    - `certificate`: the verified certificate, as `ssl.SSLSocket.getpeercert` returns it.
    - `host`: a host name or an IP address.
    """
    names = [value for kind, value in certificate.get("subjectAltName", ()) if kind == "DNS"]
    addresses = [value for kind, value in certificate.get("subjectAltName", ()) if kind == "IP Address"]
    try:
        host_address = ipaddress.ip_address(host)
    except ValueError:
        return _host_problem(certificate, host, names)
    san_addresses = [ipaddress.ip_address(address.strip()) for address in addresses]
    if host_address in san_addresses:
        return ""
    if not san_addresses:
        return f"{PREFIX}cannot validate certificate for {host} because it doesn't contain any IP SANs"
    return f"{PREFIX}certificate is valid for {', '.join(map(str, san_addresses))}, not {host}"


def _host_problem(certificate: Mapping[str, Any], host: str, names: list[str]) -> str:
    if any(_matches(name.lower(), host.lower()) for name in names):
        return ""
    if names:
        return f"{PREFIX}certificate is valid for {', '.join(names)}, not {host}"
    if not certificate.get("subjectAltName") and _matches(_common_name(certificate), host.lower()):
        return f"{PREFIX}certificate relies on legacy Common Name field, use SANs instead"
    return f"{PREFIX}certificate is not valid for any names, but wanted to match {host}"


def _common_name(certificate: Mapping[str, Any]) -> str:
    pairs = (pair for rdn in certificate.get("subject", ()) for pair in rdn)
    return next((value.lower() for name, value in pairs if name == "commonName"), "")


def _matches(pattern: str, host: str) -> bool:
    """Whether a name in a certificate matches a host. The first label of the name may be `*`."""
    labels, host_labels = pattern.rstrip(".").split("."), host.rstrip(".").split(".")
    if len(labels) != len(host_labels) or not pattern:
        return False
    return labels[1:] == host_labels[1:] and (
        labels[0] == host_labels[0] or (labels[0] == "*" and len(labels) > 1)
    )


def handshake_problem(error: ssl.SSLError) -> str:
    """Returns Go's error message for a failed TLS handshake."""
    if isinstance(error, ssl.SSLCertVerificationError):
        if error.verify_code in (_EXPIRED, _NOT_YET_VALID):
            return f"{PREFIX}certificate has expired or is not yet valid"
        return f"{PREFIX}certificate signed by unknown authority"
    reason = error.reason or ""
    if reason in _NOT_TLS:
        return "http: server gave HTTP response to HTTPS client"
    if (
        isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError)
        or reason == "UNEXPECTED_EOF_WHILE_READING"
    ):
        return "EOF"
    return f"remote error: tls: {reason.lower().replace('_', ' ') or error}"
