"""Sender: sends requests to an API server, and finds the paths of its objects."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from fakeapi.clients.served_resource import ServedResource
from fakeapi.testing.hidden_frames import hides_expected_errors
from fakeapi.testing.served_kinds import ServedKinds, check_subresource
from fakeapi.testing.wire import JSON, Wire

__tracebackhide__ = hides_expected_errors


class Sender(ABC):
    """Base class of the client methods: holds the connections and the served resources."""

    def __init__(self) -> None:
        self._kinds = ServedKinds()

    @abstractmethod
    def _wire(self) -> Wire:
        """Returns the connections to the server. Raises RuntimeError if the server does not run."""

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, Any] | None = None,
        content_type: str = JSON,
    ) -> Any:
        """Sends a request; returns the decoded JSON of the response, or its text if it is not JSON.

        - `path`: the path of the request, such as "/api/v1/namespaces".
        - `body`: text and bytes are sent unchanged, any other value as JSON. None sends no body.
        - `query`: the query parameters.
        - `content_type`: the media type of `body`.

        Raises StatusError if the status of the response is 400 or above.
        """
        return self._wire().request(method, path, body, query=query, content_type=content_type)

    def _resource(self, kind: str, api_version: str | None) -> ServedResource:
        """Returns the resource of a kind. Raises ValueError for a kind that is not served."""
        return self._kinds.find(self._wire(), kind, api_version)

    def _subresource_path(
        self, kind: str, name: str, subresource: str, namespace: str, api_version: str | None
    ) -> str:
        """Returns the path of an object, or of its subresource. Raises ValueError for an empty name."""
        if not name:
            raise ValueError(f"the name of the {kind} is empty")
        resource = self._resource(kind, api_version)
        check_subresource(resource, subresource)
        return resource.path(namespace, name, subresource)
