"""Outbound: the HTTP transport to webhooks, and the real URLs of Services."""

from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

if TYPE_CHECKING:
    from fakeapi.registry.webhooks.transport import Transport


SERVICES_MAX = 1_000
"""Number of Services with a URL at which `ServiceUrls.add` accepts no further Services."""
_FORM = "{!r} is not of the form NAMESPACE/NAME[:PORT]=URL"


class ServiceUrlError(ValueError):
    """Raised for a text of another form than NAMESPACE/NAME[:PORT]=URL, or for too many Services."""


Service = tuple[str, str, int]
"""The namespace, the name and the port of a Service; port 0 means all ports. Patterns are allowed."""


class ServiceUrls:
    """The real URLs of Services. A webhook call to a Service goes to this URL.

    A fake cluster has no Service network. Namespaces and names can be patterns, in which `*` stands for any
    characters. `resolve` returns the URL of a Service that no entry matches; None if the Service has no URL.
    """

    def __init__(self, urls: Mapping[Service, str] = MappingProxyType({})) -> None:
        self._urls = dict(urls)
        self.resolve: Callable[[str, str, int], str | None] = _unresolved

    @classmethod
    def parse(cls, texts: Iterable[str]) -> "ServiceUrls":
        """Parses texts such as `ns/name=https://127.0.0.1:9443` and `*/*-webhook:8443=http://127.0.0.1:8080`.

        Raises ServiceUrlError if a text does not have this form.
        """
        return cls(dict(map(_service_url, texts)))

    def add(self, text: str) -> None:
        """Adds an entry such as `ns/name=https://127.0.0.1:9443`, or replaces the URL of the same Service.

        Raises ServiceUrlError if the text does not have this form, or if the Service is new and there are
        SERVICES_MAX entries already.
        """
        service, url = _service_url(text)
        if service not in self._urls and len(self._urls) >= SERVICES_MAX:
            raise ServiceUrlError(f"more than {SERVICES_MAX} services of webhooks")
        self._urls.pop(service, None)
        self._urls[service] = url

    def remove(self, text: str) -> bool:
        """Removes the entry of a Service, such as `ns/name` or `ns/name:443`; returns whether there was one.

        Raises ServiceUrlError if the text does not have this form.
        """
        return self._urls.pop(_service(text, text), None) is not None

    def entries(self) -> dict[str, str]:
        """Returns all entries: Services as `ns/name` or `ns/name:443`, with their URLs."""
        named = {(f"{namespace}/{name}", port): url for (namespace, name, port), url in self._urls.items()}
        return {f"{name}:{port}" if port else name: url for (name, port), url in named.items()}

    def replace(self, entries: Mapping[str, str]) -> None:
        """Replaces all entries. `entries`: in the form that `entries` returns."""
        self._urls = dict(_service_url(f"{service}={url}") for service, url in entries.items())

    def find(self, namespace: str, name: str, port: int) -> str | None:
        """Returns the URL of a Service; None if the Service has no URL.

        An entry without a pattern takes precedence, then the entry that was added last.
        """
        exact = self._urls.get((namespace, name, port)) or self._urls.get((namespace, name, 0))
        if exact is not None:
            return exact
        for (of_namespace, of_name, of_port), url in reversed(self._urls.items()):
            if of_port in {0, port} and fnmatchcase(namespace, of_namespace) and fnmatchcase(name, of_name):
                return url
        return self.resolve(namespace, name, port)


def _unresolved(namespace: str, name: str, port: int) -> str | None:
    return None


def _service_url(text: str) -> tuple[Service, str]:
    service, _, url = (part.strip() for part in text.partition("="))
    if not _is_server(url):
        raise ServiceUrlError(_FORM.format(text))
    return _service(service, text), url.rstrip("/")


def _service(service: str, text: str) -> Service:
    """Parses NAMESPACE/NAME[:PORT]. Raises ServiceUrlError with `text` for any other form."""
    namespace, _, rest = service.partition("/")
    name, colon, port = rest.partition(":")
    if not (namespace and name) or (colon and not _is_port(port)):
        raise ServiceUrlError(_FORM.format(text))
    return namespace, name, int(port or 0)


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= len("65535") and 0 < int(text) <= 65535


def _is_server(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and parts.port != 0
            and not (parts.query or parts.fragment or parts.username)
        )
    except ValueError:
        return False


def _no_transport() -> "Transport":
    raise RuntimeError("this server reaches no others")


class Outbound(msgspec.Struct, frozen=True):
    """The HTTP transport to webhooks, and the real URLs of Services.

    `transport`: a function that returns the transport. The first call of the function creates the transport.
    """

    transport: Callable[[], "Transport"] = _no_transport
    services: ServiceUrls = msgspec.field(default_factory=ServiceUrls)


NO_OUTBOUND = Outbound()
