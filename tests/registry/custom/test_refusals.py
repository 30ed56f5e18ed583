"""Invalid CustomResourceDefinitions get Kubernetes' errors, including the invalid values.

The definitions come from the tests of k8s.io/apiextensions-apiserver `pkg/apis/apiextensions/validation`. The
expected errors are the errors of release 1.36.
"""

from collections.abc import Callable
from typing import Any

import pytest

from fakeapi.clients.errors import StatusError
from fakeapi.testing.server import FakeAPI
from tests.registry.custom.world import DEFINITIONS, definition, version


@pytest.fixture
def server(fakeapi_factory: Callable[..., FakeAPI]) -> FakeAPI:
    return fakeapi_factory(release="1.36")


def causes(server: FakeAPI, body: dict[str, Any]) -> dict[str, str]:
    """Creates a CustomResourceDefinition that must be refused; returns each cause's message by its field."""
    with pytest.raises(StatusError) as refused:
        server.request("POST", DEFINITIONS, body)
    return {each["field"]: each["message"] for each in refused.value.status["details"]["causes"]}


def with_schema(**schema: Any) -> dict[str, Any]:
    return definition(
        versions=[version(schema={"openAPIV3Schema": {"type": "object", "properties": schema}})]
    )


def test_versions_that_are_null_are_shown_as_null(server: FakeAPI) -> None:
    errors = causes(server, definition(versions=None))
    assert (
        errors["spec.versions"]
        == "Invalid value: null: must have exactly one version marked as storage version"
    )


def test_several_schemas_of_items_are_shown_whole(server: FakeAPI) -> None:
    several = {"type": "array", "items": [{"type": "string"}], "x-kubernetes-list-type": "map"}
    errors = causes(server, with_schema(several={**several, "x-kubernetes-list-map-keys": ["key"]}))
    message = errors["spec.validation.openAPIV3Schema.properties[several].items"]
    assert message.startswith('Invalid value: {"Schema":null,"JSONSchemas":[{"ID":"","Schema":"","Ref":null,')
    assert message.endswith("}]}: must only have a single schema if x-kubernetes-list-type is map")


def test_older_releases_show_schemas_in_the_syntax_of_go(fakeapi_factory: Callable[..., FakeAPI]) -> None:
    server = fakeapi_factory(release="1.33")
    several = {"type": "array", "items": [{"type": "string"}], "x-kubernetes-list-type": "map"}
    errors = causes(server, with_schema(several={**several, "x-kubernetes-list-map-keys": ["key"]}))
    message = errors["spec.validation.openAPIV3Schema.properties[several].items"]
    assert message.startswith(
        "Invalid value: apiextensions.JSONSchemaPropsOrArray{Schema:(*apiextensions.JSONSchemaProps)(nil), "
        'JSONSchemas:[]apiextensions.JSONSchemaProps{apiextensions.JSONSchemaProps{ID:"", Schema:"", '
        'Ref:(*string)(nil), Description:"", Type:"string", Nullable:false, '
    )
    root = {"anyOf": [{"required": ["a"]}]}
    with_status = version(schema={"openAPIV3Schema": root}, subresources={"status": {}})
    message = causes(server, definition(versions=[with_status]))["spec.validation.openAPIV3Schema"]
    assert 'Required:[]string{"a"}, Items:(*apiextensions.JSONSchemaPropsOrArray)(nil), ' in message


def test_a_default_with_unknown_fields_is_shown_without_those_of_its_metadata(server: FakeAPI) -> None:
    default = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "foo", "unknown": 42},
        "unknown": 42,
    }
    schema = {"type": "object", "x-kubernetes-embedded-resource": True, "default": default}
    properties = {name: {"type": "string"} for name in ("apiVersion", "kind")}
    errors = causes(
        server, with_schema(pod={**schema, "properties": {**properties, "metadata": {"type": "object"}}})
    )
    assert errors["spec.validation.openAPIV3Schema.properties[pod].default"] == (
        'Invalid value: {"apiVersion":"v1","kind":"Pod","metadata":{"name":"foo"},"unknown":42}: '
        "must not have unknown fields"
    )
