"""Merge patches give the results of evanphx/json-patch v4.12, and the API server's errors."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.patch import merge_patch

NO_OBJECT = "json: cannot unmarshal number into Go value of type map[string]interface {}"


@pytest.mark.parametrize(
    ("document", "patch", "expected"),
    [
        ({"a": 1}, {}, {"a": 1}),
        ({"a": 1, "b": 2}, {"a": None, "c": 3}, {"b": 2, "c": 3}),
        ({"a": {"b": 1}}, {"a": {"c": 2}}, {"a": {"b": 1, "c": 2}}),
        ({"a": {"b": 1}}, {"a": None}, {}),
        ({}, {"a": None}, {}),
        ({}, {"a": {"b": None, "c": 1}}, {"a": {"c": 1}}),
        ({"a": None}, {"a": {"b": None}}, {"a": {}}),
        ({"a": 1}, {"a": {"b": None}}, {"a": {}}),
        ({"a": [1]}, {"a": [None, {"b": None}]}, {"a": [None, {}]}),
        ({}, {"a": [None, {"b": None}]}, {"a": [None, {}]}),
        ({"a": {}}, {"a": [None, {"b": None}]}, {"a": [None, {"b": None}]}),
        ({"a": 1}, [{"b": None}], [{}]),
    ],
)
def test_a_patch_has_this_result(document: Any, patch: Any, expected: Any) -> None:
    before = json.dumps([document, patch])
    assert merge_patch.apply(patch, document) == expected
    assert json.dumps([document, patch]) == before


def test_keys_are_sorted_where_the_patch_leads_and_only_there() -> None:
    document = {"b": {"z": 1, "y": 2}, "a": {"n": 1, "m": {"q": 1, "p": 2}}}
    result = merge_patch.apply({"a": {"new": {"w": 1, "v": 2}}}, document)
    assert json.dumps(result) == (
        '{"a": {"m": {"q": 1, "p": 2}, "n": 1, "new": {"v": 2, "w": 1}}, "b": {"z": 1, "y": 2}}'
    )
    assert result["b"] is document["b"]


@pytest.mark.parametrize(
    ("body", "checked", "unchecked"),
    [
        (b"{", "error decoding patch: unexpected end of JSON input", "Invalid JSON Patch"),
        (b"", "error decoding patch: unexpected end of JSON input", "Invalid JSON Patch"),
        (
            b"5",
            f"error decoding patch: {NO_OBJECT}",
            "Invalid JSON Patch",
        ),
        (b"null", "Invalid JSON Patch", "Invalid JSON Patch"),
    ],
)
def test_a_body_that_is_no_object_is_answered_400(body: bytes, checked: str, unchecked: str) -> None:
    for is_checked, message in ((True, checked), (False, unchecked)):
        with pytest.raises(ApiError) as caught:
            merge_patch.decode_patch(body, checked=is_checked)
        assert caught.value == ApiError(400, "BadRequest", message)


def test_a_list_is_a_patch_only_where_validation_is_off() -> None:
    with pytest.raises(ApiError) as caught:
        merge_patch.decode_patch(b"[]")
    assert caught.value.message == (
        "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}"
    )
    assert merge_patch.decode_patch(b"[]", checked=False) == []


def test_strict_errors_name_repeated_keys() -> None:
    assert merge_patch.strict_errors(b'{"a": {"b": 1, "b": 2}, "a": {}}') == [
        'duplicate field "a.b"',
        'duplicate field "a"',
    ]


OBJECTS = st.recursive(
    st.none() | st.integers(0, 3) | st.lists(st.integers(0, 3), max_size=2),
    lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=10,
)
DOCUMENTS = st.dictionaries(st.sampled_from("abc"), OBJECTS, max_size=3)


def by_rfc_7386(target: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return patch
    target = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            target.pop(key, None)
        else:
            target[key] = by_rfc_7386(target.get(key), value)
    return target


@settings(max_examples=100, derandomize=True, deadline=None)
@given(DOCUMENTS, DOCUMENTS)
def test_without_objects_in_lists_the_result_is_that_of_rfc_7386(document: Any, patch: Any) -> None:
    assert merge_patch.apply(patch, document) == by_rfc_7386(document, patch)


@settings(max_examples=100, derandomize=True, deadline=None)
@given(DOCUMENTS, DOCUMENTS)
def test_applying_a_patch_again_changes_nothing(document: Any, patch: Any) -> None:
    once = merge_patch.apply(patch, document)
    assert merge_patch.apply(patch, once) == once
