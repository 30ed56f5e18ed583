"""FrontProxy: takes the user of a request from the headers of an authenticating proxy.

Follows k8s.io/apiserver `pkg/authentication/request/headerrequest`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from fakeapi.asgi import ClientCertificate
from fakeapi.authentication.certificate_users import CertificateRefused, check_time, common_name
from fakeapi.authentication.issuers import Issuers
from fakeapi.authentication.settings import FrontProxySettings
from fakeapi.authentication.token_users import with_authenticated
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.registry.identity.users import User

Headers = Sequence[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class FrontProxy:
    """Trusts the user in the headers of a request if the client certificate belongs to a proxy.

    `issuers`: the CAs of the proxies' client certificates.
    """

    issuers: Issuers
    settings: FrontProxySettings

    def user_of(self, certificate: ClientCertificate, headers: Headers) -> User | None:
        """Returns the user that the headers name; None if no header contains a user name.

        Raises CertificateRefused if the certificate has expired or does not belong to a trusted proxy.
        """
        check_time(certificate)
        if not self.issuers.have_issued(certificate):
            raise CertificateRefused("certificate signed by unknown authority")
        allowed = self.settings.allowed_names
        if allowed and common_name(certificate) not in allowed:
            raise CertificateRefused(
                f"x509: subject with cn={common_name(certificate)} is not in the allowed list"
            )
        name = _first(headers, self.settings.user_headers)
        if not name:
            return None
        groups = [value for value in _values(headers, self.settings.group_headers) if value]
        extra: dict[str, list[str]] = {}
        for key, value in self._extra(headers):
            extra.setdefault(key, []).append(value)
        named = {key: tuple(values) for key, values in extra.items()}
        return User(name, with_authenticated(name, groups), _first(headers, self.settings.uid_headers), named)

    def _extra(self, headers: Headers) -> Iterator[tuple[str, str]]:
        for prefix in self.settings.extra_prefixes:
            begin = prefix.lower().encode()
            for name, value in headers:
                if name.startswith(begin):
                    yield _unescaped(_text(name.removeprefix(begin))), _text(value)


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


_BAD_ESCAPE: Final = lazy_pattern("%(?![0-9A-Fa-f]{2})")


def _unescaped(key: str) -> str:
    """Returns the percent-decoded key; the unchanged key if it contains an invalid escape."""
    return key if _BAD_ESCAPE.search(key) else unquote(key)


def _values(headers: Headers, names: Sequence[str]) -> list[str]:
    """Returns the values of headers in the order of `names`. The headers have lower-case names."""
    wanted = [name.lower().encode() for name in names]
    return [_text(value) for name in wanted for header, value in headers if header == name]


def _first(headers: Headers, names: Sequence[str]) -> str:
    for name in names:
        values = _values(headers, [name])
        if values and values[0]:
            return values[0]
    return ""
