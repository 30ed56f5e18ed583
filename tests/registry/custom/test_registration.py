"""A CustomResourceDefinition adds APIServices for its group versions."""

from typing import Any

import pytest

from fakeapi.clients.errors import StatusError
from fakeapi.testing.server import FakeAPI
from tests.registry.custom.world import DEFINITIONS, definition, version

SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"
LABEL = "kube-aggregator.kubernetes.io/automanaged"


def registered(server: FakeAPI) -> list[str]:
    """Returns the names of all APIServices for the API group `example.com`."""
    names = [each["metadata"]["name"] for each in server.request("GET", SERVICES)["items"]]
    return [name for name in names if name.endswith("example.com")]


def defined(server: FakeAPI, plural: str, *versions: str, served: tuple[str, ...] = ()) -> None:
    body = definition(plural, plural.capitalize())
    body["spec"]["versions"] = [
        {**version(name, storage=index == 0), "served": not served or name in served}
        for index, name in enumerate(versions)
    ]
    server.request("POST", DEFINITIONS, body)


@pytest.mark.parametrize("asked_before", [True, False])
def test_every_served_group_version_has_one_until_its_last_definition_goes(
    server: FakeAPI,
    asked_before: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    if asked_before:
        assert registered(server) == []
    defined(server, "widgets", "v1", "v2")
    defined(server, "gadgets", "v1", "v3", "v4", served=("v1", "v3"))
    assert registered(server) == ["v1.example.com", "v2.example.com", "v3.example.com"]
    server.request("DELETE", f"{DEFINITIONS}/widgets.example.com")
    assert registered(server) == ["v1.example.com", "v3.example.com"]
    server.request("DELETE", f"{DEFINITIONS}/gadgets.example.com")
    assert registered(server) == []


def test_a_version_that_is_served_no_longer_loses_its_service(server: FakeAPI) -> None:
    defined(server, "widgets", "v1", "v2")
    assert registered(server) == ["v1.example.com", "v2.example.com"]
    stored = server.request("GET", f"{DEFINITIONS}/widgets.example.com")
    stored["spec"]["versions"][1]["served"] = False
    server.request("PUT", f"{DEFINITIONS}/widgets.example.com", stored)
    assert registered(server) == ["v1.example.com"]


def test_a_service_is_local_available_and_of_low_priority(server: FakeAPI) -> None:
    defined(server, "widgets", "v1")
    service = server.request("GET", f"{SERVICES}/v1.example.com")
    assert service["metadata"]["labels"] == {LABEL: "true"}
    assert service["spec"] == {
        "group": "example.com",
        "version": "v1",
        "groupPriorityMinimum": 1000,
        "versionPriority": 100,
    }
    (condition,) = service["status"]["conditions"]
    assert (condition["type"], condition["status"], condition["reason"]) == ("Available", "True", "Local")


def test_a_service_that_is_changed_or_deleted_is_made_again(server: FakeAPI) -> None:
    defined(server, "widgets", "v1")
    path = f"{SERVICES}/v1.example.com"
    service = server.request("GET", path)
    server.request("PUT", path, {**service, "spec": {**service["spec"], "versionPriority": 7}})
    assert server.request("GET", path)["spec"] == service["spec"]
    server.request("DELETE", path)
    again = server.request("GET", path)
    assert again["spec"] == service["spec"]
    assert again["metadata"]["uid"] != service["metadata"]["uid"]


def test_a_service_of_the_users_own_stays_as_it_is(server: FakeAPI) -> None:
    spec = {"group": "example.com", "version": "v1", "groupPriorityMinimum": 5, "versionPriority": 5}
    body: dict[str, Any] = {"metadata": {"name": "v1.example.com"}, "spec": spec}
    stored = server.request("POST", SERVICES, body)
    defined(server, "widgets", "v1")
    server.request("DELETE", f"{DEFINITIONS}/widgets.example.com")
    assert server.request("GET", f"{SERVICES}/v1.example.com") == stored


def test_a_service_that_says_it_is_the_servers_goes_where_nothing_defines_its_version(
    server: FakeAPI,
) -> None:
    defined(server, "widgets", "v1")
    spec = {"group": "example.com", "version": "v9", "groupPriorityMinimum": 5, "versionPriority": 5}
    metadata = {"name": "v9.example.com", "labels": {LABEL: "true"}}
    server.request("POST", SERVICES, {"metadata": metadata, "spec": spec})
    with pytest.raises(StatusError, match="not found"):
        server.request("GET", f"{SERVICES}/v9.example.com")
