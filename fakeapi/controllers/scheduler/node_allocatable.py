"""Node-allocatable resources: cpu, memory and other node resources that a pod uses through its claims.

Requires the feature gate DRANodeAllocatableResources. Follows nodeallocatabledynamicresources.go in
k8s.io/kubernetes `pkg/scheduler/framework/plugins/dynamicresources`, of 1.36 and of 1.37. The two releases
differ in the fields of devices and of the pod's status.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

import msgspec

from fakeapi.controllers.allocation.model import Slice
from fakeapi.controllers.allocation.nodes import serves_node
from fakeapi.controllers.pod_claims import reserved_for
from fakeapi.controllers.scheduler.node_state import NodeState, requests_of
from fakeapi.controllers.scheduler.status import Unschedulable
from fakeapi.kinds.common.pod_resources import (
    Resources,
    added,
    claimed_resources,
    container_totals,
    overhead_of,
    pod_level_amounts,
)
from fakeapi.kinds.common.resource_names import HUGE_PAGES
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import quantity

FIELD = "nodeAllocatableResourceClaimStatuses"
MAPPINGS, RESOURCES = "nodeAllocatableResourceMappings", "nodeAllocatableResources"
"""The device fields that contain node-allocatable resources: MAPPINGS in 1.36, RESOURCES since 1.37."""
_CHECKED = ("cpu", "memory", "ephemeral-storage")


class LookupFailed(Exception):
    """Raised if a device is missing or lacks data. The message follows kube-scheduler."""


class ClaimUse(msgspec.Struct, frozen=True):
    """A claim of the pod, with the allocation that the claim has or would have on a node.

    `is_new`: whether the allocation is a result of this scheduling attempt.
    """

    claim: Object
    allocation: Object | None
    is_new: bool


class NodeAllocatable:
    """Calculates the node-allocatable resources that pods use through claims."""

    def __init__(self, slices: Iterable[Slice], has_overhead: bool) -> None:  # noqa: FBT001 - a release's rule
        """Indexes the slices of the cluster by the name of their pool.

        `has_overhead`: whether to follow releases since 1.37, where devices may also have overhead.
        """
        self.has_overhead = has_overhead
        self._by_pool: defaultdict[str, list[Slice]] = defaultdict(list)
        for resource_slice in slices:
            self._by_pool[resource_slice.spec["pool"]["name"]].append(resource_slice)

    def sharing_problem(self, pod: Object, claims: Iterable[Object], node: NodeState) -> Unschedulable | None:
        """Returns the reason why a pod may not use its allocated claims on a node; None without such a
        reason.

        The reason is that other pods use one of these claims, and the release does not allow sharing.
        """
        problems = (self._sharing_problem(pod, claim, node) for claim in claims)
        return next((problem for problem in problems if problem is not None), None)

    def _sharing_problem(self, pod: Object, claim: Object, node: NodeState) -> Unschedulable | None:
        name = claim["metadata"]["name"]
        if self.has_overhead:
            is_taken = claim["status"].get("reservedFor") and not reserved_for(pod, claim)
            if not is_taken or not self._is_mapped(claim):
                return None
            why = "has a mapped device and cannot be shared across pods"
            return Unschedulable((f"node allocatable resource claim {name} {why}",))
        users = {
            other["metadata"]["uid"]
            for other in node.pods
            if other["metadata"]["namespace"] == pod["metadata"]["namespace"]
            and any(status["resourceClaimName"] == name for status in other["status"].get(FIELD) or ())
        }
        if len(users) > 1:
            return Unschedulable((f"node allocatable resource claim {name} shared by multiple pods",))
        if users and pod["metadata"]["uid"] not in users:
            return Unschedulable((f"node allocatable resource claim {name} is already used by another pod",))
        return None

    def account(
        self, pod: Object, uses: Iterable[ClaimUse], names: Mapping[str, str], node: NodeState
    ) -> list[Object] | Unschedulable:
        """Returns the claim statuses that the pod would have on a node, or why the pod does not fit.

        - `uses`: the pod's claims with their allocations.
        - `names`: maps the names of claims in the pod's spec to the uids of ResourceClaims.

        Raises LookupFailed if a device is missing or lacks data.
        """
        find = self._finder(node.node)
        claim_statuses = []
        for use in uses:
            if use.allocation is not None and (use.is_new or self.has_overhead):
                results = (use.allocation.get("devices") or {}).get("results") or ()
                if any(self._stands_for_resources(find, result) for result in results):
                    claim_statuses.append(self._status(use.claim, results, find))
        if not claim_statuses:
            return []
        statuses = self._with_containers(pod, claim_statuses, names)
        for status in statuses:
            if not self.has_overhead and not status.get("containers"):
                name = status["resourceClaimName"]
                why = "node-allocatable resource claim not referenced by any container within the pod"
                return Unschedulable((f"claim {name}: {why}",))
        demanding = {**pod, "status": {**pod["status"], FIELD: statuses}}
        problem = self._pod_level_problem(demanding) if statuses or not self.has_overhead else None
        return problem or _lacking(demanding, node) or statuses

    # devices --------------------------------------------------------------------------------------

    def _finder(self, node: Object | None) -> Callable[[Object], Object]:
        """Returns a function that finds the device of an allocation result.

        The function raises LookupFailed if the device is missing. With `has_overhead`, it also raises
        LookupFailed if `node` cannot use the device, unless `node` is None.
        """

        def find(result: Object) -> Object:
            pool, name, driver = result["pool"], result["device"], result["driver"]
            for resource_slice in self._by_pool.get(pool, ()):
                spec = resource_slice.spec
                by_device = self.has_overhead and spec.get("perDeviceNodeSelection")
                if self.has_overhead and spec["driver"] != driver:
                    continue
                if self.has_overhead and node is not None and not by_device and not serves_node(spec, node):
                    continue
                for device in spec.get("devices") or ():
                    if device["name"] == name:
                        if by_device and node is not None and not serves_node(device, node):
                            raise LookupFailed(f"device {name} does not match node")
                        matching: Object = device
                        return matching
            whose = f" for driver {driver}" if self.has_overhead else ""
            raise LookupFailed(f"device {name} not found in pool {pool}{whose}")

        return find

    def _stands_for_resources(self, find: Callable[[Object], Object], result: Object) -> bool:
        try:
            return bool(find(result).get(RESOURCES if self.has_overhead else MAPPINGS))
        except LookupFailed:
            return False

    def _is_mapped(self, claim: Object) -> bool:
        find = self._finder(None)
        allocation = claim["status"].get("allocation") or {}
        for result in (allocation.get("devices") or {}).get("results") or ():
            try:
                resources = find(result).get(RESOURCES) or {}
            except LookupFailed:
                continue
            if any(resource.get("mapping") is not None for resource in resources.values()):
                return True
        return False

    # the status of one claim ----------------------------------------------------------------------

    def _status(
        self, claim: Object, results: Iterable[Object], find: Callable[[Object], Object]
    ) -> tuple[str, Object]:
        """Returns the uid of a claim, and the claim's entry for the pod's status, without `containers`.

        `find`: finds the device of an allocation result. Raises LookupFailed if a device is missing or lacks
        data.
        """
        metadata = claim["metadata"]
        mapped: Resources = {}
        overheads: dict[str, Object] = {}
        for result in results:
            whose = f"claim {metadata['namespace']}/{metadata['name']}, device {result['device']}"
            try:
                device = find(result)
            except LookupFailed as problem:
                driver = f", driver {result['driver']}" if self.has_overhead else ""
                raise LookupFailed(f"{whose}{driver}: {problem}") from None
            for name, entry in (device.get(RESOURCES if self.has_overhead else MAPPINGS) or {}).items():
                mapping = entry.get("mapping") if self.has_overhead else entry
                if mapping is not None:
                    taken = self._taken(name, mapping, result, whose)
                    if taken is not None:
                        mapped = added(mapped, {name: taken})
                _add_overhead(overheads, name, entry.get("overhead") or {})
        status: Object = {"resourceClaimName": metadata["name"]}
        if not self.has_overhead:
            return metadata["uid"], {**status, "resources": dict(sorted(mapped.items()))}
        if mapped:
            status["mapping"] = [{"name": name, "quantity": mapped[name]} for name in sorted(mapped)]
        if overheads:
            status["overhead"] = [overheads[name] for name in sorted(overheads)]
        return metadata["uid"], status

    def _taken(self, resource: str, mapping: Object, result: Object, whose: str) -> str | None:
        """Returns the amount of a node resource that a device uses; None if the mapping does not apply.

        - `mapping`: the device's mapping for this resource.
        - `result`: the allocation result of the device.
        - `whose`: the claim and the device, for error messages.

        Raises LookupFailed if the allocation result lacks consumedCapacity.
        """
        key = mapping.get("capacityKey")
        by_count = mapping.get("deviceMultiplier" if self.has_overhead else "allocationMultiplier")
        if not key:
            return by_count if by_count is not None else None if self.has_overhead else "0"
        if result.get("consumedCapacity") is None:
            field = RESOURCES if self.has_overhead else MAPPINGS
            where = f"is set in {field[0].upper()}{field[1:]} for resource {resource}"
            raise LookupFailed(f"{whose}: ConsumedCapacity is nil, but Capacity key '{key}' {where}")
        consumed: str | None = result["consumedCapacity"].get(key)
        multiplier = mapping.get("capacityMultiplier" if self.has_overhead else "allocationMultiplier")
        if consumed is None or multiplier is None:
            return consumed
        if self.has_overhead and quantity.compare(multiplier, "1") == 0:
            return consumed
        return quantity.multiply(consumed, multiplier)

    def _with_containers(
        self, pod: Object, by_uid: Iterable[tuple[str, Object]], names: Mapping[str, str]
    ) -> list[Object]:
        """Returns the claim statuses sorted by claim name, with the containers that use each claim.

        Leaves out statuses without resources, mapping and overhead.

        `names`: maps the names of claims in the pod's spec to the uids of ResourceClaims.
        """
        spec = pod["spec"]
        users: dict[str, list[str]] = {}
        for container in [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]:
            for used in (container.get("resources") or {}).get("claims") or ():
                if used["name"] in names:
                    users.setdefault(names[used["name"]], []).append(container["name"])
        statuses = []
        for uid, status in by_uid:
            if not any(status.get(member) for member in ("resources", "mapping", "overhead")):
                continue
            containers = {"containers": users[uid]} if uid in users else {}
            statuses.append({"resourceClaimName": status["resourceClaimName"], **containers, **status})
        return sorted(statuses, key=lambda status: str(status["resourceClaimName"]))

    # the pod's own requests and limits --------------------------------------------------------------

    def _pod_level_problem(self, pod: Object) -> Unschedulable | None:
        """Returns the reason why the pod-level resources are too small for the containers and claims.

        Returns None if the pod-level resources suffice.
        """
        spec = pod["spec"]
        claimed = claimed_resources(pod)
        requested = added(container_totals(spec, "requests"), claimed)
        for name, whole in sorted(pod_level_amounts(spec, "requests").items()):
            if name in requested and quantity.compare(requested[name], whole) > 0:
                why = "is insufficient to cover the aggregated container and node-allocatable DRA requests"
                return Unschedulable((f"pod level request for {name} {why}",))
        return self._limit_problem(pod, claimed) if self.has_overhead else None

    def _limit_problem(self, pod: Object, claimed: Resources) -> Unschedulable | None:
        spec = pod["spec"]
        limits = (spec.get("resources") or {}).get("limits") or {}
        totals = container_totals(spec, "limits")
        for name, value in sorted(claimed.items()):
            if name in totals or name.startswith(HUGE_PAGES):
                totals = added(totals, {name: value})
        for name, total in sorted(totals.items()):
            if name.startswith(HUGE_PAGES) and name in limits and quantity.compare(total, limits[name]) > 0:
                why = "is insufficient to cover the aggregated container and node-allocatable DRA limits"
                return Unschedulable((f"pod level limit for {name} {why}",))
        for container in spec["containers"]:
            own = claimed_by_container(pod, container["name"])
            for name, limit in sorted(((container.get("resources") or {}).get("limits") or {}).items()):
                if name.startswith(HUGE_PAGES) or name not in limits:
                    continue
                if quantity.compare(quantity.add(limit, own.get(name, "0")), limits[name]) > 0:
                    why = "is insufficient to cover the limit and DRA overhead for container"
                    return Unschedulable((f"pod level limit for {name} {why} {container['name']}",))
        return None


def claimed_by_container(pod: Object, container: str) -> Resources:
    """Returns the node resources that one container may use through the pod's claims (since 1.37)."""
    total = Resources()
    for status in pod["status"].get(FIELD) or ():
        if container in (status.get("containers") or ()):
            total = added(total, {entry["name"]: entry["quantity"] for entry in status.get("mapping") or ()})
            for entry in status.get("overhead") or ():
                total = added(total, {entry["name"]: overhead_of(entry, 1)})
    return total


def _add_overhead(overheads: dict[str, Object], name: str, overhead: Object) -> None:
    amounts = {
        member: overhead[member] for member in ("perPod", "perContainer") if overhead.get(member) is not None
    }
    if amounts:
        known = overheads.setdefault(name, {"name": name})
        for member, value in amounts.items():
            known[member] = quantity.add(known[member], value) if member in known else value


def _lacking(pod: Object, node: NodeState) -> Unschedulable | None:
    """Returns an Unschedulable with the resources that the node lacks; None if the node has enough."""
    reasons: list[str] = []
    impossible = False
    for name, amount in requests_of(pod).items():
        huge = name.startswith(HUGE_PAGES)
        if not (huge or (name in _CHECKED and amount > 0)):
            continue
        if amount > node.allocatable(name) - node.requested.get(name, 0):
            reasons.append(f"Insufficient {name}")
            impossible = impossible or amount > node.allocatable(name)
    return Unschedulable(tuple(reasons), preemptible=not impossible) if reasons else None
