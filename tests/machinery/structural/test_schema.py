"""Schemas of CustomResourceDefinitions are parsed; too deep schemas are refused."""

import pytest

from fakeapi.machinery.codec import RawJson
from fakeapi.machinery.structural.schema import DEPTH_MAX, Schema, SchemaTooDeep, parse_schema


def test_a_schema_is_read_with_its_defaults() -> None:
    assert parse_schema({}) == Schema()


def test_values_are_what_go_reads_into_an_interface() -> None:
    schema = parse_schema({"default": RawJson(b"[1]", [1]), "enum": [1, 1 << 70, None], "maximum": 3})
    assert schema.default == [1]
    assert schema.enum == (1, float(1 << 70), None)
    assert schema.maximum == 3.0


def test_a_null_default_is_none() -> None:
    assert parse_schema({"default": None}) == Schema()


def test_additional_properties_and_items_may_be_of_several_forms() -> None:
    schema = parse_schema({"additionalProperties": {"type": "string"}, "items": [{"type": "string"}]})
    assert schema.additional_properties == Schema(type="string")
    assert schema.items == (Schema(type="string"),)
    assert parse_schema({"additionalProperties": False}).additional_properties is False


def test_a_schema_that_is_too_deep_is_refused() -> None:
    props: dict[str, object] = {}
    for _ in range(DEPTH_MAX - 1):
        props = {"items": props}
    parse_schema(props)
    with pytest.raises(SchemaTooDeep):
        parse_schema({"items": props})
