"""ClaimPlugin: interface of the scheduler plugin DynamicResources, for both layouts of claims."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

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

    `allocations` has, by node, the allocation results of the claims in `unallocated`, in their order.
    `unavailable` are claims that are allocated for other nodes.

    `by_class` are the extended resources of the pod that DeviceClasses back, `classes` the class of each
    resource. `extended` is the pod's claim for them, also in `claims`; `wanted` has, by node, the requests it
    would have. `node_claims` has, by node, what the pod's status is to tell of node-allocatable resources.
    `talk` is the negotiation with classic drivers, in releases that have them.
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


@dataclass(frozen=True, slots=True)
class Deallocation:
    """A claim to deallocate so that its pod can be scheduled. `by_driver`: its classic driver is asked to.

    `is_deleted`: it was created for extended resources in an earlier attempt, and is deleted.
    """

    claim: Object
    by_driver: bool = False
    is_deleted: bool = False


State = TypeVar("State", bound=PodClaims)


class ClaimPlugin(ABC, Generic[State]):
    """Extension points of the scheduler plugin DynamicResources."""

    @abstractmethod
    async def pre_filter(self, pod: Object, effort: Effort, turn: int = 0) -> State:
        """Finds the claims of the pod; `turn` counts failed attempts. Raises CannotSchedule, PluginError."""

    @abstractmethod
    async def filter(
        self, state: State, pod: Object, node: NodeState, effort: Effort
    ) -> Unschedulable | None:
        """The reason why the claims cannot be used on a node; None if they can. Raises PluginError."""

    @abstractmethod
    def score(self, state: State, node: str) -> int:
        """Score for the prioritized-list choices that a claim gets on a node; 0 without such lists."""

    @abstractmethod
    async def reserve(self, state: State, pod: Object, node: str, fitting: Sequence[str]) -> None:
        """Completes the allocations for the chosen node; `fitting` are all nodes that the pod fits on.

        Raises Waiting if a driver has to act first, PluginError, Refused.
        """

    @abstractmethod
    async def post_filter(self, state: State, pod: Object) -> Deallocation | None:
        """A claim to deallocate that only this pod uses, to make other nodes possible. Raises Refused."""

    @abstractmethod
    async def after_binding(self, state: State, pod: Object) -> None:
        """Deletes what only scheduling needed, such as the PodSchedulingContext."""
