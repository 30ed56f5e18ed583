"""Hooks of custom objects: deleting the last object completes the deletion of its CRD."""

from typing import TYPE_CHECKING

from fakeapi.registry.custom.kind import CustomKind
from fakeapi.registry.model.definition import AfterHooks, Write

if TYPE_CHECKING:
    from fakeapi.registry.server import Server


class CustomHooks(AfterHooks):
    """The write hooks for the custom objects of a CRD."""

    def __init__(self, kind: CustomKind) -> None:
        self._kind = kind

    async def after(self, server: "Server", write: Write) -> None:
        """Continues the deletion of the CRD, if in progress, after one of its custom objects was deleted."""
        if write.new is None and self._kind.state.terminating:
            await server.custom.follow_deletion(self._kind.specification.name)
