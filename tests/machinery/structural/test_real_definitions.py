"""CustomResourceDefinitions of well-known projects are valid, and their schemas validate objects."""

from typing import Any

import pytest

from fakeapi.machinery.documents import documents_of
from fakeapi.machinery.structural.apply_types import apply_type
from fakeapi.machinery.structural.defaulting import default
from fakeapi.machinery.structural.definition_validation import Strictness, validate_definition_schema
from fakeapi.machinery.structural.nulls import prune_nulls
from fakeapi.machinery.structural.openapi import Publication, published_schema
from fakeapi.machinery.structural.pruning import one, prune
from fakeapi.machinery.structural.schema import Schema, parse_schema
from fakeapi.machinery.structural.validation import validate
from fakeapi.releases import load_release
from fakeapi.releases.schema_rules import schema_rules_of
from tests.go_modules import needs_go
from tools.real_definitions import PUBLISHED, Published, UnavailableError, files_of

RELEASE = "1.33"

pytestmark = [
    needs_go,
    pytest.mark.network,  # Go downloads the modules of the projects
    pytest.mark.timeout(600),  # modules are downloaded, and some definitions are megabytes of YAML
]


def _definitions(published: Published) -> list[dict[str, Any]]:
    try:
        files = list(files_of(published, published.definitions))
    except UnavailableError as error:
        pytest.skip(str(error))
    documents = (document for file in files for document in documents_of(file.read_text(encoding="utf-8")))
    return [found for found in documents if found.get("kind") == "CustomResourceDefinition"]


def _versions(definition: dict[str, Any]) -> list[dict[str, Any]]:
    versions: list[dict[str, Any]] = definition["spec"]["versions"]
    return [version for version in versions if "schema" in version]


@pytest.mark.parametrize("published", PUBLISHED, ids=lambda each: each.module)
def test_real_definitions_are_valid(published: Published) -> None:
    release = load_release(RELEASE)
    object_meta, rules = release.schemas.struct("meta/v1.ObjectMeta"), schema_rules_of(release)
    found = _definitions(published)
    assert found
    for definition in found:
        for version in _versions(definition):
            errors = validate_definition_schema(
                parse_schema(version["schema"]["openAPIV3Schema"]),
                "spec.validation",
                object_meta,
                has_status="status" in version.get("subresources", {}),
                strictness=Strictness(),
                rules=rules,
            )
            assert [str(error) for error in errors] == [], definition["metadata"]["name"]


@pytest.mark.parametrize("published", PUBLISHED, ids=lambda each: each.module)
def test_samples_of_real_definitions_are_served_as_their_schemas_say(published: Published) -> None:
    release = load_release(RELEASE)
    object_meta, rules = release.schemas.struct("meta/v1.ObjectMeta"), schema_rules_of(release)
    for definition in _definitions(published):
        spec = definition["spec"]
        for version in _versions(definition):
            schema = parse_schema(version["schema"]["openAPIV3Schema"])
            obj = {
                **_sample(schema),
                "apiVersion": f"{spec['group']}/{version['name']}",
                "kind": spec["names"]["kind"],
                "metadata": {"name": "sample"},
            }
            assert prune(obj, schema) == []
            prune_nulls(obj, schema)
            default(obj, schema)
            assert prune(obj, schema) == [], "defaults are pruned"
            name = definition["metadata"]["name"]
            unknown = {**obj, "unknown": 1}
            if not schema.preserve_unknown_fields:
                assert prune(unknown, schema) == ["unknown"], name
            wrong = validate({**obj, "spec": 5}, schema, rules=rules)
            if schema.properties.get("spec", Schema()).type == "object":
                assert any(error.field == "spec" for error in wrong), name
            apply_type(schema, object_meta)
            publication = Publication(
                group=spec["group"],
                version=version["name"],
                kind=spec["names"]["kind"],
                resource_members={},
                embedded_members={},
                rules=rules,
            )
            assert published_schema(schema, publication)["type"] == "object"


def _sample(schema: Schema) -> dict[str, Any]:
    """Returns an object with the required fields of a schema. Each value has the right type."""
    return {name: _value(schema.properties[name]) for name in schema.required if name in schema.properties}


def _value(schema: Schema) -> Any:
    if schema.default is not None:
        return schema.default
    if schema.enum:
        return schema.enum[0]
    match schema.type:
        case "object":
            return _sample(schema)
        case "array":
            items = one(schema.items)
            return [_value(items)] * (schema.min_items or 0) if items is not None else []
        case "integer" | "number":
            return int(schema.minimum or 1)
        case "boolean":
            return True
        case _:
            return "a" * (schema.min_length or 1)
