"""A blocking client for tests, which works with any Kubernetes API server."""

import json
import ssl
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, Literal
from urllib.parse import urlencode

from fakeapi.clients.connections import Answer, Connections
from fakeapi.clients.discovery import preferred_versions, served_resources
from fakeapi.clients.errors import StatusError
from fakeapi.clients.served_resource import ServedResource, version_path
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.patch.media_types import SHORT_NAMES
from fakeapi.testing.manifests import Manifest, load

Objects = list[Object]
PatchType = Literal["json", "merge", "strategic", "apply"]


class Verbs(ABC):
    """A client that creates, reads and changes objects.

    - `kind`: as in a manifest (`ResourceClaim`) or as kubectl accepts it (`resourceclaims`).
    - `api_version`: such as "apps/v1"; None for the version that the server prefers.

    Every method raises StatusError if the server refuses the request, and ValueError for a kind that the
    server does not serve.
    """

    def __init__(self) -> None:
        self._resources: dict[tuple[str, str | None], ServedResource] = {}

    @abstractmethod
    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, Any] | None = None,
        content_type: str = "application/json",
    ) -> Any:
        """Sends a request; returns the decoded JSON of the response, or its text if it is not JSON.

        - `path`: the path of the request, such as "/api/v1/namespaces".
        - `body`: text and bytes are sent unchanged, any other value as JSON. None sends no body.
        - `query`: the query parameters.
        - `content_type`: the media type of `body`.

        Raises StatusError if the status of the response is 400 or above.
        """

    def create(self, manifest: Manifest, *, namespace: str | None = None, **query: Any) -> Object:
        """Creates one object from a manifest; returns the stored object.

        - `manifest`: a dict, YAML or JSON text, or the Path of a file.
        - `namespace`: overrides the namespace in the manifest; None keeps it. Without both, the namespace is
          `default`.
        - `query`: query parameters, such as `fieldManager`.

        Raises ValueError if the manifest does not contain exactly one object, and OSError for an unreadable
        file.
        """
        objects = load(manifest)
        if len(objects) != 1:
            raise ValueError(f"{len(objects)} objects where one is expected; create_all takes any number")
        return self._create(objects[0], namespace, query)

    def create_all(self, manifest: Manifest, *, namespace: str | None = None, **query: Any) -> Objects:
        """Creates all objects of a manifest in order; returns the stored objects.

        - `manifest`: a dict, a list of dicts, YAML or JSON text, or the Path of a file.
        - `namespace`: overrides the namespaces in the manifest.
        - `query`: query parameters, such as `fieldManager`.

        Raises StatusError for the first refused object; the objects before it stay. Raises ValueError for an
        invalid manifest, and OSError for an unreadable file.
        """
        return [self._create(obj, namespace, query) for obj in load(manifest)]

    def _create(self, obj: Object, namespace: str | None, query: Mapping[str, Any]) -> Object:
        resource = self._resource(obj["kind"], obj.get("apiVersion"))
        namespace = namespace or (obj.get("metadata") or {}).get("namespace") or "default"
        created: Object = self.request("POST", resource.path(namespace), obj, query=query)
        return created

    def create_namespace(self, name: str) -> Object:
        """Creates a namespace; returns the stored object."""
        return self.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})

    def get(
        self, kind: str, name: str, *, namespace: str = "default", api_version: str | None = None
    ) -> Object:
        """Returns one object. Raises StatusError with code 404 if it does not exist.

        `api_version`: such as "apps/v1"; None for the version that the server prefers.
        """
        obj: Object = self.request("GET", self._object_path(kind, api_version, namespace, name))
        return obj

    def list(
        self,
        kind: str,
        *,
        namespace: str | None = None,
        api_version: str | None = None,
        label_selector: str = "",
        field_selector: str = "",
    ) -> Objects:
        """Returns the objects of a kind, in one namespace or in all namespaces.

        - `namespace`: None for all namespaces.
        - `api_version`: such as "apps/v1"; None for the version that the server prefers.
        - `label_selector`, `field_selector`: as for `kubectl get`; "" selects all objects.
        """
        query = {"labelSelector": label_selector, "fieldSelector": field_selector}
        selectors = {key: value for key, value in query.items() if value}
        resource = self._resource(kind, api_version)
        items: Objects = self.request("GET", resource.path(namespace or ""), query=selectors)["items"]
        return items

    def update(self, obj: Mapping[str, Any], *, subresource: str = "") -> Object:
        """Replaces an object (PUT); returns the stored object.

        The namespace comes from the metadata of the object; without one, it is `default`. Raises StatusError
        with code 409 if the resourceVersion is not the stored one.
        """
        metadata = obj["metadata"]
        namespace = metadata.get("namespace", "default")
        path = self._object_path(obj["kind"], obj.get("apiVersion"), namespace, metadata["name"], subresource)
        updated: Object = self.request("PUT", path, obj)
        return updated

    def update_status(self, obj: Mapping[str, Any]) -> Object:
        """Replaces the status of an object (PUT on the subresource `status`); returns the stored object."""
        return self.update(obj, subresource="status")

    def patch(
        self,
        kind: str,
        name: str,
        patch: Any,
        *,
        type: PatchType = "merge",  # noqa: A002 - Kubernetes' own word
        namespace: str = "default",
        api_version: str | None = None,
        subresource: str = "",
        **query: Any,
    ) -> Object:
        """Patches an object; returns the stored object.

        - `patch`: a dict or list, or the patch as text or bytes.
        - `type`: `json`, `merge`, `strategic`, or `apply` for server-side apply.
        - `api_version`: such as "apps/v1"; None for the version that the server prefers.
        - `query`: query parameters, such as `fieldManager` and `force`.
        """
        path = self._object_path(kind, api_version, namespace, name, subresource)
        patched: Object = self.request("PATCH", path, patch, query=query, content_type=SHORT_NAMES[type])
        return patched

    def delete(
        self,
        kind: str,
        name: str,
        *,
        namespace: str = "default",
        api_version: str | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> Object:
        """Deletes an object; returns the body of the response, which is the object or a Status.

        - `api_version`: such as "apps/v1"; None for the version that the server prefers.
        - `options`: the DeleteOptions, such as `{"propagationPolicy": "Foreground"}`; None sends no options.
        """
        path = self._object_path(kind, api_version, namespace, name)
        deleted: Object = self.request("DELETE", path, options)
        return deleted

    def _object_path(
        self, kind: str, api_version: str | None, namespace: str, name: str, subresource: str = ""
    ) -> str:
        """Returns the path of an object, or of its subresource if `subresource` is not "".

        Raises ValueError for an empty name, because the result would be the path of the whole collection.
        """
        if not name:
            raise ValueError(f"the name of the {kind} is empty")
        return self._resource(kind, api_version).path(namespace, name, subresource)

    def _resource(self, kind: str, api_version: str | None) -> ServedResource:
        key = (kind, api_version)
        if key not in self._resources:
            versions = [api_version] if api_version is not None else self._preferred_versions()
            self._resources[key] = self._discover(kind, versions)
        return self._resources[key]

    def _preferred_versions(self) -> Iterable[str]:
        return ["v1", *preferred_versions(self.request("GET", "/apis"))]

    def _discover(self, kind: str, versions: Iterable[str]) -> ServedResource:
        for version in versions:
            for resource in served_resources(version, self.request("GET", version_path(version))):
                if kind == resource.kind or kind in resource.names:
                    return resource
        raise ValueError(f"the server has no {kind!r} in {', '.join(versions)}")


class Client(Verbs):
    """A client of the API server at a URL. Several threads and forked processes can use it."""

    def __init__(self, url: str, *, token: str | None = None, tls: ssl.SSLContext | None = None) -> None:
        """Creates a client without connecting to the server.

        - `url`: the URL of the server, such as "http://127.0.0.1:8001".
        - `token`: the bearer token; None for no token.
        - `tls`: the context that verifies the server's certificate; None to use the CA certificates of the
          system.
        """
        super().__init__()
        self._connections = Connections(url, tls=tls)
        self._headers = {"Accept": "application/json", "User-Agent": "fakeapi"}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"

    def close(self) -> None:
        """Closes the idle connections; a later request opens a new connection."""
        self._connections.close()

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, Any] | None = None,
        content_type: str = "application/json",
    ) -> Any:
        headers = self._headers
        if body is not None:
            headers = {**headers, "Content-Type": content_type}
            if not isinstance(body, bytes):
                body = (body if isinstance(body, str) else json.dumps(body)).encode()
        target = path if not query else f"{path}?{urlencode(query)}"
        answer = self._connections.send(method, target, headers, body)
        value = _decoded(answer)
        if answer.status >= 400:
            raise StatusError(answer.status, value if isinstance(value, dict) else {}, answer.text)
        return value


def _decoded(answer: Answer) -> Any:
    is_json = answer.text and answer.media_type.startswith("application/json")
    return json.loads(answer.text) if is_json else answer.text
