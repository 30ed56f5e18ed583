"""Base64 text is decoded as in Go's encoding/base64."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery.golang.base64_decoding import canonical_base64, decode_base64


@given(st.binary(), st.integers(1, 20))
def test_what_was_encoded_is_decoded_with_or_without_line_breaks(data: bytes, width: int) -> None:
    text = base64.b64encode(data).decode()
    lines = "\r\n".join(text[start : start + width] for start in range(0, len(text), width))
    assert decode_base64(text) == decode_base64(lines) == data
    assert canonical_base64(lines) == text


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("not base64!", 3),
        ("?", 0),
        ("A", 0),
        ("AA", 0),
        ("AAA", 0),
        ("AAAAA", 4),
        ("A===", 1),
        ("AA=", 3),
        ("AA=A", 2),
        ("AA==AAAA", 4),
        ("AAA=AAAA", 4),
        ("AAA\u00e9", 3),
        ("=AAA", 0),
        ("AA\n==\nB", 6),
    ],
)
def test_an_error_names_the_first_byte_that_is_wrong(text: str, place: int) -> None:
    with pytest.raises(ValueError, match=f"^illegal base64 data at input byte {place}$"):
        decode_base64(text)


def test_bits_that_no_byte_needs_are_passed_over() -> None:
    assert canonical_base64("MR==") == "MQ=="
