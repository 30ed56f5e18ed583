"""Runs the scheduler's own filters and search on changed objects, to test whether a change suffices."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from fakeapi.controllers.allocation.allocator import Inventory, allocate
from fakeapi.controllers.allocation.effort import Effort
from fakeapi.controllers.allocation.model import AllocationError, Device, NodeError, Slice
from fakeapi.controllers.allocation.pools import Slices
from fakeapi.controllers.allocation.rules import AllocationRules
from fakeapi.controllers.allocation.selectors import DeviceMatcher
from fakeapi.explaining.cluster_objects import ClusterObjects
from fakeapi.explaining.dropped import lasting_taints, selector_place
from fakeapi.explaining.obstacles import Refused
from fakeapi.explaining.tally import RequestTally
from fakeapi.machinery.json_types import Object
from fakeapi.registry.offloading.heavy_steps import HeavySteps

TRIALS_MAX = 200
"""Maximum number of searches that test changes in one explanation.

Further changes are not tried, and count as insufficient.
"""

NO_SHARE = "00000000-0000-0000-0000-000000000000"
"""The shareID of devices in trial allocations. Trial allocations are never stored."""


@dataclass(frozen=True, slots=True)
class Case:
    """The input of one allocation: claims, one node, ResourceSlices, DeviceClasses and existing allocations.

    `gone`: (namespace, name) of the claims whose allocations the search ignores.
    """

    claims: Sequence[Object]
    node: Object
    inventory: Inventory
    gone: frozenset[tuple[str, str]] = frozenset()

    def with_edit(self, claim: Object, path: str, value: Any) -> "Case":
        """Returns a copy of the case with one changed field of a claim. The value None removes the field.

        `path`: the path of the field, such as "spec.devices.constraints[0]".
        """
        uid, steps = claim["metadata"]["uid"], steps_of(path)
        claims = [edited(one, steps, value) if one["metadata"]["uid"] == uid else one for one in self.claims]
        return replace(self, claims=claims)


@dataclass(eq=False, slots=True)
class Trial:
    """Tries allocations for one explanation, up to TRIALS_MAX and the limits of a scheduling attempt."""

    cluster: ClusterObjects
    matcher: DeviceMatcher
    heavy: HeavySteps
    left: int = TRIALS_MAX
    effort: Effort = field(init=False)

    def __post_init__(self) -> None:
        self.effort = Effort(self.heavy)

    @property
    def rules(self) -> AllocationRules:
        return self.cluster.allocation

    async def allocates(self, case: Case) -> bool:
        """Whether the allocator finds devices for all claims of a case.

        False if the allocator fails or reaches a limit, for a case without claims, and after TRIALS_MAX
        trials.
        """
        if self.left <= 0 or not case.claims:
            return False
        self.left -= 1
        await self.effort.give_turn()
        try:
            return await self._allocate(case)
        except (AllocationError, NodeError):
            return False

    async def error_of(self, case: Case) -> str:
        """Returns the allocator's error for a case; "" without an error. TRIALS_MAX does not apply."""
        try:
            await self._allocate(case)
        except (AllocationError, NodeError) as error:
            return str(error)
        return ""

    async def _allocate(self, case: Case) -> bool:
        results = await allocate(
            case.claims,
            case.node,
            case.inventory,
            self.rules,
            self.matcher,
            lambda: NO_SHARE,
            self.effort.on_node(),
        )
        return results is not None

    def without_claims(self, case: Case, names: Iterable[tuple[str, str]]) -> Case:
        """Returns a copy of the case that ignores the allocations of these claims: (namespace, name)."""
        gone = case.gone | {*names}
        state = self.cluster.in_use_without(gone)
        return replace(case, inventory=replace(case.inventory, state=state), gone=gone)

    def with_devices(self, case: Case, model: Device, count: int, device: Object | None = None) -> Case:
        """Returns a copy of the case with new devices on its node, in a new pool of the same driver.

        The new devices have the taints of DeviceTaintRules that select all devices of a driver.

        - `model`: the device to copy.
        - `device`: the changed entry of the slice for the new devices; None for the entry of the model.
        """
        number = len(case.inventory.slices.every)
        names = [f"new-{index}" for index in range(count)]
        spec = {name: value for name, value in model.slice.spec.items() if name not in _OF_POOL}
        spec["nodeName"] = case.node["metadata"]["name"]
        published = model.spec if device is None else device
        new = {name: value for name, value in published.items() if name not in _OF_DEVICE}
        new["taints"] = lasting_taints(self.cluster, model)
        spec |= {
            "pool": {"name": f"new-{number}", "generation": 1, "resourceSliceCount": 1},
            "devices": [{**new, "name": name} for name in names],
        }
        slices = Slices([*case.inventory.slices.every, Slice(f"new-{number}", spec)])
        return replace(case, inventory=replace(case.inventory, slices=slices))

    def without_taints(self, case: Case, devices: Sequence[Device]) -> Case:
        """Returns a copy of the case without the taints of `devices`."""
        names: dict[str, set[str]] = {}
        for device in devices:
            names.setdefault(device.slice.name, set()).add(device.id.device)
        slices = [
            Slice(one.name, _untainted(one.spec, names[one.name])) if one.name in names else one
            for one in case.inventory.slices.every
        ]
        return replace(case, inventory=replace(case.inventory, slices=Slices(slices)))

    def with_class(self, case: Case, name: str, spec: Object) -> Case:
        """Returns a copy of the case with another spec of the DeviceClass `name`."""
        classes: Mapping[str, Object] = case.inventory.classes
        changed = {**classes, name: {**classes[name], "spec": spec}}
        return replace(case, inventory=replace(case.inventory, classes=changed))

    def with_expression(self, case: Case, tally: RequestTally, refused: Refused, expression: str) -> Case:
        """Returns a copy of a case in which `expression` replaces the selector that refused a device."""
        owner, path = selector_place(tally, refused)
        if owner.kind == "ResourceClaim":
            return case.with_edit(tally.claim, path, expression)
        spec = tally.request.device_class["spec"]
        selectors = [*spec["selectors"]]
        selectors[refused.selector] = {"cel": {"expression": expression}}
        return self.with_class(case, owner.name, {**spec, "selectors": selectors})

    def with_complete_pools(self, case: Case) -> Case:
        """Returns a copy of the case in which the existing slices of each pool's newest generation are
        complete.
        """
        newest: dict[Any, list[Slice]] = {}
        for one in case.inventory.slices.every:
            known = newest.setdefault(one.pool_id, [])
            if known and one.generation > known[0].generation:
                known.clear()
            if not known or one.generation == known[0].generation:
                known.append(one)
        slices = [
            Slice(one.name, {**one.spec, "pool": {**one.spec["pool"], "resourceSliceCount": len(own)}})
            for own in newest.values()
            for one in own
        ]
        return replace(case, inventory=replace(case.inventory, slices=Slices(slices)))


def _untainted(spec: Object, names: set[str]) -> Object:
    """Returns the spec of a slice, without the taints of the devices in `names`."""
    devices = [
        {key: value for key, value in one.items() if key != "taints"} if one["name"] in names else one
        for one in spec.get("devices") or ()
    ]
    return {**spec, "devices": devices}


_OF_POOL = frozenset((
    "pool", "devices", "sharedCounters", "allNodes", "nodeSelector", "perDeviceNodeSelection",
))  # fmt: skip
_OF_DEVICE = frozenset(("taints", "consumesCounters", "allNodes", "nodeSelector", "nodeName"))


def edited(claim: Object, path: Sequence[str | int], value: Any) -> Object:
    """Returns a copy of a claim with another value at a path below its spec. None removes the field."""
    return {**claim, "spec": _edited(claim["spec"], path, value)}


def _edited(at: Any, path: Sequence[str | int], value: Any) -> Any:
    if not path:
        return value
    head, rest = path[0], path[1:]
    if isinstance(at, list):
        assert isinstance(head, int), "lists have indexes"
        inner = _edited(at[head], rest, value)
        return [*at[:head], *([] if inner is None else [inner]), *at[head + 1 :]]
    inner = _edited((at or {}).get(head), rest, value)
    without = {name: kept for name, kept in (at or {}).items() if name != head}
    return without if inner is None else {**without, head: inner}


def steps_of(path: str) -> list[str | int]:
    """Splits a path such as `spec.devices.requests[0].count` into names and indexes, without "spec"."""
    steps: list[str | int] = []
    for part in path.removeprefix("spec.").split("."):
        name, _, index = part.partition("[")
        steps.append(name)
        if index:
            steps.append(int(index.rstrip("]")))
    return steps
