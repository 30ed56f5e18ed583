"""Sharing: keeps one API server up to date while other API servers write to the same storage.

The storage reports the changes of all servers as soon as they are visible. The server then updates its served
CRDs, its active admission plugins and the newest change of each resource.
"""

import asyncio
import logging
from collections.abc import Sequence

from fakeapi.controlplane.registry import DEFINITIONS, Registry
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.printable import printable_line
from fakeapi.registry.identity.account_tokens import SIGNING_KEY
from fakeapi.registry.stored.keys import parse_key
from fakeapi_storage import Event, EventKind, SharedStorage, StorageError

TAKEOVER_SECONDS = 5.0
"""Seconds that this server waits for another server to finish its work on a CRD.

After this time, this server itself writes the CRD's status, or finishes the deletion of the CRD.
"""

log = logging.getLogger("fakeapi")


class Sharing:
    """Keeps one API server up to date with the other API servers of the same storage."""

    def __init__(self, registry: Registry, storage: SharedStorage) -> None:
        self._registry = registry
        self._storage = storage
        self._takeovers: dict[str, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Starts to follow the changes of other servers.

        Also agrees on a signing key for tokens with the other servers, and creates the missing bootstrap
        objects. Raises ApiError or StorageError if the storage fails.
        """
        self._storage.on_events(self._follow)
        tokens = self._registry.server.tokens
        tokens.key = self._storage.agreed.get(SIGNING_KEY) or await self._storage.agree(
            SIGNING_KEY, new_key()
        )
        await self.make_initial_objects()

    async def make_initial_objects(self) -> None:
        """Creates the missing bootstrap objects of all resources.

        Raises ApiError if the objects cannot be stored.
        """
        for resource in [*self._registry.catalogue.resources]:
            await self._registry.bootstrap.ensure(resource)

    def stop(self) -> None:
        for handle in self._takeovers.values():
            handle.cancel()
        for task in self._tasks:
            task.cancel()

    def _follow(self, events: Sequence[Event]) -> None:
        registry = self._registry
        for event in events:
            key = event.entry.key
            prefix = parse_key(key).prefix
            registry.store.note_change(prefix, event.entry.revision)
            if prefix == DEFINITIONS:
                name = key.removeprefix(DEFINITIONS)
                gone = event.kind is EventKind.DELETE
                settled = registry.server.custom.show(name, None if gone else event.entry)
                self._watch_over(name, is_settled=settled)

    def _watch_over(self, name: str, *, is_settled: bool) -> None:
        handle = self._takeovers.pop(name, None)
        if handle is not None:
            handle.cancel()
        if not is_settled:
            loop = asyncio.get_running_loop()
            self._takeovers[name] = loop.call_later(TAKEOVER_SECONDS, self._take_over, name)

    def _take_over(self, name: str) -> None:
        self._takeovers.pop(name, None)
        task = asyncio.get_running_loop().create_task(self._settle(name))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _settle(self, name: str) -> None:
        try:
            await self._registry.server.custom.follow(name)
        except (ApiError, StorageError) as error:
            log.warning("the definition %s was not settled: %s", name, printable_line(error))


def new_key() -> str:
    """Returns a new private key in PEM to sign service account tokens."""
    from fakeapi.registry.identity.token_signer import new_key_text  # noqa: PLC0415 - loads OpenSSL

    return new_key_text()
