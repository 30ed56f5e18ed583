"""ProtectionController: the base of the controllers that remove a protection finalizer.

Follows k8s.io/kubernetes `pkg/controller/util/protectionutil` and the controllers that use it.
"""

from abc import abstractmethod
from typing import Any, ClassVar

from fakeapi.controllers.controller import Controller
from fakeapi.controllers.informer import Informer, key_of
from fakeapi.machinery.json_types import Object


class ProtectionController(Controller):
    """Removes a finalizer from objects that are being deleted, once nothing uses them."""

    group: ClassVar[str] = ""
    plural: ClassVar[str]
    finalizer: ClassVar[str]
    agent: ClassVar[str]
    """The controller's name in the User-Agent."""
    adds_finalizer: ClassVar[bool] = True
    """Whether the controller adds the finalizer to objects that are older than its admission plugin."""

    @property
    def is_needed(self) -> bool:
        """Whether the release protects objects of this kind."""
        return True

    async def start(self) -> None:
        self._protected: Informer | None = None
        resource = self.context.resource(self.group, self.plural)
        if resource is None or not self.is_needed:
            return
        self._api = self.context.api("kube-controller-manager", self.agent)
        self._protected = self.context.informer(resource)
        self._protected.on_change(self._enqueue)
        self.follow_users()

    def follow_users(self) -> None:
        """Gets informers of the objects that use protected objects."""

    @abstractmethod
    def is_used(self, obj: Object) -> bool:
        """Whether something uses an object that is being deleted."""

    def look_at(self, key: str) -> None:
        """Queues the object if its finalizer can be added or removed."""
        obj = None if self._protected is None else self._protected.objects.get(key)
        if obj is not None:
            self._enqueue(None, obj)

    def _enqueue(self, old: Object | None, new: Object | None) -> None:
        if new is not None and self._is_candidate(new["metadata"]):
            self.context.add(key_of(new))

    def _is_candidate(self, metadata: Object) -> bool:
        has_finalizer = self.finalizer in (metadata.get("finalizers") or ())
        if "deletionTimestamp" in metadata:
            return has_finalizer
        return self.adds_finalizer and not has_finalizer

    async def reconcile(self, key: Any) -> None:
        assert self._protected is not None, "keys come from the informer"
        obj = self._protected.objects.get(key)
        if obj is None or not self._is_candidate(obj["metadata"]):
            return
        finalizers = list(obj["metadata"].get("finalizers") or ())
        if "deletionTimestamp" not in obj["metadata"]:
            finalizers.append(self.finalizer)
        elif self.is_used(obj):
            return
        else:
            finalizers.remove(self.finalizer)
        changed = {**obj, "metadata": {**obj["metadata"], "finalizers": finalizers}}
        await self._api.update(self._protected.resource.path_of(obj), changed)
