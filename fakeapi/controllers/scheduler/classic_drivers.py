"""Negotiation: the scheduler and the controllers of classic drivers agree on a node for a pod.

Follows k8s.io/kubernetes `pkg/scheduler/framework/plugins/dynamicresources` of 1.27 to 1.31: the scheduler
proposes nodes in a PodSchedulingContext, drivers report unsuitable ones, the scheduler selects a node,
drivers allocate for it.
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
    """The pod has to wait for a driver; text and `reason` go into its condition PodScheduled."""

    def __init__(self, message: str, reason: str = "Unschedulable") -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(eq=False, slots=True)
class Pending:
    """A claim that a classic driver is to allocate.

    `selectors` are the node selectors of its classes, `excluded` is the message for nodes that they exclude,
    `says` the driver's entry in the status of the PodSchedulingContext.
    """

    selectors: list[Object]
    excluded: str
    says: Object | None


@dataclass(eq=False, slots=True)
class Negotiation:
    """Negotiation in one scheduling attempt.

    `known` is the stored PodSchedulingContext, `structured` the number of claims that the scheduler itself
    allocates.
    """

    known: Object | None
    pending: list[Pending] = field(default_factory=list)
    structured: int = 0

    def says_of(self, pod_claim: str) -> Object | None:
        """The driver's entry for a pod claim in the PodSchedulingContext's status; None if there is none."""
        said: Sequence[Object] = ((self.known or {}).get("status") or {}).get("resourceClaims") or ()
        return next((each for each in said if each["name"] == pod_claim), None)

    def filter(self, node: Object) -> Unschedulable | None:
        """The reason why a node is excluded for the pending claims; None if it is not."""
        name = node["metadata"]["name"]
        for each in self.pending:
            if not all(matches_selector(selector, node) for selector in each.selectors):
                return Unschedulable((each.excluded,))
            if each.says is not None and name in (each.says.get("unsuitableNodes") or ()):
                return Unschedulable(("resourceclaim cannot be allocated for the node (unsuitable)",))
        return None

    def next_step(self, node: str, fitting: Sequence[str]) -> tuple[str | None, list[str] | None]:
        """The selectedNode and potentialNodes to write; None leaves a field unchanged."""
        spec = (self.known or {}).get("spec") or {}
        proposed = spec.get("potentialNodes") or ()
        selected, potential = None, None
        if len(fitting) > 1:
            if not set(fitting) <= set(proposed):
                potential = sorted(fitting)[:POTENTIAL_NODES_MAX]
        elif node not in proposed:
            potential = [node]
        delayed = len(self.pending)
        told = sum(each.says is not None for each in self.pending)
        is_only_one = delayed == 1 and not self.structured
        if is_only_one or (told + self.structured == delayed and self.structured < delayed):
            selected = node if spec.get("selectedNode") != node else None
        return selected, potential


class ClassicDrivers:
    """Negotiates with classic drivers; `manner` is how the release reports pods that wait for them."""

    def __init__(self, contexts: SchedulingContexts, manner: DriverWait) -> None:
        self._contexts = contexts
        self._manner = manner

    def begin(self, pod: Object) -> Negotiation:
        """Starts from the pod's PodSchedulingContext. Raises PluginError."""
        return Negotiation(self._contexts.find(pod))

    async def reserve(self, pod: Object, talk: Negotiation, node: str, fitting: Sequence[str]) -> None:
        """Writes the next step to the PodSchedulingContext; returns if no claim is pending. Raises Waiting,
        Refused.
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
        """Clears selectedNode before a driver is asked to deallocate. Raises Refused."""
        if ((talk.known or {}).get("spec") or {}).get("selectedNode"):
            await self._contexts.publish(pod, talk.known, "", None)

    async def end(self, pod: Object) -> None:
        """Deletes the PodSchedulingContext of a pod that was bound."""
        await self._contexts.delete(pod)


def check_usable(pod: Object, claim: Object) -> None:
    """Raises CannotSchedule for a claim about to be deallocated, or one in use that is not shareable."""
    status = claim["status"]
    if status.get("deallocationRequested"):
        raise CannotSchedule("resourceclaim must be reallocated")
    users = status.get("reservedFor") or ()
    allocation = status.get("allocation")
    if allocation is None or not users:
        return
    uid = pod["metadata"]["uid"]
    if not allocation.get("shareable") and all(each["uid"] != uid for each in users):
        raise CannotSchedule("resourceclaim in use")
