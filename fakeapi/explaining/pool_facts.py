"""Finds incomplete and invalid resource pools of a node, and slices with an old generation."""

from collections.abc import Iterator
from dataclasses import dataclass

from fakeapi.controllers.allocation.model import Pool, PoolID
from fakeapi.explaining.cluster_objects import ClusterObjects
from fakeapi.explaining.model import listed
from fakeapi.explaining.tally import NodeTally
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.lazy_pattern import lazy_pattern

_DRIVER = lazy_pattern(r"""\bdevice\.driver\s*==\s*["']([^"']+)["']""")
"""The comparison with one driver in a CEL expression."""

RULE = "the devices of a pool are used only when its driver has published all slices of the newest generation"
"""The rule for incomplete pools, as a sentence for the user."""


@dataclass(frozen=True, slots=True)
class PoolSlices:
    """The ResourceSlices of one pool.

    - `newest`: the newest generation; `expected`: the number of slices that the pool has in this generation.
    - `current` and `old`: the slices of the newest generation, and the other slices.
    """

    pool: PoolID
    newest: int
    expected: int
    current: list[Object]
    old: list[Object]

    @property
    def is_incomplete(self) -> bool:
        return len(self.current) < self.expected

    @property
    def text(self) -> str:
        """The numbers of slices of an incomplete pool, as a sentence."""
        have = f"{len(self.current)} of {self.expected} slices of generation {self.newest}"
        return f"pool {self.pool} is incomplete: {have}"

    @property
    def old_lines(self) -> list[str]:
        """The slices of old generations, as one sentence for each slice."""
        return [
            f"slice {one['metadata']['name']} is ignored: it has generation {_generation(one)}, "
            f"and pool {self.pool} has generation {self.newest}"
            for one in self.old
        ]

    @property
    def advice(self) -> str:
        """The advice to let the driver publish all slices of the pool."""
        driver, name = self.pool
        which = f"all {self.expected} slices of pool {name} with generation {self.newest}"
        if self.old:
            names = [f"slice {one['metadata']['name']} (now {_generation(one)})" for one in self.old]
            which = f"{listed(names, 3)} of pool {name} with generation {self.newest}"
        nodes = dict.fromkeys(one["spec"].get("nodeName") or "" for one in self.current)
        node = next(iter(nodes), "")
        where = f"on node {node}" if node else "of the pool"
        return f"let driver {driver} publish {which}; if it does not, restart its pod {where}"


def slices_of_pool(cluster: ClusterObjects, pool: PoolID) -> PoolSlices:
    """Returns the slices of a pool, divided by their generation."""
    own = cluster.slices_by_pool.get(pool, [])
    newest = max((_generation(one) for one in own), default=0)
    current = [one for one in own if _generation(one) == newest]
    old = [one for one in own if _generation(one) < newest]
    expected = max((one["spec"]["pool"]["resourceSliceCount"] for one in current), default=0)
    return PoolSlices(pool, newest, expected, current, old)


def drivers_of_class(device_class: Object) -> list[str]:
    """Returns the drivers that the selectors of a DeviceClass compare with `device.driver`, in order."""
    expressions = [
        (selector.get("cel") or {}).get("expression", "")
        for selector in device_class["spec"].get("selectors") or ()
    ]
    return list(dict.fromkeys(name for one in expressions for name in _DRIVER.findall(one)))


def pool_problems(
    cluster: ClusterObjects, node: NodeTally, device_class: Object
) -> Iterator[tuple[str, str]]:
    """Yields (code, text) for each problem that makes the allocator ignore devices of a node's pools.

    Leaves out pools of drivers that the DeviceClass does not select.
    """
    drivers = drivers_of_class(device_class)
    for pool, code, text in pool_problems_by_pool(cluster, node):
        if not drivers or pool.id.driver in drivers:
            yield code, text


def pool_problems_by_pool(cluster: ClusterObjects, node: NodeTally) -> Iterator[tuple[Pool, str, str]]:
    """Yields (pool, code, text) for each problem that makes the allocator ignore devices of a pool."""
    for pool in node.pools:
        slices = slices_of_pool(cluster, pool.id)
        if pool.problem:
            yield pool, "PoolInvalid", f"pool {pool.id} is invalid: {pool.problem}"
        elif pool.is_incomplete:
            yield pool, "PoolIncomplete", slices.text
        for line in slices.old_lines:
            yield pool, "SliceOutdated", line


def _generation(resource_slice: Object) -> int:
    return int(resource_slice["spec"]["pool"].get("generation", 0))
