"""The server allocates cluster IPs and node ports for Services, and creates the related objects."""

from collections.abc import Callable
from typing import Any

import pytest

from fakeapi.clients.errors import StatusError
from fakeapi.testing.server import FakeAPI

SERVICES = "/api/v1/namespaces/default/services"
ENDPOINTS = "/api/v1/namespaces/default/endpoints"
ADDRESSES = "/apis/networking.k8s.io/v1/ipaddresses"


@pytest.fixture
def of_release(fakeapi_factory: Callable[..., FakeAPI]) -> Callable[[str], FakeAPI]:
    return lambda release: fakeapi_factory(release=release)


def made(api: FakeAPI, name: str, **spec: Any) -> dict[str, Any]:
    body = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name},
        "spec": {"ports": [{"port": 80}], **spec},
    }
    answer: dict[str, Any] = api.request("POST", SERVICES, body)
    return answer


def names(api: FakeAPI, path: str) -> set[str]:
    return {item["metadata"]["name"] for item in api.request("GET", path)["items"]}


def test_no_address_is_given_twice(of_release: Callable[[str], FakeAPI]) -> None:
    api = of_release("1.32")
    values = [made(api, f"a-{number}")["spec"]["clusterIP"] for number in range(200)]
    assert len(set(values)) == 200
    with pytest.raises(StatusError) as refused:
        made(api, "taken", clusterIP=values[0])
    assert refused.value.code == 422
    api.request("DELETE", f"{SERVICES}/a-0")
    assert made(api, "free", clusterIP=values[0])["spec"]["clusterIPs"] == [values[0]]


def test_a_full_range_is_an_internal_error(of_release: Callable[[str], FakeAPI]) -> None:
    api = of_release("1.32")
    for number in range(253):  # together with the address of the service `kubernetes`
        made(api, f"a-{number}")
    with pytest.raises(StatusError) as full:
        made(api, "full")
    assert full.value.code == 500
    assert "failed to allocate a serviceIP: range is full" in str(full.value)


def test_an_address_has_an_object_as_long_as_its_service_has_it(
    of_release: Callable[[str], FakeAPI],
) -> None:
    api = of_release("1.33")
    address = made(api, "a")["spec"]["clusterIP"]
    obj = api.request("GET", f"{ADDRESSES}/{address}")
    assert obj["spec"]["parentRef"] == {"resource": "services", "namespace": "default", "name": "a"}
    api.request("DELETE", f"{SERVICES}/a")
    assert address not in names(api, ADDRESSES)


def test_an_address_that_someone_holds_is_given_to_no_service(of_release: Callable[[str], FakeAPI]) -> None:
    api = of_release("1.33")
    parent = {"group": "example.com", "resource": "gateways", "name": "a"}
    body = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "IPAddress",
        "metadata": {"name": "10.0.0.77"},
        "spec": {"parentRef": parent},
    }
    api.request("POST", ADDRESSES, body)
    with pytest.raises(StatusError, match="provided IP is already allocated"):
        made(api, "a", clusterIP="10.0.0.77")


def test_a_range_that_is_added_is_allocated_from(of_release: Callable[[str], FakeAPI]) -> None:
    api = of_release("1.33")
    body = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "ServiceCIDR",
        "metadata": {"name": "more"},
        "spec": {"cidrs": ["10.9.0.0/28"]},
    }
    with pytest.raises(StatusError, match="the provided network does not match the current range"):
        made(api, "a", clusterIP="10.9.0.3")
    api.request("POST", "/apis/networking.k8s.io/v1/servicecidrs", body)
    assert made(api, "a", clusterIP="10.9.0.3")["spec"]["clusterIP"] == "10.9.0.3"


@pytest.mark.parametrize(("release", "stay"), [("1.36", False), ("1.37", True)])
def test_endpoints_go_with_their_service_up_to_1_36(
    of_release: Callable[[str], FakeAPI], release: str, *, stay: bool
) -> None:
    api = of_release(release)
    made(api, "a")
    body = {"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "a"}}
    api.request("POST", ENDPOINTS, body)
    api.request("DELETE", f"{SERVICES}/a")
    assert ("a" in names(api, ENDPOINTS)) is stay


def test_a_service_sent_again_stays_as_it_is(of_release: Callable[[str], FakeAPI]) -> None:
    api = of_release("1.33")
    first = made(api, "a", type="NodePort")
    sent = {**first, "spec": {"type": "NodePort", "ports": [{"port": 80}]}}
    again = api.request("PUT", f"{SERVICES}/a", sent)
    assert again == first


@pytest.mark.parametrize(("path", "kind"), [(SERVICES, "Service"), (ENDPOINTS, "Endpoints")])
def test_a_put_creates_what_is_not_there(of_release: Callable[[str], FakeAPI], path: str, kind: str) -> None:
    api = of_release("1.33")
    body: dict[str, Any] = {"apiVersion": "v1", "kind": kind, "metadata": {"name": "put"}}
    if kind == "Service":
        body["spec"] = {"ports": [{"port": 80}]}
    made_by_put = api.request("PUT", f"{path}/put", body)
    assert api.request("GET", f"{path}/put") == made_by_put
    assert kind == "Endpoints" or made_by_put["spec"]["clusterIP"]


def test_a_reset_gives_all_addresses_back(of_release: Callable[[str], FakeAPI]) -> None:
    api = of_release("1.33")
    made(api, "a", clusterIP="10.0.0.55")
    api.reset()
    assert made(api, "b", clusterIP="10.0.0.55")["spec"]["clusterIP"] == "10.0.0.55"


def test_a_new_cluster_has_the_service_of_the_api(of_release: Callable[[str], FakeAPI]) -> None:
    api = of_release("1.33")
    service = api.request("GET", f"{SERVICES}/kubernetes")
    assert service["spec"]["clusterIPs"] == ["10.0.0.1"]
    (port,) = api.request("GET", f"{ENDPOINTS}/kubernetes")["subsets"][0]["ports"]
    assert service["spec"]["ports"][0]["targetPort"] == port["port"]
    slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
    assert names(api, slices) == {"kubernetes"}
    with pytest.raises(StatusError, match="provided IP is already allocated"):
        made(api, "a", clusterIP="10.0.0.1")


def test_a_new_cluster_has_its_range_of_addresses(of_release: Callable[[str], FakeAPI]) -> None:
    api = of_release("1.33")
    cidr = api.request("GET", "/apis/networking.k8s.io/v1/servicecidrs/kubernetes")
    assert cidr["spec"]["cidrs"] == ["10.0.0.0/24"]
    assert [(each["type"], each["status"]) for each in cidr["status"]["conditions"]] == [("Ready", "True")]
    assert names(api, ADDRESSES) == {"10.0.0.1"}
