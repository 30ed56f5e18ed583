"""managedFields may name a version of a custom kind whose schema lacks a field of the object."""

from collections.abc import Callable
from typing import Any

import pytest

from fakeapi.clients.errors import StatusError
from fakeapi.testing.server import FakeAPI
from tests.registry.custom.world import DEFINITIONS, WIDGETS, definition, version, widget

DEFINITION = f"{DEFINITIONS}/widgets.example.com"
OBJECT = f"{WIDGETS}/w"
APPLY, MERGE = "application/apply-patch+yaml", "application/merge-patch+json"
STRING = {"type": "string"}


def schema(**properties: Any) -> dict[str, Any]:
    spec = {"type": "object", "properties": {"colour": STRING, **properties}}
    return {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}


def serve_versions(server: FakeAPI, **properties: Any) -> None:
    """Serves v1beta1 and v1; only the schema of v1 has the additional properties."""
    stored = server.request("GET", DEFINITION)
    stored["spec"]["versions"] = [
        version("v1beta1", storage=False, schema=schema()),
        version(schema=schema(**properties)),
    ]
    server.request("PUT", DEFINITION, stored)


@pytest.fixture
def applied(fakeapi_factory: Callable[..., FakeAPI]) -> FakeAPI:
    """A server of 1.37 with an object that the manager `first` applied in v1beta1."""
    server = fakeapi_factory(release="1.37")
    server.request("POST", DEFINITIONS, definition(versions=[version("v1beta1", schema=schema())]))
    old = widget(api_version="example.com/v1beta1", spec={"colour": "red"})
    apply(server, old, "first", path=OBJECT.replace("/v1/", "/v1beta1/"))
    serve_versions(server)
    server.request("PATCH", OBJECT, {"metadata": {"labels": {"a": "b"}}}, content_type=MERGE)
    return server


def apply(server: FakeAPI, body: Any, manager: str, path: str = OBJECT) -> Any:
    return server.request("PATCH", path, body, content_type=APPLY, query={"fieldManager": manager})


def refusal_of(server: FakeAPI, spec: Any, manager: str) -> str:
    with pytest.raises(StatusError) as refused:
        apply(server, widget(spec=spec), manager)
    assert refused.value.code == 500
    return str(refused.value.status["message"])


def test_an_apply_fails_if_the_stored_object_has_the_field(applied: FakeAPI) -> None:
    serve_versions(applied, size={"type": "string", "default": "small"})
    assert refusal_of(applied, {"colour": "blue"}, "first") == ".spec.size: field not declared in schema"


def test_a_patch_succeeds_and_keeps_the_managed_fields(applied: FakeAPI) -> None:
    serve_versions(applied, size={"type": "string", "default": "small"})
    before = applied.request("GET", OBJECT)["metadata"]["managedFields"]
    body = {"spec": {"colour": "blue"}}
    after = applied.request("PATCH", OBJECT, body, content_type=MERGE, query={"fieldManager": "second"})
    assert after["spec"] == {"colour": "blue", "size": "small"}
    assert after["metadata"]["managedFields"] == before


def test_an_apply_fails_if_it_adds_the_field(applied: FakeAPI) -> None:
    serve_versions(applied, size=STRING)
    assert refusal_of(applied, {"colour": "red", "size": "big"}, "first") == (
        "failed to prune fields: failed to convert merged object to last applied version: "
        ".spec.size: field not declared in schema"
    )
    assert refusal_of(applied, {"size": "big"}, "second") == (
        "failed to convert new object: .spec.size: field not declared in schema"
    )


def test_an_apply_without_the_field_moves_the_managed_fields_to_its_version(applied: FakeAPI) -> None:
    serve_versions(applied, size=STRING)
    entries = apply(applied, widget(spec={"colour": "blue"}), "first")["metadata"]["managedFields"]
    assert {entry["apiVersion"] for entry in entries if entry["manager"] == "first"} == {"example.com/v1"}
