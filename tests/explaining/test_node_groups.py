"""Nodes with the same cause share one line, and the first line has the numbers of all of them."""

from fakeapi import FakeAPI
from tests.explaining.manifests import DRIVER, claim, device, node, pod, request, resource_slice
from tests.explaining.situations import cluster, train, use

NAMES = "abcde"


def test_nodes_without_a_label_share_a_line_and_a_change(api: FakeAPI) -> None:
    for name in NAMES:
        node(api, name)
    pod(api, "train", nodeSelector={"zone": "north"})
    reason = api.explain("pod", "train").reasons[0]
    assert reason.details == ["nodeSelector wants zone=north, nodes a, b, c and 2 more have no such label"]
    label = next(one for one in reason.changes if one.path == "metadata.labels")
    assert (label.text, label.node) == ("label one of these nodes zone=north, such as a", "a")
    assert label.sufficient


def test_many_values_of_a_label_share_a_line(api: FakeAPI) -> None:
    for name in NAMES:
        node(api, name)
        api.patch("Node", name, {"metadata": {"labels": {"zone": name}}})
    pod(api, "train", nodeSelector={"zone": "north"})
    reason = api.explain("pod", "train").reasons[0]
    assert reason.details == ["nodeSelector wants zone=north, 5 nodes have zone=a, zone=b, zone=c and 2 more"]


def test_the_first_line_about_cpu_has_the_request_and_the_most_free(api: FakeAPI) -> None:
    for name, cpu in zip(NAMES, "48642", strict=True):
        node(api, name, cpu=cpu)
    resources = {"requests": {"cpu": "200"}}
    pod(api, "train", containers=[{"name": "main", "image": "i", "resources": resources}])
    why = api.explain("pod", "train")
    assert why.summary == "5 nodes are refused: insufficient cpu (200 requested, at most 8 free)"
    assert why.reasons[0].details == [
        "the pod requests 200 cpu, 5 nodes have 4 free of 4, 8 free of 8, 6 free of 6 and 1 more"
    ]


def test_the_first_line_counts_the_devices_in_use_on_all_nodes(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), nodes="abc")
    resource_slice(api, "b", [device("gpu-0")])
    for name in ("one", "two"):
        use(api, name)
    train(api)
    why = api.explain("pod", "train")
    assert why.summary == "request gpu needs 1 device; nodes a, b have 0 free of 2: 2 in use"
    reason = why.reasons[0]
    assert {one.name.removesuffix("-user") for one in reason.blame} == {"one", "two"}
    assert any(line.startswith("node b: 1 device: in use by claim default/") for line in reason.details)


def test_no_node_has_more_free_devices_than_the_named_node(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), device("gpu-1"), nodes="ab")
    resource_slice(api, "b", [device("gpu-0"), device("gpu-1")])
    for name in ("one", "two"):
        claim(api, name)
        pod(api, f"{name}-user", name, nodeSelector={"kubernetes.io/hostname": "a" if name == "one" else "b"})
    api.settle()
    train(api, request(count=2))
    summary = "request gpu needs 2 devices; node a has 1 free of 2: 1 in use; no node has more"
    assert api.explain("pod", "train").summary == summary


def test_too_few_devices_have_a_line_for_each_number_and_one_smaller_count(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), device("gpu-1"), nodes=NAMES)
    for name in "bcd":
        resource_slice(api, name, [device("gpu-0"), device("gpu-1")])
    for name in "ab":
        claim(api, name)
        pod(api, f"{name}-user", name, nodeSelector={"kubernetes.io/hostname": name})
    api.settle()
    train(api, request(count=3))
    reason = api.explain("pod", "train").reasons[0]
    assert reason.code == "TooFewDevices"
    assert "2 devices, 2 of them free: nodes c, d" in reason.details
    assert "2 devices, 1 of them free: nodes a, b" in reason.details
    assert f"no device of class {DRIVER}: node e" in reason.details
    assert reason.blame == []
    counts = [one.count for one in reason.changes if one.path.endswith(".count")]
    assert counts == [2]
    assert [one.count for one in reason.changes if one.action == "add"] == [1]


def test_the_largest_count_that_some_node_has_is_offered_and_the_fewest_new_devices(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), device("gpu-1"), device("gpu-2"), nodes="abc")
    for name in "bc":
        resource_slice(api, name, [device("gpu-0"), device("gpu-1")])
    train(api, request(count=5))
    changes = api.explain("pod", "train").reasons[0].changes
    assert [(one.action, one.count, one.node) for one in changes] == [("edit", 3, "a"), ("add", 2, "a")]


def test_a_device_without_attributes_is_named_as_such(api: FakeAPI) -> None:
    cluster(api, {"name": "gpu-0"})
    speed = f'device.attributes["{DRIVER}"].speed == 400'
    train(api, request("gpu", speed))
    reason = api.explain("pod", "train").reasons[0]
    assert f"device {DRIVER}/a/gpu-0 has no attributes" in reason.details
    publish, drop = reason.changes
    assert publish.text == f"let driver {DRIVER} publish attribute speed for its devices"
    assert f"again with no requirement `{speed}` in spec." in drop.text
    assert drop.relaxes


def test_a_missing_template_has_the_names_of_the_existing_templates(api: FakeAPI) -> None:
    node(api, "a")
    for name in ("fpga", "nic"):
        template = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate"}
        devices = {"requests": [request()]}
        metadata = {"name": name, "namespace": "default"}
        api.create({**template, "metadata": metadata, "spec": {"spec": {"devices": devices}}})
    pod(api, "train", resourceClaims=[{"name": "gpu", "resourceClaimTemplateName": "does-not-exist"}])
    changes = api.explain("pod", "train").reasons[0].changes
    field = "spec.resourceClaims[0].resourceClaimTemplateName"
    again = "delete the pod and create it again with an existing template"
    assert changes[-1].text == f"{again} (fpga, nic) in {field}"


def test_a_shared_claim_on_a_cordoned_node_is_the_first_line(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), nodes="abc")
    claim(api, "shared")
    pod(api, "first", "shared")
    api.settle()
    api.patch("Node", "a", {"spec": {"unschedulable": True}})
    pod(api, "second", "shared")
    api.settle()
    why = api.explain("pod", "second")
    assert why.summary == (
        "claim default/shared is allocated on node a, which is cordoned (spec.unschedulable)"
    )
    assert why.reasons[0].changes[0].text == "uncordon node a"


def test_a_cordoned_node_counts_among_the_nodes_with_the_same_reason(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), nodes="ab")
    resource_slice(api, "b", [device("gpu-0")])
    node(api, "c")
    api.patch("Node", "a", {"spec": {"unschedulable": True}})
    claim(api, "gpu")
    pod(api, "train", "gpu", nodeSelector={"site": "harbour"})
    why = api.explain("pod", "train")
    assert why.summary == "2 nodes have the devices, but are refused: no match for nodeSelector site=harbour"
    assert (why.reasons[0].nodes, why.reasons[0].node_count) == (["a", "b"], 2)


def test_a_claim_without_devices_is_not_called_allocated_on_the_only_node(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    api.patch("Node", "a", {"spec": {"unschedulable": True}})
    train(api)
    api.settle()
    summary = api.explain("pod", "train").summary
    assert summary == "node a has the devices, but is refused: cordoned (spec.unschedulable)"
