"""The server converts the schema of a custom resource for OpenAPI once, and outside the event loop."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from fakeapi.http.discovery.openapi import custom
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.structural.openapi import Publication, published_schema
from fakeapi.machinery.structural.schema import Schema
from fakeapi.testing.server import FakeAPI
from tests.registry.custom.world import DEFINITIONS, GROUP, definition, version

V3 = f"/openapi/v3/apis/{GROUP}/v1"


@pytest.fixture
def server() -> Iterator[FakeAPI]:
    with FakeAPI() as started:
        yield started


@pytest.fixture
def publications(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool, bool]]:
    """Returns a list that records each schema when the server converts it for an OpenAPI document.

    An entry is (kind, whether the document is OpenAPI 2, whether the conversion runs on the event loop).
    """
    seen: list[tuple[str, bool, bool]] = []

    def publish(schema: Schema | None, publication: Publication) -> Object:
        try:
            asyncio.get_running_loop()
            on_loop = True
        except RuntimeError:
            on_loop = False
        seen.append((publication.kind, publication.is_v2, on_loop))
        return published_schema(schema, publication)

    monkeypatch.setattr(custom, "published_schema", publish)
    return seen


def with_default(value: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"spec": {"type": "object", "default": value}}}
    schema["properties"]["spec"]["x-kubernetes-preserve-unknown-fields"] = True  # type: ignore[index]
    return definition(versions=[version(schema={"openAPIV3Schema": schema})])


def test_a_later_definition_leaves_the_published_schemas_of_its_group(
    server: FakeAPI, publications: list[tuple[str, bool, bool]]
) -> None:
    server.request("POST", DEFINITIONS, definition())
    server.request("GET", V3)
    server.request("GET", "/openapi/v2")
    server.request("POST", DEFINITIONS, definition("gadgets", "Gadget"))
    schemas = server.request("GET", V3)["components"]["schemas"]
    definitions = server.request("GET", "/openapi/v2")["definitions"]
    assert {f"com.example.v1.{kind}" for kind in ("Widget", "Gadget")} <= schemas.keys() & definitions.keys()
    assert sorted(publications) == [
        (kind, is_v2, False) for kind in ("Gadget", "Widget") for is_v2 in (False, True)
    ]


def test_an_updated_definition_is_published_again(server: FakeAPI) -> None:
    server.request("POST", DEFINITIONS, definition())
    server.request("GET", V3)
    stored = server.request("GET", f"{DEFINITIONS}/widgets.{GROUP}")
    schema = stored["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    schema["properties"]["spec"]["description"] = "Says more."
    server.request("PUT", f"{DEFINITIONS}/widgets.{GROUP}", stored)
    published = server.request("GET", V3)["components"]["schemas"]["com.example.v1.Widget"]
    assert published["properties"]["spec"]["description"] == "Says more."


def test_a_default_that_looks_like_a_reference_is_published_as_it_is(server: FakeAPI) -> None:
    server.request("POST", DEFINITIONS, with_default({"$ref": "#/components/schemas/none"}))
    schema = server.request("GET", V3)["components"]["schemas"]["com.example.v1.Widget"]
    assert schema["properties"]["spec"]["default"] == {"$ref": "#/components/schemas/none"}
    assert "com.example.v1.Widget" in server.request("GET", "/openapi/v2")["definitions"]
