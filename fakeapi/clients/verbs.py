"""Reader and Verbs: base classes of asynchronous clients, with a method for each verb of the API."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from fakeapi.machinery.json_types import Object
from fakeapi.machinery.patch.media_types import SHORT_NAMES

JSON = "application/json"


class Reader(ABC):
    """An asynchronous client that reads objects. Every method raises StatusError for an error response.

    The argument `path` must be percent-encoded. Subclasses implement `request`.
    """

    @abstractmethod
    async def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, str] | None = None,
        content_type: str = JSON,
    ) -> Object:
        """Sends a request; returns the decoded JSON object of a successful response.

        `body`: a value to send as JSON with the media type `content_type`; None sends no body.
        """

    async def get(self, path: str, **query: str) -> Object:
        """Reads an object, or a page of a list. Keywords are query parameters, such as `limit`."""
        return await self.request("GET", path, query=query)


class Verbs(Reader):
    """An asynchronous client that reads and writes objects.

    Every method raises StatusError for an error response. The argument `path` must be percent-encoded, and
    `query` contains query parameters, such as `fieldManager`.
    """

    async def create(self, path: str, obj: Object, **query: str) -> Object:
        """Creates an object (POST) in the collection at `path`; returns the stored object."""
        return await self.request("POST", path, obj, query=query)

    async def update(self, path: str, obj: Object) -> Object:
        """Replaces the object at `path` (PUT); returns the stored object."""
        return await self.request("PUT", path, obj)

    async def patch(self, path: str, patch: Any, kind: str = "merge", **query: str) -> Object:
        """Patches the object at `path`; returns the stored object.

        `kind`: the type of the patch: json, merge, strategic or apply.
        """
        return await self.request("PATCH", path, patch, query=query, content_type=SHORT_NAMES[kind])

    async def delete(
        self, path: str, *, uid: str = "", version: str = "", propagation: str = "", grace: int | None = None
    ) -> Object:
        """Deletes the object at `path`; returns the body of the response: the object or a Status.

        - `uid`, `version`: preconditions for the uid and the resourceVersion; "" for no precondition.
        - `propagation`: the propagationPolicy; "" for the server's default.
        - `grace`: the gracePeriodSeconds; None for the server's default.
        """
        conditions = {"uid": uid, "resourceVersion": version}
        preconditions = {name: value for name, value in conditions.items() if value}
        options: Object = {"kind": "DeleteOptions", "apiVersion": "v1"}
        if preconditions:
            options["preconditions"] = preconditions
        if propagation:
            options["propagationPolicy"] = propagation
        if grace is not None:
            options["gracePeriodSeconds"] = grace
        return await self.request("DELETE", path, options)
