"""A Scale of a custom object that cannot be decoded gets an error about its type, as upstream.

Upstream looks up the Go type of the Scale in a scheme that lacks it (transformDecodeError).
"""

from collections.abc import Callable
from typing import Any

import pytest

from fakeapi.clients.errors import StatusError
from fakeapi.testing.server import FakeAPI
from tests.registry.custom.world import DEFINITIONS, definition, version

SCALE = {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "a", "namespace": "default"}}
SCHEME = "k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go"


@pytest.fixture
def scale_path(fakeapi_factory: Callable[..., FakeAPI]) -> Callable[[str], tuple[FakeAPI, str]]:
    """Returns a function that starts a server of a release with a custom object that has a scale."""

    def start(release: str) -> tuple[FakeAPI, str]:
        server = fakeapi_factory(release=release)
        paths = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
        numbers = {"type": "object", "properties": {"replicas": {"type": "integer"}}}
        schema = {"type": "object", "properties": {"spec": numbers, "status": numbers}}
        scaled = version(schema={"openAPIV3Schema": schema}, subresources={"scale": paths})
        created = server.request("POST", DEFINITIONS, definition(versions=[scaled]))
        names, group = created["spec"]["names"], created["spec"]["group"]
        api_version = f"{group}/{scaled['name']}"
        path = f"/apis/{api_version}/namespaces/default/{names['plural']}"
        body = {"apiVersion": api_version, "kind": names["kind"], "metadata": {"name": "a"}}
        server.request("POST", path, {**body, "spec": {"replicas": 1}})
        return server, f"{path}/a/scale"

    return start


@pytest.mark.parametrize(
    "body",
    [
        {**SCALE, "spec": {"replicas": "x"}},
        {**SCALE, "spec": []},
        {**SCALE, "kind": "Other"},
        {**SCALE, "apiVersion": "autoscaling/v9"},
        [],
    ],
)
@pytest.mark.parametrize(("release", "line"), [("1.31", 719), ("1.37", 781)])
def test_a_put_of_a_scale_that_cannot_be_decoded_names_the_scheme_without_the_type(
    scale_path: Callable[[str], tuple[FakeAPI, str]], release: str, line: int, body: Any
) -> None:
    server, path = scale_path(release)
    with pytest.raises(StatusError) as refused:
        server.request("PUT", path, body)
    expected = f'no kind is registered for the type v1.Scale in scheme "{SCHEME}:{line}"'
    assert (refused.value.code, refused.value.status["message"]) == (400, expected)


def test_a_put_of_a_scale_scales_the_custom_object(
    scale_path: Callable[[str], tuple[FakeAPI, str]],
) -> None:
    server, path = scale_path("1.37")
    assert server.request("PUT", path, {**SCALE, "spec": {"replicas": 3}})["spec"]["replicas"] == 3


def test_a_patch_of_a_scale_names_the_scheme_of_scales(
    scale_path: Callable[[str], tuple[FakeAPI, str]],
) -> None:
    server, path = scale_path("1.37")
    with pytest.raises(StatusError) as refused:
        server.request("PATCH", path, {"kind": "Other"}, content_type="application/merge-patch+json")
    assert refused.value.code == 422
    assert 'in scheme "k8s.io/client-go/scale/util.go:146"' in refused.value.status["message"]
