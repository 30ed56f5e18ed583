"""DelegatedApis: finds the APIServices that delegate an API to a Service."""

import base64
from typing import TYPE_CHECKING, Any

from fakeapi.machinery.json_types import Object
from fakeapi.registry.objects import ClusterObjects
from fakeapi.registry.webhooks.outbound import ServiceUrls
from fakeapi.registry.webhooks.service_endpoints import ServiceEndpoints
from fakeapi.registry.webhooks.transport import Endpoint

if TYPE_CHECKING:
    from fakeapi.outbound.client_identity import ClientIdentity
    from fakeapi.outbound.forwarding import Trust

GROUP, RESOURCE = "apiregistration.k8s.io", "apiservices"


class DelegatedApis:
    """The APIServices with a Service, and the endpoints of these Services.

    `identity`: the client certificate for connections to these Services; None for none.
    """

    def __init__(self, objects: ClusterObjects, urls: ServiceUrls, identity: "ClientIdentity | None") -> None:
        self._objects = objects
        self._identity = identity
        self._services = ServiceEndpoints(urls, objects)
        self._names: set[str] = set()

    def find(self, group: str, version: str) -> Object | None:
        """Returns the APIService of a group version if the APIService has a Service; otherwise None."""
        return self._delegated(f"{version}.{group}") if version else None

    def note(self, name: str) -> None:
        """Adds an APIService that a client wrote to the APIServices that `all` returns."""
        self._names.add(name)

    def note_stored(self) -> None:
        """Replaces the noted APIServices by the stored APIServices with a Service."""
        stored = self._objects.list(GROUP, RESOURCE)
        self._names = {obj["metadata"]["name"] for obj in stored if _is_delegated(obj)}

    def all(self) -> list[Object]:
        """Returns the noted APIServices that exist and have a Service, sorted by name."""
        objects = {name: self._delegated(name) for name in sorted(self._names)}
        self._names = {name for name, obj in objects.items() if obj is not None}
        return [obj for obj in objects.values() if obj is not None]

    def _delegated(self, name: str) -> Object | None:
        api_service = self._objects.get(GROUP, RESOURCE, "", name)
        return api_service if api_service is not None and _is_delegated(api_service) else None

    def endpoint(self, api_service: Object) -> Endpoint:
        """Returns the endpoint of an APIService's Service."""
        spec: dict[str, Any] = api_service["spec"]
        return self._services.endpoint(spec["service"], base64.b64decode(spec.get("caBundle") or ""))

    def trust(self, api_service: Object) -> "Trust":
        """Returns how a connection to the Service of an APIService authenticates both sides."""
        from fakeapi.outbound.forwarding import Trust  # noqa: PLC0415 - loaded only when used

        return Trust(not api_service["spec"].get("insecureSkipTLSVerify"), self._identity)

    def has_url(self, api_service: Object) -> bool:
        """Whether `ServiceUrls` has a URL for the Service of an APIService."""
        return self._services.url(api_service["spec"]["service"]) is not None

    def problem(self, api_service: Object) -> str:
        """Returns why a connection to the Service of an APIService fails; "" if the Service has a URL."""
        return self._services.problem(api_service["spec"]["service"])


def _is_delegated(api_service: Object) -> bool:
    """Whether an APIService delegates its API to a Service."""
    return api_service["spec"].get("service") is not None
