"""PodControl: creates and deletes the pods of workloads, and records events.

Follows `RealPodControl` of k8s.io/kubernetes `pkg/controller/controller_utils.go`.
"""

from collections.abc import Iterable

from fakeapi.clients.errors import StatusError
from fakeapi.clients.in_process import InProcessClient
from fakeapi.clients.served_resource import ServedResource
from fakeapi.controllers.events import EventRecorder
from fakeapi.controllers.workloads.owners import controller_reference
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import name_is_dns_subdomain

TERMINATING = "NamespaceTerminating"


class PodControl:
    """Creates and deletes pods for the owners of one kind.

    `pods`: the resource "pods". `events`: records events about the owners.
    """

    def __init__(self, api: InProcessClient, pods: ServedResource, events: EventRecorder) -> None:
        self._api = api
        self._pods = pods
        self._events = events

    async def create(self, owner: Object, template: Object, **metadata: str) -> bool:
        """Creates a pod from a template, with `owner` as controller. Returns whether the pod was created.

        `metadata`: `name` or `generateName`, if the pod's name is not generated from the owner's name.
        Returns False if the namespace is being deleted. If the server rejects the pod for another reason,
        records an event and raises StatusError.
        """
        pod = pod_of_template(owner, template)
        pod["metadata"] |= metadata
        try:
            created = await self._api.create(self._pods.path(owner["metadata"]["namespace"]), pod)
        except StatusError as problem:
            if is_namespace_terminating(problem):
                return False
            text = f"Error creating: {problem.message}"
            await self._events.record(owner, "Warning", "FailedCreate", text)
            raise
        name = created["metadata"]["name"]
        await self._events.record(owner, "Normal", "SuccessfulCreate", f"Created pod: {name}")
        return True

    async def delete(self, owner: Object, pod: Object) -> None:
        """Deletes a pod. Does nothing if the pod no longer exists.

        If the server rejects the deletion, records an event and raises StatusError.
        """
        try:
            await self._api.delete(self._pods.path_of(pod))
        except StatusError as problem:
            if problem.is_not_found:
                return
            text = f"Error deleting: {problem.message}"
            await self._events.record(owner, "Warning", "FailedDelete", text)
            raise
        name = pod["metadata"]["name"]
        await self._events.record(owner, "Normal", "SuccessfulDelete", f"Deleted pod: {name}")

    async def delete_all(self, owner: Object, pods: Iterable[Object]) -> None:
        """Deletes pods. Tries to delete all pods, and then raises the first StatusError."""
        problems: list[StatusError] = []
        for pod in pods:
            try:
                await self.delete(owner, pod)
            except StatusError as problem:
                problems.append(problem)
        if problems:
            raise problems[0]


def pod_of_template(owner: Object, template: Object) -> Object:
    """Returns a new pod from a pod template, with `owner` as controller and a generated name."""
    template_metadata = template.get("metadata") or {}
    metadata: Object = {
        "generateName": generate_name(owner),
        "ownerReferences": [controller_reference(owner)],
    }
    for field in ("labels", "annotations", "finalizers"):
        if template_metadata.get(field):
            metadata[field] = template_metadata[field]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]}


def generate_name(owner: Object) -> str:
    """Returns the generateName for the objects of an owner: NAME-, or NAME if NAME- is too long."""
    name = str(owner["metadata"]["name"])
    prefix = f"{name}-"
    return name if name_is_dns_subdomain(prefix, True) else prefix


def is_namespace_terminating(problem: StatusError) -> bool:
    """Whether the server rejected a request because its namespace is being deleted."""
    causes = (problem.status.get("details") or {}).get("causes") or ()
    return any(cause.get("reason") == TERMINATING for cause in causes)
