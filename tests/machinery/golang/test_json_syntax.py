"""JSON syntax errors have the messages of Go's encoding/json."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.machinery.codec import JsonError
from fakeapi.machinery.golang.json_decoding import decode_lenient
from fakeapi.machinery.golang.json_syntax import json_syntax_error
from tests.machinery.golang.json_trees import SPACE, TREES, written


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "unexpected end of JSON input"),
        (b"{", "unexpected end of JSON input"),
        (b'{"a"', "unexpected end of JSON input"),
        (b'{"a": "b', "unexpected end of JSON input"),
        (b"[1, ", "unexpected end of JSON input"),
        (b"\xef\xbb\xbf{}", "invalid character 'ï' looking for beginning of value"),
        (b"'a'", "invalid character '\\'' looking for beginning of value"),
        (b"NaN", "invalid character 'N' looking for beginning of value"),
        (b"[1,]", "invalid character ']' looking for beginning of value"),
        (b"[,", "invalid character ',' looking for beginning of value"),
        (b"{1: 2}", "invalid character '1' looking for beginning of object key string"),
        (b'{"a": 1,}', "invalid character '}' looking for beginning of object key string"),
        (b'{"a" 1}', "invalid character '1' after object key"),
        (b'{"a": 1 "b"', "invalid character '\"' after object key:value pair"),
        (b'{"a": 1]', "invalid character ']' after object key:value pair"),
        (b"[1 2]", "invalid character '2' after array element"),
        (b"{}a", "invalid character 'a' after top-level value"),
        (b"01", "invalid character '1' after top-level value"),
        (b"1e2.5", "invalid character '.' after top-level value"),
        (b"-", "invalid character ' ' in numeric literal"),
        (b"-a", "invalid character 'a' in numeric literal"),
        (b"1.", "invalid character ' ' after decimal point in numeric literal"),
        (b"1.x", "invalid character 'x' after decimal point in numeric literal"),
        (b"1e", "invalid character ' ' in exponent of numeric literal"),
        (b"1E+x", "invalid character 'x' in exponent of numeric literal"),
        (b"tru", "invalid character ' ' in literal true (expecting 'e')"),
        (b"nil", "invalid character 'i' in literal null (expecting 'u')"),
        (b"falsy", "invalid character 'y' in literal false (expecting 'e')"),
        (b'"\n"', "invalid character '\\n' in string literal"),
        (b'"\\x"', "invalid character 'x' in string escape code"),
        (b'"\\u12"', "invalid character '\"' in \\u hexadecimal character escape"),
        (b"[" * 10_001, "invalid character '[' exceeded max depth"),
        (b"[" * 10_000, "unexpected end of JSON input"),
    ],
)
def test_go_says_this_of_a_malformed_body(body: bytes, words: str) -> None:
    assert json_syntax_error(body) == words
    with pytest.raises(JsonError) as caught:
        decode_lenient(body)
    assert str(caught.value) == words


@settings(max_examples=200, derandomize=True, deadline=None)
@given(TREES, SPACE, st.data())
def test_a_syntax_error_is_found_if_and_only_if_the_body_is_no_json(tree: Any, space: str, data: Any) -> None:
    text = written(tree, space)
    at = data.draw(st.integers(0, len(text)))
    text = text[:at] + data.draw(st.sampled_from(["", *'{}[]",:\\u0e.-tn \x01'])) + text[at + 1 :]
    try:
        json.loads(text)
    except ValueError:
        assert json_syntax_error(text.encode())
    else:
        assert not json_syntax_error(text.encode())
