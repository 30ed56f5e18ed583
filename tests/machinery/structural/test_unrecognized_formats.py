"""Unrecognized string formats in a CustomResourceDefinition cause warnings."""

from msgspec.structs import replace

from fakeapi.machinery.structural.definition_validation import unrecognized_formats
from fakeapi.machinery.structural.rules import NEWEST
from fakeapi.machinery.structural.schema import parse_schema

SCHEMA = parse_schema(
    {
        "type": "object",
        "properties": {
            "a": {"type": "string", "format": "quantity"},
            "b": {"type": "string", "format": "date-time"},
            "c": {"type": "integer", "format": "date"},
            "d": {"type": "array", "items": {"type": "integer", "format": "int32"}},
        },
    }
)


def test_formats_that_are_not_checked_are_told() -> None:
    assert unrecognized_formats(SCHEMA, NEWEST) == ["quantity", "date"]


def test_releases_that_do_not_tell_types_apart_tell_of_strings_alone() -> None:
    assert unrecognized_formats(SCHEMA, replace(NEWEST, formats_follow_types=False)) == ["quantity"]


def test_older_releases_tell_nothing() -> None:
    assert unrecognized_formats(SCHEMA, replace(NEWEST, warns_of_formats=False)) == []
