"""Determines the credentials of a server: its tokens, the users in its token file, and client
certificates.
"""

import secrets
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from fakeapi.authentication.credentials import Anonymous, Credentials
from fakeapi.registry.identity.users import AUTHENTICATED, User
from fakeapi.serving.start_error import StartError
from fakeapi.settings import Settings
from fakeapi.token_file import given_token, has_several_users

if TYPE_CHECKING:
    from fakeapi.authentication.front_proxy import FrontProxy
    from fakeapi.authentication.issuers import Issuers

_TOKEN_BYTES = 32
"""Number of random bytes in a generated token of the administrator."""


def with_tokens(settings: Settings) -> Settings:
    """Returns settings in which `token` is the token of the administrator, and `token_file` is None.

    - If the token file has several users, `token_users` becomes this file, unless `token` or `token_users` is
      set.
    - If the server authenticates users but no token is set, `token` becomes a random token. Controllers, the
      kubeconfig and `FakeAPI` itself use this token.

    Raises ValueError for an unusable token or token file, for options that need HTTPS, and for a certificate
    without its key.
    """
    for name in ("client_ca", "front_proxy"):
        if getattr(settings, name) is not None and not settings.uses_tls:
            raise ValueError(f"{name}: client certificates need HTTPS; set tls, or tls_cert and tls_key")
    for certificate, key in (("tls_cert", "tls_key"), ("proxy_client_cert", "proxy_client_key")):
        if (getattr(settings, certificate) is None) != (getattr(settings, key) is None):
            raise ValueError(f"{certificate} and {key}: set both, the certificate and its private key")
    file, users = settings.token_file, settings.token_users
    if file is not None and settings.token is None and users is None and has_several_users(file):
        file, users = None, file
    token = given_token(settings.token, file)
    if token is None and _authenticates(settings, users):
        token = secrets.token_urlsafe(_TOKEN_BYTES)
    return replace(settings, token=token, token_file=None, token_users=users)


def _authenticates(settings: Settings, users: str | Path | None) -> bool:
    named = (users, settings.client_ca, settings.front_proxy)
    return any(option is not None for option in named) or settings.anonymous != "default"


def credentials_of(settings: Settings) -> Credentials:
    """Returns the credentials that a server accepts. `settings`: the result of `with_tokens`.

    Raises StartError if a file is unusable.
    """
    if settings.token_users is None and settings.client_ca is None and settings.front_proxy is None:
        return Credentials(token=settings.token, anonymous=_anonymous(settings))
    from fakeapi.authentication.token_users import read_token_users  # noqa: PLC0415 - only for several users

    try:
        users = {} if settings.token_users is None else read_token_users(settings.token_users)
        return Credentials(
            token=settings.token,
            token_users=users,
            accepts_certificates=settings.client_ca is not None,
            client_issuers=_client_issuers(settings),
            front_proxy=_front_proxy(settings),
            anonymous=_anonymous(settings),
        )
    except (OSError, ValueError) as error:
        raise StartError(str(error)) from error


def _anonymous(settings: Settings) -> Anonymous:
    if settings.anonymous == "default":
        return Anonymous.ADMINISTRATOR if settings.token is None else Anonymous.HEALTH_CHECKS
    return Anonymous.USER if settings.anonymous == "user" else Anonymous.REJECTED


def _client_issuers(settings: Settings) -> "Issuers | None":
    """Returns the CAs of the users' client certificates, if the server also has CAs of front proxies.

    Returns None unless both options `client_ca` and `front_proxy` are set. Raises OSError for an unreadable
    file, and ValueError for a file without certificates.
    """
    if settings.front_proxy is None or settings.client_ca is None:
        return None
    return _issuers(Path(settings.client_ca))


def _front_proxy(settings: Settings) -> "FrontProxy | None":
    if settings.front_proxy is None:
        return None
    from fakeapi.authentication.front_proxy import FrontProxy  # noqa: PLC0415 - rarely used

    return FrontProxy(_issuers(settings.front_proxy.client_ca), settings.front_proxy)


def _issuers(file: Path) -> "Issuers":
    from fakeapi.authentication.issuers import Issuers  # noqa: PLC0415 - imports cryptography

    return Issuers(file)


def user_of(name: str, groups: tuple[str, ...]) -> User:
    """Returns a user in these groups and in system:authenticated.

    `groups`: if empty, a service account is in system:serviceaccounts and in the group of its namespace, as
    in k8s.io/apiserver `pkg/authentication/serviceaccount`.
    """
    prefix, _, account = name.rpartition("system:serviceaccount:")
    if not groups and not prefix and account.count(":") == 1:
        groups = ("system:serviceaccounts", f"system:serviceaccounts:{account.partition(':')[0]}")
    return User(name, tuple(dict.fromkeys((*groups, AUTHENTICATED))))
