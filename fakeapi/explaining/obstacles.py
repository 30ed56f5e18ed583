"""Finds the check of the allocator's search that refuses a device for a request."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from fakeapi.controllers.allocation.allocator import OPTIONAL_NODE_OPERATIONS, Inventory
from fakeapi.controllers.allocation.constraints import Constraint, constraint_of
from fakeapi.controllers.allocation.effort import NodeEffort
from fakeapi.controllers.allocation.model import Device, Pool
from fakeapi.controllers.allocation.requests import Request
from fakeapi.controllers.allocation.rules import AllocationRules
from fakeapi.controllers.allocation.search import ClaimWork, Position, Search
from fakeapi.controllers.allocation.selectors import DeviceMatcher, Selection, SelectorError
from fakeapi.controllers.allocation.taints import prevents_allocation
from fakeapi.machinery.json_types import Object


class Obstacle(StrEnum):
    """The check that refuses a device for a request. The value is the code of the reason."""

    POOL_INCOMPLETE = "PoolIncomplete"
    POOL_INVALID = "PoolInvalid"
    IN_USE = "DevicesInUse"
    CLASS_SELECTOR = "ClassSelectorDoesNotMatch"
    REQUEST_SELECTOR = "RequestSelectorDoesNotMatch"
    SELECTOR_ERROR = "SelectorFails"
    OTHER_NODE = "DeviceOfOtherNode"
    BINDING_CONDITIONS = "BindingConditionsDisabled"
    CAPACITY = "CapacityConsumed"
    NODE_OPERATIONS = "NodeOperationsNotSkipped"
    COUNTERS = "CountersConsumed"
    TAINT = "DeviceTainted"
    CONSTRAINT = "AttributeMissingForConstraint"


@dataclass(frozen=True, slots=True)
class Refused:
    """A device that cannot be allocated to a request, with the check that refuses it.

    - `selector`: the index of the selector; -1 for other checks.
    - `error`: the error of the selector; "" if the selector evaluated to false, and for other checks.
    """

    device: Device
    obstacle: Obstacle
    selector: int = -1
    error: str = ""


class ObservedSearch(Search):
    """An allocator search that records which of its checks refused a device."""

    refused_by: Obstacle | None = None

    def _is_free(self, at: Position, request: Request, device: Device) -> bool:
        return self._remember(Obstacle.IN_USE, super()._is_free(at, request, device))

    def has_capacity(self, request: Request, device: Device) -> bool:
        return self._remember(Obstacle.CAPACITY, super().has_capacity(request, device))

    def _take_counters(self, device: Device, *, shares: bool) -> Callable[[], None] | None:
        undo = super()._take_counters(device, shares=shares)
        self._remember(Obstacle.COUNTERS, undo is not None)
        return undo

    def _node_may_skip_operations(self, device: Device) -> bool:
        return self._remember(Obstacle.NODE_OPERATIONS, super()._node_may_skip_operations(device))

    def _remember(self, obstacle: Obstacle, passed: bool) -> bool:  # noqa: FBT001 - the result of a check
        if not passed:
            self.refused_by = obstacle
        return passed

    async def obstacle(self, at: Position, request: Request, device: Device) -> Obstacle | None:
        """Returns the check that refuses a device; None if the device can be allocated.

        `at`: the position of the search. Returns CLASS_SELECTOR for a selector, and for a device of another
        node. Raises AllocationError if a selector fails.
        """
        self.refused_by = None
        if not await self._is_usable(at, request, device):
            return self.refused_by or Obstacle.CLASS_SELECTOR
        undo = self._take(at, request, device, must=False)
        if undo is not None:
            undo()
            return None
        if self.refused_by is not None:
            return self.refused_by
        if self._rules.device_taints and prevents_allocation(device.spec, request.spec, self._rules):
            return Obstacle.TAINT
        return Obstacle.CONSTRAINT


class RequestCheck:
    """Checks the devices of one node for one request of a claim."""

    def __init__(
        self,
        node: Object,
        pools: Sequence[Pool],
        inventory: Inventory,
        rules: AllocationRules,
        matcher: DeviceMatcher,
        effort: NodeEffort,
    ) -> None:
        self._node = node
        self._pools = pools
        self._inventory = inventory
        self._rules = rules
        self._matcher = matcher
        self._effort = effort
        self._selection = Selection(
            matcher, node, effort, binding_conditions=rules.binding_conditions, names_devices=False
        )

    async def results(self, claim: Object, request: Request) -> list[Refused | Device]:
        """Checks each device of the node for a request.

        Returns the device itself if the request can get it, and a Refused otherwise. Raises SearchTooLong if
        the selectors take too long.
        """
        results: list[Refused | Device] = []
        for pool in self._pools:
            closed = self._closed(pool)
            for device in pool.devices:
                if closed is not None:
                    results.append(Refused(device, closed))
                    continue
                if self._effort.step(counts=False):
                    await self._effort.give_turn()
                results.append(await self._check(claim, request, device))
        return results

    def _closed(self, pool: Pool) -> Obstacle | None:
        if pool.problem:
            return Obstacle.POOL_INVALID
        if pool.is_incomplete and not self._rules.quirks.incomplete_pools_serve:
            return Obstacle.POOL_INCOMPLETE
        return None

    async def _check(self, claim: Object, request: Request, device: Device) -> Refused | Device:
        refused = await self._by_selector(request, device)
        if refused is not None:
            return refused
        obstacle = await self._search(claim, request).obstacle(Position(0, 0, 0, 0), request, device)
        if obstacle is Obstacle.CLASS_SELECTOR:  # all selectors match, so only the node differs
            obstacle = Obstacle.OTHER_NODE
        return device if obstacle is None else Refused(device, obstacle)

    async def _by_selector(self, request: Request, device: Device) -> Refused | None:
        """Returns the first selector that refuses a device, in the allocator's order; None if all match.

        First refuses a device with bindingConditions if their feature gate is off.
        """
        if not self._rules.binding_conditions and device.spec.get("bindingConditions"):
            return Refused(device, Obstacle.BINDING_CONDITIONS)
        of_class = request.device_class["spec"].get("selectors") or ()
        own = request.spec.get("selectors") or ()
        for obstacle, selectors in (
            (Obstacle.CLASS_SELECTOR, of_class),
            (Obstacle.REQUEST_SELECTOR, own),
        ):
            for index, selector in enumerate(selectors):
                try:
                    if not await self._selection.is_match(selector["cel"]["expression"], device):
                        return Refused(device, obstacle, index)
                except SelectorError as error:
                    return Refused(device, obstacle, index, str(error))
        return None

    def _search(self, claim: Object, request: Request) -> ObservedSearch:
        work = [ClaimWork(claim, [[request]], constraints_of(claim, self._rules))]
        skips = OPTIONAL_NODE_OPERATIONS in (self._node["status"] or {}).get("declaredFeatures", ())
        return ObservedSearch(
            work,
            self._pools,
            self._inventory.state,
            self._selection,
            self._rules,
            self._effort,
            node_skips_operations=skips,
        )


def constraints_of(claim: Object, rules: AllocationRules) -> list[Constraint]:
    """Returns the constraints of a claim. Ignores constraints of an unknown type."""
    specs = (claim["spec"].get("devices") or {}).get("constraints") or ()
    distinct = rules.quirks.distinct
    constraints = (constraint_of(spec, lists=rules.list_attributes, distinct=distinct) for spec in specs)
    return [constraint for constraint in constraints if constraint is not None]
