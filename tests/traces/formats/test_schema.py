"""The packaged JSON schema of traces equals the schema of the Python types that read traces."""

import json
import re
from pathlib import Path

from fakeapi.traces.formats import native_lines
from fakeapi.traces.formats.schema import FILE, schema
from fakeapi.traces.inspecting.validate import validate
from tests.installation import ROOT
from tests.traces.samples import read


def test_the_shipped_schema_is_that_of_the_reader() -> None:
    assert json.loads(FILE.read_text(encoding="utf-8")) == json.loads(json.dumps(schema()))


def test_every_field_of_a_line_is_in_the_schema() -> None:
    definitions = schema()["$defs"]
    assert set(definitions) == {"HeaderLine", "ExchangeLine", "RequestLine", "ResponseLine", "EventLine"}
    for name, definition in definitions.items():
        assert set(definition["properties"]) == set(getattr(native_lines, name).__struct_encode_fields__)
        assert definition["additionalProperties"] is False


def test_the_example_of_the_document_is_a_trace(tmp_path: Path) -> None:
    document = (ROOT / "docs" / "traces.md").read_text(encoding="utf-8")
    example = re.search(r"^```json\n(.*?)^```$", document, re.MULTILINE | re.DOTALL)
    assert example is not None
    path = tmp_path / "t.jsonl"
    path.write_text(example[1], encoding="utf-8")
    assert list(validate(path)) == []
    assert len(read(path)) == 2
