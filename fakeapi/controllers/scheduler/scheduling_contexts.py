"""SchedulingContexts: reads and writes PodSchedulingContexts for the scheduler.

In a PodSchedulingContext, the scheduler and DRA control plane controllers agree on a node for a pod.
"""

from collections.abc import Callable, Sequence

from fakeapi.clients.errors import StatusError
from fakeapi.clients.in_process import InProcessClient
from fakeapi.clients.served_resource import ServedResource
from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.informer import Informer
from fakeapi.controllers.pod_claims import owner_reference_to_pod, owning_pod
from fakeapi.controllers.scheduler.status import PluginError
from fakeapi.machinery.json_types import Object

GROUP, PLURAL = "resource.k8s.io", "podschedulingcontexts"
PLUGIN = "DynamicResources"


class SchedulingContexts:
    """Reads PodSchedulingContexts from a cache, and writes them for the scheduler."""

    def __init__(self, context: ControllerContext, api: InProcessClient, resource: ServedResource) -> None:
        self._api = api
        self._resource = resource
        self._informer: Informer = context.informer(resource)

    def on_change(self, handler: Callable[[Object | None, Object | None], None]) -> None:
        """Calls `handler` whenever a PodSchedulingContext is created or its status changes."""

        def changed(old: Object | None, new: Object | None) -> None:
            if new is not None and (old is None or old.get("status") != new.get("status")):
                handler(old, new)

        self._informer.on_change(changed)

    def find(self, pod: Object) -> Object | None:
        """Returns the pod's PodSchedulingContext; None if it does not exist.

        Raises PluginError if the PodSchedulingContext belongs to another pod.
        """
        metadata = pod["metadata"]
        context = self._informer.get(metadata["namespace"], metadata["name"])
        if context is not None and owning_pod(context)[1] != metadata["uid"]:
            whose = f"PodSchedulingContext object with UID {context['metadata']['uid']}"
            problem = f"{whose} is not owned by Pod {metadata['namespace']}/{metadata['name']}"
            raise PluginError(PLUGIN, "PreFilter", problem)
        return context

    async def publish(
        self, pod: Object, known: Object | None, selected: str | None, potential: Sequence[str] | None
    ) -> None:
        """Creates or updates the PodSchedulingContext of a pod.

        - `known`: the stored PodSchedulingContext; None to create it.
        - `selected` and `potential`: the new selectedNode and potentialNodes; None leaves a field unchanged.

        Raises StatusError if the write fails.
        """
        spec = dict((known or {}).get("spec") or {})
        if selected is not None:
            spec["selectedNode"] = selected
        if potential is not None:
            spec["potentialNodes"] = list(potential)
        metadata = pod["metadata"]
        if known is None:
            owner = {**owner_reference_to_pod(pod), "blockOwnerDeletion": True}
            own = {
                "name": metadata["name"],
                "namespace": metadata["namespace"],
                "ownerReferences": [owner],
            }
            await self._api.create(self._resource.path(metadata["namespace"]), self._body(own, spec))
            return
        path = self._resource.path_of(known)
        try:
            await self._api.update(path, {**known, "spec": spec})
        except StatusError as problem:
            if not problem.is_conflict:
                raise
            own = {"name": metadata["name"], "namespace": metadata["namespace"]}
            body = self._body(own, spec)
            await self._api.patch(path, body, "apply", fieldManager="kube-scheduler", force="true")

    async def delete(self, pod: Object) -> None:
        """Deletes the pod's PodSchedulingContext. If the request fails, the garbage collector deletes it
        later.
        """
        metadata = pod["metadata"]
        try:
            await self._api.delete(self._resource.path(metadata["namespace"], metadata["name"]))
        except StatusError:
            return

    def _body(self, metadata: Object, spec: Object) -> Object:
        resource = self._resource
        return {
            "kind": resource.kind,
            "apiVersion": resource.api_version,
            "metadata": metadata,
            "spec": spec,
        }
