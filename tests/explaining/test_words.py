"""Explanations name every reason, the object to change and the field."""

from collections.abc import Iterator

import pytest
from click.testing import CliRunner

from fakeapi import FakeAPI
from fakeapi.cli.main import main
from fakeapi.explaining.similar import nearest
from fakeapi.explaining.text import text_of
from tests.explaining.manifests import DRIVER, claim, device, device_class, node, pod, request, resource_slice
from tests.explaining.situations import cluster, train, use

NIC = "nic.example.com"


@pytest.fixture(scope="module")
def server() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.34", controllers="scheduler,resourceclaim") as api:
        yield api


@pytest.fixture
def api(server: FakeAPI) -> FakeAPI:
    server.reset()
    return server


def _cpu(amount: str) -> list[dict[str, object]]:
    return [{"name": "main", "image": "i", "resources": {"requests": {"cpu": amount}}}]


def test_a_node_selector_and_a_class_without_devices_are_two_reasons(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), nodes="ab")
    device_class(api, NIC, f'device.driver == "{NIC}"')
    claim(api, "nic", request(class_name=NIC))
    pod(api, "train", "nic", nodeSelector={"zone": "west"})
    why = api.explain("pod", "train")
    assert why.summary == "no node matches nodeSelector zone=west (2 nodes)"
    assert [one.code for one in why.reasons] == ["NodeSelector", "ClassSelectorDoesNotMatch"]
    lacks = f"node a lacks devices: request gpu: no device of class {NIC}"
    assert f"not enough by itself: {lacks}" in why.text
    assert "not enough by itself: no match for nodeSelector zone=west" in why.text


def test_a_pod_larger_than_each_node_needs_a_larger_node(api: FakeAPI) -> None:
    node(api, "a", cpu="4")
    pod(api, "train", containers=_cpu("6"))
    text = api.explain("pod", "train").text
    assert "To change it: delete the pod and create it again with a request of at most 4 cpu\n" in text
    assert "or: add a node with at least 6 cpu\n" in text
    assert "not enough" not in text


def test_a_smaller_request_comes_before_the_deletion_of_a_pod_with_a_node(api: FakeAPI) -> None:
    node(api, "a", cpu="8")
    pod(api, "other", containers=_cpu("4"))
    api.settle()
    pod(api, "train", containers=_cpu("6"))
    why = api.explain("pod", "train")
    less, room = why.reasons[0].changes
    assert less.text == "delete the pod and create it again with a request of at most 4 cpu"
    assert (less.action, less.value, less.sufficient, less.harm) == ("edit", "4", True, "")
    assert (room.text, room.action, room.sufficient) == ("delete pod default/other", "delete", True)
    assert (room.path, room.harm) == ("", "the pod is on node a")
    assert "or: delete pod default/other (disruptive: the pod is on node a)\n" in why.text


def test_the_change_for_a_driver_without_slices_starts_the_driver(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), device("gpu-1"))
    resource_slice(api, "a", [device("link-0")], driver="link.example.com")
    device_class(api, NIC, f'device.driver == "{NIC}"')
    train(api, request(class_name=NIC))
    why = api.explain("pod", "train")
    start, correct, other = why.reasons[0].changes
    assert start.text == f"start driver {NIC} so that it publishes its devices"
    place = "spec.selectors[0].cel.expression of class nic.example.com"
    assert correct.text == f"correct the driver {NIC} in {place}, if the name is wrong"
    assert other.text.endswith("another class in spec.devices.requests[0].exactly.deviceClassName")
    values = f'3 devices: `device.driver` is "{DRIVER}" (2), "link.example.com" (1), wanted == "{NIC}"'
    assert values in why.reasons[0].details


def test_a_driver_with_a_similar_name_is_tried_in_the_class(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    device_class(api, "gpus", 'device.driver == "gpus.example.com"')
    train(api, request(class_name="gpus"))
    changes = api.explain("pod", "train").reasons[0].changes
    place = "spec.selectors[0].cel.expression of class gpus"
    assert changes[0].text == f"write {DRIVER} instead of gpus.example.com in {place}"
    assert changes[0].sufficient


@pytest.mark.parametrize("expression", [f'device.driver == "{DRIVER}"', f'device.driver in ["{DRIVER}"]'])
def test_a_class_that_selects_only_by_its_driver_is_not_to_be_changed(api: FakeAPI, expression: str) -> None:
    cluster(api, device("gpu-0"))
    resource_slice(api, "a", [device("nic-0")], driver=NIC)
    device_class(api, "own", expression)
    use(api, "other")
    train(api, request(class_name="own"))
    why = api.explain("pod", "train")
    assert "class own" not in " ".join(one.text for one in why.reasons[0].changes)
    assert not any(NIC in line for line in why.reasons[0].details)


def test_a_selector_is_relaxed_only_for_devices_of_its_driver(api: FakeAPI) -> None:
    cluster(api)
    resource_slice(api, "a", [device("nic-0")], driver=NIC)
    resource_slice(api, "a", [device("gpu-0")], name="gpus", pool={"name": "gpus"})
    device_class(
        api,
        "big",
        f'device.driver == "{DRIVER}" && device.capacity["{DRIVER}"].memory.isGreaterThan(quantity("40Gi"))',
    )
    train(api, request(class_name="big", count=2))
    assert not any(
        one.sufficient and "class big" in one.text for one in api.explain("pod", "train").reasons[0].changes
    )


def test_nodes_with_other_hardware_are_one_line_beside_the_node_that_has_the_devices(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), nodes="abc")
    resource_slice(api, "b", [device("nic-0")], driver=NIC)
    api.patch("Node", "a", {"spec": {"unschedulable": True}})
    train(api)
    why = api.explain("pod", "train")
    assert why.summary == "node a has the devices, but is refused: cordoned (spec.unschedulable)"
    second = why.reasons[1]
    text = f"2 nodes pass the other filters, but have no device of class {DRIVER}"
    assert (second.code, second.text) == ("NoDevicesOfClass", text)
    assert (second.nodes, second.details) == (["b", "c"], [])
    (change,) = second.changes
    assert change.text == f"add 1 device like {DRIVER}/a/gpu-0 on node b"
    assert (change.action, change.count, change.node, change.sufficient) == ("add", 1, "b", True)
    assert (change.driver, change.like) == (DRIVER, f"{DRIVER}/a/gpu-0")


def test_devices_of_a_node_that_other_filters_exclude_are_named(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), nodes="ab")
    resource_slice(api, "b", [device("nic-0")], driver=NIC)
    use(api, "other")
    api.patch("Node", "a", {"spec": {"unschedulable": True}})
    train(api)
    why = api.explain("pod", "train")
    assert why.summary == "node a is cordoned (spec.unschedulable)"
    assert (
        why.reasons[0].changes[0].needs == "node a lacks devices: request gpu: needs 1, 0 free of 1: 1 in use"
    )
    lead = "node b passes the other filters, but has"
    assert why.reasons[1].text == f"{lead} no device of class {DRIVER}"


def test_a_wrong_domain_is_read_elsewhere_even_if_devices_are_in_use(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    use(api, "other")
    device_class(api, "fast", 'device.driver != ""', 'device.attributes["example.com"].model == "a100"')
    train(api, request(class_name="fast"))
    why = api.explain("pod", "train")
    assert (
        why.summary
        == "selectors[1] of class fast reads model in example.com; devices have it in gpu.example.com"
    )
    place = "in spec.selectors[1].cel.expression of class fast"
    (change,) = [one for one in why.reasons[0].changes if "instead" in one.text]
    assert change.text == f'read device.attributes["{DRIVER}"].model instead, {place}'
    assert f'the device has it as `device.attributes["{DRIVER}"].model`: "a100"' in why.text


def test_a_capacity_read_as_an_attribute_stays_a_comparison_of_quantities(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    memory = f'device.attributes["{DRIVER}"].memory.compareTo(quantity("8Gi")) >= 0'
    train(api, request("gpu", memory))
    text = api.explain("pod", "train").text
    assert 'it is a quantity, so compareTo(quantity("8Gi")) stays' in text
    assert "another type" not in text


def test_a_claim_of_another_namespace_has_several_remedies(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}})
    claim(api, "gpu", namespace="team")
    pod(api, "train", "gpu")
    claim(api, "gpt")
    move, create = api.explain("pod", "train").reasons[0].changes
    assert move.text == "delete the pod and create it again in namespace team"
    assert (move.action, move.path, move.value) == ("edit", "metadata.namespace", "team")
    assert move.sufficient
    assert create.text == "create ResourceClaim default/gpu"
    assert api.explain("claim", "gpu").details == ["did you mean team/gpu?"]


def test_a_missing_template_names_the_field_and_an_existing_template(api: FakeAPI) -> None:
    api.create(
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaimTemplate",
            "metadata": {"name": "gpus", "namespace": "default"},
            "spec": {"spec": {"devices": {"requests": [request()]}}},
        }
    )
    pod(api, "train", resourceClaims=[{"name": "gpu", "resourceClaimTemplateName": "gpu"}])
    reason = api.explain("pod", "train").reasons[0]
    assert reason.path == "spec.resourceClaims[0].resourceClaimTemplateName"
    create, rename = reason.changes
    assert create.text == "create ResourceClaimTemplate default/gpu"
    assert rename.text.endswith(f"gpus instead of gpu in {reason.path}")
    assert (rename.value, rename.sufficient, rename.needs) == ("gpus", False, "the cluster has no nodes")


def test_a_constraint_and_devices_in_use_are_changed_together(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), device("gpu-1"))
    use(api, "other")
    train(api, request(count=2), constraints=[{"matchAttribute": f"{DRIVER}/rack"}])
    change = api.explain("pod", "train").reasons[0].changes[0]
    assert (change.action, change.sufficient) == ("all", True)
    assert change.text.startswith("delete pod default/other-user, and delete claim default/gpu")
    assert change.text.endswith("again with no spec.devices.constraints")


def test_the_short_form_names_the_pods_that_use_devices_of_other_nodes(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), nodes="ab")
    use(api, "other")
    resource_slice(api, "b", [device("gpu-0")])
    train(api, request(count=2))
    why = api.explain("pod", "train")
    assert why.summary == "request gpu needs 2 devices on one node; no node has more than 1 (1 free on b)"
    assert "node a: 1 device in use by claim default/other (pod other-user)" in why.text
    counts = "1 matches class gpu.example.com, 1 matches the request's selectors, 1 is free"
    assert f"node b publishes 1 device; {counts}" in why.text
    assert "delete claim default/gpu and create it again with 1 instead of 2 in spec" in why.text


def test_requests_for_extended_resources_are_changed_in_the_pod() -> None:
    gpu = {"requests": {"example.com/gpu": "1"}, "limits": {"example.com/gpu": "1"}}
    containers = [{"name": name, "image": "i", "resources": gpu} for name in ("main", "side")]
    with FakeAPI(release="1.36", controllers="scheduler", feature_gates="DRAExtendedResource=true") as api:
        node(api, "a")
        device_class(api, DRIVER, extendedResourceName="example.com/gpu")
        resource_slice(api, "a", [device("gpu-0")])
        pod(api, "train", containers=containers)
        reason = api.explain("pod", "train").reasons[0]
    assert reason.code == "RequestsCompete"
    assert reason.details == [
        "request container-0-request-0 needs 1; usable: gpu-0",
        "request container-1-request-0 needs 1; usable: gpu-0",
    ]
    fewer, more = reason.changes
    assert more.text == f"add 1 device like gpu-0 of {DRIVER} on node a"
    again = "delete the pod and create it again so that its claim for extended resources has no"
    assert fewer.text == f"{again} spec.devices.requests[0]"


def test_an_allocated_claim_without_devices_offers_to_check_the_driver(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    use(api, "other")
    api.delete("ResourceSlice", f"a-{DRIVER}")
    text = api.explain("claim", "other").text
    assert f"To change it: check that the pod of driver {DRIVER} runs on node a" in text
    assert text.count("is not published any more") == 1


def test_a_misspelled_kind_says_which_kind_was_probably_meant(api: FakeAPI) -> None:
    with pytest.raises(ValueError, match=r"did you mean taintrule\?"):
        api.explain("tantrule", "recall")


@pytest.mark.parametrize("kind", ["class", "deviceclass", "deviceclasses"])
def test_kinds_have_short_names(api: FakeAPI, kind: str) -> None:
    device_class(api)
    assert api.explain(kind, DRIVER).verdict == "present"


@pytest.mark.parametrize("arguments", [["--all"], ["pod", "--all"], ["lease", "train"]])
def test_mistakes_on_the_command_line_name_the_kinds(arguments: list[str]) -> None:
    result = CliRunner().invoke(main, ["explain", *arguments])
    assert result.exit_code == 2
    assert "the kinds are pod, claim, template, class, slice, node" in " ".join(result.output.split())


def test_each_subrequest_has_its_numbers_and_a_change(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), device("gpu-1"))
    resource_slice(api, "a", [device("nic-0"), device("nic-1"), device("nic-2")], driver=NIC)
    device_class(api, NIC, f'device.driver == "{NIC}"')
    use(api, "other")
    alternatives = [
        {"name": "big", "deviceClassName": DRIVER, "count": 4},
        {"name": "alt", "deviceClassName": NIC, "count": 4},
    ]
    train(api, {"name": "gpu", "firstAvailable": alternatives})
    why = api.explain("pod", "train")
    assert (
        why.summary == "request gpu: no subrequest fits: big needs 4, a has 1 free; alt needs 4, a has 3 free"
    )
    assert why.reasons[0].details == [
        "subrequest big: needs 4 devices on one node; no node has more than 2 (1 free on a)",
        "subrequest big: node a: 1 device in use by claim default/other (pod other-user)",
        "subrequest alt: needs 4 devices on one node; no node has more than 3 (3 free on a)",
    ]
    paths = [one.path for one in why.reasons[0].changes[:2]]
    assert paths == [f"spec.devices.requests[0].firstAvailable[{index}].count" for index in range(2)]
    assert "  1 more change: --all\n" in why.text


def test_the_class_that_was_probably_meant_is_tried(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    train(api, request(class_name="gpus.example.com"))
    reason = api.explain("pod", "train").reasons[0]
    rename, create = reason.changes
    path = "spec.devices.requests[0].exactly.deviceClassName"
    again = "delete claim default/gpu and create it again with"
    assert rename.text == f"{again} gpu.example.com instead of gpus.example.com in {path}"
    assert (rename.path, rename.value, rename.sufficient) == (path, DRIVER, True)
    assert create.text == (
        "create the DeviceClass gpus.example.com with selectors that match published devices"
    )


def test_a_missing_class_with_an_unknown_name_offers_the_existing_classes(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    device_class(api, "nic.example.org")
    train(api, request(class_name="tpu"))
    create, other = api.explain("pod", "train").reasons[0].changes
    assert create.text.startswith("create the DeviceClass tpu with selectors")
    assert f"another class instead of tpu ({DRIVER}, nic.example.org)" in other.text


def test_changes_of_a_claim_from_a_template_name_the_template_and_the_pod(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    api.create({
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "pair", "namespace": "default"},
        "spec": {"spec": {"devices": {"requests": [request(count=2)]}}},
    })  # fmt: skip
    pod(api, "train", resourceClaims=[{"name": "gpu", "resourceClaimTemplateName": "pair"}])
    api.settle()
    changes = api.explain("pod", "train").reasons[0].changes
    change = next(one for one in changes if one.path.endswith(".count"))
    assert change.text.startswith(
        "create template default/pair and pod default/train again with 1 instead of 2"
    )
    assert str(change.objects[-1]) == "template default/pair"


def test_the_claim_that_was_probably_meant_says_what_else_it_needs(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    use(api, "other")
    claim(api, "gpu-big")
    pod(api, "train", "gpu-bgi")
    change = api.explain("pod", "train").reasons[0].changes[-1]
    assert (change.value, change.sufficient) == ("gpu-big", False)
    assert change.needs == "request gpu needs 1 device; node a has 0 free of 1: 1 in use"


@pytest.mark.parametrize(
    ("name", "others", "expected"),
    [
        ("gpus.example.com", ["gpu.example.com", "nic.example.com"], "gpu.example.com"),
        ("vpu.example.com", ["gpu.example.com"], ""),
        ("gpu.exmaple.com", ["gpu.example.com"], "gpu.example.com"),
        ("train", [], ""),
        ("pool-claim", ["probe-claim"], ""),
        ("trian-claim", ["train-claim"], "train-claim"),
    ],
)
def test_names_are_similar_without_their_common_domain(name: str, others: list[str], expected: str) -> None:
    assert nearest(name, others) == expected


def test_a_scheduling_gate_names_its_writer_and_what_comes_after_it(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    claim(api, "gpu")
    pod(api, "train", "gpu", schedulingGates=[{"name": "quota.example.com/approved"}])
    reason = api.explain("pod", "train").reasons[0]
    owner = "a controller of quota.example.com usually removes it; this server runs no such controller"
    assert reason.details == [
        f"gate quota.example.com/approved: {owner}; field manager fakeapi wrote it",
        "no controller of this server removes it: remove it yourself, or run such a program",
        "without the gate, the pod fits on node a",
    ]
    (change,) = reason.changes
    assert change.sufficient
    api.patch("Pod", "train", {"spec": {"schedulingGates": None}})
    api.settle()
    assert api.get("Pod", "train")["spec"]["nodeName"] == "a"


def test_a_gated_pod_that_would_wait_anyway_says_why(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    use(api, "other")
    claim(api, "gpu")
    pod(api, "train", "gpu", schedulingGates=[{"name": "quota.example.com/approved"}])
    why = api.explain("pod", "train")
    assert [one.code for one in why.reasons] == ["SchedulingGated", "DevicesInUse"]
    (change,) = why.reasons[0].changes
    assert (change.sufficient, change.needs) == (False, why.reasons[1].text)


def test_a_placed_pod_names_its_devices_the_scores_and_the_other_nodes(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), nodes="abc")
    resource_slice(api, "b", [device("gpu-0")])
    node(api, "d", cpu="1")
    resource_slice(api, "d", [device("gpu-0")])
    pod(api, "other", containers=_cpu("4"), nodeName="b")
    claim(api, "gpu")
    pod(api, "train", "gpu", containers=_cpu("2"))
    api.settle()
    why = api.explain("pod", "train")
    assert why.details == ["phase Pending", "claim gpu: gpu.example.com/a/gpu-0"]
    chosen, second, *refused = why.nodes
    assert (chosen.name, sum(chosen.scores.values())) == ("a", chosen.score)
    fit = [one.scores["NodeResourcesFit"] for one in (chosen, second)]
    assert fit[0] > fit[1]
    assert [one.reason for one in refused] == [
        f"request gpu: no device of class {DRIVER}",
        "the pod requests 2 cpu, node d has 1 free of 1",
    ]
    (line,) = [one.strip() for one in why.text.splitlines() if "node a: feasible" in one]
    assert line.startswith(f"node a: feasible, score {chosen.score} = NodeResourcesFit {fit[0]} + ")
    assert line.endswith(" (chosen)")
    numbers = [int(one) for one in line.split(" = ")[1].split() if one.isdigit()]
    assert sum(numbers) == chosen.score
    assert why.notes == ["the nodes are judged as they are now, not as they were when the pod was scheduled"]
    assert "TaintToleration" not in why.text
    assert "TaintToleration 300" in text_of(why, everything=True)


def test_the_devices_of_other_drivers_on_a_node_do_not_count(api: FakeAPI) -> None:
    cluster(api, device("d-0"), device("d-1"))
    resource_slice(api, "a", [device("d-0"), device("d-1")], driver=NIC)
    train(api, request(count=3))
    (line,) = [one for one in api.explain("pod", "train").reasons[0].details if "publishes" in one]
    assert line.startswith(f"node a publishes 2 devices of driver {DRIVER}; 2 match class {DRIVER}, ")


def test_a_constraint_of_one_claim_is_not_a_conflict_of_claims(api: FakeAPI) -> None:
    cluster(api, nodes="ab")
    for name in "ab":
        resource_slice(api, name, [device("gpu-0", numa=0), device("gpu-1", numa=1)])
    train(api, request(count=2), constraints=[{"matchAttribute": f"{DRIVER}/numa"}])
    reasons = {one.reason for one in api.explain("pod", "train").nodes}
    choice = "no choice of them also satisfies the constraints of the claim"
    assert f"the request has enough devices, but {choice}" in reasons
    assert not any("the claims" in reason for reason in reasons)


def test_devices_of_two_drivers_have_the_names_of_their_drivers(api: FakeAPI) -> None:
    cluster(api)
    name = "example.com/numa"
    for number, driver in enumerate((DRIVER, NIC)):
        one = device("d-0", attributes={name: {"int": number}})
        resource_slice(api, "a", [one], driver=driver)
    device_class(api, "any", "true")
    train(api, request(class_name="any", count=2), constraints=[{"matchAttribute": name}])
    details = api.explain("pod", "train").reasons[0].details
    assert details[1:] == [f"{name} 0: {DRIVER}/a/d-0", f"{name} 1: {NIC}/a/d-0"]
