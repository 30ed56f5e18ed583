"""v1alpha2 claims: the scheduler and DRA control plane controllers agree on a node."""

from collections.abc import Iterator
from typing import Any

import pytest

from fakeapi import FakeAPI
from tests.controllers.scheduler.classic_controller import DRIVER, ClassicController

Object = dict[str, Any]
VERSION = "resource.k8s.io/v1alpha2"
RELEASES = ("1.27", "1.28", "1.29", "1.30")
WAITS = {
    "1.27": 'running Reserve plugin "DynamicResources": waiting for resource driver to allocate resource',
    "1.28": "0/1 nodes are available: 1 waiting for resource driver to allocate resource.",
    "1.29": "0/1 nodes are available: 1 waiting for resource driver to allocate resource.",
    "1.30": "waiting for resource driver",
}
"""The scheduler's message, by release, about a pod whose claim is not yet allocated by its driver."""


@pytest.fixture(params=["1.30"])
def api(request: pytest.FixtureRequest) -> Iterator[FakeAPI]:
    gates = {"DynamicResourceAllocation": True}
    with FakeAPI(release=request.param, feature_gates=gates, controllers="scheduler,resourceclaim") as server:
        for name in ("a", "b"):
            add_node(server, name)
        server.create(
            {"apiVersion": VERSION, "kind": "ResourceClass", "metadata": {"name": "c"}, "driverName": DRIVER}
        )
        server.settle()
        yield server


def add_node(api: FakeAPI, name: str) -> None:
    size = {"cpu": "8", "memory": "16Gi", "pods": "110"}
    labels = {"kubernetes.io/hostname": name}
    node: Object = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}}
    api.create({**node, "status": {"capacity": size, "allocatable": size}})
    api.patch("Node", name, {"spec": {"taints": None}}, type="merge")


def add_claim(api: FakeAPI, name: str, mode: str = "WaitForFirstConsumer") -> None:
    spec = {"resourceClassName": "c", "allocationMode": mode}
    api.create({"apiVersion": VERSION, "kind": "ResourceClaim", "metadata": {"name": name}, "spec": spec})


def add_pod(api: FakeAPI, name: str, *claims: str, **spec: Any) -> None:
    references = [{"name": each, "source": {"resourceClaimName": each}} for each in claims]
    container = {"name": "c", "image": "i", "resources": {"claims": [{"name": each} for each in claims]}}
    spec = {"containers": [container], "resourceClaims": references, **spec}
    api.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec})


def node_of(api: FakeAPI, pod: str) -> str | None:
    node_name: str | None = api.get("Pod", pod)["spec"].get("nodeName")
    return node_name


def message_of(api: FakeAPI, pod: str) -> str:
    conditions = api.get("Pod", pod)["status"].get("conditions", [])
    return next((str(each["message"]) for each in conditions if each["type"] == "PodScheduled"), "")


def users_of(api: FakeAPI, claim: str) -> list[str]:
    return [each["name"] for each in api.get("ResourceClaim", claim)["status"].get("reservedFor", ())]


@pytest.mark.parametrize("api", RELEASES, indirect=True)
def test_a_pod_goes_to_a_node_that_its_driver_finds_suitable(api: FakeAPI) -> None:
    driver = ClassicController(api, "a")
    add_claim(api, "x")
    add_pod(api, "p", "x")
    api.settle()
    [context] = driver.contexts()
    assert context["spec"]["potentialNodes"] == ["a", "b"]
    assert context["spec"]["selectedNode"] in {"a", "b"}
    assert context["metadata"]["ownerReferences"][0]["name"] == "p"
    assert message_of(api, "p") == WAITS[api.release or ""]
    driver.run()
    assert node_of(api, "p") == "b"
    assert users_of(api, "x") == ["p"]
    assert driver.contexts() == []


def test_several_claims_wait_for_what_their_drivers_say(api: FakeAPI) -> None:
    driver = ClassicController(api, "a")
    add_claim(api, "x")
    add_claim(api, "y")
    add_pod(api, "p", "x", "y")
    api.settle()
    [context] = driver.contexts()
    assert "selectedNode" not in context["spec"]
    driver.run()
    assert node_of(api, "p") == "b"
    assert [users_of(api, each) for each in ("x", "y")] == [["p"], ["p"]]


def test_no_node_is_selected_where_all_are_unsuitable(api: FakeAPI) -> None:
    driver = ClassicController(api, "a", "b")
    add_claim(api, "x")
    add_pod(api, "p", "x")
    driver.run()
    assert node_of(api, "p") is None
    assert message_of(api, "p").startswith(
        "0/2 nodes are available: 2 resourceclaim cannot be allocated for the node (unsuitable)."
    )


def test_a_claim_of_immediate_mode_is_waited_for(api: FakeAPI) -> None:
    add_claim(api, "x", "Immediate")
    add_pod(api, "p", "x")
    api.settle()
    assert message_of(api, "p").startswith("0/2 nodes are available: unallocated immediate resourceclaim.")
    ClassicController(api).run()
    assert node_of(api, "p")


def test_a_claim_that_is_not_shareable_serves_one_pod(api: FakeAPI) -> None:
    driver = ClassicController(api)
    add_claim(api, "x")
    add_pod(api, "p", "x")
    driver.run()
    add_pod(api, "q", "x")
    driver.run()
    assert node_of(api, "q") is None
    assert message_of(api, "q").startswith("0/2 nodes are available: resourceclaim in use.")


def test_a_claim_that_is_shareable_serves_two(api: FakeAPI) -> None:
    driver = ClassicController(api, shareable=True)
    add_claim(api, "x")
    for name in ("p", "q"):
        add_pod(api, name, "x")
        driver.run()
    assert node_of(api, "p") == node_of(api, "q") is not None
    assert sorted(users_of(api, "x")) == ["p", "q"]


def test_an_idle_claim_on_a_wrong_node_is_deallocated_by_its_driver(api: FakeAPI) -> None:
    driver = ClassicController(api)
    add_claim(api, "x")
    driver.allocate(api.get("ResourceClaim", "x"), "a")
    add_pod(api, "p", "x", nodeSelector={"kubernetes.io/hostname": "b"})
    api.settle()
    assert api.get("ResourceClaim", "x")["status"]["deallocationRequested"] is True
    assert message_of(api, "p").startswith("0/2 nodes are available: resourceclaim must be reallocated.")
    driver.run()
    assert node_of(api, "p") == "b"


def test_a_class_says_which_nodes_can_have_its_claims(api: FakeAPI) -> None:
    term = {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["b"]}]}
    patch = {"suitableNodes": {"nodeSelectorTerms": [term]}}
    api.patch("ResourceClass", "c", patch, type="merge")
    add_claim(api, "x")
    add_pod(api, "p", "x")
    ClassicController(api).run()
    assert node_of(api, "p") == "b"


def test_a_context_of_another_pod_is_an_error(api: FakeAPI) -> None:
    api.create({"apiVersion": VERSION, "kind": "PodSchedulingContext", "metadata": {"name": "p"}, "spec": {}})
    add_claim(api, "x")
    add_pod(api, "p", "x")
    api.settle()
    assert "is not owned by Pod default/p" in message_of(api, "p")


# The scheduler of 1.30 allocates named resources itself.


def publish(api: FakeAPI, node: str, *instances: str) -> None:
    api.create(
        {
            "apiVersion": VERSION,
            "kind": "ResourceSlice",
            "metadata": {"name": f"{node}-slice"},
            "nodeName": node,
            "driverName": DRIVER,
            "namedResources": {
                "instances": [
                    {
                        "name": name,
                        "attributes": [
                            {"name": "index", "int": index},
                            {"name": "size", "quantity": f"{index + 1}Gi"},
                            {"name": "release", "version": f"1.{index}.0"},
                            {"name": "ports", "intSlice": {"ints": [index]}},
                        ],
                    }
                    for index, name in enumerate(instances)
                ]
            },
        }
    )


def add_structured(api: FakeAPI, selector: str | None) -> None:
    """Marks the ResourceClass `c` as structured, and creates ResourceClaimParameters with a CEL selector.

    `selector`: the CEL expression; None creates no ResourceClaimParameters.
    """
    api.patch("ResourceClass", "c", {"structuredParameters": True}, type="merge")
    if selector is None:
        return
    request = {"namedResources": {"selector": selector}, "vendorParameters": {"of": "request"}}
    driver = {"driverName": DRIVER, "requests": [request], "vendorParameters": {"of": "claim"}}
    parameters = {"apiVersion": VERSION, "kind": "ResourceClaimParameters", "metadata": {"name": "wanted"}}
    api.create({**parameters, "driverRequests": [driver], "shareable": True})


def add_claim_with_parameters(api: FakeAPI, name: str) -> None:
    reference = {"apiGroup": "resource.k8s.io", "kind": "ResourceClaimParameters", "name": "wanted"}
    spec = {"resourceClassName": "c", "parametersRef": reference}
    api.create({"apiVersion": VERSION, "kind": "ResourceClaim", "metadata": {"name": name}, "spec": spec})


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ('attributes.int["index"] == 1', "two"),
        ('attributes.quantity["size"].isGreaterThan(quantity("1Gi"))', "two"),
        ('attributes.version["release"].isLessThan(semver("1.1.0"))', "one"),
        ('1 in attributes.intslice["ports"]', "two"),
    ],
)
def test_the_scheduler_allocates_named_resources(api: FakeAPI, selector: str, expected: str) -> None:
    publish(api, "b", "one", "two")
    add_structured(api, selector)
    add_claim_with_parameters(api, "x")
    add_pod(api, "p", "x")
    api.settle()
    claim = api.get("ResourceClaim", "x")
    assert node_of(api, "p") == "b"
    assert claim["status"]["driverName"] == DRIVER
    [handle] = claim["status"]["allocation"]["resourceHandles"]
    assert handle["structuredData"] == {
        "nodeName": "b",
        "vendorClaimParameters": {"of": "claim"},
        "vendorClassParameters": None,
        "results": [{"vendorRequestParameters": {"of": "request"}, "namedResources": {"name": expected}}],
    }
    assert claim["metadata"]["finalizers"] == ["resource.kubernetes.io/delete-protection"]
    assert users_of(api, "x") == ["p"]


def test_an_instance_serves_one_claim(api: FakeAPI) -> None:
    publish(api, "b", "one")
    add_structured(api, None)
    for claim, pod in (("x", "p"), ("y", "q")):
        add_claim(api, claim)
        add_pod(api, pod, claim)
        api.settle()
    assert [node_of(api, each) for each in ("p", "q")] == ["b", None]
    assert message_of(api, "q").startswith(
        "0/2 nodes are available: 2 resourceclaim cannot be allocated for the node (unsuitable)."
    )
    api.delete("Pod", "p", options={"gracePeriodSeconds": 0})
    api.settle()
    assert node_of(api, "q") == "b"


def test_a_selector_that_fails_excludes_the_node(api: FakeAPI) -> None:
    publish(api, "b", "one")
    add_structured(api, 'attributes.string["none"] == "x"')
    add_claim_with_parameters(api, "x")
    add_pod(api, "p", "x")
    api.settle()
    assert "checking structured parameters failed" in message_of(api, "p")
    assert "no such key: none" in message_of(api, "p")


def test_parameters_that_are_missing_are_named(api: FakeAPI) -> None:
    api.patch("ResourceClass", "c", {"structuredParameters": True}, type="merge")
    add_claim_with_parameters(api, "x")
    add_pod(api, "p", "x")
    api.settle()
    assert message_of(api, "p").startswith(
        "0/2 nodes are available: claim parameters default/wanted not found."
    )
