"""CEL URLs: `url('https://example.com')` and its methods.

Follows k8s.io/apiserver `pkg/cel/library/urls.go` and Go's net/url.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote as percent_encoded
from urllib.parse import unquote

from fakeapi.machinery.cel.runtime.values import Entries, Err, Items, Opaque
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.lazy_pattern import lazy_pattern

_CONTROL = lazy_pattern(r"[\x00-\x1f\x7f]")
_SCHEME = lazy_pattern(r"([A-Za-z][A-Za-z0-9+.-]*):")
_BAD_ESCAPE = lazy_pattern(r"%(?![0-9A-Fa-f]{2})")
_PORT = lazy_pattern(r"(?::[0-9]*)?")
_HOST = lazy_pattern(r"[A-Za-z0-9\-._~!$&'()*+,;=:\[\]<>\"%\x80-\U0010ffff]*")
_USERINFO = lazy_pattern(r"[A-Za-z0-9\-._:~!$&'()*+,;=%@]*")
_VALID_PATH = lazy_pattern(r"[A-Za-z0-9\-._~!$&'()*+,;=:@/\[\]%]*")


@dataclass(frozen=True, slots=True)
class Url(Opaque):
    type_name = "kubernetes.URL"

    scheme: str
    host: str
    path: str
    query: str
    text: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Url) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


def parse_request_uri(text: str) -> Url:
    """Parses a URL like Go's ParseRequestURI, but drops the fragment (`#…`).

    Raises ValueError with Go's message if the URL is not valid.
    """
    try:
        return _parsed(text)
    except ValueError as error:
        raise ValueError(f"parse {quote(text)}: {error}") from None


def _parsed(text: str) -> Url:
    if _CONTROL.search(text):
        raise ValueError("net/url: invalid control character in URL")
    if not text:
        raise ValueError("empty url")
    scheme, rest = _scheme(text)
    rest, _, query = rest.partition("?")
    host = ""
    if not rest.startswith("/"):
        if scheme:
            return Url(scheme, "", "", query.partition("#")[0], text)
        raise ValueError("invalid URI for request")
    if scheme and rest.startswith("//"):
        authority, slash, path = rest[2:].partition("/")
        rest = slash + path
        host = _host(authority)
    _escapes(rest)
    return Url(scheme.lower(), host, rest.partition("#")[0], query.partition("#")[0], text)


def _scheme(text: str) -> tuple[str, str]:
    if text.startswith(":"):
        raise ValueError("missing protocol scheme")
    match = _SCHEME.match(text)
    return (match[1], text[match.end() :]) if match else ("", text)


def _host(authority: str) -> str:
    userinfo, at, host = authority.rpartition("@")
    if at and not _USERINFO.fullmatch(userinfo):
        raise ValueError("net/url: invalid userinfo")
    _escapes(userinfo)
    if host.startswith("["):
        _, bracket, port = host.rpartition("]")
        if not bracket:
            raise ValueError("missing ']' in host")
    else:
        _, colon, port = host.rpartition(":")
        port = colon + port if colon else ""
    if not _PORT.fullmatch(port):
        raise ValueError(f"invalid port {quote(port)} after host")
    wrong = _HOST.sub("", host, count=1)
    if wrong:
        raise ValueError(f"invalid character {quote(wrong[0])} in host name")
    escape = re.search(r"%.{0,2}", host)
    if escape and not host.startswith("["):
        raise ValueError(f"invalid URL escape {quote(escape[0])}")
    return host


def _escapes(text: str) -> None:
    match = _BAD_ESCAPE.search(text)
    if match:
        raise ValueError(f"invalid URL escape {quote(text[match.start() : match.start() + 3])}")


def _url(text: str) -> Any:
    try:
        return parse_request_uri(text)
    except ValueError as error:
        return Err(f"URL parse error during conversion from string: {error}")


def _port(of: Url) -> str:
    port = of.host.rpartition("]")[2] if of.host.startswith("[") else of.host
    return port.rpartition(":")[2] if ":" in port else ""


def _hostname(of: Url) -> str:
    if of.host.startswith("["):
        return of.host[1:].rpartition("]")[0]
    return of.host.rpartition(":")[0] if ":" in of.host else of.host


def _escaped_path(of: Url) -> str:
    if _VALID_PATH.fullmatch(of.path):
        return of.path
    return percent_encoded(unquote(of.path), safe="/$&+,;=:@-_.~")


def _query(of: Url) -> Entries:
    values_by_key: dict[str, list[str]] = {}
    for part in of.query.split("&"):
        if not part or ";" in part or _BAD_ESCAPE.search(part):
            continue
        key, _, value = part.replace("+", " ").partition("=")
        values_by_key.setdefault(unquote(key), []).append(unquote(value))
    return Entries((key, Items(list(values))) for key, values in values_by_key.items())


OVERLOADS: dict[str, Callable[..., Any]] = {
    "string_to_url": _url,
    "is_url_string": lambda text: type(_url(text)) is Url,
    "url_get_scheme": lambda of: of.scheme,
    "url_get_host": lambda of: of.host,
    "url_get_hostname": _hostname,
    "url_get_port": _port,
    "url_get_escaped_path": _escaped_path,
    "url_get_query": _query,
}
