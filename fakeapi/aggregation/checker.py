"""Checker: checks whether the servers behind APIServices answer, and writes the condition Available."""

import asyncio
import contextlib

from fakeapi.aggregation.availability import Availability, availability
from fakeapi.aggregation.delegated import GROUP, RESOURCE, DelegatedApis
from fakeapi.aggregation.discovered import DiscoveredApis
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.json_types import Object
from fakeapi.registry.custom.conditions import with_condition
from fakeapi.registry.requests.options import ObjectReference, WriteOptions
from fakeapi.registry.requests.write_request import WriteRequest
from fakeapi.registry.server import Server
from fakeapi.registry.verbs.updating import update
from fakeapi_storage import StorageError

CHECK_SECONDS = 30.0
"""Seconds after which the checker checks all APIServices again, as upstream does."""

RETRY_SECONDS, RETRY_SECONDS_MAX = 0.05, 1.0
"""Seconds after which the checker checks again if an APIService is not available.

The first value applies after each change of a condition. For each further check, the time doubles up to the
second value.
"""

_MANAGER = "kube-apiserver"


class Checker:
    """Checks APIServices with a Service.

    Writes the status of the APIServices, and the resources of their servers to `discovered`.
    """

    def __init__(
        self, server: Server, apis: DelegatedApis, discovered: DiscoveredApis, endpoints: str
    ) -> None:
        self._server = server
        self._apis = apis
        self._discovered = discovered
        self._endpoints = endpoints
        self._retry = RETRY_SECONDS

    async def check_all(self) -> float:
        """Checks all APIServices with a Service; returns the seconds to wait before the next check."""
        self._retry = min(2 * self._retry, RETRY_SECONDS_MAX)
        results = await asyncio.gather(*map(self._check, self._apis.all()))
        return CHECK_SECONDS if all(results) else self._retry

    async def _check(self, api_service: Object) -> bool:
        """Checks an APIService, and writes the status if the condition changed.

        Returns whether the APIService is available.
        """
        result = await availability(api_service, self._apis, self._server.objects, self._endpoints)
        self._note(api_service["metadata"]["name"], result)
        new = with_condition(api_service, result.condition, self._server.store.now())
        if new["status"] != api_service["status"]:
            self._retry = RETRY_SECONDS
            # The write fails if the APIService was deleted or changed meanwhile, or if the storage fails. The
            # next check then writes the status again.
            with contextlib.suppress(ApiError, StorageError):
                await self._write(new)
        return result.resources is not None

    def _note(self, name: str, result: Availability) -> None:
        if result.resources is None:
            self._discovered.resources.pop(name, None)
        else:
            self._discovered.resources[name] = result.resources

    async def _write(self, api_service: Object) -> None:
        resource = self._server.find(GROUP, "v1", RESOURCE)
        assert resource is not None, "there are APIServices"
        target = ObjectReference(name=api_service["metadata"]["name"], subresource="status")
        options = WriteOptions(manager=_MANAGER)
        body = resource.from_hub(api_service)
        await update(WriteRequest(self._server, resource, target, options), body)
