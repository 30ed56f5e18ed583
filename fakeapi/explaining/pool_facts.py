"""Finds incomplete and invalid resource pools of a node, and slices with an old generation."""

from collections.abc import Iterator

from fakeapi.controllers.allocation.model import Pool
from fakeapi.explaining.cluster_objects import ClusterObjects
from fakeapi.explaining.tally import NodeTally


def pool_problems(cluster: ClusterObjects, node: NodeTally) -> Iterator[tuple[str, str]]:
    """Yields (code, text) for each problem that makes the allocator ignore devices of a node's pools."""
    for _, code, text in pool_problems_by_pool(cluster, node):
        yield code, text


def pool_problems_by_pool(cluster: ClusterObjects, node: NodeTally) -> Iterator[tuple[Pool, str, str]]:
    """Yields (pool, code, text) for each problem that makes the allocator ignore devices of a pool."""
    for pool in node.pools:
        own = cluster.slices_by_pool.get(pool.id, [])
        newest = max((_generation(one) for one in own), default=0)
        current = [one for one in own if _generation(one) == newest]
        if pool.problem:
            yield pool, "PoolInvalid", f"pool {pool.id} is invalid: {pool.problem}"
        elif pool.is_incomplete:
            expected = max((one["spec"]["pool"]["resourceSliceCount"] for one in current), default=0)
            have = f"{len(current)} of {expected} slices of generation {newest}"
            yield pool, "PoolIncomplete", f"pool {pool.id} is incomplete: {have}"
        for one in own:
            if _generation(one) < newest:
                name, generation = one["metadata"]["name"], _generation(one)
                text = (
                    f"slice {name} is ignored: generation {generation} of pool {pool.id}, newest is {newest}"
                )
                yield pool, "SliceOutdated", text


def _generation(resource_slice: dict[str, object]) -> int:
    spec = resource_slice["spec"]
    assert isinstance(spec, dict)
    return int(spec["pool"].get("generation", 0))
