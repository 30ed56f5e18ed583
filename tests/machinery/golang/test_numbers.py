"""Numbers are parsed as in Go's package strconv."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery.golang.numbers import INT64_MAX, INT64_MIN, UINT64_MAX, parse_int, parse_uint

MANY = 5000
"""A number of digits over the limit of Python's int()."""


@given(st.integers(INT64_MIN, INT64_MAX), st.sampled_from(["", "0", "0" * MANY]))
def test_every_int64_is_read_whatever_zeros_lead_it(number: int, zeros: str) -> None:
    sign = "-" if number < 0 else ""
    assert parse_int(f"{sign}{zeros}{abs(number)}") == number


@given(st.integers(0, UINT64_MAX), st.sampled_from(["", "0", "0" * MANY]))
def test_every_uint64_is_read_whatever_zeros_lead_it(number: int, zeros: str) -> None:
    assert parse_uint(f"{zeros}{number}") == number


@pytest.mark.parametrize("text", [str(INT64_MAX + 1), str(INT64_MIN - 1), "9" * MANY, "-" + "9" * MANY])
def test_what_no_int64_holds_is_out_of_range(text: str) -> None:
    with pytest.raises(ValueError, match=f'^strconv.ParseInt: parsing "{text}": value out of range$'):
        parse_int(text)


@pytest.mark.parametrize("text", [str(UINT64_MAX + 1), "9" * MANY])
def test_what_no_uint64_holds_is_out_of_range(text: str) -> None:
    with pytest.raises(ValueError, match=f'^strconv.ParseUint: parsing "{text}": value out of range$'):
        parse_uint(text)


@pytest.mark.parametrize("text", ["", "+", "-", "1_0", " 1", "٣", "²", "0x1", "1.0", "--1"])
def test_other_texts_are_no_numbers(text: str) -> None:
    for parse in (parse_int, parse_uint):
        with pytest.raises(ValueError, match="invalid syntax"):
            parse(text)


@pytest.mark.parametrize("text", ["+1", "-1"])
def test_a_uint64_has_no_sign(text: str) -> None:
    with pytest.raises(ValueError, match="invalid syntax"):
        parse_uint(text)
