"""Gathers the resource pools of a node from the ResourceSlices of the cluster."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from fakeapi.controllers.allocation.counters import counter_sets
from fakeapi.controllers.allocation.model import Pool, PoolID, Slice
from fakeapi.controllers.allocation.nodes import serves_node
from fakeapi.controllers.allocation.rules import AllocationRules
from fakeapi.machinery.json_types import Object
from fakeapi.releases.allocation_quirks import Duplicates


class Slices:
    """The ResourceSlices of the cluster, indexed by node."""

    def __init__(self, slices: Iterable[Slice]) -> None:
        self.every = list(slices)
        self._order = {id(resource_slice): number for number, resource_slice in enumerate(self.every)}
        self._of_node: defaultdict[str, list[Slice]] = defaultdict(list)
        self._shared: list[Slice] = []
        self._nodes_of_pools: dict[PoolID, set[str] | None] | None = None
        self._counter_problems: dict[tuple[int, ...], str] = {}
        for resource_slice in self.every:
            name = resource_slice.spec.get("nodeName")
            if name and not resource_slice.spec.get("sharedCounters"):
                self._of_node[name].append(resource_slice)
            else:
                self._shared.append(resource_slice)

    @cached_property
    def of_pool(self) -> Mapping[PoolID, list[Slice]]:
        """The slices of each pool, of all generations, in the order of `every`."""
        pools: defaultdict[PoolID, list[Slice]] = defaultdict(list)
        for resource_slice in self.every:
            pools[resource_slice.pool_id].append(resource_slice)
        return pools

    def counter_problem(self, own: list[Slice], elsewhere: list[Slice]) -> str:
        """Returns the error message about the counters of a pool; "" for valid slices.

        Every node checks every pool with counters, so the result is computed once for the same slices.

        - `own`: the pool's slices for one node, which are slices of `every`.
        - `elsewhere`: the pool's other slices, which `own` determines.
        """
        key = tuple(map(id, own))
        problem = self._counter_problems.get(key)
        if problem is None:
            problem = _counter_problem(own, own) or _counter_problem(own, elsewhere)
            self._counter_problems[key] = problem
        return problem

    def nodes_of(self, pool: PoolID) -> set[str] | None:
        """Returns the nodes whose allocations may depend on the devices of a pool; None for all nodes."""
        if self._nodes_of_pools is None:
            self._nodes_of_pools = {each.pool_id: None for each in self._shared}
            for name, slices in self._of_node.items():
                for each in slices:
                    nodes = self._nodes_of_pools.setdefault(each.pool_id, set())
                    if nodes is not None:
                        nodes.add(name)
        return self._nodes_of_pools.get(pool, set())

    def visible(self, node: str) -> list[Slice]:
        """Returns the slices whose devices the node may be able to use, in the order of `every`.

        These are the slices with this nodeName, and all slices without nodeName or with shared counters.
        """
        own = self._of_node.get(node, [])
        return (
            sorted((*own, *self._shared), key=lambda resource_slice: self._order[id(resource_slice)])
            if own
            else self._shared
        )


def usable_slices(slices: Sequence[Slice], rules: AllocationRules) -> Sequence[Slice]:
    """Returns the slices that the allocator may use.

    Removes slices with compatibility groups if the gate DRADeviceCompatibilityGroups is off. Such slices were
    stored while the gate was on. The pools of removed slices become incomplete. Follows GatherPools of
    k8s.io/dynamic-resource-allocation since 1.37.
    """
    if rules.compatibility_groups:
        return slices
    return [resource_slice for resource_slice in slices if not resource_slice.has_groups]


def gather_pools(slices: Slices, node: Object, rules: AllocationRules) -> list[Pool]:
    """Returns the pools that have slices for the node, including incomplete and invalid pools.

    Each pool contains only slices of one generation: the newest among the slices for the node. In releases
    with the quirk `other_nodes_complete_pools`, leaves out a pool that is incomplete for the node if another
    node has newer slices.
    """
    by_pool: dict[PoolID, list[Slice]] = {}
    visible = slices.visible(node["metadata"]["name"])
    if rules.conditions_come_last:
        visible = sorted(visible, key=_slice_has_binding_conditions)
    for resource_slice in visible:
        if _is_relevant(resource_slice.spec, node, rules):
            _add(by_pool, resource_slice, rules)
    gathered = [_pool(pool_id, own, slices, rules) for pool_id, own in by_pool.items()]
    pools = [pool for pool in gathered if pool is not None]
    if rules.pools_are_sorted:
        pools.sort(key=lambda pool: (has_binding_conditions(pool), pool.id))
    return pools


def _is_relevant(spec: Object, node: Object, rules: AllocationRules) -> bool:
    quirks, shares = rules.quirks, bool(spec.get("sharedCounters"))
    if not rules.partitionable_devices:
        is_partitioned = shares and not quirks.slices_with_counters_always_count
        if is_partitioned or spec.get("perDeviceNodeSelection") is not None:
            return False
    if shares and quirks.other_nodes_complete_pools:
        return True
    if spec.get("nodeName") or spec.get("allNodes") or spec.get("nodeSelector"):
        return serves_node(spec, node)
    if spec.get("perDeviceNodeSelection"):
        return any(serves_node(device, node) for device in spec.get("devices") or ())
    return False


def _add(by_pool: dict[PoolID, list[Slice]], each: Slice, rules: AllocationRules) -> None:
    """Adds the slice `each` to its pool in `by_pool`.

    Ignores a slice of an older generation. A slice of a newer generation replaces the older slices.
    """
    known = by_pool.get(each.pool_id)
    if known is None:
        by_pool[each.pool_id] = [each]
    elif each.generation == known[0].generation:
        known.append(each)
    elif each.generation > known[0].generation:
        by_pool[each.pool_id] = [each, each] if rules.quirks.newer_slice_counts_twice else [each]


def _pool(pool_id: PoolID, own: list[Slice], slices: Slices, rules: AllocationRules) -> Pool | None:
    """Returns the pool as one node sees it.

    Returns None if the node lacks slices and another node has slices of a newer generation. Only releases
    with the quirk `other_nodes_complete_pools` return None.

    - `own`: the pool's slices for this node.
    - `slices`: all slices of the cluster.
    """
    expected, generation = int(own[0].spec["pool"]["resourceSliceCount"]), own[0].generation
    if not rules.quirks.other_nodes_complete_pools:
        pool = Pool(pool_id, is_incomplete=len(own) != expected, slices=own)
        if rules.quirks.duplicates is not Duplicates.NOTHING:
            pool.problem = _duplicate(own)
        return pool
    whole = own
    if len(own) != expected:
        others = slices.of_pool[pool_id]
        if any(other.generation > generation for other in others):
            return None
        whole = [other for other in others if other.generation == generation]
        if len(whole) != expected:
            return Pool(pool_id, is_incomplete=True)
    if rules.pools_are_sorted:
        own = sorted(own, key=lambda resource_slice: resource_slice.name)
    return _checked(slices, pool_id, own, [other for other in whole if other not in own], rules)


def _checked(
    slices: Slices, pool_id: PoolID, own: list[Slice], elsewhere: list[Slice], rules: AllocationRules
) -> Pool:
    with_devices = [
        resource_slice
        for resource_slice in own
        if not (rules.partitionable_devices and resource_slice.spec.get("sharedCounters"))
    ]
    problem = _duplicate(with_devices)
    if not problem and rules.partitionable_devices:
        problem = slices.counter_problem(own, elsewhere)
    if problem:
        return Pool(pool_id, problem=problem)
    sets = counter_sets(own) if rules.partitionable_devices else {}
    return Pool(pool_id, slices=with_devices, elsewhere=elsewhere, counter_sets=sets)


def _duplicate(slices: Iterable[Slice]) -> str:
    names: set[str] = set()
    for resource_slice in slices:
        for device in resource_slice.spec.get("devices") or ():
            if device["name"] in names:
                return f"duplicate device name {device['name']}"
            names.add(device["name"])
    return ""


def _counter_problem(own: list[Slice], users: list[Slice]) -> str:
    """Returns an error message for a duplicate counter set or an undefined counter; "" for valid slices.

    - `own`: the slices that define the counters.
    - `users`: the slices whose devices consume the counters.
    """
    names = [counter_set["name"] for one in own for counter_set in one.spec.get("sharedCounters") or ()]
    if len(names) != len(set(names)):
        return f"duplicate counter set name {next(name for name in names if names.count(name) > 1)}"
    sets = counter_sets(own)
    for one in users:
        for device in one.spec.get("devices") or ():
            for used in device.get("consumesCounters") or ():
                if used["counterSet"] not in sets:
                    return f"counter set {used['counterSet']} not found"
                for name in used.get("counters") or {}:
                    if name not in sets[used["counterSet"]]:
                        return f"counter {name} not found in counter set {used['counterSet']}"
    return ""


def has_binding_conditions(pool: Pool) -> bool:
    """Whether any device of the pool has binding conditions."""
    return any(_slice_has_binding_conditions(resource_slice) for resource_slice in pool.slices)


def _slice_has_binding_conditions(each: Slice) -> bool:
    return any("bindingConditions" in device for device in each.spec.get("devices") or ())
