"""The page writes objects as YAML that the server reads as the same objects, and finds lines of fields."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import fakeapi.control.ui
from fakeapi.machinery.documents import document_of

YAML = Path(fakeapi.control.ui.__file__).parent / "static/yaml.js"

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

STRINGS = [
    "",
    " ",
    "a",
    "a: b",
    "- a",
    "a #b",
    "#a",
    "true",
    "no",
    "y",
    "null",
    "~",
    "1",
    "1e3",
    "0x1f",
    "1_000",
    "12:30",
    "2026-01-01",
    ".5",
    "=",
    "<<",
    "'",
    '"',
    "\\",
    "a\nb",
    "a\nb\n",
    "a\n\n",
    "\na",
    " a\nb",
    "a \nb",
    "a\n  b\n",
    "a\tb\nc",
    "a\rb",
    "\u0000",
    "\u0085",
    "\u2028",
    "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"),
    "<img src=x onerror=alert(1)>",
    "{a}",
    "[a",
    "&a",
    "*a",
    "!a",
    "%a",
    "@a",
    "`a",
    "a ",
    "NaN",
    ".inf",
    "a,b",
]
OBJECTS: list[Any] = [
    {"kind": "A", "list": [1, {"a": [[1, 2], []], "b": {}}, [], None, True, 1.5, -0.25, 1e21]},
    {"strings": STRINGS},
    {"keys": {text: "x" for text in STRINGS if text and "\u0000" not in text}},
    {"nested": [[{"a": "b\nc"}, ["d\ne\n"]], {"script": "#!/bin/sh\n\necho 1\n"}]},
    {},
]


def run(tmp_path: Path, script: str) -> Any:
    """Runs a script with the functions of yaml.js; returns the JSON that it prints."""
    module = tmp_path / "yaml.mjs"
    module.write_text(YAML.read_text() + script)
    done = subprocess.run(["node", str(module)], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def test_the_server_reads_the_yaml_of_the_page_as_the_same_object(tmp_path: Path) -> None:
    script = f"console.log(JSON.stringify({json.dumps(OBJECTS)}.map(toYaml)))"
    for expected, text in zip(OBJECTS, run(tmp_path, script), strict=True):
        read = document_of(text)
        if "strings" in expected:
            assert dict(zip(STRINGS, read["strings"], strict=True)) == dict(
                zip(STRINGS, STRINGS, strict=True)
            )
        assert read == expected, text


TEXT = """\
kind: A
metadata:
  name: a
spec:
  devices:
    requests:
    - name: one
      exactly:
        count: x
    - name: two
      exactly:
        count: 1
"""


@pytest.mark.parametrize(
    ("field", "line"),
    [
        ("metadata.name", 3),
        ("spec.devices.requests[0].exactly.count", 9),
        ("spec.devices.requests[1].name", 10),
        ("spec.devices.requests[1].exactly.count", 12),
        ("spec.devices.requests[1].exactly.nothing", 11),
        ("spec.devices.requests[7]", 6),
        ("nothing", 0),
    ],
)
def test_the_line_of_a_field_is_found(tmp_path: Path, field: str, line: int) -> None:
    script = f"console.log(JSON.stringify(lineOf({json.dumps(TEXT)}, {json.dumps(field)})))"
    assert run(tmp_path, script) == line
