"""Gangs: finds the PodGroups of pods, and writes their conditions.

Follows k8s.io/kubernetes `pkg/scheduler/framework/plugins/gangscheduling`, since 1.36.
"""

from fakeapi.clients.errors import StatusError
from fakeapi.clients.in_process import InProcessClient
from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.informer import Handler, Informer
from fakeapi.controllers.pod_claims import SCHEDULING, find_group, group_of
from fakeapi.controllers.workloads.pods import condition, has_ended, priority_of
from fakeapi.machinery.json_types import Object

GATES = ("GangScheduling", "GenericWorkload")
"""The feature gates of gang scheduling: the first up to 1.36, the second since 1.37."""
_CONDITIONS = {"v1alpha2": "PodGroupScheduled"}
_CONDITION = "PodGroupInitiallyScheduled"


class Gangs:
    """The PodGroups with their pods. If the feature gate is off, no PodGroup is known.

    - `pods`: the informer of pods.
    - `api`: the client that writes the conditions of PodGroups.
    """

    def __init__(self, context: ControllerContext, api: InProcessClient, pods: Informer) -> None:
        self._context = context
        self._api = api
        self._members: dict[tuple[str, str], dict[str, Object]] = {}
        gates = context.rules.gates
        gate = next((name for name in GATES if name in gates), None)
        self._preempts = gate == GATES[-1]
        resource = context.resource(SCHEDULING, "podgroups")
        self._groups: Informer | None = None
        if resource is not None and gate is not None and gates.enabled(gate):
            self._groups = context.informer(resource)
            pods.on_change(self._pod_changed)

    def on_change(self, handler: Handler) -> None:
        """Registers a handler for changes of PodGroups."""
        if self._groups is not None:
            self._groups.on_change(handler)

    def _pod_changed(self, old: Object | None, new: Object | None) -> None:
        for pod in filter(None, (old, new)):
            key = pod["metadata"]["namespace"], group_of(pod)
            if not key[1]:
                continue
            members = self._members.setdefault(key, {})
            if pod is new and not has_ended(pod):
                members[pod["metadata"]["name"]] = pod
            else:
                members.pop(pod["metadata"]["name"], None)
            if not members:
                del self._members[key]

    def group(self, pod: Object) -> Object | None:
        """Returns the PodGroup of a pod; None for a pod without a PodGroup, and if the PodGroup does not
        exist.
        """
        return find_group(pod, self._groups)

    @property
    def preempt_together(self) -> bool:
        """Whether a gang that does not fit may preempt other pods, since 1.37."""
        return self._preempts

    def preemptible_group(self, pod: Object) -> Object | None:
        """Returns the PodGroup whose priority and disruption mode apply to the preemption of a pod.

        Returns None if the pod has no PodGroup, and in releases before 1.37.
        """
        return self.group(pod) if self._preempts and group_of(pod) else None

    def members(self, pod: Object) -> list[Object]:
        """Returns the pods in a pod's PodGroup that have not ended, in the order of scheduling."""
        members = self._members.get((pod["metadata"]["namespace"], group_of(pod)), {})
        return sorted(members.values(), key=_rank)

    def must_wait(self, pod: Object) -> bool:
        """Whether a pod must wait until its PodGroup, or more pods of its gang, exist."""
        if not group_of(pod) or self._groups is None:
            return False
        return self.group(pod) is None or len(self.members(pod)) < self.min_count(pod)

    def min_count(self, pod: Object) -> int:
        """Returns the minCount of the gang of a pod; 0 if the pod does not belong to a gang."""
        group = self.group(pod)
        policy = {} if group is None else group["spec"].get("schedulingPolicy") or {}
        return int((policy.get("gang") or {}).get("minCount") or 0)

    def scheduled(self, pod: Object) -> int:
        """Returns the number of pods with a node in a pod's PodGroup."""
        return sum(bool(member["spec"].get("nodeName")) for member in self.members(pod))

    async def report(self, pod: Object, message: str = "") -> None:
        """Writes the scheduling condition to the PodGroup of a pod.

        Once the condition is True, it stays True. `message`: why the PodGroup cannot be scheduled; "" if it
        was scheduled.
        """
        group = self.group(pod)
        if group is None or self._groups is None:
            return
        resource = self._groups.resource
        kind, status = _CONDITIONS.get(resource.version, _CONDITION), "False" if message else "True"
        known = condition(group, kind)
        if known is not None and (known["status"] == "True" or known.get("message", "") == message != ""):
            return
        is_same = known is not None and known["status"] == status
        since = known["lastTransitionTime"] if known is not None and is_same else self._context.now()
        new = {
            "type": kind,
            "status": status,
            "reason": "Unschedulable" if message else "Scheduled",
            "message": message,
            "lastTransitionTime": since,
            "observedGeneration": group["metadata"].get("generation", 0),
        }
        try:
            path = resource.path_of(group, "status")
            await self._api.patch(path, {"status": {"conditions": [new]}}, "strategic")
        except StatusError as problem:
            if not problem.is_not_found:
                raise


def _rank(pod: Object) -> tuple[int, str, str]:
    """Returns a sort key: pods with a higher priority first, and then the oldest first."""
    metadata = pod["metadata"]
    return -priority_of(pod), metadata["creationTimestamp"], metadata["name"]
