"""Values are encoded as YAML in the format of go-yaml, and decode to the same values."""

from functools import partial
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.machinery.golang import yaml_text
from fakeapi.machinery.golang.yaml_encoding import dump
from tests.machinery.steps import assert_linear

needs_libyaml = pytest.mark.skipif(not yaml.__with_libyaml__, reason="the words are libyaml's")


def test_writing_takes_steps_in_proportion_to_the_value() -> None:
    assert_linear(lambda n: partial(dump, {f"k{i}": [i] for i in range(n)}), 200)


def test_keys_of_any_count_of_digits_are_ordered() -> None:
    keys = ["a" + "1" * 5000, "a" + "1" * 5000 + "2", "a2"]
    assert yaml_text.load(dump(dict.fromkeys(keys, 1))) == dict.fromkeys(sorted(keys), 1)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [{"x": {}, "y": []}]}, 'a:\n- x: {}\n  "y": []\nb: 1\n'),
        (
            {"at": "2026-11-20T20:07:47Z", "on": "yes", "n": "12:30"},
            'at: "2026-11-20T20:07:47Z"\n"n": "12:30"\n"on": "yes"\n',
        ),
        (
            ["", "~", "0777", "1e3", ".5", "2026-13-40", "x y", "<<"],
            '- ""\n- "~"\n- "0777"\n- "1e3"\n- ".5"\n- 2026-13-40\n- x y\n- <<\n',
        ),
        (
            ["a: b", "a #b", "- a", "@x", "it's", " x"],
            "- 'a: b'\n- 'a #b'\n- '- a'\n- '@x'\n- it's\n- ' x'\n",
        ),
        (
            [None, True, 1, 1.5, 1e6, 100.0, 2**64],
            "- null\n- true\n- 1\n- 1.5\n- 1e+06\n- 100\n- 1.8446744073709552e+19\n",
        ),
        ({"text": "a\nb\n", "more": "a\nb"}, "more: |-\n  a\n  b\ntext: |\n  a\n  b\n"),
        (
            {"k": "word" * 20 + " end", "l": "word" * 20 + " end "},
            f"k: {'word' * 20}\n  end\nl: '{'word' * 20}\n  end '\n",
        ),
        (
            {"a10": 1, "a2": 1, "a02": 1, "b": 1, "_a": 1, "B": 1, "a-b": 1},
            "_a: 1\nB: 1\na-b: 1\na2: 1\na02: 1\na10: 1\nb: 1\n",
        ),
        ("a\n\n", "|+\n  a\n\n"),
        ({'k:{"uid":"x"}': "😀"}, 'k:{"uid":"x"}: "\\U0001F600"\n'),
    ],
)
@needs_libyaml
def test_a_value_is_written_as_go_yaml_writes_it(value: Any, text: str) -> None:
    assert dump(value).decode() == text


TEXTS = st.text(st.characters(codec="ascii", exclude_categories=["Cc"]) | st.sampled_from("é\n"), max_size=8)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | TEXTS
    | st.sampled_from(["yes", "1", "~", "0x1"])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=150, derandomize=True, deadline=None)
@given(VALUES)
def test_what_is_written_reads_again_as_it_was(value: Any) -> None:
    assert yaml_text.load(dump(value)) == value
