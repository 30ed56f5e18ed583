"""ClaimPlugin: the part of an attempt that is about claims, whatever the layout of claims is."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from fakeapi.controllers.allocation.allocator import Inventory
from fakeapi.controllers.scheduler.classic_drivers import Negotiation
from fakeapi.controllers.scheduler.extended_resources import Wanted
from fakeapi.controllers.scheduler.node_state import NodeState
from fakeapi.controllers.scheduler.status import Unschedulable
from fakeapi.machinery.json_types import Object


@dataclass(eq=False, slots=True)
class PodClaims:
    """The claims of a pod during one attempt.

    `allocations` has what would be allocated on a node, by its name: results for the claims of `unallocated`,
    in their order. `unavailable` are claims that are allocated for other nodes. `extended` is the pod's claim
    for the resources `by_class`, which `classes` stand for; it is among the others, and `wanted` has what it
    would ask for on a node. `talk` is with the controllers of classic drivers, where a release has them.
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
    talk: Negotiation | None = None


@dataclass(frozen=True, slots=True)
class Deallocation:
    """A claim that hinders its pod. `by_driver`: its classic driver is asked to deallocate it.

    `is_deleted`: it was made for an earlier attempt, and is deleted.
    """

    claim: Object
    by_driver: bool = False
    is_deleted: bool = False


State = TypeVar("State", bound=PodClaims)


class ClaimPlugin(ABC, Generic[State]):
    """The extension points of the plugin DynamicResources."""

    @abstractmethod
    def pre_filter(self, pod: Object, turn: int = 0) -> State:
        """The claims of the pod; `turn` counts its attempts. Raises CannotSchedule, PluginError."""

    @abstractmethod
    def filter(self, state: State, pod: Object, node: NodeState) -> Unschedulable | None:
        """Why the claims cannot be had on a node; None where they can. Raises PluginError."""

    @abstractmethod
    def score(self, state: State, node: str) -> int:
        """Score for the prioritized-list choices that a claim gets on a node; 0 without such lists."""

    @abstractmethod
    async def reserve(self, state: State, pod: Object, node: str, fitting: Sequence[str]) -> None:
        """Settles what is allocated on the chosen node, one of those that the pod fits on.

        Raises Waiting where drivers have to act first, PluginError, Refused.
        """

    @abstractmethod
    async def post_filter(self, state: State, pod: Object) -> Deallocation | None:
        """A claim that nobody but the pod uses, and that is allocated for other nodes. Raises Refused."""

    @abstractmethod
    async def after_binding(self, state: State, pod: Object) -> None:
        """Clears away what only the attempts needed."""
