"""Validates request URIs like Go's url.ParseRequestURI."""

import re

from fakeapi.machinery.lazy_pattern import lazy_pattern

_SCHEME = lazy_pattern(r"([a-zA-Z][a-zA-Z0-9+.-]*):(.*)", re.DOTALL)
_BAD_ESCAPE = lazy_pattern(r"%(?![0-9a-fA-F]{2})")
_ESCAPE = lazy_pattern(r"%([0-9a-fA-F]{2})")
_PORT = lazy_pattern(r":[0-9]*")
_USER = lazy_pattern(r"[A-Za-z0-9\-._:~!$&'()*+,;=%@]*")
_HOST = lazy_pattern(r"(?:[A-Za-z0-9\-_.~!$&'()*+,;=:\[\]<>\"%]|[^\x00-\x7f])*")
_ZONE = "%25"


def is_request_uri(text: str) -> bool:
    """Whether Go's url.ParseRequestURI accepts `text`: an absolute path, an absolute URI, or `*`."""
    if not text or any(character < " " or character == "\x7f" for character in text):
        return False
    if text == "*":
        return True
    match = _SCHEME.fullmatch(text)
    if not match and _starts_like_a_scheme(text):
        return False
    scheme, rest = (match[1], match[2]) if match else ("", text)
    rest = rest.partition("?")[0]
    if not rest.startswith("/"):
        return bool(scheme)  # An opaque URI may contain any characters.
    if scheme and rest.startswith("//"):
        authority, slash, rest = rest[2:].partition("/")
        if not _is_authority(authority):
            return False
        rest = slash + rest
    return not _BAD_ESCAPE.search(rest)


def _starts_like_a_scheme(text: str) -> bool:
    """Whether `text` begins with a colon: the URI scheme before the colon is missing."""
    return text.startswith(":")


def _is_authority(authority: str) -> bool:
    user, at, host = authority.rpartition("@")
    if at and (not _USER.fullmatch(user) or _BAD_ESCAPE.search(user)):
        return False
    if host.startswith("["):
        end = host.rfind("]")
        if end < 0 or not _is_port(host[end + 1 :]):
            return False
        address, zone_sign, zone = host[:end].partition(_ZONE)
        return _is_host(address) and (not zone_sign or not _BAD_ESCAPE.search(zone))
    colon = host.rfind(":")
    if colon >= 0 and not _is_port(host[colon:]):
        return False
    return _is_host(host)


def _is_port(text: str) -> bool:
    return not text or _PORT.fullmatch(text) is not None


def _is_host(host: str) -> bool:
    """Whether a host has only valid characters; only non-ASCII characters may be percent-encoded."""
    if not _HOST.fullmatch(host) or _BAD_ESCAPE.search(host):
        return False
    return all(int(code, 16) >= 0x80 for code in _ESCAPE.findall(host))
