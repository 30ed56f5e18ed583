"""The server prunes the defaults of a schema, and copies only the nodes above a changed default."""

from typing import Any

from fakeapi.machinery.json_types import Object
from fakeapi.machinery.structural.default_validation import prune_defaults
from fakeapi.machinery.structural.schema import Schema, parse_schema
from fakeapi.releases.release import load_release

OBJECT_META = load_release("1.34").schemas.struct("meta/v1.ObjectMeta")


def pruned(props: Object) -> tuple[Schema, Schema]:
    schema = parse_schema(props)
    return schema, prune_defaults(schema, OBJECT_META)


def schema_of(default: Any) -> Object:
    inner = {"type": "object", "default": default, "properties": {"known": {"type": "string"}}}
    other = {"type": "object", "properties": {"a": {"type": "string", "default": "x"}}}
    listed = {"type": "array", "items": {"type": "object", "properties": {"inner": inner}}}
    mapped = {"type": "object", "additionalProperties": listed}
    return {"type": "object", "properties": {"mapped": mapped, "other": other}}


def test_a_schema_whose_defaults_have_known_fields_stays_the_same_object() -> None:
    schema, result = pruned(schema_of({"known": "x"}))
    assert result is schema


def test_unknown_fields_of_a_default_are_pruned_below_lists_and_maps() -> None:
    schema, result = pruned(schema_of({"known": "x", "unknown": "y"}))
    mapped, others = result.properties["mapped"], schema.properties["mapped"]
    assert isinstance(mapped.additional_properties, Schema)
    assert isinstance(others.additional_properties, Schema)
    item, before = mapped.additional_properties.items, others.additional_properties.items
    assert isinstance(item, Schema)
    assert isinstance(before, Schema)
    assert item.properties["inner"].default == {"known": "x"}
    assert before.properties["inner"].default == {"known": "x", "unknown": "y"}
    assert result.properties["other"] is schema.properties["other"]
    assert [*result.properties] == [*schema.properties]
