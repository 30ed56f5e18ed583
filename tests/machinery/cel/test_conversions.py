"""Conversions of CEL read texts like Go, and fail where Go fails."""

import pytest

from fakeapi.machinery.cel.runtime.functions.conversions import _double


@pytest.mark.parametrize(("text", "number"), [("0x1p-2", 0.25), ("1e3", 1000.0), ("-Inf", float("-inf"))])
def test_a_double_is_decimal_or_hexadecimal(text: str, number: float) -> None:
    assert _double(text) == number


@pytest.mark.parametrize("text", ["0x1p5000", "1e400", "0x1", "1_0", " 1", "one"])
def test_a_text_that_is_no_double_or_too_large_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=text.strip()):
        _double(text)
