"""Freshness: has a server that shares its storage answer from a state as new as the request may ask for.

Requests that ask for no newer state than is shown go on while the database is away: reads at resourceVersion
0, or at one that is there. Everything else waits until all is shown that any server had acknowledged.
"""

from contextlib import suppress

from fakeapi.http.context import RequestContext
from fakeapi.http.discovery.health import HEALTH
from fakeapi.http.pipeline import Handler
from fakeapi.http.response import AnyResponse
from fakeapi_storage import SharedStorage, StorageError

_DIGITS = 19
"""Of a resourceVersion that there can be."""

READS = frozenset({"get", "list", "watch"})

ALIVE = "livez"
"""The one of the health endpoints that is well without a database, as that of kube-apiserver."""


class Freshness:
    """The filter."""

    def __init__(self, storage: SharedStorage) -> None:
        self._storage = storage

    async def __call__(self, ctx: RequestContext, proceed: Handler) -> AnyResponse:
        """Raises `StorageError` where the state cannot be known."""
        if ctx.info is not None and ctx.info.resource:
            if not self._is_old_enough(ctx):
                await self._storage.refresh()
        elif (name := ctx.request.path.removeprefix("/").partition("/")[0]) in HEALTH:
            if name != ALIVE:
                await self._storage.refresh()
        else:
            with suppress(StorageError):  # discovery: what is known is better than nothing
                await self._storage.refresh()
        return await proceed(ctx)

    def _is_old_enough(self, ctx: RequestContext) -> bool:
        """Whether the request reads a state that is shown already."""
        query = ctx.request.query
        if ctx.verb not in READS or query.first.get("continue"):
            return False
        version = query.first.get("resourceVersion", "")
        is_number = version.isascii() and version.isdecimal() and len(version) <= _DIGITS
        return is_number and int(version) <= self._storage.revision
