"""ClaimPlugin: the interface of the scheduler plugin DynamicResources, for both layouts of claims."""

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

    - `allocations`: by node, the allocation results of the claims in `unallocated`, in the same order
    - `unavailable`: claims that are allocated for other nodes
    - `by_class`: the pod's extended resources that have a DeviceClass
    - `classes`: the class of each of these resources
    - `extended`: the pod's claim for these resources, which is also in `claims`
    - `wanted`: by node, the requests that this claim would have
    - `node_claims`: by node, the entries of the pod's status for node-allocatable resources
    - `talk`: the negotiation with classic drivers, in releases that have them
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
    """A claim to deallocate so that its pod can be scheduled.

    `by_driver`: the scheduler asks its classic driver to do so. `is_deleted`: it was created for extended
    resources in an earlier attempt, and is deleted.
    """

    claim: Object
    by_driver: bool = False
    is_deleted: bool = False


State = TypeVar("State", bound=PodClaims)


class ClaimPlugin(ABC, Generic[State]):
    """Extension points of the scheduler plugin DynamicResources."""

    @abstractmethod
    async def pre_filter(self, pod: Object, effort: Effort, turn: int = 0) -> State:
        """Returns the claims of the pod; `turn` is the number of earlier attempts that failed.

        Raises CannotSchedule, PluginError.
        """

    @abstractmethod
    async def filter(
        self, state: State, pod: Object, node: NodeState, effort: Effort
    ) -> Unschedulable | None:
        """Returns why the claims cannot be used on a node; None if they can. Raises PluginError."""

    @abstractmethod
    def score(self, state: State, node: str) -> int:
        """Returns the score of a node by the subrequests that its claims get; 0 without prioritized lists."""

    @abstractmethod
    async def reserve(self, state: State, pod: Object, node: str, fitting: Sequence[str]) -> None:
        """Completes the allocations for the chosen node; `fitting` are all nodes that the pod fits on.

        Raises Waiting if a driver has to act first, PluginError, StatusError.
        """

    @abstractmethod
    async def post_filter(self, state: State, pod: Object) -> Deallocation | None:
        """Returns a claim whose deallocation makes other nodes possible, or None. Raises StatusError."""

    @abstractmethod
    async def after_binding(self, state: State, pod: Object) -> None:
        """Deletes objects that only scheduling needed, such as the PodSchedulingContext."""
