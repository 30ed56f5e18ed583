"""The control API derives the states of devices and claims from slices, claims and pods."""

from typing import Any

import pytest

from fakeapi import FakeAPI
from fakeapi.clients.control import ControlClient
from fakeapi.clock.clocks import SystemClock
from fakeapi.controllers.activity import ERROR_LENGTH_MAX, Activity
from fakeapi.controllers.work import WorkQueue

GROUP = "resource.k8s.io/v1"
DRIVER = "gpu.example.com"


def new_slice(
    name: str, devices: list[dict[str, Any]], *, generation: int = 1, slices: int = 1
) -> dict[str, Any]:
    pool = {"name": "pool", "generation": generation, "resourceSliceCount": slices}
    spec = {"driver": DRIVER, "nodeName": "node", "pool": pool, "devices": devices}
    return {"apiVersion": GROUP, "kind": "ResourceSlice", "metadata": {"name": name}, "spec": spec}


def new_claim(name: str) -> dict[str, Any]:
    request = {"name": "a", "exactly": {"deviceClassName": "gpu"}}
    return {
        "apiVersion": GROUP,
        "kind": "ResourceClaim",
        "metadata": {"name": name},
        "spec": {"devices": {"requests": [request]}},
    }


def new_pod(name: str, claim: str) -> dict[str, Any]:
    spec = {
        "containers": [{"name": "a", "image": "a", "resources": {"claims": [{"name": "a"}]}}],
        "resourceClaims": [{"name": "a", "resourceClaimName": claim}],
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def allocate(
    api: FakeAPI, claim: dict[str, Any], device: str, *, pod: str = "", **more: Any
) -> dict[str, Any]:
    result = {"request": "a", "driver": DRIVER, "pool": "pool", "device": device, **more}
    status: dict[str, Any] = {"allocation": {"devices": {"results": [result]}}}
    if pod:
        status["reservedFor"] = [{"resource": "pods", "name": pod, "uid": "1"}]
    return api.update_status({**claim, "status": status})


def device_map(client: ControlClient) -> dict[str, dict[str, Any]]:
    """Returns the devices of the only pool by name."""
    (pool,) = (pool for node in client.get("/devices")["nodes"] for pool in node["pools"])
    return {device["name"]: device for device in pool["devices"]}


def claim_states(client: ControlClient) -> dict[str, str]:
    return {claim["name"]: claim["state"] for claim in client.get("/claims")["claims"]}


def test_a_claim_is_pending_allocated_reserved_and_prepared(api: FakeAPI, client: ControlClient) -> None:
    claim = api.create(new_claim("gpu"))
    pod = api.create(new_pod("train", "gpu"))
    assert claim_states(client) == {"gpu": "pending"}
    claim = allocate(api, claim, "gpu-0")
    assert claim_states(client) == {"gpu": "allocated"}
    allocate(api, claim, "gpu-0", pod="train")
    assert claim_states(client) == {"gpu": "reserved"}
    api.update_status({**pod, "status": {"phase": "Running"}})
    assert claim_states(client) == {"gpu": "prepared"}


def test_a_claim_of_the_same_name_and_version_is_read_again_after_a_reset(
    api: FakeAPI, client: ControlClient
) -> None:
    versions = []
    for name in ("gpu", "nic"):
        api.reset()
        claim = new_claim("a")
        claim["spec"]["devices"]["requests"][0]["exactly"]["deviceClassName"] = name
        versions.append(api.create(claim)["metadata"]["resourceVersion"])
        assert client.get("/claims")["claims"][0]["classes"] == [name]
    assert versions[0] == versions[1]


def test_a_claim_is_prepared_when_its_driver_writes_the_status_of_devices(
    api: FakeAPI, client: ControlClient
) -> None:
    claim = allocate(api, api.create(new_claim("gpu")), "gpu-0", pod="train")
    devices = [{"driver": DRIVER, "pool": "pool", "device": "gpu-0"}]
    api.update_status({**claim, "status": {**claim["status"], "devices": devices}})
    assert claim_states(client) == {"gpu": "prepared"}


def test_a_pending_claim_has_the_message_of_the_pod_that_waits(api: FakeAPI, client: ControlClient) -> None:
    api.create(new_claim("gpu"))
    pod = api.create(new_pod("train", "gpu"))
    reason = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/1 nodes"}
    api.update_status({**pod, "status": {"phase": "Pending", "conditions": [reason]}})
    answer = client.get("/claims")
    assert answer["claims"][0]["classes"] == ["gpu"]
    assert (answer["claims"][0]["reason"], answer["claims"][0]["pods"]) == ("0/1 nodes", ["train"])
    assert (answer["pods"][0]["message"], answer["pods"][0]["claims"]) == ("0/1 nodes", ["gpu"])
    assert (answer["states"], answer["pendingPods"]) == ({"pending": 1}, 1)


def test_a_claim_that_is_being_deleted_has_its_finalizers_as_reason(
    api: FakeAPI, client: ControlClient
) -> None:
    for name in ("a", "gone"):
        claim = new_claim(name)
        finalizers = ["example.com/keep"] if name == "gone" else []
        api.create({**claim, "metadata": {**claim["metadata"], "finalizers": finalizers}})
    allocate(api, api.get("ResourceClaim", "a"), "gpu-0")
    api.delete("ResourceClaim", "gone")
    assert claim_states(client) == {"gone": "deleting", "a": "allocated"}
    first = client.get("/claims", search="example.com/keep")["claims"][0]
    assert (first["name"], first["reason"]) == ("gone", "waits for finalizer example.com/keep")


def test_claims_are_filtered_and_come_in_pages_with_pending_ones_first(
    api: FakeAPI, client: ControlClient
) -> None:
    for name in "abc":
        api.create(new_claim(name))
    allocate(api, api.get("ResourceClaim", "a"), "gpu-0")
    assert [*claim_states(client)] == ["b", "c", "a"]
    page = client.get("/claims", skip=1, limit=1)
    assert ([each["name"] for each in page["claims"]], page["total"]) == (["c"], 3)
    assert [each["name"] for each in client.get("/claims", search="GPU-0")["claims"]] == ["a"]
    of_class = client.get("/claims", search="gpu")["claims"]
    assert [(each["name"], each["classes"]) for each in of_class] == [(name, ["gpu"]) for name in "bca"]
    assert [
        each["name"] for each in client.get("/claims", state="pending", search="default/c")["claims"]
    ] == ["c"]
    assert client.get("/claims", namespace="other")["claims"] == []


@pytest.mark.parametrize("query", ["state=nonsense", "limit=0", "limit=1001", "skip=-1"])
def test_a_wrong_query_for_claims_is_refused(client: ControlClient, query: str) -> None:
    with pytest.raises(Exception, match=r"is not one of|must be from 1 to 1000"):
        client.get(f"/claims?{query}")


def test_a_device_has_the_claim_and_the_pod_that_use_it(api: FakeAPI, client: ControlClient) -> None:
    attributes = {"productName": {"string": "H100"}}
    api.create(new_slice("s", [{"name": "gpu-0", "attributes": attributes}, {"name": "gpu-1"}]))
    allocate(api, api.create(new_claim("gpu")), "gpu-0", pod="train")
    devices = device_map(client)
    user = {"namespace": "default", "name": "gpu", "state": "reserved", "pods": ["train"]}
    assert devices["gpu-0"] == {"name": "gpu-0", "state": "reserved", "product": "H100", "users": [user]}
    assert devices["gpu-1"] == {"name": "gpu-1"}
    (driver,) = client.get("/devices")["drivers"]
    assert (driver["driver"], driver["devices"], driver["free"], driver["reserved"]) == (DRIVER, 2, 1, 1)


def test_admin_access_does_not_use_a_device_up(api: FakeAPI, client: ControlClient) -> None:
    api.create(new_slice("s", [{"name": "gpu-0"}]))
    labels = {"resource.kubernetes.io/admin-access": "true"}
    api.patch("Namespace", "default", {"metadata": {"labels": labels}})
    allocate(api, api.create(new_claim("gpu")), "gpu-0", adminAccess=True)
    assert "state" not in device_map(client)["gpu-0"]
    assert device_map(client)["gpu-0"]["users"][0]["admin"] is True


def test_taints_of_slices_and_of_rules_are_on_the_device(api: FakeAPI, client: ControlClient) -> None:
    taint = {"key": "a", "value": "b", "effect": "NoSchedule"}
    api.create(new_slice("s", [{"name": "gpu-0", "taints": [taint]}, {"name": "gpu-1"}]))
    rule = {
        "deviceSelector": {"driver": DRIVER, "device": "gpu-1"},
        "taint": {"key": "c", "effect": "NoExecute"},
    }
    version = next(
        each["version"]
        for each in client.get("/kinds", served="true")
        if each["resource"] == "devicetaintrules"
    )
    api.create(
        {
            "apiVersion": f"resource.k8s.io/{version}",
            "kind": "DeviceTaintRule",
            "metadata": {"name": "r"},
            "spec": rule,
        }
    )
    devices = device_map(client)
    assert (devices["gpu-0"]["taints"], devices["gpu-1"]["taints"]) == (["a=b:NoSchedule"], ["c:NoExecute"])
    (driver,) = client.get("/devices")["drivers"]
    assert (driver["devices"], driver["free"], driver["tainted"]) == (2, 0, 2)


def test_a_device_is_unhealthy_if_the_status_of_a_pod_says_so(api: FakeAPI, client: ControlClient) -> None:
    api.create(new_slice("s", [{"name": "gpu-0"}]))
    pod = api.create(new_pod("train", "gpu"))
    health = [{"resourceID": f"{DRIVER}/pool/gpu-0", "health": "Unhealthy"}]
    container = {
        "name": "a",
        "image": "a",
        "imageID": "",
        "ready": False,
        "restartCount": 0,
        "allocatedResourcesStatus": [{"name": "claim:a", "resources": health}],
    }
    api.update_status({**pod, "status": {"phase": "Running", "containerStatuses": [container]}})
    assert device_map(client)["gpu-0"]["unhealthy"] is True


def test_counters_have_the_sum_of_the_allocated_partitions(api: FakeAPI, client: ControlClient) -> None:
    part = {"counterSet": "gpu", "counters": {"memory": {"value": "10Gi"}}}
    counters = new_slice("counters", [], slices=2)
    del counters["spec"]["devices"]
    counters["spec"]["sharedCounters"] = [{"name": "gpu", "counters": {"memory": {"value": "40Gi"}}}]
    api.create(counters)
    api.create(
        new_slice("s", [{"name": f"part-{n}", "consumesCounters": [part]} for n in range(3)], slices=2)
    )
    allocate(api, api.create(new_claim("gpu")), "part-1")
    (pool,) = client.get("/devices")["nodes"][0]["pools"]
    assert pool["counters"] == [
        {"set": "gpu", "name": "memory", "used": "10Gi", "total": "40Gi", "fraction": 0.25}
    ]
    assert pool["devices"][0]["consumes"] == ["gpu/memory=10Gi"]


def test_a_shared_device_has_the_part_of_its_capacity_that_is_used(
    api: FakeAPI, client: ControlClient
) -> None:
    capacity = {"bandwidth": {"value": "100G"}}
    api.create(new_slice("s", [{"name": "gpu-0", "allowMultipleAllocations": True, "capacity": capacity}]))
    share: dict[str, Any] = {
        "shareID": "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
        "consumedCapacity": {"bandwidth": "25G"},
    }
    allocate(api, api.create(new_claim("gpu")), "gpu-0", **share)
    assert device_map(client)["gpu-0"]["shared"] == 0.25


def test_a_shared_device_counts_in_each_state_of_its_claims(api: FakeAPI, client: ControlClient) -> None:
    api.create(new_slice("s", [{"name": "nic-0", "allowMultipleAllocations": True}, {"name": "nic-1"}]))
    for name, pod in (("one", "train"), ("two", "")):
        share = {"shareID": f"6ba7b810-9dad-11d1-80b4-00c04fd430{len(pod):02}"}
        allocate(api, api.create(new_claim(name)), "nic-0", pod=pod, **share)
    device = device_map(client)["nic-0"]
    assert (device["state"], device["states"]) == ("reserved", ["reserved", "allocated"])
    (driver,) = client.get("/devices")["drivers"]
    names = ("devices", "free", "inUse", "allocated", "reserved", "prepared")
    assert [driver[name] for name in names] == [2, 1, 1, 1, 1, 0]


def test_many_claims_with_the_same_cause_are_folded(api: FakeAPI, client: ControlClient) -> None:
    for number in range(7):
        api.create(new_claim(f"many-{number}"))
    allocate(api, api.create(new_claim("used")), "gpu-0")
    answer = client.get("/claims", fold="true")
    assert [each["name"] for each in answer["claims"]] == ["many-0", "used"]
    ((cause, number),) = answer["folded"].items()
    assert (number, answer["total"], answer["rows"]) == (7, 8, 2)
    assert len(client.get("/claims", cause=cause)["claims"]) == 7
    assert client.get("/claims")["folded"] == {}


def test_only_the_newest_generation_of_a_pool_counts(api: FakeAPI, client: ControlClient) -> None:
    api.create(new_slice("old", [{"name": "old"}]))
    api.create(new_slice("new", [{"name": "new"}], generation=2, slices=2))
    (node,) = client.get("/devices")["nodes"]
    (pool,) = node["pools"]
    assert ([each["name"] for each in pool["devices"]], pool["complete"]) == (["new"], False)
    assert (node["name"], node["exists"]) == ("node", False)


def test_devices_are_sent_again_only_after_a_change(api: FakeAPI, client: ControlClient) -> None:
    api.create(new_slice("s", [{"name": "gpu-0"}]))
    first = client.get("/devices")
    same = client.get("/devices", unless=first["resourceVersion"])
    assert (same["changed"], same["nodes"]) == (False, [])
    api.create_namespace("other")
    assert client.get("/devices", unless=first["resourceVersion"])["changed"] is True


@pytest.mark.parametrize("release", ["1.30", "1.31", "1.32", "1.34", None])
def test_devices_and_claims_can_be_read_in_every_release(release: str | None) -> None:
    with FakeAPI(release=release) as api, ControlClient(api.url) as client:
        assert client.get("/devices")["nodes"] == []
        assert client.get("/claims")["claims"] == []


def test_devices_of_v1beta1_have_their_fields_below_basic() -> None:
    with FakeAPI(release="1.32") as api, ControlClient(api.url) as client:
        device = {"name": "gpu-0", "basic": {"attributes": {"model": {"string": "A100"}}}}
        api.create({**new_slice("s", [device]), "apiVersion": "resource.k8s.io/v1beta1"})
        assert device_map(client)["gpu-0"]["product"] == "A100"


def test_controllers_report_their_reconciled_objects() -> None:
    with FakeAPI(controllers="resourceclaim,garbagecollector") as api, ControlClient(api.url) as client:
        api.create(new_pod("train", "gpu"))
        api.settle()
        controllers = {each["name"]: each for each in client.get("/controllers")["controllers"]}
        assert {*controllers} == {"resourceclaim", "garbagecollector"}
        assert controllers["resourceclaim"]["reconciled"] > 0
        assert (controllers["resourceclaim"]["waiting"], controllers["resourceclaim"]["lastError"]) == (0, "")


def test_a_controller_shows_its_last_error() -> None:
    with FakeAPI(controllers="resourceclaim") as api, ControlClient(api.url) as client:
        template = {
            **new_claim("t"),
            "kind": "ResourceClaimTemplate",
            "spec": {"spec": new_claim("t")["spec"]},
        }
        api.faults.internal_error("create resourceclaims")
        api.create(template)
        pod = new_pod("train", "gpu")
        pod["spec"]["resourceClaims"] = [{"name": "a", "resourceClaimTemplateName": "t"}]
        api.create(pod)
        api.settle()
        (controller,) = client.get("/controllers")["controllers"]
        assert controller["failed"] > 0
        assert "etcdserver: request timed out" in controller["lastError"]


def test_a_server_without_controllers_has_none(client: ControlClient) -> None:
    assert client.get("/controllers") == {"controllers": []}


def test_a_long_error_of_a_controller_is_cut() -> None:
    activity = Activity()
    activity.fail(("scheduler", "default/train"), "x" * 10_000)
    queue = WorkQueue(SystemClock(), lambda: None)
    (report,) = activity.reports(["scheduler"], queue, None)
    assert len(report.last_error) <= ERROR_LENGTH_MAX
    assert (report.failed, report.reconciled) == (1, 0)


def test_a_taint_of_a_device_names_its_rule() -> None:
    with FakeAPI(release="1.37") as api, ControlClient(api.url) as client:
        own = {"key": "own", "effect": "NoExecute"}
        capacity = {"memory": {"value": "80Gi"}}
        attributes = {"index": {"int": 1}, "model": {"string": "A100"}}
        device = {"name": "gpu-0", "taints": [own], "capacity": capacity, "attributes": attributes}
        api.create(new_slice("slice", [device]))
        spec = {"deviceSelector": {"driver": DRIVER}, "taint": {"key": "recall", "effect": "NoSchedule"}}
        rule = {"apiVersion": "resource.k8s.io/v1beta2", "kind": "DeviceTaintRule", "spec": spec}
        api.create({**rule, "metadata": {"name": "rule"}})
        answer = client.get(f"/device-pool?driver={DRIVER}&pool=pool")
        assert answer["devices"] == [
            {
                "name": "gpu-0",
                "attributes": {"index": "1", "model": "A100"},
                "capacity": {"memory": "80Gi"},
                "taints": [
                    {"text": "own:NoExecute", "rule": ""},
                    {"text": "recall:NoSchedule", "rule": "rule"},
                ],
            }
        ]
        assert client.get(f"/device-pool?driver={DRIVER}&pool=other")["devices"] == []
