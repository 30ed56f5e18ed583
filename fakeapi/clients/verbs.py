"""Verbs: the methods of each asynchronous client, made from one method that sends a request."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from fakeapi.machinery.json_types import Object
from fakeapi.machinery.patch.media_types import SHORT_NAMES

JSON = "application/json"


class Reader(ABC):
    """A client that reads objects. Paths are percent-encoded; every method raises StatusError."""

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
        """Sends a request; returns the decoded object of a successful response."""

    async def get(self, path: str, **query: str) -> Object:
        """Reads an object, or a page of a list."""
        return await self.request("GET", path, query=query)


class Verbs(Reader):
    """A client that reads and writes objects. Every method raises StatusError.

    Keywords are query parameters, such as `fieldManager`.
    """

    async def create(self, path: str, obj: Object, **query: str) -> Object:
        """Creates an object in the collection at `path`; returns the stored object."""
        return await self.request("POST", path, obj, query=query)

    async def update(self, path: str, obj: Object) -> Object:
        """Replaces an object (PUT); returns the stored object."""
        return await self.request("PUT", path, obj)

    async def patch(self, path: str, patch: Any, kind: str = "merge", **query: str) -> Object:
        """Patches an object; returns the stored object. `kind` is json, merge, strategic or apply."""
        return await self.request("PATCH", path, patch, query=query, content_type=SHORT_NAMES[kind])

    async def delete(
        self, path: str, *, uid: str = "", version: str = "", propagation: str = "", grace: int | None = None
    ) -> Object:
        """Deletes an object; returns the server's response, which is the object or a Status.

        `uid` and `version` become preconditions if they are not empty.
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
