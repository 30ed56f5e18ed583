"""Server-side apply accepts any scalar for a string with a format, and validation refuses it afterwards."""

from collections.abc import Callable

import pytest

from fakeapi.clients.errors import StatusError
from fakeapi.testing.server import FakeAPI
from tests.registry.custom.world import DEFINITIONS, GROUP, WIDGETS, definition, version


@pytest.mark.parametrize(
    ("text_format", "value", "code", "problem"),
    [
        ("", 3, 500, ".spec.text: expected string, got &value.valueUnstructured{Value:3}"),
        ("byte", 3, 500, ".spec.text: expected string, got &value.valueUnstructured{Value:3}"),
        ("email", 3, 422, 'spec.text in body must be of type email: "int64"'),
        ("made-up", 3, 422, 'spec.text in body must be of type string: "integer"'),
        ("email", ["a"], 500, ".spec.text: expected any scalar, got &{[a]}"),
    ],
)
def test_an_apply_of_another_type_gets_kubernetes_error(
    fakeapi_factory: Callable[..., FakeAPI], text_format: str, value: object, code: int, problem: str
) -> None:
    server = fakeapi_factory(release="1.37")
    text = {"type": "string", **({"format": text_format} if text_format else {})}
    spec = {"type": "object", "properties": {"text": text}}
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}
    server.request("POST", DEFINITIONS, definition(versions=[version(schema=schema)]))
    body = {"apiVersion": f"{GROUP}/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {"text": value}}
    query = {"fieldManager": "m"}
    with pytest.raises(StatusError) as refused:
        server.request(
            "PATCH", f"{WIDGETS}/a", body, query=query, content_type="application/apply-patch+yaml"
        )
    assert refused.value.code == code
    assert problem in refused.value.status["message"]
