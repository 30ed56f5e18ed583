"""All JSON that Go accepts is decoded as in Go."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from fakeapi.machinery.codec import JsonError
from fakeapi.machinery.golang.json_decoding import decode_lenient, decode_marking_duplicates
from fakeapi.machinery.golang.json_depth import NESTING_MAX
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


@pytest.mark.parametrize("decode", [decode_lenient, decode_marking_duplicates])
def test_json_that_nests_too_deep_is_refused_with_the_words_of_go(decode: Callable[[bytes], Any]) -> None:
    for levels in (NESTING_MAX + 1, 9_000):
        for inside in (b"", b'"\\ud800"', b'"[" , ' + b"[]"):
            with pytest.raises(JsonError, match=r"^invalid character '\]' exceeded max depth$"):
                decode(b"[" * levels + inside + b"]" * levels)
    with pytest.raises(JsonError, match=r"^invalid character '\[' exceeded max depth$"):
        decode(b"[" * 10_001)


@pytest.mark.parametrize("decode", [decode_lenient, decode_marking_duplicates])
def test_brackets_in_strings_and_beside_each_other_do_not_nest(decode: Callable[[bytes], Any]) -> None:
    text = "[" * 5_000 + '\\"{'
    assert decode(json.dumps([text, [[]] * 2_000]).encode()) == [text, [[]] * 2_000]
    deep = b"[" * NESTING_MAX + b"]" * NESTING_MAX
    assert decode(deep) is not None
