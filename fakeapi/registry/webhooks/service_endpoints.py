"""ServiceEndpoints: finds the addresses of Services that webhooks and APIServices name.

Follows k8s.io/apiserver `pkg/util/proxy`. In a fake cluster, no process listens at the address of a Service.
A Service without a URL in `ServiceUrls` refuses connections, like a Service without endpoints.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote as escaped
from urllib.parse import unquote, urlsplit

from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.registry.webhooks.outbound import ServiceUrls
from fakeapi.registry.webhooks.transport import Endpoint

if TYPE_CHECKING:
    from fakeapi.registry.objects import ClusterObjects

HTTPS = 443

_UNESCAPED = "/$&+,;=:@-._~!*'()"
_ROUTED = ("ClusterIP", "LoadBalancer", "NodePort")


class ServiceEndpoints:
    """Finds the endpoint of a Service reference: its `namespace`, `name`, and optional `port` and `path`."""

    def __init__(self, urls: ServiceUrls, objects: "ClusterObjects") -> None:
        self._urls = urls
        self._objects = objects

    def endpoint(self, reference: Mapping[str, Any], authority: bytes) -> Endpoint:
        """Returns the endpoint of a Service.

        `authority`: the CA certificates in PEM; b"" for the CA certificates of the system.

        The URL of the endpoint contains the name of the Service in the cluster. If `ServiceUrls` has a URL
        for the Service, connections go to that URL.
        """
        port = reference.get("port") or HTTPS
        host = f"{reference.get('name', '')}.{reference.get('namespace', '')}.svc:{port}"
        path = reference.get("path") or ""
        service_url = self.url(reference)
        if service_url is None:
            return Endpoint(normal_url(f"https://{host}{path}"), authority)
        parts = urlsplit(service_url)
        dial = (parts.scheme, parts.hostname or "", parts.port or (HTTPS if parts.scheme == "https" else 80))
        return Endpoint(normal_url(f"https://{host}{parts.path}{path}"), authority, dial)

    def url(self, reference: Mapping[str, Any]) -> str | None:
        """Returns the URL that `ServiceUrls` has for a Service; None if there is none."""
        port = reference.get("port") or HTTPS
        return self._urls.find(reference.get("namespace", ""), reference.get("name", ""), port)

    def problem(self, reference: Mapping[str, Any]) -> str:
        """Returns why a connection to a Service fails; "" if `ServiceUrls` has a URL for the Service.

        The message equals kube-apiserver's message.
        """
        if self.url(reference) is not None:
            return ""
        name, port = reference.get("name", ""), reference.get("port") or HTTPS
        service = self._objects.get("", "services", reference.get("namespace", ""), name)
        if service is None:
            return f"service {quote(name)} not found"
        return _problem_of_service(name, port, service["spec"])


def _problem_of_service(name: str, port: int, spec: Object) -> str:
    """Returns the error for a connection to a Service that exists but has no URL in `ServiceUrls`."""
    kind = spec.get("type", "")
    if kind == "ClusterIP" and spec.get("clusterIP") == "None":
        return 'cannot route to service with ClusterIP "None"'
    if kind == "ExternalName":
        return f"dial tcp {spec.get('externalName', '')}:{port}: connect: connection refused"
    if kind not in _ROUTED:
        return f"unsupported service type {quote(kind)}"
    if all(entry.get("port") != port for entry in spec.get("ports") or ()):
        return f"no service port {port} found for service {quote(name)}"
    address = spec.get("clusterIP", "")
    host = f"[{address}]" if ":" in address else address
    return f"dial tcp {host}:{port}: connect: connection refused"


def normal_url(url: str) -> str:
    """Normalizes the path of a URL like client-go: unescapes, removes extra slashes, and escapes again."""
    parts = urlsplit(url)
    path = "/" + unquote(parts.path).strip("/")
    while "//" in path:
        path = path.replace("//", "/")
    return f"{parts.scheme}://{parts.netloc}{escaped(path, safe=_UNESCAPED)}"
