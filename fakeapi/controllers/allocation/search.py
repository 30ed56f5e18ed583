"""Search: allocates devices to the requests of claims by first fit with backtracking.

The search tries claims, requests and devices in order, and stops at the first complete solution.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from fakeapi.controllers.allocation import capacity
from fakeapi.controllers.allocation.compatibility import CompatibilityGroups
from fakeapi.controllers.allocation.constraints import Constraint, Taken
from fakeapi.controllers.allocation.counters import Counters, enough_in_slice
from fakeapi.controllers.allocation.effort import NodeEffort
from fakeapi.controllers.allocation.model import (
    AllocatedState,
    AllocationError,
    Device,
    DeviceID,
    Pool,
)
from fakeapi.controllers.allocation.requests import RESULTS_MAX, Request, name_of_claim
from fakeapi.controllers.allocation.rules import AllocationRules
from fakeapi.controllers.allocation.selectors import Selection
from fakeapi.controllers.allocation.taints import prevents_allocation
from fakeapi.machinery.json_types import Object
from fakeapi.releases.allocation_quirks import CountersOf, Duplicates


class TooManyDevices(Exception):
    """Raised if a claim would get more than RESULTS_MAX devices, in releases where this ends the search."""


class Position(NamedTuple):
    """The indexes of the claim, request, subrequest and device that the search allocates next."""

    claim: int
    request: int
    choice: int
    device: int


class Result(msgspec.Struct, eq=False):
    """A device that the search allocated to a request.

    `consumed`: the consumed capacity of a shared device; None for other devices.
    """

    request: Request
    device: Device
    consumed: dict[str, str] | None


class ClaimWork(msgspec.Struct, eq=False):
    """A claim to allocate.

    - `requests`: for each request, the list of its subrequests, or a list with only the request.
    - `results`: the allocated devices.
    - `chosen`: the index of the chosen subrequest, by the index of the request.
    """

    claim: Object
    requests: list[list[Request]]
    constraints: list[Constraint]
    results: list[Result] = msgspec.field(default_factory=list)
    chosen: dict[int, int] = msgspec.field(default_factory=dict)


_Undo = Callable[[], None]


class Search:
    """Searches for devices for claims on one node.

    After a successful `run`, each ClaimWork contains its results. `node_skips_operations`: whether the node
    declares the feature DRAOptionalNodeOperations.
    """

    def __init__(
        self,
        work: Sequence[ClaimWork],
        pools: Sequence[Pool],
        state: AllocatedState,
        selection: Selection,
        rules: AllocationRules,
        effort: NodeEffort,
        *,
        node_skips_operations: bool = False,
    ) -> None:
        self._node_skips_operations = node_skips_operations
        self._work = work
        self._pools = pools
        self._state = state
        self._selection = selection
        self._rules = rules
        self._counters = Counters(state, rules.quirks)
        self._groups = CompatibilityGroups(state) if rules.compatibility_groups else None
        self._taking: Counter[DeviceID] = Counter()
        self._taking_by_claim: Counter[tuple[DeviceID, int]] = Counter()
        self._shares: dict[DeviceID, list[dict[str, str]]] = {}
        self._effort = effort
        self._tries_again = False

    async def run(self) -> bool:
        """Searches for devices for all claims. Returns whether the search was successful.

        - Raises AllocationError for a problem that ends the scheduling of the pod.
        - Raises SearchTooLong if the search reaches its limit.
        - Raises TooManyDevices if a claim would get more than RESULTS_MAX devices, in releases with the quirk
          `size_limit_ends_search`.
        """
        return await self._find(Position(0, 0, 0, 0), in_choice=False, start=0)

    async def _find(self, at: Position, *, in_choice: bool, start: int) -> bool:
        """Allocates devices for the position `at` and, recursively, for all later positions.

        - `in_choice`: whether the search has already chosen a subrequest of the request.
        - `start`: the number of devices to skip, in the order of the pools.

        Returns whether all positions got a device. Raises the errors of `run`.
        """
        if self._effort.step(counts=self._tries_again):
            await self._effort.give_turn()
        if at.claim >= len(self._work):
            return True
        work = self._work[at.claim]
        if at.request >= len(work.requests):
            return await self._next_claim(at)
        choices = work.requests[at.request]
        if not in_choice and choices[0].parent:
            return await self._find_choice(at, work, choices)
        request = choices[at.choice]
        if request.takes_all and not request.devices and not self._rules.quirks.none_are_all:
            return False
        if at.device >= request.count:
            return await self._find(Position(at.claim, at.request + 1, 0, 0), in_choice=False, start=0)
        if request.count - at.device > RESULTS_MAX - len(work.results):
            if self._rules.quirks.size_limit_ends_search:
                raise TooManyDevices
            return False
        if request.takes_all:
            return await self._take_all(at, request, in_choice=in_choice)
        return await self._take_one(at, request, in_choice=in_choice, start=start)

    async def _next_claim(self, at: Position) -> bool:
        try:
            return await self._find(Position(at.claim + 1, 0, 0, 0), in_choice=False, start=0)
        except TooManyDevices:
            return False

    async def _find_choice(self, at: Position, work: ClaimWork, choices: list[Request]) -> bool:
        all_too_many = True
        for index in range(len(choices)):
            self._tries_again = self._tries_again or index > 0
            try:
                succeeded = await self._find(at._replace(choice=index), in_choice=True, start=0)
            except TooManyDevices:
                continue
            all_too_many = False
            if succeeded:
                work.chosen[at.request] = index
                return True
        if all_too_many:
            raise TooManyDevices
        return False

    async def _take_all(self, at: Position, request: Request, *, in_choice: bool) -> bool:
        undo = self._take(at, request, request.devices[at.device], must=True)
        if undo is None and not self._rules.quirks.all_leaves_out_used:
            return False
        choice = 0 if self._rules.quirks.all_forgets_choice else at.choice
        after = Position(at.claim, at.request, choice, at.device + 1)
        try:
            succeeded = await self._find(after, in_choice=in_choice, start=0)
        except TooManyDevices:
            self._undo_all(undo)
            raise
        if not succeeded:
            self._undo_all(undo)
            if self._rules.quirks.all_leaves_out_used:
                raise AllocationError("stop allocation")
        return succeeded

    def _undo_all(self, undo: _Undo | None) -> None:
        if undo is not None and not self._rules.quirks.all_is_not_undone:
            undo()

    async def _take_one(self, at: Position, request: Request, *, in_choice: bool, start: int) -> bool:
        for number, device in self._devices_after(start):
            if self._effort.step(counts=self._tries_again):
                await self._effort.give_turn()
            if not await self._is_usable(at, request, device):
                continue
            undo = self._take(at, request, device, must=False)
            if undo is None:
                continue
            after = at._replace(device=at.device + 1)
            # The next search starts after this device. Without `order_is_kept`, the next search starts at
            # this device, because a shared device can be taken again. Trying the earlier devices again
            # would not change the result: the first fit in order.
            first = number if self._rules.order_is_kept else number - 1
            try:
                if await self._find(after, in_choice=in_choice, start=first):
                    return True
            except TooManyDevices:
                undo()
                raise
            undo()
            self._tries_again = True
        return False

    def _devices_after(self, skipped: int) -> Iterator[tuple[int, Device]]:
        """Yields (number, device) for the devices of all usable pools, without the first `skipped` devices.

        The first device of the first usable pool has the number 1. Raises AllocationError for an invalid
        pool, in releases with Duplicates.ERROR.
        """
        number = 0
        for pool in self._pools:
            if pool.problem and self._rules.quirks.duplicates is Duplicates.ERROR:
                raise AllocationError(f"pool {pool.id.pool} is invalid: {pool.problem}")
            if pool.problem or (pool.is_incomplete and not self._rules.quirks.incomplete_pools_serve):
                continue
            skipped_here = min(max(skipped - number, 0), pool.size)
            number += skipped_here
            for device in pool.devices_after(skipped_here):
                number += 1
                yield number, device

    async def _is_usable(self, at: Position, request: Request, device: Device) -> bool:
        if not self._is_free(at, request, device):
            return False
        work = self._work[at.claim]
        key = (at.claim, at.request, at.choice)
        if not await self._selection.selects(key, work.claim, request, device):
            return False
        return self.has_capacity(request, device)

    def _is_free(self, at: Position, request: Request, device: Device) -> bool:
        if request.is_admin:
            exclusive = self._rules.quirks.admin_access_is_exclusive
            return not (exclusive and self._taking_by_claim[device.id, at.claim])
        return device.id not in self._state.devices and not self._taking[device.id]

    def has_capacity(self, request: Request, device: Device) -> bool:
        """Whether a device has enough capacity left for a request.

        Returns True if consumable capacity is disabled.
        """
        if not self._rules.consumable_capacity:
            return True
        taking: dict[str, str] = {}
        for share in self._shares.get(device.id, ()):
            taking = capacity.total(taking, share)
        taken = self._state.shared.get(device.id, {})
        return capacity.fits(request.capacity, device.spec.get("capacity") or {}, taken, taking)

    def _take(self, at: Position, request: Request, device: Device, *, must: bool) -> _Undo | None:
        """Allocates a device at a position of the search.

        Returns a function that undoes the allocation; None if the device cannot be allocated. `must`: whether
        to raise AllocationError, instead of returning None, if a constraint of the claim does not allow the
        device.
        """
        rules, work = self._rules, self._work[at.claim]
        shares = rules.consumable_capacity and device.allows_sharing
        if not (self._is_free(at, request, device) and self._node_may_skip_operations(device)):
            return None
        counts = self._take_counters(device, shares=shares)
        if counts is None:
            return None
        keeps_counters = rules.quirks.refused_devices_keep_counters
        undone: list[_Undo] = [] if keeps_counters else [counts]
        if rules.device_taints and prevents_allocation(device.spec, request.spec, rules):
            _rolled_back(undone)
            return None
        taken = Taken(request.parent or request.name, request.name if request.parent else "", device)
        for constraint in work.constraints:
            if not constraint.add(taken):
                _rolled_back(undone)
                if must:
                    claim = name_of_claim(work.claim)
                    reason = "because a claim constraint would not be satisfied"
                    raise AllocationError(
                        f"claim {claim}, request {request.name}: cannot add device {device.id} {reason}"
                    )
                return None
            undone.append(lambda constraint=constraint: constraint.remove(taken))  # type: ignore[misc]
        if not self._other_has_capacity(at, request, device):
            if not shares:
                self._mark(device.id, at.claim, 1)
            return None
        consumed = None
        if shares:
            if not self.has_capacity(request, device):
                _rolled_back(undone)
                return None
            consumed = capacity.consumed(request.capacity, device.spec.get("capacity") or {})
            self._shares.setdefault(device.id, []).append(consumed)
            undone.append(lambda: self._give_back_share(device.id))
        elif rules.quirks.admin_access_is_exclusive or not request.is_admin:
            self._mark(device.id, at.claim, 1)
            undone.append(lambda: self._mark(device.id, at.claim, -1))
        if keeps_counters and not shares:
            undone.append(counts)
        work.results.append(Result(request, device, consumed))
        undone.append(lambda: _drop(work.results))
        return lambda: _rolled_back(undone)

    def _other_has_capacity(self, at: Position, request: Request, device: Device) -> bool:
        """Imitates an upstream bug: whether the device at the index `at.device` has enough capacity left.

        This device and `device` are in the same slice, but can differ. Returns True in releases without the
        quirk `capacity_is_of_another_device`. Returns False if the slice has no device at this index.
        """
        if not (self._rules.quirks.capacity_is_of_another_device and self._rules.consumable_capacity):
            return True
        devices = device.slice.spec["devices"]
        if at.device >= len(devices):  # kube-scheduler panics here
            return False
        spec = devices[at.device]
        other = DeviceID(device.id.driver, device.id.pool, spec["name"])
        return self.has_capacity(request, Device(other, spec, device.slice, device.pool))

    def _take_counters(self, device: Device, *, shares: bool) -> _Undo | None:
        """Consumes a device's counters.

        Returns a function that gives the counters back. Returns None if too little is left, or if the
        compatibility groups of the devices differ. Also returns None if partitionable devices are disabled,
        except with CountersOf.SLICE_ANEW.
        """
        if not device.spec.get("consumesCounters"):
            return _nothing
        quirks = self._rules.quirks
        is_anew = quirks.counters_of is CountersOf.SLICE_ANEW
        if not self._rules.partitionable_devices:
            return _nothing if is_anew else None
        if is_anew:
            in_use = self._state.devices | {taken for taken, count in self._taking.items() if count > 0}
            return _nothing if enough_in_slice(device, in_use) else None
        is_in_use = device.id in self._state.shared or self._shares.get(device.id)
        if shares and is_in_use and not quirks.shared_devices_take_counters_again:
            return _nothing
        leaves_groups = _nothing if self._groups is None else self._groups.take(device)
        if leaves_groups is None:
            return None
        if not self._counters.take(device):
            leaves_groups()
            return None

        def give_back() -> None:
            self._counters.give_back(device)
            leaves_groups()

        return give_back

    def _node_may_skip_operations(self, device: Device) -> bool:
        """Whether the node supports skipping the device's node operations. True if the driver skips none.

        Follows `allocateDevice` of the experimental allocator since 1.37. The node declares the feature in
        `status.declaredFeatures`.
        """
        if not device.slice.spec.get("skipNodeOperations"):
            return True
        return self._rules.optional_node_operations and self._node_skips_operations

    def _mark(self, device: DeviceID, claim: int, by: int) -> None:
        self._taking[device] += by
        self._taking_by_claim[device, claim] += by

    def _give_back_share(self, device: DeviceID) -> None:
        self._shares[device].pop()


def _rolled_back(undone: list[_Undo]) -> None:
    for undo in reversed(undone):
        undo()


def _drop(results: list[Result]) -> None:
    results.pop()


def _nothing() -> None:
    """Does nothing. `_take_counters` returns this function if there is nothing to give back."""
