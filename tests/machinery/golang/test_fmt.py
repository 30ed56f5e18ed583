"""Decoded JSON values are printed as Go's package fmt prints them."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.machinery.golang.fmt import printed, shortest_float


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": [1, None, "x", {"c": True}], "a": {}}, "map[a:map[] b:[1 <nil> x map[c:true]]]"),
        ([[False], []], "[[false] []]"),
        (-0.0, "-0"),
        (100000.5, "100000.5"),
        (999999.0, "999999"),
        (1000000.0, "1e+06"),
        (12345678.5, "1.23456785e+07"),
        (1e21, "1e+21"),
        (0.0001, "0.0001"),
        (0.00001, "1e-05"),
        (1.5e-7, "1.5e-07"),
    ],
)
def test_go_prints_a_value_like_this(value: Any, text: str) -> None:
    assert printed(value) == text


def test_a_float32_has_no_more_digits_than_tell_it_from_its_neighbours() -> None:
    assert shortest_float(0.1, bits=32) == "0.1"
    assert shortest_float(16777217.0, bits=32) == "1.6777216e+07"


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_reads_again_as_it_was(value: float) -> None:
    assert float(shortest_float(value)) == value
