"""Hooks around writes of custom objects: creates are refused while the definition is being deleted."""

from typing import TYPE_CHECKING

from fakeapi.machinery.errors import ApiError, Details
from fakeapi.machinery.json_types import Object
from fakeapi.registry.custom.kind import CustomKind
from fakeapi.registry.definition import Write

if TYPE_CHECKING:
    from fakeapi.registry.store import Store


class CustomHooks:
    """The hooks of one version of a definition."""

    run_beside = True

    def __init__(self, kind: CustomKind) -> None:
        self._kind = kind

    def begin_create(self, obj: Object, *, dry_run: bool) -> Object:
        """Raises ApiError 405 where the definition is going."""
        if self._kind.state.terminating:
            raise ApiError(
                405,
                "MethodNotAllowed",
                "create not allowed while custom resource definition is terminating",
                Details(group=self._kind.group, kind=self._kind.resource),
            )
        return obj

    def begin_update(self, new: Object, old: Object, *, dry_run: bool) -> Object:
        return new

    async def after(self, store: "Store", write: Write) -> None:
        """The deletion of the last object ends a definition that is going."""
        if write.new is None and self._kind.state.terminating:
            await store.custom.follow_deletion(self._kind.specification.name)
