"""PodGroupProtectionController: keeps PodGroups until their last pod has ended or is deleted.

Follows k8s.io/kubernetes `pkg/controller/scheduling/podgroupprotection` of 1.36.
"""

from fakeapi.admission.plugins.pod_groups import FINALIZER, GATE, GROUP
from fakeapi.controllers.informer import Informer
from fakeapi.controllers.protection.controller import ProtectionController
from fakeapi.machinery.json_types import Object


class PodGroupProtectionController(ProtectionController):
    name = "podgroup-protection"
    group = GROUP
    plural = "podgroups"
    finalizer = FINALIZER
    agent = "podgroup-protection-controller"
    adds_finalizer = False

    @property
    def is_needed(self) -> bool:
        return self.context.rules.gates.enabled(GATE)

    def follow_users(self) -> None:
        pods = self.context.resource("", "pods")
        assert pods is not None, "pods are served by every release"
        self._pods: Informer = self.context.informer(pods)
        self._pods.on_change(self._pod_changed)

    def _pod_changed(self, old: Object | None, new: Object | None) -> None:
        for pod in (old, new):
            if pod is not None and _group_of(pod):
                self.look_at(f"{pod['metadata']['namespace']}/{_group_of(pod)}")

    def is_used(self, obj: Object) -> bool:
        """Whether an active pod, scheduled or not, belongs to the group."""
        metadata = obj["metadata"]
        return any(
            pod["metadata"]["namespace"] == metadata["namespace"]
            and _group_of(pod) == metadata["name"]
            and pod["status"].get("phase") not in {"Succeeded", "Failed"}
            for pod in self._pods.objects.values()
        )


def _group_of(pod: Object) -> str:
    return str((pod["spec"].get("schedulingGroup") or {}).get("podGroupName") or "")
