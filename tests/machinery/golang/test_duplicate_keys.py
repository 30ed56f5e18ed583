"""The JSON decoder keeps duplicate keys, and strict errors name them."""

import json
from typing import Any

import pytest
from hypothesis import given, settings

from fakeapi.machinery.codec import encode
from fakeapi.machinery.golang.duplicate_keys import members
from fakeapi.machinery.golang.json_decoding import decode_marking_duplicates, duplicate_errors_of
from fakeapi.machinery.golang.json_syntax import json_syntax_error
from tests.machinery.golang.json_trees import SPACE, TREES, written


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
    assert duplicate_errors_of(body) == [f'duplicate field "{path}"' for path in expected]


def test_paths_are_quoted_as_go_quotes_them() -> None:
    assert duplicate_errors_of(b'{"a\\"\\n": 1, "a\\"\\n": 2}') == ['duplicate field "a\\"\\n"']


def test_a_hundred_strict_errors_are_reported_and_no_more() -> None:
    body = b"{" + b",".join(b'"k%d": 1, "k%d": 2' % (n, n) for n in range(200)) + b"}"
    assert duplicate_errors_of(body) == [f'duplicate field "k{n}"' for n in range(100)]


def test_members_show_every_occurrence_and_the_object_holds_the_last() -> None:
    value = decode_marking_duplicates(b'{"a": 1, "b": {"c": 1}, "a": 2}')
    assert value == {"a": 2, "b": {"c": 1}}
    assert list(members(value)) == [("a", 1), ("b", {"c": 1}), ("a", 2)]
    assert list(members(value["b"])) == [("c", 1)]
    assert encode(value) == b'{"a":2,"b":{"c":1}}'


def repeated(tree: Any, path: str) -> list[str]:
    items = []
    if isinstance(tree, list):
        for index, item in enumerate(tree):
            items += repeated(item, f"{path}[{index}]")
    elif isinstance(tree, tuple):
        for place, (key, value) in enumerate(tree):
            child = f"{path}.{key}" if path else key
            if key in [other for other, _ in tree[:place]]:
                items.append(f"duplicate field {json.dumps(child)}")
            items += repeated(value, child)
    return items


@settings(max_examples=200, derandomize=True, deadline=None)
@given(TREES, SPACE)
def test_repeated_keys_are_found_however_the_body_is_spaced(tree: Any, space: str) -> None:
    body = written(tree, space).encode()
    assert json_syntax_error(body) == ""
    assert duplicate_errors_of(body) == list(dict.fromkeys(repeated(tree, "")))
