"""The schema that is shipped is that of the types that read traces."""

import json

from fakeapi.traces import wire
from fakeapi.traces.schema import FILE, schema


def test_the_shipped_schema_is_that_of_the_reader() -> None:
    assert json.loads(FILE.read_text(encoding="utf-8")) == json.loads(json.dumps(schema()))


def test_every_field_of_a_line_is_in_the_schema() -> None:
    definitions = schema()["$defs"]
    assert set(definitions) == {"HeaderLine", "ExchangeLine", "RequestLine", "ResponseLine", "EventLine"}
    for name, definition in definitions.items():
        assert set(definition["properties"]) == set(getattr(wire, name).__struct_encode_fields__)
        assert definition["additionalProperties"] is False
