"""Classifies host names and addresses, and checks the Host and Origin headers of requests."""

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass

from fakeapi.machinery.lazy_pattern import lazy_pattern

ACCEPTED_HOSTS = r"^localhost$,^127\.0\.0\.1$,^\[::1\]$"
"""The default accepted hosts: only loopback hosts. Equals the default of `kubectl proxy --accept-hosts`."""

HOST_MAX = 1000
"""Maximum length of a Host or Origin header in characters; longer headers are rejected."""

_AUTHORITY = lazy_pattern(r"(\[[0-9a-f:.]+(?:%[^\[\]\s]+)?\]|[^\[\]:/?#@\\\s]*)(?::[0-9]+)?")
"""Regular expression for a lower-case Host header: a host, IPv6 in brackets, and an optional port."""

_ORIGIN = lazy_pattern(f"[a-z][a-z0-9+.-]*://{_AUTHORITY.pattern}")

_ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104 - not bound, replaced


def is_loopback(host: str) -> bool:
    """Whether only clients on this machine can reach a server that listens on `host`."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_any_address(host: str) -> bool:
    """Whether a server that listens on `host` listens on all addresses of the machine."""
    return host in _ANY_ADDRESS


def connect_host(host: str) -> str:
    """Returns the address for clients on this machine to connect to a server that listens on `host`.

    For a wildcard address such as `0.0.0.0`, returns a loopback address, such as `127.0.0.1`. Otherwise
    returns `host` itself.
    """
    return _ANY_ADDRESS.get(host, host)


def url_host(host: str) -> str:
    """Formats a host for a URL: an IPv6 address gets brackets, as in `[::1]`."""
    return f"[{host}]" if ":" in host else host


@dataclass(frozen=True, slots=True)
class HostRules:
    """The Host and Origin headers that a server accepts, to reject requests of foreign web pages.

    A web page can send requests to a loopback address. With DNS rebinding, the Host header of such a request
    is the page's own site. Without DNS rebinding, the Origin header is the page's site. Follows `kubectl
    proxy` (k8s.io/kubectl `pkg/proxy`), which checks only Host. fakeapi also checks Origin, by the same
    patterns.
    """

    patterns: tuple[re.Pattern[str], ...]
    names: frozenset[str] = frozenset()
    """Lower-case hosts that the server accepts besides the patterns; IPv6 addresses are in brackets."""

    @classmethod
    def parse(cls, text: str = ACCEPTED_HOSTS) -> "HostRules":
        """Parses a comma-separated list of regular expressions for hosts.

        Raises ValueError if an item is not a regular expression.
        """
        try:
            return cls(tuple(re.compile(pattern) for pattern in text.split(",") if pattern))
        except re.error as error:
            raise ValueError(f"{error.pattern!r} is not a regular expression: {error}") from error

    def also(self, host: str) -> "HostRules":
        """Returns a copy of these rules that also accepts `host`."""
        return HostRules(self.patterns, self.names | {url_host(host).lower()})

    def refusal(self, headers: Iterable[tuple[bytes, bytes]]) -> str:
        """Returns the reason for rejecting a request with these headers; "" if the request is accepted.

        The names of the headers must be in lower case.
        """
        for name, value in headers:
            if name == b"host" and not self._accepts(_AUTHORITY, value):
                return "the Host header names no accepted host"
            if name == b"origin" and not self._accepts(_ORIGIN, value):
                return "the Origin header names no accepted host"
        return ""

    def _accepts(self, form: re.Pattern[str], value: bytes) -> bool:
        """Whether a header matches `form` and its host is accepted; the value "null" counts as a host."""
        text = value.decode("latin-1").strip().lower()
        if len(text) > HOST_MAX:
            return False
        if text == "null":
            return self.accepts(text)
        parts = form.fullmatch(text)
        return parts is not None and self.accepts(parts[1])

    def accepts(self, host: str) -> bool:
        """Whether the rules accept `host`.

        True if `host` is in `names`, or a pattern matches any part of `host`. False if `host` is longer than
        HOST_MAX.

        `host` must not include a port. An IPv6 address may be in brackets.
        """
        if len(host) > HOST_MAX:
            return False
        forms = {host, url_host(host.strip("[]"))}
        if not self.names.isdisjoint(forms):
            return True
        return any(pattern.search(form) for pattern in self.patterns for form in forms)
