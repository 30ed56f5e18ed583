"""Explanations name causes, places and amounts for readers who do not know DRA."""

import re
from collections.abc import Iterator

import pytest

from fakeapi import FakeAPI
from fakeapi.explaining.kubelet_facts import fitting_error
from fakeapi.explaining.selector_text import SUMMARY_LENGTH
from fakeapi.explaining.text import text_of
from tests.explaining.manifests import (
    DRIVER,
    claim,
    device,
    device_class,
    node,
    pod,
    request,
    resource_slice,
    selector,
)
from tests.explaining.situations import ALL_GATES, cluster, train, use

NIC = "nic.example.com"


@pytest.fixture(scope="module")
def server() -> Iterator[FakeAPI]:
    controllers = "scheduler,resourceclaim,resourcequota"
    with FakeAPI(release="1.36", controllers=controllers, feature_gates=ALL_GATES) as api:
        yield api


@pytest.fixture
def api(server: FakeAPI) -> FakeAPI:
    server.reset()
    return server


def test_a_cluster_without_nodes_and_without_a_scheduler_names_both_with_their_changes() -> None:
    with FakeAPI(release="1.36") as api:
        api.create(api.objects.pod("train"))
        explanation = api.explain("Pod", "train")
    assert [reason.code for reason in explanation.reasons] == ["NoNodes", "SchedulerNotRunning"]
    text = text_of(explanation)
    assert "start the server with --nodes" in text
    assert 'controllers="all" in a test' in text


def test_the_score_of_equal_nodes_has_no_parts(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), nodes="ab")
    resource_slice(api, "b", [device("gpu-0")])
    train(api)
    api.settle()
    lines = [line.strip() for line in api.explain("Pod", "train").text.splitlines() if ": feasible" in line]
    assert len(lines) == 2
    assert all(re.fullmatch(r"node [ab]: feasible, score \d+(?: \(chosen\))?", line) for line in lines), lines


def test_only_one_line_says_that_no_pod_uses_a_claim(api: FakeAPI) -> None:
    node(api, "a")
    claim(api, "gpu")
    text = api.explain("ResourceClaim", "gpu").text
    assert "which does not exist" in text
    assert text.count("no pod uses") == 1
    assert "a pod that uses the claim would wait for the first of these reasons" in text


def _from_template(api: FakeAPI, name: str) -> None:
    pod(api, name, resourceClaims=[{"name": "gpu", "resourceClaimTemplateName": "gpu"}])
    api.settle()


def _allow_devices(api: FakeAPI, number: int) -> str:
    """Creates a quota for devices, and a template of a claim. Returns the name of the quota's resource."""
    resource = f"{DRIVER}.deviceclass.resource.k8s.io/devices"
    api.create({
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "few", "namespace": "default"},
        "spec": {"hard": {resource: str(number)}},
    })  # fmt: skip
    api.settle()
    api.create({
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "gpu", "namespace": "default"},
        "spec": {"spec": {"devices": {"requests": [request()]}}},
    })  # fmt: skip
    return resource


def test_a_quota_that_refuses_a_claim_has_its_numbers_and_users(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), device("gpu-1"))
    resource = _allow_devices(api, 1)
    _from_template(api, "first")
    _from_template(api, "train")
    why = api.explain("pod", "train")
    reason = why.reasons[0]
    assert (reason.code, why.summary) == (
        "QuotaExceeded",
        "ResourceQuota default/few allows 1 devices, and 1 are used",
    )
    assert (str(reason.object), reason.path) == ("ResourceQuota default/few", f"spec.hard[{resource}]")
    assert f"{resource}: 1 allowed, 1 used, 1 requested" in reason.details
    raised, deleted = reason.changes
    assert raised.text == f"raise spec.hard[{resource}] of ResourceQuota default/few to 2 (now 1)"
    assert (raised.value, deleted.text) == ("2", "delete pod default/first")


def _fail_often(api: FakeAPI) -> None:
    """Lets a controller fail until its back-off is longer than a minute."""
    for _ in range(14):
        api.clock.advance(60)
        api.settle()


def test_a_raised_quota_is_read_as_it_is_now(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), device("gpu-1"))
    resource = _allow_devices(api, 1)
    _from_template(api, "first")
    _from_template(api, "train")
    _fail_often(api)
    api.patch("ResourceQuota", "few", {"spec": {"hard": {resource: "2"}}})
    api.settle()
    why = api.explain("pod", "train")
    reason = why.reasons[0]
    assert reason.code == "QuotaAllowsNow"
    assert re.fullmatch(
        r"ResourceQuota default/few allows it now \(2, 1 used\); the next try is in about \d+ s", why.summary
    )
    assert any(
        re.fullmatch(r"the controller resourceclaim tries again after its back-off, in about \d+ s", detail)
        for detail in reason.details
    )
    assert [(change.action, change.text.partition(" ")[0]) for change in reason.changes] == [
        ("wait", "wait"),
        ("wait", "move"),
        ("delete", "delete"),
    ]
    seconds = float(reason.changes[1].text.rstrip("`").rpartition(" ")[2])
    api.clock.advance(seconds)
    api.settle()
    assert api.explain("pod", "train").verdict == "placed"


def test_a_deleted_quota_is_not_the_reason_any_more(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), device("gpu-1"))
    _allow_devices(api, 1)
    _from_template(api, "first")
    _from_template(api, "train")
    _fail_often(api)
    api.delete("ResourceQuota", "few")
    assert api.explain("pod", "train").summary.startswith("ResourceQuota default/few does not exist any more")


def test_a_quota_that_was_raised_too_little_has_its_present_limit(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), device("gpu-1"))
    resource = _allow_devices(api, 0)
    _from_template(api, "train")
    _fail_often(api)
    quota = {"hard": {resource: "1"}, "used": {resource: "1"}}
    api.patch("ResourceQuota", "few", {"spec": {"hard": quota["hard"]}, "status": quota})
    api.patch("ResourceQuota", "few", {"status": quota}, subresource="status")
    change = api.explain("pod", "train").reasons[0].changes[0]
    assert change.text == f"raise spec.hard[{resource}] of ResourceQuota default/few to 2 (now 1)"


def test_a_quota_counts_the_most_devices_that_a_request_for_all_devices_can_get(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    _allow_devices(api, 32)
    claim(api, "every", request(allocationMode="All"))
    _from_template(api, "train")
    reason = api.explain("pod", "train").reasons[0]
    assert "used by claim default/every (32)" in reason.details
    assert reason.changes[1].text == "delete claim default/every"


def test_an_incomplete_pool_names_the_old_slice_and_who_publishes_it(api: FakeAPI) -> None:
    cluster(api)
    resource_slice(api, "a", [device("gpu-0")], name="new", pool={"generation": 2, "resourceSliceCount": 2})
    resource_slice(api, "a", [device("gpu-1")], name="old", pool={"resourceSliceCount": 2})
    train(api)
    why = api.explain("pod", "train")
    reason = why.reasons[0]
    assert reason.text == f"request gpu: pool {DRIVER}/a is incomplete: 1 of 2 slices of generation 2"
    old = f"slice old is ignored: it has generation 1, and pool {DRIVER}/a has generation 2"
    assert old in reason.details
    (change,) = reason.changes
    which = f"let driver {DRIVER} publish slice old (now 1) of pool a with generation 2"
    assert change.text == f"{which}; if it does not, restart its pod on node a"
    lacks = f"no device of class {DRIVER} (pool {DRIVER}/a is incomplete)"
    assert why.nodes[0].reason == f"request gpu: {lacks}"
    facts = api.explain("class", DRIVER).details
    assert f"pool {DRIVER}/a is incomplete: 1 of 2 slices of generation 2" in facts
    assert old in facts


def test_an_incomplete_pool_of_another_driver_is_not_a_fact_about_the_request(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    resource_slice(api, "a", [device("nic-0")], driver=NIC, pool={"resourceSliceCount": 2})
    use(api, "other")
    train(api)
    assert NIC not in api.explain("pod", "train").text


def test_nodes_that_no_change_makes_suitable_are_one_line(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), nodes="abc")
    use(api, "other")
    for name in "bc":
        api.patch("Node", name, {"spec": {"taints": [{"key": "storage", "effect": "NoSchedule"}]}})
    train(api)
    why = api.explain("pod", "train")
    lead = "Also, but no change of these is enough by itself (--all):"
    assert f"{lead}\n  2 nodes are refused: tainted storage:NoSchedule\n" in why.text
    assert "not enough by itself" not in why.text
    assert "not enough by itself: node b lacks devices" in text_of(why, everything=True)


def test_a_node_says_that_it_is_cordoned_and_what_is_free(api: FakeAPI) -> None:
    node(api, "a")
    api.patch("Node", "a", {"metadata": {"labels": {"zone": "east"}}})
    resources = {"requests": {"cpu": "1500m", "memory": "2Gi"}}
    pod(api, "web", containers=[{"name": "main", "image": "i", "resources": resources}])
    api.settle()
    api.patch("Node", "a", {"spec": {"unschedulable": True}})
    facts = api.explain("node", "a").details
    assert "cordoned (spec.unschedulable): no new pods" in facts
    assert "labels: kubernetes.io/hostname=a, zone=east" in facts
    assert facts[-2:] == ["cpu: 6.5 free of 8", "memory: 30Gi free of 32Gi"]


def test_a_slice_shows_the_taints_of_each_device(api: FakeAPI) -> None:
    taint = {"key": "hot", "effect": "NoSchedule"}
    attributes = {f"attribute_{number}": {"string": "x" * 60} for number in range(5)}
    devices = [device(f"gpu-{number:02}", attributes=attributes) for number in range(24)]
    cluster(api, *devices, device("gpu-24", taints=[taint]))
    why = api.explain("slice", f"a-{DRIVER}")
    text = text_of(why, everything=True)
    assert "gpu-24: tainted hot:NoSchedule, model" in text
    assert "…" not in text
    assert text.count(f"{DRIVER}/a/gpu-") == 25
    assert "  8 more lines: --all\n" in why.text


def test_a_subrequest_says_what_it_wants(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), nodes="ab")
    device_class(api, NIC, f'device.driver == "{NIC}"')
    resource_slice(api, "b", [device("nic-0")], driver=NIC)
    only = selector(f'device.attributes["{DRIVER}"].model == "h100"')
    big = {"name": "big", "deviceClassName": DRIVER, "selectors": [only]}
    many = {"name": "many", "deviceClassName": NIC, "count": 4}
    train(api, {"name": "gpu", "firstAvailable": [big, many]})
    reason = api.explain("pod", "train").reasons[0]
    wanted = f'1 device: `device.attributes["{DRIVER}"].model` is "a100", wanted == "h100"'
    assert f"subrequest big: {wanted}" in reason.details
    assert (reason.nodes, reason.node_count) == (["a", "b"], 2)


def test_a_pod_that_waits_for_a_deleted_claim_stays(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    train(api, request(count=2))
    stays = "  Keep the pods that wait for the claim: they use the new claim of the same name.\n"
    assert stays in api.explain("pod", "train").text
    api.delete("ResourceClaim", "gpu")
    claim(api, "gpu")
    api.settle()
    assert api.get("Pod", "train")["spec"]["nodeName"] == "a"


def test_cpu_requests_of_other_pods_are_shown_in_one_unit(api: FakeAPI) -> None:
    node(api, "a")
    for name, cpu in (("batch", "6500m"), ("train", "4")):
        resources = {"requests": {"cpu": cpu}}
        pod(api, name, containers=[{"name": "main", "image": "i", "resources": resources}])
        api.settle()
    reason = api.explain("pod", "train").reasons[0]
    assert reason.text == "the pod requests 4 cpu, node a has 1.5 free of 8"
    assert reason.details == ["cpu requests on node a: pod default/batch 6.5"]
    assert reason.changes[0].text.endswith("with a request of at most 1.5 cpu")


def test_a_long_error_of_a_driver_keeps_its_end() -> None:
    path = "/sys/bus/pci/drivers/vfio-pci/bind"
    why = f"VF 0000:3b:02.0: bind to vfio-pci: open {path}: no such file or directory"
    text = fitting_error(f"driver sriov.example.com on ran-b2 cannot prepare it: {why}", why)
    assert text.endswith("no such file or directory")
    assert len(text) <= SUMMARY_LENGTH


def test_an_error_of_a_driver_that_fits_is_in_the_headline_once_and_whole() -> None:
    why = "bitstream v80-7 does not match the shell"
    text = fitting_error(f"driver fpga.example.com on rack3-10 cannot prepare it: {why}", why)
    assert text == f"the driver cannot prepare it: {why}"
