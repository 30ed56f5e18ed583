"""The explanation of a placed pod has the nodes that were feasible when the scheduler placed it."""

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


def test_the_claim_for_extended_resources_of_a_placed_pod_is_ignored() -> None:
    with FakeAPI(release="1.37", controllers="scheduler,resourceclaim") as api:
        device_class(api, extendedResourceName="example.com/gpu")
        for name in NODES:
            node(api, name)
            resource_slice(api, name, [device("gpu-0", "16Gi")])
        resources = {"requests": {"example.com/gpu": "1"}, "limits": {"example.com/gpu": "1"}}
        pod(api, "train", containers=[{"name": "c", "image": "i", "resources": resources}])
        api.settle()
        assert feasible(api, "train") == ["a", "b"]
