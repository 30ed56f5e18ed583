"""Control characters in traces and other texts are escaped, so that they do not control the terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery.printable import LINE_MAX, printable, printable_line


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


def test_a_line_of_others_is_one_line_of_bounded_length() -> None:
    assert printable_line("a\n b\t\x1b[31mc") == "a b \\x1b[31mc"
    assert printable_line("x" * 100_000) == "x" * (LINE_MAX - 1) + "…"
    assert len(printable_line("\x1b" * LINE_MAX)) == LINE_MAX
    assert printable_line("x" * LINE_MAX) == "x" * LINE_MAX
    assert printable_line(ValueError("a\rb"), 2) == "a…"
