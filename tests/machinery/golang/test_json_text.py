"""JSON is read as Go reads it: the same bodies, the same words for errors, the same repeated keys."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.machinery.codec import JsonError, encode
from fakeapi.machinery.golang import json_text


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
    assert json_text.json_syntax_error(body) == words
    with pytest.raises(JsonError) as caught:
        json_text.decode_lenient(body)
    assert str(caught.value) == words


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
    assert json_text.json_syntax_error(body) == ""
    assert json_text.decode_lenient(body) == value


def test_a_number_beyond_float64_is_refused_in_gos_words() -> None:
    with pytest.raises(JsonError) as caught:
        json_text.decode_lenient(b'{"a": 1e400}')
    assert str(caught.value) == "json: cannot unmarshal number 1e400 into Go value of type float64"


def test_nesting_that_python_cannot_follow_is_refused_as_too_deep() -> None:
    with pytest.raises(JsonError) as caught:
        json_text.decode_lenient(b"[" * 9_000 + b'"\\ud800"' + b"]" * 9_000)
    assert str(caught.value) == "invalid character ']' exceeded max depth"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            b'{"metadata":{"name":"x","labels":{"a":"1","a":"2"},"name":"x"}}',
            ["metadata.labels.a", "metadata.name"],
        ),
        (b'{"a": {"b": 1, "b": 2}, "a": {"b": 3, "b": 4}}', ["a.b", "a"]),
        (b'{"a": [1, {"c": 1, "c": 2, "c": 3}]}', ["a[1].c"]),
        (b'[{"a": 1, "a": 2}]', ["[0].a"]),
        (b'{"": {"c": 1, "c": 2}}', [".c"]),
        (b'{"a": 1, "A": 2}', []),
        (b'{"a": 1, "\\u0061": 2}', ["a"]),
        (b'{"a, b": 1, "a,b": 2}', []),
        (b'{"a": "x", "a": "\\ud800"}', ["a"]),
        (b"null", []),
    ],
)
def test_repeated_keys_are_named_by_path_in_document_order(body: bytes, expected: list[str]) -> None:
    assert json_text.duplicates(body) == [f'duplicate field "{path}"' for path in expected]


def test_paths_are_quoted_as_go_quotes_them() -> None:
    assert json_text.duplicates(b'{"a\\"\\n": 1, "a\\"\\n": 2}') == ['duplicate field "a\\"\\n"']


def test_a_hundred_strict_errors_are_reported_and_no_more() -> None:
    body = b"{" + b",".join(b'"k%d": 1, "k%d": 2' % (n, n) for n in range(200)) + b"}"
    assert json_text.duplicates(body) == [f'duplicate field "k{n}"' for n in range(100)]


def test_members_show_every_occurrence_and_the_object_holds_the_last() -> None:
    value = json_text.decode_marking_duplicates(b'{"a": 1, "b": {"c": 1}, "a": 2}')
    assert value == {"a": 2, "b": {"c": 1}}
    assert list(json_text.members(value)) == [("a", 1), ("b", {"c": 1}), ("a", 2)]
    assert list(json_text.members(value["b"])) == [("c", 1)]
    assert encode(value) == b'{"a":2,"b":{"c":1}}'


def test_go_writes_html_characters_and_line_separators_as_escapes() -> None:
    text = '{"\\u003ca\\u003e":"\\u0026\\u2028\\u2029é"}'
    assert json_text.go_encode({"<a>": "&\u2028\u2029é"}) == text.encode()


def test_scalars_can_be_had_as_their_text() -> None:
    body = b' {"a" : [1.0, 1e2, "\\u0061", true, null, {}], "\\u0062": -0 }'
    assert json_text.decode_as_text(body) == {
        "a": [b"1.0", b"1e2", b'"\\u0061"', b"true", None, {}],
        "b": b"-0",
    }


KEYS = st.sampled_from(["a", "b", "c d", 'e"', "f,g: h"])
SPACE = st.sampled_from(["", " ", "\n", "\t "])
# an object is a tuple of pairs, so that it can repeat a key
TREES = st.recursive(
    st.sampled_from([0, "x", 'y": "', None, True]),
    lambda inner: st.lists(inner, max_size=3) | st.lists(st.tuples(KEYS, inner), max_size=4).map(tuple),
    max_leaves=12,
)


def written(tree: Any, space: str) -> str:
    if isinstance(tree, tuple):
        pairs = (f"{json.dumps(key)}{space}:{space}{written(value, space)}" for key, value in tree)
        return f"{{{space}{f'{space},{space}'.join(pairs)}}}"
    if isinstance(tree, list):
        return f"[{space}{f'{space},'.join(written(item, space) for item in tree)}{space}]"
    return json.dumps(tree)


def repeated(tree: Any, path: str) -> list[str]:
    found = []
    if isinstance(tree, list):
        for index, item in enumerate(tree):
            found += repeated(item, f"{path}[{index}]")
    elif isinstance(tree, tuple):
        for place, (key, value) in enumerate(tree):
            child = f"{path}.{key}" if path else key
            if key in [other for other, _ in tree[:place]]:
                found.append(f"duplicate field {json.dumps(child)}")
            found += repeated(value, child)
    return found


@settings(max_examples=200, derandomize=True, deadline=None)
@given(TREES, SPACE)
def test_repeated_keys_are_found_however_the_body_is_spaced(tree: Any, space: str) -> None:
    body = written(tree, space).encode()
    assert json_text.json_syntax_error(body) == ""
    assert json_text.duplicates(body) == list(dict.fromkeys(repeated(tree, "")))


@settings(max_examples=200, derandomize=True, deadline=None)
@given(TREES, SPACE, st.data())
def test_a_syntax_error_is_found_if_and_only_if_the_body_is_no_json(tree: Any, space: str, data: Any) -> None:
    text = written(tree, space)
    at = data.draw(st.integers(0, len(text)))
    text = text[:at] + data.draw(st.sampled_from(["", *'{}[]",:\\u0e.-tn \x01'])) + text[at + 1 :]
    try:
        json.loads(text)
    except ValueError:
        assert json_text.json_syntax_error(text.encode())
    else:
        assert not json_text.json_syntax_error(text.encode())
