"""Node-allocatable resources: the scheduler counts cpu and memory that pods request through claims.

The cases are generated. The expected results come from functions of Kubernetes' scheduler plugin in 1.36.5
and 1.37.1. These functions iterate over Go maps, but gave the same result for each case a dozen times.
"""

import gzip
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("cel_expr_python", reason="the extra cel is not installed")

from fakeapi import FakeAPI
from fakeapi.controllers.allocation.model import Slice
from fakeapi.controllers.scheduler.node_allocatable import ClaimUse, LookupFailed, NodeAllocatable
from fakeapi.controllers.scheduler.node_state import NodeState, with_pods
from fakeapi.controllers.scheduler.status import Unschedulable

Object = dict[str, Any]
CASES = Path(__file__).parent / "node_allocatable"
RELEASES = ("1.36", "1.37")
VERSION = "resource.k8s.io/v1"


@cache
def cases(release: str) -> list[Object]:
    lines = gzip.decompress((CASES / f"{release}.jsonl.gz").read_bytes()).splitlines()
    return [json.loads(line) for line in lines]


def answer(release: str, case: Object) -> Object:
    accounting = NodeAllocatable(
        [Slice(each["metadata"]["name"], each["spec"]) for each in case["Slices"]], release == "1.37"
    )
    node = with_pods(NodeState(case["Node"]), case["Others"])
    claims, new = case["Claims"], case["Allocations"]
    uids = [each["metadata"]["uid"] for each in claims]
    found: list[Object] | Unschedulable | None
    found = accounting.sharing_problem(
        case["Pod"], [each for each in claims if each["status"].get("allocation")], node
    )
    if found is None:
        uses = [
            ClaimUse(claim, new.get(uid, claim["status"].get("allocation")), uid in new)
            for claim, uid in zip(claims, uids, strict=True)
        ]
        names = {f"r{index}": uid for index, uid in enumerate(uids)}
        try:
            found = accounting.account(case["Pod"], uses, names, node)
        except LookupFailed as problem:
            return {"Code": "Error", "Reasons": [str(problem)]}
    if isinstance(found, Unschedulable):
        code = "Unschedulable" if found.preemptible else "UnschedulableAndUnresolvable"
        return {"Code": code, "Reasons": sorted(found.reasons)}
    return {"Code": "Success", **({"Statuses": found} if found else {})}


@pytest.mark.parametrize("release", RELEASES)
def test_claims_are_accounted_for_as_the_release_does_it(release: str) -> None:
    assert len(cases(release)) > 80
    for number, each in enumerate(cases(release)):
        wanted = dict(each["answer"])
        if "Reasons" in wanted:
            wanted["Reasons"] = sorted(wanted["Reasons"])
        assert (number, answer(release, each["case"])) == (number, wanted)


@pytest.fixture(params=RELEASES)
def api(request: pytest.FixtureRequest) -> Iterator[FakeAPI]:
    gates = dict.fromkeys(("DRANodeAllocatableResources", "DRAConsumableCapacity"), True)
    with FakeAPI(release=request.param, feature_gates=gates, controllers="scheduler") as server:
        size = {"cpu": "8", "memory": "16Gi", "pods": "110"}
        node: Object = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}
        server.create({**node, "status": {"capacity": size, "allocatable": size}})
        server.patch("Node", "n", {"spec": {"taints": None}})
        create(server, "DeviceClass", "c", {})
        pool = {"name": "n", "generation": 1, "resourceSliceCount": 1}
        devices = [{"name": f"ccx{number}", **takes_cpus(request.param, "3")} for number in range(4)]
        create(
            server,
            "ResourceSlice",
            "s",
            {"driver": "cpu.example.com", "pool": pool, "nodeName": "n", "devices": devices},
        )
        yield server


def takes_cpus(release: str, count: str) -> Object:
    if release == "1.36":
        return {"nodeAllocatableResourceMappings": {"cpu": {"allocationMultiplier": count}}}
    return {"nodeAllocatableResources": {"cpu": {"mapping": {"deviceMultiplier": count}}}}


def create(api: FakeAPI, kind: str, name: str, spec: Object) -> None:
    api.create({"apiVersion": VERSION, "kind": kind, "metadata": {"name": name}, "spec": spec})


def create_pod(api: FakeAPI, name: str, claim: str, cpu: str = "1", *, uses_claim: bool = True) -> None:
    claims = {"claims": [{"name": "cpus"}]} if uses_claim else {}
    resources = {"requests": {"cpu": cpu}, **claims}
    spec = {
        "containers": [{"name": "c", "image": "i", "resources": resources}],
        "resourceClaims": [{"name": "cpus", "resourceClaimName": claim}],
    }
    api.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec})
    api.settle()


def create_claim(api: FakeAPI, name: str) -> None:
    requests = [{"name": "r", "exactly": {"deviceClassName": "c"}}]
    create(api, "ResourceClaim", name, {"devices": {"requests": requests}})


def is_placed(api: FakeAPI, name: str) -> bool:
    return "nodeName" in api.get("Pod", name)["spec"]


def message(api: FakeAPI, name: str) -> str:
    conditions = api.get("Pod", name)["status"].get("conditions", ())
    return next((each.get("message", "") for each in conditions if each["type"] == "PodScheduled"), "")


def test_what_a_claim_takes_of_a_node_is_in_the_pods_status_and_not_there_for_others(api: FakeAPI) -> None:
    for name in ("a", "b", "c"):
        create_claim(api, name)
        create_pod(api, name, name)
    assert [is_placed(api, name) for name in ("a", "b", "c")] == [True, True, False]
    [status] = api.get("Pod", "a")["status"]["nodeAllocatableResourceClaimStatuses"]
    assert (status["resourceClaimName"], status["containers"]) == ("a", ["c"])
    taken = status.get("resources") or {each["name"]: each["quantity"] for each in status["mapping"]}
    assert taken == {"cpu": "3"}
    assert "0/1 nodes are available: 1 Insufficient cpu." in message(api, "c")
    api.delete("Pod", "a", options={"gracePeriodSeconds": 0})
    api.settle()
    assert is_placed(api, "c")


def test_a_claim_that_stands_for_cpus_is_not_shared(api: FakeAPI) -> None:
    create_claim(api, "x")
    create_pod(api, "first", "x")
    create_pod(api, "second", "x")
    assert (is_placed(api, "first"), is_placed(api, "second")) == (True, False)
    why = {
        "1.36": "node allocatable resource claim x is already used by another pod",
        "1.37": "node allocatable resource claim x has a mapped device and cannot be shared across pods",
    }[str(api.release)]
    assert why in message(api, "second")


def test_a_claim_that_no_container_uses_is_refused_in_1_36_alone(api: FakeAPI) -> None:
    create_claim(api, "x")
    create_pod(api, "pod", "x", uses_claim=False)
    assert is_placed(api, "pod") == (api.release == "1.37")
    why = "claim x: node-allocatable resource claim not referenced by any container within the pod"
    assert (why in message(api, "pod")) == (api.release == "1.36")


def test_without_the_gate_nothing_is_accounted_for() -> None:
    with FakeAPI(release="1.37", controllers="scheduler") as api:
        created = {"driver": "d", "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1}}
        devices = [{"name": "x", **takes_cpus("1.37", "3")}]
        create(api, "ResourceSlice", "s", {**created, "nodeName": "n", "devices": devices})
        assert "nodeAllocatableResources" not in api.get("ResourceSlice", "s")["spec"]["devices"][0]
