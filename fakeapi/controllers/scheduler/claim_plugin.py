"""ClaimPlugin: the interface of the scheduler plugin DynamicResources, for all versions of claims."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import msgspec

from fakeapi.controllers.allocation.allocator import Inventory
from fakeapi.controllers.allocation.effort import Effort
from fakeapi.controllers.scheduler.classic_drivers import Negotiation
from fakeapi.controllers.scheduler.extended_resources import Wanted
from fakeapi.controllers.scheduler.node_state import NodeState
from fakeapi.controllers.scheduler.status import Unschedulable
from fakeapi.machinery.json_types import Object


@dataclass(eq=False, slots=True)
class PodClaims:
    """The claims of a pod during one scheduling attempt.

    - `claims`: all claims of the pod.
    - `unallocated`: the claims that the scheduler has to allocate.
    - `inventory`: the slices, the classes, and the devices in use; None if the pod needs no allocation.
    - `allocations`: by node, the allocation results of the claims in `unallocated`, in the same order.
    - `unavailable`: the claims whose allocation made a node infeasible.
    - `by_class`: the names of the extended resources that the pod requests and a DeviceClass provides.
    - `classes`: the name of the DeviceClass by extended resource; empty if `by_class` is empty.
    - `extended`: the pod's ResourceClaim for the resources in `by_class`; None if `by_class` is empty. The
      claim is also in `claims`. It may exist only in memory, and not on the server.
    - `wanted`: by node, the device requests of the claim `extended` if the pod runs on this node. The claim
      does not request resources that the node itself provides.
    - `node_claims`: by node, the entries of the pod's status for node-allocatable resources.
    - `talk`: the negotiation with the DRA control plane controllers that allocate claims; None for a pod
      without claims, and in releases without these controllers.
    """

    claims: list[Object] = field(default_factory=list)
    unallocated: list[Object] = field(default_factory=list)
    inventory: Inventory | None = None
    allocations: dict[str, list[Object]] = field(default_factory=dict)
    unavailable: list[Object] = field(default_factory=list)
    extended: Object | None = None
    by_class: frozenset[str] = frozenset()
    classes: Mapping[str, str] = field(default_factory=dict)
    wanted: dict[str, Wanted] = field(default_factory=dict)
    node_claims: dict[str, list[Object]] = field(default_factory=dict)
    talk: Negotiation | None = None


class Deallocation(msgspec.Struct, frozen=True):
    """A claim that must be deallocated before its pod can be scheduled.

    - `by_driver`: whether the driver's DRA control plane controller must deallocate the claim.
    - `is_deleted`: whether to delete the claim instead. True for claims that an earlier scheduling attempt
      created for extended resources.
    """

    claim: Object
    by_driver: bool = False
    is_deleted: bool = False


State = TypeVar("State", bound=PodClaims)


class ClaimPlugin(ABC, Generic[State]):
    """The extension points of the scheduler plugin DynamicResources that the scheduler calls."""

    @abstractmethod
    async def pre_filter(self, pod: Object, effort: Effort, turn: int = 0) -> State:
        """Prepares a scheduling attempt: returns the claims of the pod.

        - `effort`: limits the work of the attempt.
        - `turn`: the number of earlier attempts that ended with an error.

        Raises CannotSchedule if the pod cannot be scheduled at present, for example because a claim or class
        is missing. Raises PluginError for any other problem.
        """

    @abstractmethod
    async def filter(
        self, state: State, pod: Object, node: NodeState, effort: Effort
    ) -> Unschedulable | None:
        """Returns the reason why the pod's claims exclude a node; None if the node is feasible.

        Raises PluginError for a problem that ends the scheduling attempt.
        """

    def answer_key(self, state: State) -> Hashable | None:
        """Returns a key for the claims of a pod. On each node, pods with equal keys get equal results.

        Returns None if the results of `filter` and `score` depend on more than the node, its pods and
        `inventory`.
        """
        return None

    @abstractmethod
    def score(self, state: State, node: str) -> int:
        """Returns the score of a node. The score is higher for earlier subrequests of firstAvailable.

        Returns 0 in releases without prioritized lists.
        """

    @abstractmethod
    async def reserve(self, state: State, pod: Object, node: str, fitting: Sequence[str]) -> None:
        """Completes the allocations for the chosen node.

        - `fitting`: the names of all feasible nodes.

        Raises Waiting if a DRA control plane controller must act first. Raises PluginError or StatusError if
        the allocations cannot be completed.
        """

    @abstractmethod
    async def post_filter(self, state: State, pod: Object) -> Deallocation | None:
        """Returns a claim to deallocate, so that more nodes may become feasible; None without such a claim.

        Raises StatusError if a request to the server fails.
        """

    @abstractmethod
    async def after_binding(self, state: State, pod: Object) -> None:
        """Cleans up after the pod is bound.

        Deletes the objects that were only needed to schedule the pod, such as the PodSchedulingContext.
        """
