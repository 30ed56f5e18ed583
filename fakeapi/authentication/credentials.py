"""Credentials: the tokens and certificates that a server accepts, except tokens of service accounts."""

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING

from fakeapi.asgi import ClientCertificate
from fakeapi.registry.identity.users import TOKEN_HOLDER, User

if TYPE_CHECKING:
    from fakeapi.authentication.front_proxy import FrontProxy
    from fakeapi.authentication.issuers import Issuers
    from fakeapi.releases import Release


class Anonymous(Enum):
    """The treatment of requests without credentials."""

    ADMINISTRATOR = auto()
    """Treats requests without credentials as requests of an administrator. This is the default of fakeapi."""

    HEALTH_CHECKS = auto()
    """Treats health checks without credentials as requests of system:anonymous.

    Rejects all other requests without credentials.
    """

    USER = auto()
    """Treats requests without credentials as requests of system:anonymous.

    kube-apiserver does this with `--anonymous-auth=true`.
    """

    REJECTED = auto()
    """Rejects requests without credentials, like kube-apiserver with `--anonymous-auth=false`."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """The tokens and certificates that a server accepts, except tokens of service accounts.

    - `token`: the bearer token of the administrator.
    - `token_users`: other users by their bearer tokens.
    - `accepts_certificates`: whether the common name of a client certificate is a user.
    - `client_issuers`: the CAs of users' client certificates, if the server also has CAs of front proxies;
      None accepts all certificates that the TLS handshake has verified.
    - `front_proxy`: takes users from the headers of an authenticating proxy; None trusts no proxy.
    - `anonymous`: how to treat requests without credentials.
    """

    token: str | None = None
    token_users: Mapping[str, User] = field(default_factory=dict)
    accepts_certificates: bool = False
    client_issuers: "Issuers | None" = None
    front_proxy: "FrontProxy | None" = None
    anonymous: Anonymous = Anonymous.ADMINISTRATOR
    _added: dict[str, User] = field(default_factory=dict, init=False, repr=False, compare=False)

    def add_user(self, token: str, user: User) -> None:
        """Adds a user with a bearer token. `remove_added_users` removes the user."""
        self._added[token] = user

    def remove_added_users(self) -> None:
        """Removes all users that `add_user` has added."""
        self._added.clear()

    def user_of_token(self, token: bytes) -> User | None:
        """Returns the user of a bearer token; None for a token that the server does not know."""
        if self.token is not None and hmac.compare_digest(token, self.token.encode()):
            return TOKEN_HOLDER
        text = token.decode("latin-1")
        return (self.token_users.get(text) or self._added.get(text)) if text else None

    def user_of_connection(
        self, certificate: ClientCertificate, headers: Sequence[tuple[bytes, bytes]], release: "Release"
    ) -> User | None:
        """Returns the user of a request by its client certificate, and by the headers of a front proxy.

        Tries the headers of the front proxy first, then the certificate. Returns None if neither the headers
        nor the certificate name a user. Raises CertificateRefused if the certificate is unusable, or if
        neither the front proxy nor the client CAs accept the certificate. Follows `New` of k8s.io/kubernetes
        `pkg/kubeapiserver/authenticator`.
        """
        from fakeapi.authentication.certificate_users import (  # noqa: PLC0415 - only for certificates
            CertificateRefused,
            user_of_certificate,
        )

        refused: CertificateRefused | None = None
        if self.front_proxy is not None:
            try:
                user = self.front_proxy.user_of(certificate, headers)
            except CertificateRefused as error:
                refused = error
            else:
                if user is not None:
                    return user
        if self.accepts_certificates:
            if self.client_issuers is None or self.client_issuers.have_issued(certificate):
                return user_of_certificate(certificate, release)
            refused = CertificateRefused("certificate signed by unknown authority")
        if refused is not None:
            raise refused
        return None
