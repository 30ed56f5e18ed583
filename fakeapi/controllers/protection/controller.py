"""ProtectionController: the base class of the controllers that remove a protection finalizer.

Follows k8s.io/kubernetes `pkg/controller/util/protectionutil` and the controllers that use it.
"""

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from fakeapi.controllers.controller import Controller
from fakeapi.controllers.informer import Informer, key_of
from fakeapi.machinery.json_types import Object


class ProtectionController(Controller):
    """Removes a protection finalizer from objects that are being deleted and are no longer in use.

    May also add the finalizer to new objects; see `adds_finalizer`.
    """

    group: ClassVar[str] = ""
    plural: ClassVar[str]
    finalizer: ClassVar[str]
    agent: ClassVar[str]
    """Name of the controller in the User-Agent header of its requests."""
    user_plurals: ClassVar[tuple[str, ...]] = ()
    """Core resources whose objects may use protected objects, as plural names such as "pods"."""
    adds_finalizer: ClassVar[bool] = True
    """Whether the controller also adds the finalizer to objects that lack it and are not being deleted."""

    @property
    def is_needed(self) -> bool:
        """Whether the Kubernetes release protects objects of this resource."""
        return True

    async def start(self) -> None:
        self._protected: Informer | None = None
        resource = self.context.resource(self.group, self.plural)
        if resource is None or not self.is_needed:
            return
        self._api = self.context.api("kube-controller-manager", self.agent)
        self._protected = self.context.informer(resource)
        self._protected.on_change(self._enqueue)
        served = (self.context.served("", plural) for plural in self.user_plurals)
        self._user_informers = [self.context.informer(resource) for resource in served]
        for informer in self._user_informers:
            informer.on_change(self._user_changed)

    @property
    def users(self) -> Iterator[Object]:
        """Yields all cached objects, such as pods, that may use protected objects."""
        for informer in self._user_informers:
            yield from informer.objects.values()

    def keys_used_by(self, user: Object) -> Iterable[str]:
        """Returns the keys of the protected objects that a user object, such as a pod, refers to."""
        return ()

    @abstractmethod
    def is_used(self, obj: Object) -> bool:
        """Whether any user object, such as a pod, still uses a protected object that is being deleted."""

    def _user_changed(self, old: Object | None, new: Object | None) -> None:
        """Queues the protected objects to which a user object refers, before or after its change.

        A user object is, for example, a pod that uses protected claims.
        """
        assert self._protected is not None, "users are followed after the protected objects"
        for user in (old, new):
            for key in () if user is None else self.keys_used_by(user):
                self._enqueue(None, self._protected.objects.get(key))

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
