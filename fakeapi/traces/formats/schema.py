"""Generates the JSON Schema of the native trace format from the types that decode it."""

from pathlib import Path
from typing import Any

import msgspec

from fakeapi.traces.formats import native_lines

FILE = Path(__file__).with_name("schema.json")

_BODIES = ("body", "text", "base64")


def schema() -> dict[str, Any]:
    """Returns the JSON Schema of one line of a trace: a header or an exchange."""
    lines, definitions = msgspec.json.schema_components([native_lines.HeaderLine, native_lines.ExchangeLine])
    for name in ("RequestLine", "ResponseLine", "EventLine"):
        pairs = [[first, second] for first in _BODIES for second in _BODIES if first < second]
        definitions[name]["not"] = {"anyOf": [{"required": pair} for pair in pairs]}
    definitions["ResponseLine"]["dependentRequired"] = {"events": ["ended"], "ended": ["events"]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "One line of a fakeapi trace",
        "anyOf": list(lines),
        "$defs": definitions,
    }
