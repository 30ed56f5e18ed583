"""Text from a trace cannot command a terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.traces.printable import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 日本 text", "plain é 日本 text"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("a\nb\tc\x7f", "a\\nb\\tc\\x7f"),
        ("\u202eturned", "\\u202eturned"),
        ("\ud800", "\\ud800"),
    ],
)
def test_control_characters_are_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(st.text())
def test_the_result_is_printable(text: str) -> None:
    assert printable(text).isprintable()
