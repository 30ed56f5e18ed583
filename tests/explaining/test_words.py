"""Explanations name every reason, the object to change and the field."""

from collections.abc import Iterator

import pytest
from click.testing import CliRunner

from fakeapi import FakeAPI
from fakeapi.cli.main import main
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
    assert "not enough by itself: the node lacks devices for the claims" in why.text
    assert "not enough by itself: no match for nodeSelector zone=west" in why.text


def test_a_pod_larger_than_each_node_needs_a_larger_node(api: FakeAPI) -> None:
    node(api, "a", cpu="4")
    pod(api, "train", containers=_cpu("6"))
    text = api.explain("pod", "train").text
    assert "add a node with at least 6 cpu, or delete the pod and create it again" in text
    assert "end pods" not in text
    assert "not enough" not in text


def test_the_change_ends_pods_on_a_node_that_is_large_enough(api: FakeAPI) -> None:
    node(api, "a", cpu="8")
    pod(api, "other", containers=_cpu("4"))
    api.settle()
    pod(api, "train", containers=_cpu("6"))
    change = api.explain("pod", "train").reasons[0].changes[0]
    assert change.text.startswith("end pods on node a, or ")
    assert change.sufficient


def test_the_change_for_a_driver_without_slices_starts_the_driver(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), device("gpu-1"))
    resource_slice(api, "a", [device("link-0")], driver="link.example.com")
    device_class(api, NIC, f'device.driver == "{NIC}"')
    train(api, request(class_name=NIC))
    why = api.explain("pod", "train")
    first, second = why.reasons[0].changes
    assert first.text == f"start driver {NIC} so that it publishes its devices"
    assert second.path == "spec.devices.requests[0].exactly.deviceClassName"
    assert f"such as {DRIVER}" in second.text
    values = f'3 devices: `device.driver` is "{DRIVER}" (2), "link.example.com" (1), wanted == "{NIC}"'
    assert values in why.reasons[0].details


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
    changes = [one.text for one in api.explain("pod", "train").reasons[0].changes]
    assert changes == ["create ResourceClaim default/gpu", "run the pod in namespace team"]


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
    assert reason.changes[1].text.endswith(f"existing template in {reason.path}, such as gpus")


def test_a_constraint_and_devices_in_use_are_changed_together(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), device("gpu-1"))
    use(api, "other")
    train(api, request(count=2), constraints=[{"matchAttribute": f"{DRIVER}/rack"}])
    change = api.explain("pod", "train").reasons[0].changes[0]
    assert (change.action, change.sufficient) == ("all", True)
    assert change.text.startswith("end pod default/other-user, and delete claim default/gpu")
    assert change.text.endswith("again with spec.devices.constraints changed or removed")


def test_the_short_form_names_the_pods_that_use_devices_of_other_nodes(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), nodes="ab")
    use(api, "other")
    resource_slice(api, "b", [device("gpu-0")])
    train(api, request(count=2))
    why = api.explain("pod", "train")
    assert why.summary == "request gpu needs 2 devices on one node; node b has the most free, 1"
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
    more, fewer = reason.changes
    assert more.text == f"1 more device like gpu-0 of {DRIVER} on node a"
    again = "delete the pod and create it again so that its claim for extended resources has fewer devices"
    assert fewer.text == f"{again} in spec.devices.requests[0]"


def test_an_allocated_claim_without_devices_offers_to_check_the_driver(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    use(api, "other")
    api.delete("ResourceSlice", f"a-{DRIVER}")
    text = api.explain("claim", "other").text
    assert f"To change it: check that the pod of driver {DRIVER} runs on node a" in text
    assert text.count("is not published any more") == 1


@pytest.mark.parametrize("kind", ["class", "deviceclass", "deviceclasses"])
def test_kinds_have_short_names(api: FakeAPI, kind: str) -> None:
    device_class(api)
    assert api.explain(kind, DRIVER).verdict == "present"


@pytest.mark.parametrize("arguments", [["--all"], ["pod", "--all"], ["lease", "train"]])
def test_mistakes_on_the_command_line_name_the_kinds(arguments: list[str]) -> None:
    result = CliRunner().invoke(main, ["explain", *arguments])
    assert result.exit_code == 2
    assert "the kinds are pod, claim, template, class, slice, node" in " ".join(result.output.split())
