"""A member of a CustomResourceDefinition's schema that is a schema or something else is checked like in Go.

The messages are those of a kube-apiserver of 1.37.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from fakeapi import FakeAPI
from tests.http import wire
from tests.http.asking import ask

PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
HANDLED = 'CustomResourceDefinition in version "v1" cannot be handled as a CustomResourceDefinition: '
FIELD = "Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties"
ALTERNATIVE = "boolean or JSON schema expected"


@pytest.fixture
def server() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.37") as api:
        yield api


def definition(schema: dict[str, Any]) -> dict[str, Any]:
    whole = {"type": "object", "properties": {"spec": schema}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": whole}}
    return {
        "metadata": {"name": "as.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "as", "kind": "A"},
            "versions": [version],
        },
    }


@pytest.mark.parametrize(
    ("member", "problem"),
    [
        ({"items": ["x"]}, f"json: cannot unmarshal string into {FIELD}.items of type v1.JSONSchemaProps"),
        ({"items": [[1]]}, f"json: cannot unmarshal array into {FIELD}.items of type v1.JSONSchemaProps"),
        ({"items": {"type": 1}}, f"json: cannot unmarshal number into {FIELD}.items.type of type string"),
        ({"items": [{"type": 1}]}, f"json: cannot unmarshal number into {FIELD}.items.type of type string"),
        ({"additionalItems": "a"}, ALTERNATIVE),
        ({"additionalProperties": [1]}, ALTERNATIVE),
        (
            {"dependencies": {"a": [1]}},
            f"json: cannot unmarshal number into {FIELD}.dependencies of type string",
        ),
    ],
)
def test_a_value_that_is_no_schema_is_refused(server: FakeAPI, member: dict[str, Any], problem: str) -> None:
    answer = ask(server, PATH, "POST", definition({"type": "object", **member}))
    assert (answer.code, json.loads(answer.body)["message"]) == (400, HANDLED + problem)


@pytest.mark.parametrize(
    ("member", "problem"),
    [
        ({"items": "x"}, "items: Required value: must be specified"),
        ({"items": [None]}, "items: Forbidden: items must be a schema object and not an array"),
        ({"dependencies": {"a": "x"}}, "dependencies: Forbidden: dependencies is not supported"),
    ],
)
def test_a_value_that_go_reads_as_empty_is_validated(
    server: FakeAPI, member: dict[str, Any], problem: str
) -> None:
    answer = ask(server, PATH, "POST", definition({"type": "array", **member}))
    message = json.loads(answer.body)["message"]
    assert answer.code == 422
    assert message.endswith(f"spec.validation.openAPIV3Schema.properties[spec].{problem}")


def test_unknown_fields_of_the_schema_of_items_are_ignored(server: FakeAPI) -> None:
    schema = {"type": "array", "items": {"type": "string", "color": "red"}}
    answer = ask(server, f"{PATH}?fieldValidation=Strict", "POST", definition(schema))
    assert answer.code == 201


@pytest.mark.parametrize("depth", [50, 5_000])
def test_items_nested_in_items_are_answered(server: FakeAPI, depth: int) -> None:
    nested = '{"type": "array", "items": ' * depth + '{"type": "string"}' + "}" * depth
    body = json.dumps(definition({})).replace('"spec": {}}', f'"spec": {nested}}}').encode()
    lines = [(b"Host", b"localhost"), (b"Connection", b"close"), (b"Content-Type", b"application/json")]
    head = wire.head(b"POST", PATH.encode(), [*lines, (b"Content-Length", b"%d" % len(body))])
    assert wire.exchange(server.url, head + body).code in (201, 400, 422)
    assert ask(server, "/version").code == 200
