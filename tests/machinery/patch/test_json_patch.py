"""JSON patches give the results of evanphx/json-patch v4.12, and the API server's errors."""

import json
from typing import Any

import jsonpatch as reference
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fakeapi.machinery.codec import encode
from fakeapi.machinery.errors import ApiError, Details
from fakeapi.machinery.golang.json_encoding import go_encode
from fakeapi.machinery.patch import json_patch

NO_NUMBER = 'strconv.Atoi: parsing "x": invalid syntax'
LABELS = {"a": "1", "with/slash": "x", "m~n": "y"}
DOCUMENT: dict[str, Any] = {"labels": LABELS, "list": ["a", "b"], "none": None, "count": 1}


def patched(document: Any, *operations: Any) -> Any:
    return json_patch.apply(json_patch.decode_operations(encode(list(operations))), document)


def answer(body: bytes, *, checked: bool = True) -> tuple[int, str]:
    with pytest.raises(ApiError) as caught:
        json_patch.decode_operations(body, checked=checked)
    return caught.value.code, caught.value.message


@pytest.mark.parametrize(
    ("operation", "path", "expected"),
    [
        ({"op": "replace", "path": "/labels/new", "value": "1"}, ("labels", "new"), "1"),
        ({"op": "copy", "from": "/labels/absent", "path": "/labels/new"}, ("labels", "new"), None),
        ({"op": "copy", "from": "/labels", "path": "/labels/a"}, ("labels", "a"), LABELS),
        ({"op": "add", "path": "/labels/new"}, ("labels", "new"), None),
        ({"op": "add", "path": "/labels/m~0n", "value": "z"}, ("labels", "m~n"), "z"),
        ({"op": "add", "path": "/labels/~01", "value": "z"}, ("labels", "~1"), "z"),
        ({"op": "add", "path": "whatever/count", "value": 2}, ("count",), 2),
        ({"op": "add", "path": "/list/-", "value": "c"}, ("list",), ["a", "b", "c"]),
        ({"op": "add", "path": "/list/2", "value": "c"}, ("list",), ["a", "b", "c"]),
        ({"op": "add", "path": "/list/-1", "value": "c"}, ("list",), ["a", "b", "c"]),
        ({"op": "add", "path": "/list/-3", "value": "c"}, ("list",), ["c", "a", "b"]),
        ({"op": "add", "path": "/list/+1", "value": "c"}, ("list",), ["a", "c", "b"]),
        ({"op": "add", "path": "/list/01", "value": "c"}, ("list",), ["a", "c", "b"]),
        ({"op": "remove", "path": "/list/-1"}, ("list",), ["a"]),
        ({"op": "replace", "path": "/list/-2", "value": None}, ("list",), [None, "b"]),
        ({"op": "move", "from": "/list/0", "path": "/list/-"}, ("list",), ["b", "a"]),
        ({"op": "test", "path": "/labels/absent", "value": None}, ("count",), 1),
        ({"op": "test", "path": "/none", "value": None}, ("count",), 1),
        (
            {"op": "test", "path": "/labels", "value": dict(reversed(LABELS.items()))},
            ("count",),
            1,
        ),
        ({"op": "replace", "path": "", "value": {"a": 1}}, (), {"a": 1}),
        ({"op": "replace", "path": "", "value": [1]}, (), [1]),
        ({"op": "replace", "path": "", "value": "nothing happens"}, ("count",), 1),
    ],
)
def test_an_operation_has_this_result(operation: Any, path: tuple[str, ...], expected: Any) -> None:
    value = patched(DOCUMENT, operation)
    for key in path:
        value = value[key]
    assert value == expected


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "remove", "path": "/labels/absent"},
        {"op": "remove", "path": ""},
        {"op": "remove", "path": "/list/2"},
        {"op": "remove", "path": "/list/-3"},
        {"op": "remove", "path": "/list/a"},
        {"op": "remove", "path": "/list/"},
        {"op": "add", "path": "", "value": {}},
        {"op": "add", "path": "/absent/a", "value": 1},
        {"op": "add", "path": "/none/a", "value": 1},
        {"op": "add", "path": "/count/a", "value": 1},
        {"op": "add", "path": "metadata", "value": 1},
        {"op": "add", "path": "/list/3", "value": 1},
        {"op": "add", "path": "/list/-4", "value": 1},
        {"op": "add", "path": "/list/1_0", "value": 1},
        {"op": "add", "path": "/list/" + "9" * 5000, "value": 1},
        {"op": "add", "value": 1},
        {"op": "replace", "path": "/list/2", "value": 1},
        {"op": "replace", "path": "/list/-", "value": 1},
        {"op": "move", "from": "/labels", "path": "/labels/a"},
        {"op": "move", "from": "/labels/absent", "path": "/labels/a"},
        {"op": "copy", "from": "/list/2", "path": "/labels/a"},
        {"op": "copy", "path": "/labels/a"},
        {"op": "test", "path": "/labels/a", "value": "2"},
        {"op": "test", "path": "/labels/a"},
        {"op": "test", "path": "/labels/absent"},
        {"op": "test", "path": "/labels", "value": {"a": "1"}},
        {"op": "test", "path": "/count", "value": True},
        {"op": "test", "path": "/list", "value": {"0": "a"}},
        {"op": "nonsense", "path": "/labels/a"},
        {"path": "/labels/a"},
        {},
        None,
    ],
)
def test_an_operation_that_does_not_apply_is_answered_422_without_telling_why(operation: Any) -> None:
    with pytest.raises(ApiError) as caught:
        patched(DOCUMENT, operation)
    assert caught.value == ApiError(
        422, "Invalid", "the server rejected our request due to an error in our request", Details()
    )
    assert isinstance(caught.value.__cause__, json_patch.PatchError)


@pytest.mark.parametrize(
    ("document", "text", "passes"),
    [
        (1, b"1", True),
        (1, b"1.0", False),
        (1.5, b"1.50", False),
        ("<", b'"\\u003c"', True),
        ("<", b'"<"', False),
        ("a", b'"\\u0061"', False),
        ({"a": [1, None]}, b'{ "a" : [ 1, null ] }', True),
        ({"a": None}, b'{"b": null}', False),
        (["a"], b'["a", "b"]', False),
    ],
)
def test_a_test_compares_scalars_as_text_and_containers_by_structure(
    document: Any, text: bytes, *, passes: bool
) -> None:
    operations = json_patch.decode_operations(b'[{"op": "test", "path": "/x", "value": %s}]' % text)
    if passes:
        assert json_patch.apply(operations, {"x": document}) == {"x": document}
    else:
        with pytest.raises(ApiError):
            json_patch.apply(operations, {"x": document})


@pytest.mark.parametrize(
    ("body", "checked", "unchecked"),
    [
        (b"", "unexpected end of JSON input", "unexpected end of JSON input"),
        (b"[", "unexpected end of JSON input", "unexpected end of JSON input"),
        (
            b"{}",
            "json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
            "json: cannot unmarshal object into Go value of type jsonpatch.Patch",
        ),
        (
            b'"text"',
            "json: cannot unmarshal string into Go value of type []handlers.jsonPatchOp",
            "json: cannot unmarshal string into Go value of type jsonpatch.Patch",
        ),
        (
            b"[5]",
            "json: cannot unmarshal number into Go value of type handlers.jsonPatchOp",
            "json: cannot unmarshal number into Go value of type jsonpatch.Operation",
        ),
    ],
)
def test_a_body_that_is_no_list_of_objects_is_answered_400(body: bytes, checked: str, unchecked: str) -> None:
    assert answer(body) == (400, f"error decoding patch: {checked}")
    assert answer(body, checked=False) == (400, unchecked)


def test_members_of_the_wrong_type_are_answered_400_or_422_if_validation_is_off() -> None:
    body = b'[{"op": "add", "path": 5}]'
    problem = "json: cannot unmarshal number into Go struct field jsonPatchOp.path of type string"
    assert answer(body) == (400, f"error decoding patch: {problem}")
    with pytest.raises(ApiError) as caught:
        json_patch.apply(json_patch.decode_operations(body, checked=False), {})
    assert caught.value.code == 422


def test_null_and_the_empty_list_are_patches_without_operations() -> None:
    assert json_patch.decode_operations(b"null") == json_patch.decode_operations(b" [ ] ") == []


def test_more_than_ten_thousand_operations_are_answered_413() -> None:
    operation = b'{"op": "test", "path": "/a", "value": null}'
    most = b"[" + b",".join([operation] * json_patch.MAX_OPERATIONS) + b"]"
    assert len(json_patch.decode_operations(most)) == 10_000
    assert answer(most[:-1] + b"," + operation + b"]") == (
        413,
        "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
    )


def test_copies_may_add_three_mebibytes_and_no_byte_more() -> None:
    half = json_patch.MAX_COPIED_BYTES // 2
    copy = {"op": "copy", "from": "/a", "path": "/b"}
    assert patched({"a": "x" * (half - 2)}, copy, copy)["b"] == "x" * (half - 2)
    with pytest.raises(ApiError):
        patched({"a": "x" * (half - 1)}, copy, copy)


def test_strict_errors_name_unknown_and_repeated_members_of_operations_and_values() -> None:
    body = b"""[
        {"op": "add", "op": "add", "path": "/a", "value": {"b": 1, "b": 2}},
        {"op": "remove", "path": "/a", "extra": {"x": 1, "x": 2}, "extra": 1}
    ]"""
    assert json_patch.strict_errors(body) == [
        'json patch duplicate field "[0].op"',
        'json patch duplicate field "[0].value.b"',
        'json patch unknown field "[1].extra"',
    ]


def test_the_document_and_the_operations_stay_as_they_are() -> None:
    document = {"a": {"b": [1]}, "c": {}}
    operations = json_patch.decode_operations(
        b'[{"op": "add", "path": "/c/new", "value": {"x": []}},'
        b' {"op": "add", "path": "/c/new/x/-", "value": 1},'
        b' {"op": "copy", "from": "/c/new", "path": "/a/d"}, {"op": "add", "path": "/a/d/x/-", "value": 2}]'
    )
    before = json.dumps(document)
    for _ in range(2):
        assert json_patch.apply(operations, document) == {
            "a": {"b": [1], "d": {"x": [1, 2]}},
            "c": {"new": {"x": [1]}},
        }
    assert json.dumps(document) == before


def test_parts_that_no_path_leads_through_are_shared_and_keep_their_order() -> None:
    document = {"b": {"y": 1, "x": {"d": 1, "c": 2}}, "a": {"z": 1, "k": 2}}
    result = patched(document, {"op": "add", "path": "/b/w", "value": 0})
    assert result["a"] is document["a"]
    assert json.dumps(result) == '{"a": {"z": 1, "k": 2}, "b": {"w": 0, "x": {"d": 1, "c": 2}, "y": 1}}'


KEYS = st.sampled_from(["a", "b", "c/d", "e~f", ""])
SCALARS = st.one_of(st.sampled_from(["x", "y", "<&>", "é"]), st.integers(2, 9))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
POINTERS = st.lists(KEYS | st.sampled_from(["0", "1", "2", "-"]), min_size=1, max_size=3).map(
    lambda steps: "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in steps)
)
OPERATIONS = st.one_of(
    st.fixed_dictionaries(
        {"op": st.sampled_from(["add", "replace", "test"]), "path": POINTERS, "value": VALUES}
    ),
    st.fixed_dictionaries({"op": st.just("remove"), "path": POINTERS}),
    st.fixed_dictionaries({"op": st.sampled_from(["move", "copy"]), "path": POINTERS, "from": POINTERS}),
)


@settings(max_examples=150, derandomize=True, deadline=None)
@given(st.dictionaries(KEYS, VALUES, max_size=4), st.lists(OPERATIONS, min_size=1, max_size=4))
def test_whatever_rfc_6902_allows_has_the_result_that_it_asks_for(document: Any, operations: Any) -> None:
    try:
        expected = reference.apply_patch(document, operations)
    except (reference.JsonPatchException, reference.JsonPointerException, TypeError):
        assume(False)
    body = go_encode(operations)
    assert json_patch.apply(json_patch.decode_operations(body), document) == expected


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        ({"op": "", "path": "/a"}, "Unexpected kind: "),
        ({"path": "/a"}, "Unexpected kind: unknown"),
        (
            {"op": "move", "path": "/a"},
            "move operation failed to decode from: operation, missing from field: missing value",
        ),
        ({"op": "add", "value": 1}, "add operation failed to decode path: missing value"),
        (
            {"op": "add", "path": "/list/x", "value": 1},
            f"error in add for path: '/list/x': value was not a proper array index: 'x': {NO_NUMBER}",
        ),
        (
            {"op": "remove", "path": "/list/x"},
            f"error in remove for path: '/list/x': {NO_NUMBER}",
        ),
    ],
)
def test_what_does_not_apply_is_said_in_the_words_of_the_library(
    operation: dict[str, str], words: str
) -> None:
    steps = json_patch.decode_operations(encode([operation]), checked=False)
    with pytest.raises(json_patch.PatchError) as caught:
        json_patch.applied(steps, DOCUMENT)
    assert str(caught.value) == words
