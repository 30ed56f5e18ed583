"""StatusWriter: writes the statuses of a node's pods like the release's kubelet.

Follows k8s.io/kubernetes `pkg/kubelet/status`, as far as API clients can observe it.
"""

from fakeapi.clients.errors import StatusError
from fakeapi.clients.in_process import InProcessClient
from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.kubelet import pod_status
from fakeapi.controllers.observed_generation import FIELD, status_observed, tells_generation
from fakeapi.machinery.json_types import Object

READY_TO_START = "PodReadyToStartContainers"
READY_GATE = "PodReadyToStartContainersCondition"


class StatusWriter:
    """Patches pod statuses. Ignores a pod that was deleted, or replaced by another pod with the same name."""

    def __init__(self, context: ControllerContext, api: InProcessClient) -> None:
        self._pods = context.served("", "pods")
        self._api = api
        self._gates = context.rules.gates
        self._without = () if self._gates.enabled(READY_GATE) else (READY_TO_START,)

    def is_behind(self, pod: Object) -> bool:
        """Whether the observedGeneration in a pod's status is outdated.

        False if the release's kubelet does not write an observedGeneration for the pod.
        """
        generation = pod["metadata"].get("generation", 0)
        return tells_generation(self._gates, pod) and pod["status"].get(FIELD) != generation

    async def report(self, pod: Object, status: Object) -> None:
        """Writes `status` to a pod, unless the pod's status already has the same values.

        The comparison ignores `conditions`. Raises StatusError if the write fails.
        """
        if not self.has(pod, status):
            await self.patch(pod, status)

    @staticmethod
    def has(pod: Object, status: Object) -> bool:
        """Whether the pod's status already has the same values. The comparison ignores `conditions`."""
        known = pod["status"]
        return all(known.get(name) == value for name, value in status.items() if name != "conditions")

    async def patch(self, pod: Object, status: Object) -> None:
        """Writes some fields of a pod's status. Adds observedGeneration if the release's kubelet writes this
        field.

        Ignores the responses 404 and 409: the pod was deleted or replaced. Raises StatusError if the write
        fails for another reason.
        """
        if "conditions" in status:
            status = pod_status.ordered(pod, status, self._without)
        status = status_observed(self._gates, pod, status)
        patch = {"metadata": {"uid": pod["metadata"]["uid"]}, "status": status}
        try:
            await self._api.patch(self._pods.path_of(pod, "status"), patch, "strategic")
        except StatusError as problem:
            if not (problem.is_not_found or problem.is_conflict):
                raise
