"""Field paths are parsed, and invalid field paths give clear errors."""

import pytest

from fakeapi.traces.fieldpaths import parse, render


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("spec", ("spec",)),
        ("spec.devices.requests", ("spec", "devices", "requests")),
        ("metadata.labels[a.b/c]", ("metadata", "labels", "a.b/c")),
        ("metadata.labels[a.b/c].x", ("metadata", "labels", "a.b/c", "x")),
        ("status.*", ("status", "*")),
    ],
)
def test_a_path_is_read_and_written(text: str, path: tuple[str, ...]) -> None:
    assert parse(text) == path
    assert render(path) == text


@pytest.mark.parametrize("text", ["", ".", "a..b", ".a", "a.", "a[", "a[]", "a]b"])
def test_what_is_no_path_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="field"):
        parse(text)
