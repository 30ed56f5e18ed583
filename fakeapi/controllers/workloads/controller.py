"""PodOwnerController: the base class of the controllers that own pods, such as ReplicaSets and Jobs."""

from abc import abstractmethod
from typing import Any, ClassVar

from fakeapi.clients.in_process import InProcessClient
from fakeapi.clients.served_resource import ServedResource
from fakeapi.controllers.controller import Controller
from fakeapi.controllers.events import EventRecorder
from fakeapi.controllers.informer import Informer, key_of
from fakeapi.controllers.workloads.owners import OwnedObjects, controller_of, labels_of, selector_of
from fakeapi.controllers.workloads.pod_control import PodControl
from fakeapi.controllers.workloads.pods import condition, is_deleted, phase
from fakeapi.controllers.workloads.statuses import is_same_status
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.label_selector import Selector


class WorkloadController(Controller):
    """Reconciles the objects of one kind, with their informer, an API client and an event recorder."""

    group: ClassVar[str] = "apps"
    plural: ClassVar[str]
    agent: ClassVar[str]
    """Name of the controller in the User-Agent header of its requests."""
    component: ClassVar[str]
    """Name of the controller in its events."""

    api: InProcessClient
    events: EventRecorder
    owners: Informer

    async def start(self) -> None:
        self.api = self.context.api("kube-controller-manager", self.agent)
        self.events = EventRecorder(self.context, self.api, self.component)
        self.owners = self.context.informer(self.context.served(self.group, self.plural))
        self.owners.on_change(self.owner_changed)

    @property
    def resource(self) -> ServedResource:
        """The resource of the workloads."""
        return self.owners.resource

    def owner_changed(self, old: Object | None, new: Object | None) -> None:
        """Queues a workload that was created, changed or deleted."""
        obj = new or old
        assert obj is not None, "a change has an old or a new object"
        self.context.add(key_of(obj))

    async def reconcile(self, key: Any) -> None:
        owner = self.owners.objects.get(key)
        if owner is None:
            self.forget(key)
        else:
            await self.sync(owner)

    def forget(self, key: str) -> None:
        """Drops the state of a workload that no longer exists. `key`: the key of the workload."""

    @abstractmethod
    async def sync(self, owner: Object) -> None:
        """Reconciles a workload. May raise StatusError; the manager then retries the workload."""

    async def write_status(self, owner: Object, status: Object) -> Object:
        """Replaces the status of a workload, unless the stored status is equal.

        Returns the stored workload. Raises StatusError if the request fails.
        """
        if is_same_status(owner.get("status") or {}, status):
            return owner
        return await self.api.update(self.resource.path_of(owner, "status"), {**owner, "status": status})

    def queue_owner_of(self, obj: Object) -> None:
        """Queues the workload of this controller's kind that is the controller of an object."""
        reference = controller_of(obj)
        if reference is None or reference["kind"] != self.resource.kind:
            return
        owner = self.owners.get(obj["metadata"].get("namespace", ""), reference["name"])
        if owner is not None and owner["metadata"]["uid"] == reference["uid"]:
            self.context.add(key_of(owner))

    def selector(self, owner: Object) -> Selector:
        """Returns the label selector of a workload. Subclasses override this method."""
        return selector_of(owner)

    def queue_selecting(self, obj: Object) -> None:
        """Queues all workloads whose selector matches an object without controller."""
        labels = labels_of(obj)
        if not labels:
            return
        for owner in self.owners.objects.values():
            if owner["metadata"]["namespace"] == obj["metadata"]["namespace"]:
                selector = self.selector(owner)
                if not selector.empty and selector.matches(labels):
                    self.context.add(key_of(owner))

    def owned_changed(self, old: Object | None, new: Object | None) -> None:
        """Queues the workloads that an object's change, such as a pod's, may affect.

        The change may affect the controllers of the object before and after the change. For an object without
        a controller, the change may affect the workloads that may adopt the object.
        """
        for obj in filter(None, (old, new)):
            self.queue_owner_of(obj)
        if new is None or controller_of(new) is not None or is_deleted(new):
            return
        is_released = old is not None and controller_of(old) is not None
        if old is None or is_released or labels_of(old) != labels_of(new):
            self.queue_selecting(new)


class PodOwnerController(WorkloadController):
    """Base class of controllers whose workloads own pods: has an index of pods by owner, and a PodControl."""

    pods: OwnedObjects
    pod_control: PodControl

    async def start(self) -> None:
        await super().start()
        self.pods = OwnedObjects(self.context.informer(self.context.served("", "pods")))
        self.pod_control = PodControl(self.api, self.pods.informer.resource, self.events)
        self.pods.on_change(self._pod_changed)

    def _pod_changed(self, old: Object | None, new: Object | None) -> None:
        """Queues the workloads that a pod's change may affect.

        Ignores changes of irrelevant fields, such as the addresses of a pod.
        """
        if old is None or new is None or _facts(old) != _facts(new):
            self.owned_changed(old, new)

    def candidates(self, owner: Object) -> list[Object]:
        """Returns the pods that a workload controls or may adopt."""
        return [*self.pods.of(owner), *self.pods.orphans(owner["metadata"]["namespace"])]


def _facts(pod: Object) -> tuple[Any, ...]:
    """Returns the fields of a pod that affect the state of its workload."""
    metadata = pod["metadata"]
    names = ("labels", "ownerReferences", "finalizers", "deletionTimestamp")
    return (
        [metadata.get(name) for name in names],
        phase(pod),
        condition(pod, "Ready"),
        pod["spec"].get("nodeName"),
    )
