"""Negotiation: the scheduler and the controllers of classic drivers agree on a node for a pod.

Follows k8s.io/kubernetes `pkg/scheduler/framework/plugins/dynamicresources` of 1.27 to 1.31. The scheduler
proposes nodes in a PodSchedulingContext, and drivers report the unsuitable ones. Then the scheduler selects a
node, and drivers allocate for it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from fakeapi.controllers.allocation.nodes import matches_selector
from fakeapi.controllers.scheduler.scheduling_contexts import PLUGIN, SchedulingContexts
from fakeapi.controllers.scheduler.status import CannotSchedule, Unschedulable, nodes_message
from fakeapi.machinery.json_types import Object
from fakeapi.releases.allocation_quirks import DriverWait

POTENTIAL_NODES_MAX = 128
"""Maximum number of potentialNodes (PodSchedulingNodeListMaxSize)."""

_INFORMATION = "waiting for resource driver to provide information"
_ALLOCATION = "waiting for resource driver to allocate resource"
_DRIVER = "waiting for resource driver"


class Waiting(Exception):
    """The pod has to wait for a driver; message and `reason` go into its condition PodScheduled."""

    def __init__(self, message: str, reason: str = "Unschedulable") -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(eq=False, slots=True)
class Pending:
    """A claim that a classic driver has to allocate.

    `selectors` are the node selectors of its classes, `excluded` is the message for nodes that do not match,
    and `says` is the driver's entry in the status of the PodSchedulingContext.
    """

    selectors: list[Object]
    excluded: str
    says: Object | None


@dataclass(eq=False, slots=True)
class Negotiation:
    """The negotiation in one scheduling attempt.

    `known` is the stored PodSchedulingContext. `structured` is the number of claims that the scheduler itself
    allocates.
    """

    known: Object | None
    pending: list[Pending] = field(default_factory=list)
    structured: int = 0

    def says_of(self, pod_claim: str) -> Object | None:
        """Returns the driver's entry for a pod claim in the PodSchedulingContext's status, or None."""
        entries: Sequence[Object] = ((self.known or {}).get("status") or {}).get("resourceClaims") or ()
        return next((entry for entry in entries if entry["name"] == pod_claim), None)

    def filter(self, node: Object) -> Unschedulable | None:
        """Returns the reason why a node is excluded for the pending claims; None if it is not."""
        name = node["metadata"]["name"]
        for pending in self.pending:
            if not all(matches_selector(selector, node) for selector in pending.selectors):
                return Unschedulable((pending.excluded,))
            if pending.says is not None and name in (pending.says.get("unsuitableNodes") or ()):
                return Unschedulable(("resourceclaim cannot be allocated for the node (unsuitable)",))
        return None

    def next_step(self, node: str, fitting: Sequence[str]) -> tuple[str | None, list[str] | None]:
        """Returns the selectedNode and potentialNodes to write; None leaves a field unchanged."""
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
    """Negotiates with classic drivers; `manner` selects how the release reports pods that wait for them."""

    def __init__(self, contexts: SchedulingContexts, manner: DriverWait) -> None:
        self._contexts = contexts
        self._manner = manner

    def begin(self, pod: Object) -> Negotiation:
        """Starts from the pod's PodSchedulingContext. Raises PluginError."""
        return Negotiation(self._contexts.find(pod))

    async def reserve(self, pod: Object, talk: Negotiation, node: str, fitting: Sequence[str]) -> None:
        """Writes the next step to the PodSchedulingContext; does nothing without pending claims.

        Raises Waiting, StatusError.
        """
        if not talk.pending:
            return
        selected, potential = talk.next_step(node, fitting)
        if selected is not None or potential is not None:
            await self._contexts.publish(pod, talk.known, selected, potential)
        self._wait(is_asked=selected is not None, is_told=selected is not None or potential is not None)

    def _wait(self, *, is_asked: bool, is_told: bool) -> None:
        """Raises Waiting with the message of the release."""
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
        """Clears selectedNode before the scheduler asks a driver to deallocate. Raises StatusError."""
        if ((talk.known or {}).get("spec") or {}).get("selectedNode"):
            await self._contexts.publish(pod, talk.known, "", None)

    async def end(self, pod: Object) -> None:
        """Deletes the PodSchedulingContext of a bound pod."""
        await self._contexts.delete(pod)


def check_usable(pod: Object, claim: Object) -> None:
    """Raises CannotSchedule for a claim to be deallocated, or a non-shareable one that another pod uses."""
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
