"""Outbound: the HTTP transport to webhooks, and the real URLs of Services."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from fakeapi.registry.webhooks.transport import Transport


class ServiceUrlError(ValueError):
    """Raised if a text does not have the form NAMESPACE/NAME[:PORT]=URL."""


@dataclass(frozen=True, slots=True)
class ServiceUrls:
    """The real URLs of Services by (namespace, name, port); port 0 means all ports of the Service.

    A webhook call to a Service goes to this URL, because a fake cluster has no Service network.
    """

    urls: Mapping[tuple[str, str, int], str] = field(default_factory=dict)

    @classmethod
    def parse(cls, texts: Iterable[str]) -> "ServiceUrls":
        """Parses texts such as `ns/name=https://127.0.0.1:9443` and `ns/name:8443=http://127.0.0.1:8080`.

        Raises ServiceUrlError if a text does not have this form.
        """
        return cls(dict(map(_service_url, texts)))

    def find(self, namespace: str, name: str, port: int) -> str | None:
        return self.urls.get((namespace, name, port)) or self.urls.get((namespace, name, 0))


def _service_url(text: str) -> tuple[tuple[str, str, int], str]:
    service, _, url = (part.strip() for part in text.partition("="))
    namespace, _, rest = service.partition("/")
    name, colon, port = rest.partition(":")
    if not (namespace and name and _is_server(url) and (not colon or _is_port(port))):
        raise ServiceUrlError(f"{text!r} is not of the form NAMESPACE/NAME[:PORT]=URL")
    return (namespace, name, int(port or 0)), url.rstrip("/")


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


@dataclass(frozen=True, slots=True)
class Outbound:
    """The HTTP transport to webhooks, and the real URLs of Services.

    `transport`: a function that returns the transport. Its first call creates the transport.
    """

    transport: Callable[[], "Transport"] = _no_transport
    services: ServiceUrls = field(default_factory=ServiceUrls)


NO_OUTBOUND = Outbound()
