"""A claim that was allocated before its pod was scheduled keeps the pod on the nodes of the allocation."""

from fakeapi import FakeAPI
from tests.explaining.manifests import DRIVER, claim, device, device_class, node, pod, resource_slice

NODES = ("a", "b")


def feasible(api: FakeAPI, name: str) -> list[str]:
    """Returns the nodes that fit a running pod, by its explanation."""
    why = api.explain("pod", name)
    assert why.verdict in {"placed", "starting"}
    return sorted(each.name for each in why.nodes if each.feasible)


def test_only_an_allocation_by_the_scheduler_is_ignored_for_a_placed_pod() -> None:
    with FakeAPI(release="1.36", controllers="scheduler,resourceclaim") as api:
        device_class(api)
        for name in NODES:
            node(api, name)
            resource_slice(api, name, [device("gpu-0", "16Gi"), device("gpu-1", "16Gi")])
        claim(api, "given")
        field = {"key": "metadata.name", "operator": "In", "values": ["b"]}
        result = {"request": "gpu", "driver": DRIVER, "pool": "b", "device": "gpu-0"}
        allocation = {
            "allocationTimestamp": "2026-01-01T00:00:00Z",
            "devices": {"results": [result]},
            "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [field]}]},
        }
        api.patch("ResourceClaim", "given", {"status": {"allocation": allocation}}, subresource="status")
        claim(api, "own")
        pod(api, "follows", "given")
        pod(api, "chooses", "own")
        api.settle()
        assert feasible(api, "follows") == ["b"]
        assert feasible(api, "chooses") == ["a", "b"]
