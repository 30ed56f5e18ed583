"""Custom objects can be written although their managedFields name an API version that no longer exists."""

from collections.abc import Callable
from typing import Any

import pytest

from fakeapi.clients.errors import StatusError
from fakeapi.testing.server import FakeAPI
from tests.registry.custom.world import DEFINITIONS, WIDGETS, definition, version, widget

DEFINITION = f"{DEFINITIONS}/widgets.example.com"
OBJECT = f"{WIDGETS}/w"
APPLY, MERGE = "application/apply-patch+yaml", "application/merge-patch+json"


@pytest.fixture
def server_of(fakeapi_factory: Callable[..., FakeAPI]) -> Callable[[str], FakeAPI]:
    def make(release: str) -> FakeAPI:
        """Starts a server with an object that a client applied in v1beta1.

        The object's CustomResourceDefinition no longer has the version v1beta1.
        """
        server = fakeapi_factory(release=release)
        server.request("POST", DEFINITIONS, definition(versions=[version("v1beta1")]))
        old = widget(api_version="example.com/v1beta1", spec={"colour": "red"})
        path = OBJECT.replace("/v1/", "/v1beta1/")
        server.request("PATCH", path, old, content_type=APPLY, query={"fieldManager": "first"})
        stored = server.request("GET", DEFINITION)
        stored["spec"]["versions"] = [version("v1beta1", storage=False), version()]
        server.request("PUT", DEFINITION, stored)
        server.request("PATCH", OBJECT, {"metadata": {"labels": {"a": "b"}}}, content_type=MERGE)
        stored = server.request("GET", DEFINITION)
        stored["status"]["storedVersions"] = ["v1"]
        stored = server.request("PUT", f"{DEFINITION}/status", stored)
        stored["spec"]["versions"] = [version()]
        server.request("PUT", DEFINITION, stored)
        return server

    return make


def apply(server: FakeAPI) -> dict[str, Any]:
    body = widget(spec={"colour": "blue"})
    query = {"fieldManager": "first", "force": "true"}
    applied: dict[str, Any] = server.request("PATCH", OBJECT, body, content_type=APPLY, query=query)
    return applied


def patched(server: FakeAPI) -> Any:
    """Sends a merge patch as the field manager `second`; returns the object's managedFields."""
    body = {"spec": {"colour": "blue"}}
    stored = server.request("PATCH", OBJECT, body, content_type=MERGE, query={"fieldManager": "second"})
    assert stored["spec"]["colour"] == "blue"
    return stored["metadata"].get("managedFields")


@pytest.mark.parametrize("release", ["1.27", "1.36", "1.37"])
def test_an_apply_is_refused(release: str, server_of: Callable[[str], FakeAPI]) -> None:
    server = server_of(release)
    with pytest.raises(StatusError) as refused:
        apply(server)
    assert refused.value.status == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "request to convert CR to an invalid group/version: example.com/v1beta1",
        "code": 500,
    }


def test_a_patch_keeps_managed_fields_from_1_37_on(server_of: Callable[[str], FakeAPI]) -> None:
    server = server_of("1.37")
    before = server.request("GET", OBJECT)["metadata"]["managedFields"]
    assert [each["apiVersion"] for each in before] == ["example.com/v1beta1", "example.com/v1"]
    assert patched(server) == before
    with pytest.raises(StatusError, match="invalid group/version"):
        apply(server)


def test_a_patch_drops_all_managed_fields_until_1_36(server_of: Callable[[str], FakeAPI]) -> None:
    server = server_of("1.36")
    assert patched(server) is None
    assert apply(server)["spec"]["colour"] == "blue"


def test_an_object_whose_managed_fields_were_reset_can_be_applied_again(
    server_of: Callable[[str], FakeAPI],
) -> None:
    server = server_of("1.37")
    server.request("PATCH", OBJECT, {"metadata": {"managedFields": [{}]}}, content_type=MERGE)
    assert apply(server)["spec"]["colour"] == "blue"
