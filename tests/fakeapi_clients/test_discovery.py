"""Clients read resources from discovery documents, and build the URL paths of objects."""

from typing import Any

import pytest

from fakeapi import FakeAPI
from fakeapi.clients.discovery import group_versions, preferred_versions, served_resources
from fakeapi.clients.errors import StatusError
from fakeapi.clients.served_resource import ServedResource, version_path

CLAIMS = ServedResource("resource.k8s.io", "v1", "resourceclaims", "ResourceClaim", namespaced=True)
NAMELESS = {"name": "", "kind": "ConfigMap", "namespaced": True}
NODES = ServedResource("", "v1", "nodes", "Node", namespaced=False)


@pytest.mark.parametrize(
    ("resource", "place", "path"),
    [
        (CLAIMS, (), "/apis/resource.k8s.io/v1/resourceclaims"),
        (CLAIMS, ("team",), "/apis/resource.k8s.io/v1/namespaces/team/resourceclaims"),
        (CLAIMS, ("team", "a", "status"), "/apis/resource.k8s.io/v1/namespaces/team/resourceclaims/a/status"),
        (NODES, ("ignored", "a"), "/api/v1/nodes/a"),
        (NODES, ("", "a/b c:d%"), "/api/v1/nodes/a%2Fb%20c:d%25"),
    ],
)
def test_the_path_of_an_object_is_percent_encoded(
    resource: ServedResource, place: tuple[str, ...], path: str
) -> None:
    assert resource.path(*place) == path


def test_a_server_lists_a_resource_with_its_names_verbs_and_status(fakeapi: FakeAPI) -> None:
    body = fakeapi.request("GET", version_path("resource.k8s.io/v1"))
    resources = {resource.plural: resource for resource in served_resources("resource.k8s.io/v1", body)}
    claims = resources["resourceclaims"]
    assert (claims.kind, claims.namespaced, claims.has_status) == ("ResourceClaim", True, True)
    assert claims.qualified == "resourceclaims.resource.k8s.io"
    assert {"list", "create"} <= claims.verbs
    assert not resources["deviceclasses"].has_status
    assert not any("/" in plural for plural in resources)


def test_the_preferred_version_of_a_group_comes_first() -> None:
    body = {
        "groups": [
            {
                "versions": [{"groupVersion": "a.io/v1"}, {"groupVersion": "a.io/v2"}],
                "preferredVersion": {"groupVersion": "a.io/v2"},
            },
            {"versions": []},
        ]
    }
    assert group_versions(body) == ["a.io/v2", "a.io/v1"]
    assert preferred_versions(body) == ["a.io/v2"]


@pytest.mark.parametrize(
    "body", [None, [], {"resources": 5}, {"resources": [{"name": "a"}]}, {"resources": [NAMELESS]}]
)
def test_a_malformed_list_of_resources_raises_an_error(body: Any) -> None:
    with pytest.raises(StatusError, match="ResourceList"):
        served_resources("v1", body)
