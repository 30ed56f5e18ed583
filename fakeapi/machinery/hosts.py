"""Host names and addresses: loopback, any-address, and the Host and Origin headers that a server accepts."""

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass

ACCEPTED_HOSTS = r"^localhost$,^127\.0\.0\.1$,^\[::1\]$"
"""The default of `kubectl proxy --accept-hosts`."""

HOST_MAX = 1000
"""Characters of a Host or Origin header; a longer one is refused unread, as no host name is that long."""

_AUTHORITY = re.compile(r"(\[[0-9a-f:.]+(?:%[^\[\]\s]+)?\]|[^\[\]:/?#@\\\s]*)(?::[0-9]+)?")
"""A host, IPv6 in brackets, and a port: the Host header, in lower case."""

_ORIGIN = re.compile(f"[a-z][a-z0-9+.-]*://{_AUTHORITY.pattern}")

_ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104 - not bound, replaced


def is_loopback(host: str) -> bool:
    """Whether an address to listen on is reachable from this machine alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_any_address(host: str) -> bool:
    """Whether a server that listens there listens on every address of the machine."""
    return host in _ANY_ADDRESS


def connect_host(host: str) -> str:
    """The address at which clients of this machine reach a server that listens on `host`."""
    return _ANY_ADDRESS.get(host, host)


def url_host(host: str) -> str:
    """A host as it stands in a URL: an IPv6 address in brackets."""
    return f"[{host}]" if ":" in host else host


@dataclass(frozen=True, slots=True)
class HostRules:
    """Which Host and Origin headers are accepted, so that no web page can use a server on this machine.

    A page of another site can send requests to a loopback address: by DNS rebinding with its own name as
    Host, and else with its own Origin. Follows `kubectl proxy` (k8s.io/kubectl `pkg/proxy`), which checks
    Host; checking Origin by the same patterns is an addition.
    """

    patterns: tuple[re.Pattern[str], ...]

    @classmethod
    def parse(cls, text: str = ACCEPTED_HOSTS) -> "HostRules":
        """The rules of a comma-separated list of regular expressions. Raises ValueError."""
        try:
            return cls(tuple(re.compile(each) for each in text.split(",") if each))
        except re.error as error:
            raise ValueError(f"{error.pattern!r} is not a regular expression: {error}") from error

    def also(self, host: str) -> "HostRules":
        """These rules, and `host` itself."""
        return HostRules((*self.patterns, re.compile(f"^{re.escape(url_host(host).lower())}$")))

    def refusal(self, headers: Iterable[tuple[bytes, bytes]]) -> str:
        """Why a request with these headers, names in lower case, is refused; "" if it is not."""
        for name, value in headers:
            if name == b"host" and not self._accepts(_AUTHORITY, value):
                return "the Host header names no accepted host"
            if name == b"origin" and not self._accepts(_ORIGIN, value):
                return "the Origin header names no accepted host"
        return ""

    def _accepts(self, form: re.Pattern[str], value: bytes) -> bool:
        """Whether a header has this form and names an accepted host. An Origin may also be "null"."""
        text = value.decode("latin-1").strip().lower()
        if len(text) > HOST_MAX:
            return False
        if text == "null":
            return self.accepts(text)
        parts = form.fullmatch(text)
        return parts is not None and self.accepts(parts[1])

    def accepts(self, host: str) -> bool:
        """Whether a host without port, IPv6 in brackets or not, matches a pattern anywhere in it."""
        if len(host) > HOST_MAX:
            return False
        forms = {host, url_host(host.strip("[]"))}
        return any(pattern.search(form) for pattern in self.patterns for form in forms)
