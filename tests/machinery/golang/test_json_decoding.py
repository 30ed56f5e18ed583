"""Whatever JSON Go accepts is decoded as Go decodes it."""

from typing import Any

import pytest

from fakeapi.machinery.codec import JsonError
from fakeapi.machinery.golang.json_decoding import decode_lenient
from fakeapi.machinery.golang.json_syntax import json_syntax_error


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b' {"a" : [ ] , "b" : { } } \n', {"a": [], "b": {}}),
        (b"123456789012345678901234567890", 123456789012345678901234567890),
        (b"1e2", 100.0),
        (b'"\\ud83d\\ude00"', "\U0001f600"),
        (b'"\\ud800"', "\ufffd"),
        (b'"\\ude00x\\ud83d"', "\ufffdx\ufffd"),
        (b'{"\\ud800": ["\\udfff"]}', {"\ufffd": ["\ufffd"]}),
        (b'"\xff"', "\ufffd"),
        (b'"\xe2\x82x"', "\ufffd\ufffdx"),
        (b'"\xed\xa0\x80"', "\ufffd\ufffd\ufffd"),
    ],
)
def test_what_go_accepts_is_decoded_as_go_decodes_it(body: bytes, value: Any) -> None:
    assert json_syntax_error(body) == ""
    assert decode_lenient(body) == value


def test_a_number_beyond_float64_is_refused_in_gos_words() -> None:
    with pytest.raises(JsonError) as caught:
        decode_lenient(b'{"a": 1e400}')
    assert str(caught.value) == "json: cannot unmarshal number 1e400 into Go value of type float64"


def test_nesting_that_python_cannot_follow_is_refused_as_too_deep() -> None:
    with pytest.raises(JsonError) as caught:
        decode_lenient(b"[" * 9_000 + b'"\\ud800"' + b"]" * 9_000)
    assert str(caught.value) == "invalid character ']' exceeded max depth"
