"""Finds the user of a client certificate: the common name is the user name, the organizations are the groups.

Follows k8s.io/apiserver `pkg/authentication/request/x509`.
"""

import hashlib
import time
from functools import lru_cache

from fakeapi.asgi import ClientCertificate
from fakeapi.authentication.token_users import with_authenticated
from fakeapi.registry.identity.users import CREDENTIAL_ID, User
from fakeapi.releases import Release

_UID = "1.3.6.1.4.1.57683.2"
"""Object identifier of the subject attribute with the uid of the user."""

_USERS_CACHED = 1024
"""Maximum number of client certificates whose users are cached.

Every request of a connection needs the user of the certificate.
"""

_UID_GATE = "AllowParsingUserUIDFromCertAuth"


class CertificateRefused(ValueError):
    """Raised for a client certificate that cannot authenticate a user. The message is the reason."""


def common_name(certificate: ClientCertificate) -> str:
    """Returns the last common name of a certificate's subject, like Go; "" without a common name."""
    return next((value for name, value in reversed(certificate.subject) if name == "commonName"), "")


def check_time(certificate: ClientCertificate) -> None:
    """Raises CertificateRefused if a certificate has expired since the TLS handshake."""
    if time.time() > certificate.not_after:
        raise CertificateRefused("certificate has expired or is not yet valid")


def user_of_certificate(certificate: ClientCertificate, release: Release) -> User | None:
    """Returns the user of a client certificate; None for a subject without a common name.

    Raises CertificateRefused for an expired certificate. If the server reads uids from certificates, also
    raises CertificateRefused for an empty uid and for several uids.
    """
    check_time(certificate)
    return _user(
        certificate,
        has_credential_id=release.quirks.certificates_have_credential_ids,
        reads_uid=release.gates.enabled(_UID_GATE),
    )


@lru_cache(_USERS_CACHED)
def _user(certificate: ClientCertificate, *, has_credential_id: bool, reads_uid: bool) -> User | None:
    name = common_name(certificate)
    if not name:
        return None
    groups = [value for attribute, value in certificate.subject if attribute == "organizationName"]
    extra = {}
    if has_credential_id:
        extra[CREDENTIAL_ID] = (f"X509SHA256={hashlib.sha256(certificate.der).hexdigest()}",)
    uid = _uid(certificate) if reads_uid else ""
    return User(name, with_authenticated(name, groups), uid, extra)


def _uid(certificate: ClientCertificate) -> str:
    uids = [value for name, value in certificate.subject if name == _UID]
    if len(uids) > 1:
        raise CertificateRefused(f"expected 1 UID, but found multiple: [{' '.join(uids)}]")
    if uids == [""]:
        raise CertificateRefused("UID cannot be an empty string")
    return uids[0] if uids else ""
