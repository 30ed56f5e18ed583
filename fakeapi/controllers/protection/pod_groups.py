"""PodGroupProtectionController: keeps a PodGroup until its last pod has ended or is deleted.

Follows k8s.io/kubernetes `pkg/controller/scheduling/podgroupprotection` of 1.36.
"""

from collections.abc import Iterable

from fakeapi.admission.plugins.pod_groups import FINALIZER, GATE, GROUP
from fakeapi.controllers.pod_claims import group_of
from fakeapi.controllers.protection.controller import ProtectionController
from fakeapi.controllers.workloads.pods import has_ended
from fakeapi.machinery.json_types import Object


class PodGroupProtectionController(ProtectionController):
    name = "podgroup-protection"
    group = GROUP
    plural = "podgroups"
    finalizer = FINALIZER
    agent = "podgroup-protection-controller"
    user_plurals = ("pods",)
    adds_finalizer = False

    @property
    def is_needed(self) -> bool:
        return self.context.rules.gates.enabled(GATE)

    def keys_used_by(self, user: Object) -> Iterable[str]:
        group = group_of(user)
        return (f"{user['metadata']['namespace']}/{group}",) if group else ()

    def is_used(self, obj: Object) -> bool:
        """Whether the PodGroup has a pod that has not ended."""
        metadata = obj["metadata"]
        return any(
            pod["metadata"]["namespace"] == metadata["namespace"]
            and group_of(pod) == metadata["name"]
            and not has_ended(pod)
            for pod in self.users
        )
