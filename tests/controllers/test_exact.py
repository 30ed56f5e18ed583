"""Controllers write a claim with one request. They read it before only if it has opaque parameters."""

from typing import Any

import pytest

from fakeapi import FakeAPI

Object = dict[str, Any]
VERSION = "resource.k8s.io/v1"
OPAQUE = {"opaque": {"driver": "gpu.example.com", "parameters": {"z": 1, "a": [1, 2]}}}


def set_up(api: FakeAPI, config: list[Object]) -> None:
    size = {"cpu": "8", "memory": "16Gi", "pods": "110"}
    api.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}})
    api.patch("Node", "n", {"spec": {"taints": None}})
    api.patch("Node", "n", {"status": {"capacity": size, "allocatable": size}}, subresource="status")
    create(api, "DeviceClass", "c", {})
    pool = {"name": "n", "generation": 1, "resourceSliceCount": 1}
    slice_spec = {"driver": "gpu.example.com", "pool": pool, "nodeName": "n", "devices": [{"name": "d"}]}
    create(api, "ResourceSlice", "s", slice_spec)
    requests = [{"name": "r", "exactly": {"deviceClassName": "c"}}]
    create(api, "ResourceClaim", "x", {"devices": {"requests": requests, "config": config}})
    container = {"name": "c", "image": "i", "resources": {"claims": [{"name": "x"}]}}
    claims = [{"name": "x", "resourceClaimName": "x"}]
    pod = {"containers": [container], "resourceClaims": claims}
    api.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod"}, "spec": pod})
    api.settle()


def create(api: FakeAPI, kind: str, name: str, spec: Object) -> None:
    api.create({"apiVersion": VERSION, "kind": kind, "metadata": {"name": name}, "spec": spec})


@pytest.mark.parametrize(("config", "reads"), [([], 0), ([OPAQUE], 1)])
def test_a_claim_is_read_before_it_is_written_only_if_it_has_opaque_parameters(
    config: list[Object], reads: int
) -> None:
    with FakeAPI(release="1.37", controllers="scheduler") as api:
        set_up(api, config)
        claim = api.get("ResourceClaim", "x")
        assert claim["status"]["reservedFor"][0]["name"] == "pod"
        assert claim["metadata"]["finalizers"] == ["resource.kubernetes.io/delete-protection"]
        agent = "kube-scheduler/*"
        assert len(api.requests.filter("get resourceclaims", agent=agent)) == reads
        assert len(api.requests.filter("update resourceclaims", agent=agent)) == 1
