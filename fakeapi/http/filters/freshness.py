"""Freshness: with shared storage, waits until the server has the objects that a request must see.

A read without a continue token does not wait if the request has resourceVersion 0, or a version that the
server already has. Such a read and the path /livez work even without the database. Other requests wait for
all writes that any server has acknowledged.
"""

from contextlib import suppress

from fakeapi.http.context import RequestContext
from fakeapi.http.discovery.health import HEALTH
from fakeapi.http.pipeline import Handler
from fakeapi.http.response import AnyResponse
from fakeapi_storage import SharedStorage, StorageError

_DIGITS = 19
"""Maximum number of digits in a valid resourceVersion."""

READS = frozenset({"get", "list", "watch"})

ALIVE = "livez"
"""The only health endpoint that succeeds without the database, as in kube-apiserver."""


class Freshness:
    """Reads the newest changes from shared storage before requests that must see the newest objects."""

    def __init__(self, storage: SharedStorage) -> None:
        self._storage = storage

    async def __call__(self, ctx: RequestContext, proceed: Handler) -> AnyResponse:
        """Passes the request on. If the request must see the newest objects, first reads them from storage.

        Raises StorageError if the database does not respond. Ignores this error for discovery requests. Does
        not use the database for /livez.
        """
        if ctx.info is not None and ctx.info.resource:
            if not self._is_old_enough(ctx):
                await self._storage.refresh()
        elif (name := ctx.request.path.removeprefix("/").partition("/")[0]) in HEALTH:
            if name != ALIVE:
                await self._storage.refresh()
        else:
            with suppress(StorageError):  # discovery works with older objects
                await self._storage.refresh()
        return await proceed(ctx)

    def _is_old_enough(self, ctx: RequestContext) -> bool:
        """Whether the request reads at a resourceVersion that the server already has, without a continue
        token.
        """
        query = ctx.request.query
        if ctx.verb not in READS or query.first.get("continue"):
            return False
        version = query.first.get("resourceVersion", "")
        is_number = version.isascii() and version.isdecimal() and len(version) <= _DIGITS
        return is_number and int(version) <= self._storage.revision
