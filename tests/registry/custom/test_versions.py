"""Custom objects are converted if their storage version differs from the requested version."""

import copy
from typing import Any

from fakeapi.testing.server import FakeAPI
from tests.registry.custom.world import DEFINITIONS, SCHEMA, definition, version, widget

OLD, NEW = (f"/apis/example.com/{each}/namespaces/default/widgets" for each in ("v1beta1", "v1"))
NAME = "widgets.example.com"


def with_default(**defaults: str) -> dict[str, Any]:
    """Returns the schema of a custom resource version.

    The field `spec` has string fields with these defaults; "" means no default.
    """
    schema = copy.deepcopy(SCHEMA)
    schema["properties"]["spec"]["properties"] = {
        name: {"type": "string", **({"default": value} if value else {})} for name, value in defaults.items()
    }
    return {"openAPIV3Schema": schema}


def defined(server: FakeAPI, old: dict[str, Any], new: dict[str, Any]) -> None:
    """Creates a CustomResourceDefinition of widgets with the versions v1beta1 and v1 (stored).

    `old`: the schema of v1beta1. `new`: the schema of v1.
    """
    versions = [version("v1beta1", storage=False, schema=old), version("v1", schema=new)]
    server.request("POST", DEFINITIONS, definition(versions=versions))


def changed(server: FakeAPI, old: dict[str, Any], new: dict[str, Any]) -> None:
    stored = server.request("GET", f"{DEFINITIONS}/{NAME}")
    for each, schema in zip(stored["spec"]["versions"], (old, new), strict=True):
        each["schema"] = schema
    server.request("PUT", f"{DEFINITIONS}/{NAME}", stored)


def test_an_object_has_the_defaults_of_the_version_of_its_request_and_those_of_the_stored_one(
    server: FakeAPI,
) -> None:
    defined(server, with_default(a="old", b="", c=""), with_default(a="", b="new", c=""))
    stored = server.request("POST", OLD, widget(api_version="example.com/v1beta1", spec={"c": "own"}))
    assert stored["spec"] == {"a": "old", "b": "new", "c": "own"}
    assert server.request("GET", f"{OLD}/w")["spec"] == stored["spec"]
    assert server.request("GET", f"{NEW}/w")["spec"] == stored["spec"]


def test_what_is_read_has_new_defaults_of_the_stored_version_alone(server: FakeAPI) -> None:
    defined(server, with_default(a="", b=""), with_default(a="", b=""))
    server.request("POST", OLD, widget(api_version="example.com/v1beta1", spec={}))
    changed(server, with_default(a="old", b=""), with_default(a="", b="new"))
    for path in (OLD, NEW):
        assert server.request("GET", f"{path}/w")["spec"] == {"b": "new"}
        assert [each["spec"] for each in server.request("GET", path)["items"]] == [{"b": "new"}]
    written = server.request("PUT", f"{OLD}/w", server.request("GET", f"{OLD}/w"))
    assert written["spec"] == {"a": "old", "b": "new"}


def test_what_the_version_of_the_request_does_not_have_is_pruned_from_the_others_defaults(
    server: FakeAPI,
) -> None:
    defined(server, with_default(a="old"), with_default(a="", b="new"))
    stored = server.request("POST", OLD, widget(api_version="example.com/v1beta1", spec={}))
    assert stored["spec"] == {"a": "old"}
    assert server.request("GET", f"{NEW}/w")["spec"] == {"a": "old", "b": "new"}
