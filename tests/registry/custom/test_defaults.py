"""Defaults in list items multiply with the number of items, so the server limits their total size."""

import tracemalloc
from typing import Any

import pytest

from fakeapi.clients.errors import StatusError
from fakeapi.machinery.cel import allowance
from fakeapi.machinery.structural import defaulting
from fakeapi.machinery.structural.schema import parse_schema
from fakeapi.testing.server import FakeAPI
from tests.registry.custom.world import DEFINITIONS, GROUP, WIDGETS, definition, version

LARGE = 700_000
TOO_LARGE = {"w": {"type": "string", "default": "x" * LARGE}}
"""A property of list items whose default is too large for an object with a thousand items."""


def with_default(value: Any) -> dict[str, Any]:
    """Returns a custom resource schema. Items of the list `spec.l` have a property `v` with this default."""
    of_item = {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "default": value}
    item = {"type": "object", "properties": {"v": of_item}}
    spec = {"type": "object", "properties": {"l": {"type": "array", "items": item}}}
    return {"type": "object", "properties": {"spec": spec}}


def schema_with(added: dict[str, Any]) -> dict[str, Any]:
    """Returns the field `schema` of a CustomResourceDefinition version.

    Items of the list `spec.l` have the property `v` and these additional properties.
    """
    whole = with_default({})
    whole["properties"]["spec"]["properties"]["l"]["items"]["properties"] |= added
    return {"openAPIV3Schema": whole}


def widget(items: int, name: str = "w") -> dict[str, Any]:
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "Widget",
        "metadata": {"name": name},
        "spec": {"l": [{}] * items},
    }


def code_of(server: FakeAPI, path: str) -> int:
    try:
        server.request("GET", path)
    except StatusError as refused:
        return refused.code
    return 200


def test_defaults_larger_than_a_stored_object_are_refused_before_they_are_made(server: FakeAPI) -> None:
    own = version(schema={"openAPIV3Schema": with_default({"a": "x" * LARGE})})
    server.request("POST", DEFINITIONS, definition(versions=[own]))
    server.request("POST", WIDGETS, widget(2))
    for call in (("POST", WIDGETS, widget(1_000, "v")), ("PUT", f"{WIDGETS}/w", widget(1_000))):
        with pytest.raises(StatusError) as refused:
            server.request(*call)
        assert (refused.value.code, refused.value.status["message"]) == (
            500,
            "etcdserver: request is too large",
        )
    assert len(server.request("GET", f"{WIDGETS}/w")["spec"]["l"]) == 2


def test_stored_objects_whose_new_defaults_are_too_large_are_refused(server: FakeAPI) -> None:
    server.request("POST", DEFINITIONS, definition(versions=[version(schema=schema_with({}))]))
    server.request("POST", WIDGETS, widget(1_000))
    path = f"{DEFINITIONS}/widgets.{GROUP}"
    for added, code in ((TOO_LARGE, 500), ({}, 200)):
        stored = server.request("GET", path)
        stored["spec"]["versions"][0]["schema"] = schema_with(added)
        server.request("PUT", path, stored)
        for wanted in (f"{WIDGETS}/w", WIDGETS):
            assert code_of(server, wanted) == code


def test_a_definition_is_deleted_though_the_defaults_of_its_objects_are_too_large(server: FakeAPI) -> None:
    path = f"{DEFINITIONS}/widgets.{GROUP}"
    server.request("POST", DEFINITIONS, definition(versions=[version(schema=schema_with({}))]))
    server.request("POST", WIDGETS, widget(1_000))
    stored = server.request("GET", path)
    stored["spec"]["versions"][0]["schema"] = schema_with(TOO_LARGE)
    server.request("PUT", path, stored)
    server.request("DELETE", path)
    assert code_of(server, path) == 404
    server.request("POST", DEFINITIONS, definition())
    assert server.request("GET", WIDGETS)["items"] == []


def test_a_terminating_definition_is_updated_though_the_defaults_of_its_objects_are_too_large(
    server: FakeAPI,
) -> None:
    path = f"{DEFINITIONS}/widgets.{GROUP}"
    server.request("POST", DEFINITIONS, definition(versions=[version(schema=schema_with({}))]))
    held = widget(1_000)
    held["metadata"]["finalizers"] = ["example.com/hold"]
    server.request("POST", WIDGETS, held)
    stored = server.request("GET", path)
    stored["spec"]["versions"][0]["schema"] = schema_with(TOO_LARGE)
    server.request("PUT", path, stored)
    server.request("DELETE", path)
    stored = server.request("GET", path)
    stored["spec"]["versions"][0]["schema"] = schema_with({})
    server.request("PUT", path, stored)
    assert "deletionTimestamp" in server.request("GET", f"{WIDGETS}/w")["metadata"]


def test_defaults_take_little_memory_before_they_are_too_large() -> None:
    schema = parse_schema(with_default({f"k{number}": 0 for number in range(1_000)}))
    obj = widget(100_000)
    obj["spec"]["l"] = [{} for _ in range(100_000)]
    tracemalloc.start()
    with pytest.raises(defaulting.DefaultsTooLarge):
        defaulting.default(obj, schema)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * defaulting.DEFAULTS_MAX


def test_defaults_count_against_the_allowance_of_a_step() -> None:
    schema = parse_schema(with_default({"a": "x" * LARGE}))
    with allowance.Allowance(5_000), pytest.raises(allowance.AllowanceSpent):
        defaulting.default({"spec": {"l": [{} for _ in range(10)]}}, schema)
