"""Freshness: with shared storage, waits until the server's state is as new as a request requires.

Reads at resourceVersion 0, or at a version that the server already has, need no newer state; they work even
without the database. All other requests wait for every write that any server has acknowledged.
"""

from contextlib import suppress

from fakeapi.http.context import RequestContext
from fakeapi.http.discovery.health import HEALTH
from fakeapi.http.pipeline import Handler
from fakeapi.http.response import AnyResponse
from fakeapi_storage import SharedStorage, StorageError

_DIGITS = 19
"""Maximum number of digits of a valid resourceVersion."""

READS = frozenset({"get", "list", "watch"})

ALIVE = "livez"
"""The only health endpoint that succeeds without a database, like that of kube-apiserver."""


class Freshness:
    """Refreshes the state of a server that shares its storage, before requests that need the newest state."""

    def __init__(self, storage: SharedStorage) -> None:
        self._storage = storage

    async def __call__(self, ctx: RequestContext, proceed: Handler) -> AnyResponse:
        """Refreshes the state if the request needs it. Raises StorageError if the newest state is unknown."""
        if ctx.info is not None and ctx.info.resource:
            if not self._is_old_enough(ctx):
                await self._storage.refresh()
        elif (name := ctx.request.path.removeprefix("/").partition("/")[0]) in HEALTH:
            if name != ALIVE:
                await self._storage.refresh()
        else:
            with suppress(StorageError):  # discovery: an older state is better than none
                await self._storage.refresh()
        return await proceed(ctx)

    def _is_old_enough(self, ctx: RequestContext) -> bool:
        """Whether the server already has the state that the request reads."""
        query = ctx.request.query
        if ctx.verb not in READS or query.first.get("continue"):
            return False
        version = query.first.get("resourceVersion", "")
        is_number = version.isascii() and version.isdecimal() and len(version) <= _DIGITS
        return is_number and int(version) <= self._storage.revision
