"""The cache of parsed schemas has a limit in bytes."""

from fakeapi.machinery.structural.parsed_schemas import ParsedSchemas


def test_a_schema_is_parsed_once() -> None:
    schemas = ParsedSchemas()
    assert schemas.parse({"type": "object"}) is schemas.parse({"type": "object"})
    assert schemas.parse({"type": "object"}) != schemas.parse({"type": "string"})


def test_the_schemas_unused_for_longest_are_dropped() -> None:
    schemas = ParsedSchemas(bytes_max=2 * len(b'{"type":"string","title":"a"}'))
    first, second = (schemas.parse({"type": "string", "title": title}) for title in "ab")
    assert schemas.parse({"type": "string", "title": "a"}) is first
    schemas.parse({"type": "string", "title": "c"})
    assert schemas.parse({"type": "string", "title": "a"}) is first
    assert schemas.parse({"type": "string", "title": "b"}) is not second
