"""Services get the addresses of the pods that they select, as EndpointSlices and as Endpoints."""

from collections.abc import Iterator
from typing import Any

import pytest

from fakeapi import FakeAPI
from tests.controllers.workloads.objects import LABELS, Object, set_phase


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.37", controllers=("endpointslice", "endpoints", "garbagecollector")) as server:
        server.clock.freeze()
        yield server


def service(name: str = "web", **spec: Any) -> Object:
    ports = [{"name": "http", "port": 80, "targetPort": "http"}]
    metadata = {"name": name, "namespace": "default", "labels": {"tier": "front"}}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata,
        "spec": {"selector": LABELS, "ports": ports, **spec},
    }


def create_pod(
    api: FakeAPI, name: str, ip: str, phase: str = "Running", port: int = 8080, **metadata: Any
) -> None:
    container = {"name": "main", "image": "i", "ports": [{"name": "http", "containerPort": port}]}
    pod = api.create(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "namespace": "default", "labels": LABELS, **metadata},
            "spec": {"containers": [container], "nodeName": "n"},
        }
    )
    set_phase(api, pod, phase, podIP=ip, podIPs=[{"ip": ip}])


def slices(api: FakeAPI, name: str = "web") -> list[Object]:
    api.settle()
    selector = f"kubernetes.io/service-name={name}"
    return api.list("EndpointSlice", namespace="default", label_selector=selector)


def addresses(each: Object) -> dict[str, bool]:
    """Returns whether each address of an EndpointSlice is ready, by address."""
    endpoints = each.get("endpoints") or ()
    return {address: point["conditions"]["ready"] for point in endpoints for address in point["addresses"]}


def test_a_slice_has_the_addresses_of_the_selected_pods(api: FakeAPI) -> None:
    api.create(service())
    create_pod(api, "a", "10.1.0.1")
    create_pod(api, "b", "10.1.0.2", "Pending")
    create_pod(api, "c", "10.1.0.3", "Succeeded")
    (each,) = slices(api)
    assert addresses(each) == {"10.1.0.1": True, "10.1.0.2": False}
    (port,) = each["ports"]
    assert (port["name"], port["port"], port["protocol"]) == ("http", 8080, "TCP")
    assert each["metadata"]["generateName"] == "web-"
    assert each["metadata"]["ownerReferences"][0]["kind"] == "Service"
    labels = each["metadata"]["labels"]
    assert labels["endpointslice.kubernetes.io/managed-by"] == "endpointslice-controller.k8s.io"
    assert labels["tier"] == "front"
    target = each["endpoints"][0]["targetRef"]
    assert (target["kind"], target["name"], each["endpoints"][0]["nodeName"]) == ("Pod", "a", "n")


def test_a_service_without_pods_has_an_empty_slice(api: FakeAPI) -> None:
    api.create(service(clusterIP="None"))
    (each,) = slices(api)
    assert addresses(each) == {}
    assert each["metadata"]["labels"]["service.kubernetes.io/headless"] == ""


def test_services_without_selector_and_external_names_have_no_slices(api: FakeAPI) -> None:
    api.create(service("bare", selector=None))
    api.create(service("name", type="ExternalName", externalName="example.com"))
    assert slices(api, "bare") == []
    assert slices(api, "name") == []


def test_a_pod_that_is_being_deleted_serves_without_being_ready(api: FakeAPI) -> None:
    api.create(service())
    create_pod(api, "a", "10.1.0.1", finalizers=["example.com/held"])
    api.delete("Pod", "a", namespace="default", options={"gracePeriodSeconds": 0})
    (each,) = slices(api)
    assert each["endpoints"][0]["conditions"] == {"ready": False, "serving": True, "terminating": True}


def test_pods_with_other_port_numbers_are_in_another_slice(api: FakeAPI) -> None:
    api.create(service())
    create_pod(api, "a", "10.1.0.1", port=8080)
    create_pod(api, "b", "10.1.0.2", port=9090)
    assert sorted(each["ports"][0]["port"] for each in slices(api)) == [8080, 9090]


def test_a_slice_has_at_most_100_endpoints(api: FakeAPI) -> None:
    api.create(service())
    for number in range(101):
        create_pod(api, f"p{number}", f"10.1.1.{number}")
    counts = sorted(len(each["endpoints"]) for each in slices(api))
    assert counts == [1, 100]


def test_a_deleted_slice_is_created_again(api: FakeAPI) -> None:
    api.create(service())
    create_pod(api, "a", "10.1.0.1")
    (each,) = slices(api)
    api.delete("EndpointSlice", each["metadata"]["name"], namespace="default")
    (again,) = slices(api)
    assert addresses(again) == {"10.1.0.1": True}


def test_endpoints_follow_the_pods_and_go_with_the_service(api: FakeAPI) -> None:
    api.create(service())
    create_pod(api, "a", "10.1.0.1")
    create_pod(api, "b", "10.1.0.2", "Pending")
    api.settle()
    endpoints = api.get("Endpoints", "web", namespace="default")
    (subset,) = endpoints["subsets"]
    assert [each["ip"] for each in subset["addresses"]] == ["10.1.0.1"]
    assert [each["ip"] for each in subset["notReadyAddresses"]] == ["10.1.0.2"]
    assert subset["ports"] == [{"name": "http", "port": 8080, "protocol": "TCP"}]
    assert endpoints["metadata"]["labels"]["endpoints.kubernetes.io/managed-by"] == "endpoint-controller"
    api.delete("Service", "web", namespace="default")
    assert slices(api) == []
    assert [
        each for each in api.list("Endpoints", namespace="default") if each["metadata"]["name"] == "web"
    ] == []


def test_the_endpoints_of_the_api_server_stay(api: FakeAPI) -> None:
    api.create(service())
    api.settle()
    assert api.get("Endpoints", "kubernetes", namespace="default")["subsets"]
    assert slices(api, "kubernetes")
