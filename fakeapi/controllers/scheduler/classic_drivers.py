"""Negotiation: the scheduler and DRA control plane controllers agree on a node for a pod.

Follows k8s.io/kubernetes `pkg/scheduler/framework/plugins/dynamicresources` of 1.27 to 1.31. The scheduler
proposes nodes in a PodSchedulingContext, and the controllers report unsuitable nodes. Then the scheduler
selects a node, and the controllers allocate on this node.
"""

from collections.abc import Sequence

import msgspec

from fakeapi.controllers.allocation.nodes import matches_selector
from fakeapi.controllers.scheduler.scheduling_contexts import PLUGIN, SchedulingContexts
from fakeapi.controllers.scheduler.status import CannotSchedule, Unschedulable, nodes_message
from fakeapi.machinery.json_types import Object
from fakeapi.releases.allocation_quirks import DriverWait

POTENTIAL_NODES_MAX = 128
"""Maximum number of nodes in potentialNodes of a PodSchedulingContext (PodSchedulingNodeListMaxSize)."""

_INFORMATION = "waiting for resource driver to provide information"
_ALLOCATION = "waiting for resource driver to allocate resource"
_DRIVER = "waiting for resource driver"


class Waiting(Exception):
    """Raised if the pod must wait for a DRA control plane controller.

    The message and `reason` are for the pod's condition PodScheduled.
    """

    def __init__(self, message: str, reason: str = "Unschedulable") -> None:
        super().__init__(message)
        self.reason = reason


class Pending(msgspec.Struct, eq=False):
    """A claim that a DRA control plane controller must allocate.

    - `selectors`: the node selectors of the claim's classes.
    - `excluded`: the reason to report for nodes that do not match these selectors.
    - `says`: the controller's entry in the status of the PodSchedulingContext; None until the controller
      writes this entry.
    """

    selectors: list[Object]
    excluded: str
    says: Object | None


class Negotiation(msgspec.Struct, eq=False):
    """The negotiation with DRA control plane controllers in one scheduling attempt.

    - `known`: the stored PodSchedulingContext; None if it does not exist yet.
    - `pending`: the claims that the controllers allocate.
    - `structured`: the number of claims that the scheduler allocates itself.
    """

    known: Object | None
    pending: list[Pending] = msgspec.field(default_factory=list)
    structured: int = 0

    def says_of(self, pod_claim: str) -> Object | None:
        """Returns the entry for a claim in the status of the PodSchedulingContext.

        Returns None before the DRA control plane controller has written this entry. `pod_claim`: the name of
        the claim in the pod's spec.
        """
        entries: Sequence[Object] = ((self.known or {}).get("status") or {}).get("resourceClaims") or ()
        return next((entry for entry in entries if entry["name"] == pod_claim), None)

    def filter(self, node: Object) -> Unschedulable | None:
        """Returns the reason why the pending claims exclude a node; None if the node is feasible."""
        name = node["metadata"]["name"]
        for pending in self.pending:
            if not all(matches_selector(selector, node) for selector in pending.selectors):
                return Unschedulable((pending.excluded,))
            if pending.says is not None and name in (pending.says.get("unsuitableNodes") or ()):
                return Unschedulable(("resourceclaim cannot be allocated for the node (unsuitable)",))
        return None

    def next_step(self, node: str, fitting: Sequence[str]) -> tuple[str | None, list[str] | None]:
        """Returns the new selectedNode and potentialNodes of the PodSchedulingContext.

        None means that the field stays unchanged.

        - `node`: the node with the best score.
        - `fitting`: the names of all feasible nodes.
        """
        spec = (self.known or {}).get("spec") or {}
        proposed = spec.get("potentialNodes") or ()
        selected, potential = None, None
        if len(fitting) > 1:
            if not set(fitting) <= set(proposed):
                potential = sorted(fitting)[:POTENTIAL_NODES_MAX]
        elif node not in proposed:
            potential = [node]
        delayed = len(self.pending)
        reported = sum(pending.says is not None for pending in self.pending)
        is_only_one = delayed == 1 and not self.structured
        if is_only_one or (reported + self.structured == delayed and self.structured < delayed):
            selected = node if spec.get("selectedNode") != node else None
        return selected, potential


class ClassicDrivers:
    """Negotiates with DRA control plane controllers.

    `manner`: how the release reports pods that wait for these controllers.
    """

    def __init__(self, contexts: SchedulingContexts, manner: DriverWait) -> None:
        self._contexts = contexts
        self._manner = manner

    def begin(self, pod: Object) -> Negotiation:
        """Returns a Negotiation that continues from the pod's PodSchedulingContext.

        Raises PluginError if the PodSchedulingContext belongs to another pod.
        """
        return Negotiation(self._contexts.find(pod))

    async def reserve(self, pod: Object, talk: Negotiation, node: str, fitting: Sequence[str]) -> None:
        """Writes the next step of the negotiation to the PodSchedulingContext.

        If no claims are pending, does nothing. Otherwise always raises Waiting, because the controllers must
        react. Raises StatusError if the write fails.
        """
        if not talk.pending:
            return
        selected, potential = talk.next_step(node, fitting)
        if selected is not None or potential is not None:
            await self._contexts.publish(pod, talk.known, selected, potential)
        self._wait(is_asked=selected is not None, is_told=selected is not None or potential is not None)

    def _wait(self, *, is_asked: bool, is_told: bool) -> None:
        """Raises Waiting with the message that the release uses.

        - `is_asked`: whether the scheduler has just selected a node.
        - `is_told`: whether the scheduler has just changed the PodSchedulingContext.
        """
        at_reserving = _ALLOCATION if is_asked else _INFORMATION
        match self._manner:
            case DriverWait.ERROR:
                raise Waiting(f'running Reserve plugin "{PLUGIN}": {at_reserving}', "SchedulerError")
            case DriverWait.RESERVING:
                raise Waiting(nodes_message(1, "", {at_reserving: 1}))
            case DriverWait.PLAIN if is_told:
                raise Waiting(_DRIVER)
            case _:
                raise Waiting(nodes_message(1, "", {_DRIVER if is_told else _INFORMATION: 1}))

    async def stop_allocating(self, pod: Object, talk: Negotiation) -> None:
        """Clears selectedNode, before the scheduler asks a controller to deallocate a claim.

        Raises StatusError if the write fails.
        """
        if ((talk.known or {}).get("spec") or {}).get("selectedNode"):
            await self._contexts.publish(pod, talk.known, "", None)

    async def end(self, pod: Object) -> None:
        """Deletes the PodSchedulingContext of a bound pod if it exists."""
        await self._contexts.delete(pod)


def check_usable(pod: Object, claim: Object) -> None:
    """Raises CannotSchedule if a pod cannot use its claim at present.

    - The claim awaits its deallocation.
    - The claim cannot be shared, and other pods use it.
    """
    status = claim["status"]
    if status.get("deallocationRequested"):
        raise CannotSchedule("resourceclaim must be reallocated")
    users = status.get("reservedFor") or ()
    allocation = status.get("allocation")
    if allocation is None or not users:
        return
    uid = pod["metadata"]["uid"]
    if not allocation.get("shareable") and all(user["uid"] != uid for user in users):
        raise CannotSchedule("resourceclaim in use")
