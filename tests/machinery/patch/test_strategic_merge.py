"""Strategic merge patches give the results of k8s.io/apimachinery, and the API server's errors.

`strategic_merge_cases.jsonl` contains the patches of that package's own tests for its type MergeItem, and the
results of release 0.31.14, including the order of lists.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.machinery.errors import ApiError, Details
from fakeapi.machinery.patch import strategic_merge
from fakeapi.machinery.schema.nodes import AnyValue, Field, List, Map, Node, Scalar, ScalarKind, Struct

TEXT = Scalar(ScalarKind.STRING, "string")
NUMBER = Scalar(ScalarKind.INTEGER, "int")
CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("strategic_merge_cases.jsonl").read_text("utf-8").splitlines()
]


def struct(go: str, **nodes: Node) -> Struct:
    return Struct(go, {name: Field(name, node) for name, node in nodes.items()})


def merge_item() -> Struct:
    item = Struct("strategicpatch.MergeItem")
    merging = List(item, "[]MergeItem", patch_merge=True, patch_merge_key="name")
    replaced = List(item, "[]MergeItem")
    numbers = List(NUMBER, "[]int", patch_merge=True)
    shared: dict[str, Node] = {
        "name": TEXT,
        "value": TEXT,
        "other": TEXT,
        "mergingList": merging,
        "nonMergingList": replaced,
        "mergingIntList": numbers,
        "simpleMap": Map(TEXT, "map[string]string"),
    }
    own: dict[str, Node] = {
        "nonMergingIntList": List(NUMBER, "[]int"),
        "mergeItemPtr": item,
        "retainKeysMap": struct("strategicpatch.RetainKeysMergeItem", **shared),
        "retainKeysMergingList": merging,
    }
    item.fields.update(struct("", **shared, **own).fields)
    return item


ITEM = merge_item()
CONSUMER = struct("v1alpha3.ResourceClaimConsumerReference", resource=TEXT, name=TEXT, uid=TEXT)
STATUS = struct(
    "v1alpha3.ResourceClaimStatus",
    allocation=struct("v1alpha3.AllocationResult", controller=TEXT),
    reservedFor=List(CONSUMER, "[]", patch_merge=True, patch_merge_key="uid"),
    devices=List(CONSUMER, "[]"),
    parameters=AnyValue("runtime.RawExtension"),
)
ONE, TWO, THREE = ({"resource": "pods", "name": f"pod-{n}", "uid": f"uid-{n}"} for n in (1, 2, 3))


def rejected(patch: Any, document: Any, schema: Node = ITEM) -> ApiError:
    with pytest.raises(ApiError) as caught:
        strategic_merge.apply(patch, document, schema)
    return caught.value


@pytest.mark.parametrize("case", CASES, ids=map(str, range(len(CASES))))
def test_a_patch_of_upstreams_own_tests_has_upstreams_outcome(case: dict[str, Any]) -> None:
    before = json.dumps(case)
    if "error" in case:
        assert rejected(case["patch"], case["document"]) == ApiError(500, "", case["error"])
    else:
        assert strategic_merge.apply(case["patch"], case["document"], ITEM) == case["result"]
    assert json.dumps(case) == before


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        ([THREE], [THREE, ONE, TWO]),
        ([{"uid": "uid-1", "$patch": "delete"}], [TWO]),
        ([{"uid": "uid-9", "$patch": "delete"}], [ONE, TWO]),
        ([{"uid": "uid-2", "name": "renamed"}], [ONE, TWO | {"name": "renamed"}]),
        ([{"uid": "uid-2", "name": None}, THREE], [ONE, {"resource": "pods", "uid": "uid-2"}, THREE]),
        ([{"$patch": "replace"}, THREE], [THREE]),
        ([{"uid": "uid-3", "name": None}], [{"uid": "uid-3", "name": None}, ONE, TWO]),
    ],
)
def test_a_list_with_a_merge_key_merges_with_new_elements_first(patch: Any, expected: Any) -> None:
    merged = strategic_merge.apply({"reservedFor": patch}, {"reservedFor": [ONE, TWO]}, STATUS)
    assert merged == {"reservedFor": expected}


def test_the_order_list_decides_even_without_changes() -> None:
    patch = {"$setElementOrder/reservedFor": [{"uid": "uid-2"}, {"uid": "uid-1"}]}
    assert strategic_merge.apply(patch, {"reservedFor": [ONE, TWO]}, STATUS) == {"reservedFor": [TWO, ONE]}


def test_a_new_element_may_take_the_place_of_a_deleted_one_in_the_live_order() -> None:
    patch = {
        "$setElementOrder/reservedFor": [{"uid": "uid-3"}],
        "reservedFor": [{"uid": "uid-2", "$patch": "delete"}, THREE],
    }
    assert strategic_merge.apply(patch, {"reservedFor": [ONE, TWO]}, STATUS) == {"reservedFor": [ONE, THREE]}


def test_a_list_without_a_strategy_is_replaced_with_its_directives_in_it() -> None:
    patch = {"devices": [{"uid": "uid-1", "$patch": "delete"}]}
    assert strategic_merge.apply(patch, {"devices": [ONE]}, STATUS) == patch


def test_retained_keys_need_no_strategy_and_must_cover_the_patch() -> None:
    document = {"allocation": {}, "reservedFor": [ONE], "devices": []}
    patch = {"$retainKeys": ["allocation"], "reservedFor": None}
    assert strategic_merge.apply(patch, document, STATUS) == {"allocation": {}}
    for keys in (["devices"], "allocation", None):
        error = rejected({"$retainKeys": keys, "reservedFor": [ONE]}, document, STATUS)
        assert error == ApiError(400, "BadRequest", "invalid patch format of retainKeys")


@pytest.mark.parametrize(
    ("patch", "expected", "kept"),
    [
        ({"simpleMap": {"$patch": "x", "a": "1"}}, {}, {"simpleMap": {"$patch": "x", "a": "1"}}),
        (
            {"mergingList": [{"name": "a"}, {"name": "b", "$patch": "delete"}]},
            {"mergingList": [{"name": "a"}]},
            {"mergingList": [{"name": "a"}, {"name": "b", "$patch": "delete"}]},
        ),
        (
            {"mergingList": [{"name": "b", "$patch": "delete"}], "$setElementOrder/mergingList": []},
            {"mergingList": []},
            {"mergingList": [{"name": "b", "$patch": "delete"}]},
        ),
    ],
)
def test_directives_in_what_is_added_whole_are_dropped_unless_the_release_keeps_them(
    patch: Any, expected: Any, kept: Any
) -> None:
    assert strategic_merge.apply(patch, {}, ITEM) == expected
    assert strategic_merge.apply(patch, {}, ITEM, keeps_directives=True) == kept


def test_a_deletion_list_also_works_on_a_list_that_is_replaced_unless_the_release_keeps_directives() -> None:
    patch, document = {"$deleteFromPrimitiveList/nonMergingIntList": [1]}, {"nonMergingIntList": [1, 2]}
    assert strategic_merge.apply(patch, document, ITEM) == {"nonMergingIntList": [2]}
    kept = strategic_merge.apply(patch, document, ITEM, keeps_directives=True)
    assert kept == {"nonMergingIntList": [1]}


@pytest.mark.parametrize(
    ("patch", "document", "message"),
    [
        ({"simpleMap": {"$patch": "x"}}, {"simpleMap": {}}, "unknown patch type: x in map: map[$patch:x]"),
        ({"$patch": "merge"}, {}, "unknown patch type: merge in map: map[$patch:merge]"),
        ({"$patch": 5}, {}, "unknown patch type: %!s(int64=5) in map: map[$patch:5]"),
        (
            {"mergingList": [{"name": "a", "$patch": "merge"}]},
            {"mergingList": [{"name": "a"}]},
            "merging lists cannot yet be specified in the patch",
        ),
        (
            {"mergingList": [{"value": "no key"}]},
            {"mergingList": [{"name": "a"}]},
            "map: map[value:no key] does not contain declared merge key: name",
        ),
        (
            {"mergingIntList": ["a", None]},
            {"mergingIntList": [1, 2]},
            "list element types are not identical: [[1 2] [a <nil>]]",
        ),
        (
            {"$setElementOrder/mergingIntList": "x"},
            {},
            "expected a []interface {}, but received a string",
        ),
        (
            {"$setElementOrder/nonMergingList": [{"name": "a"}]},
            {"nonMergingList": [{"name": "a"}]},
            "runtime error: hash of unhashable type map[string]interface {}",
        ),
        (
            {"bogus": {"a": {"b": 1}}},
            {"bogus": {"a": {}}},
            'unable to find api field in struct MergeItem for the json field "bogus"',
        ),
        (
            {"simpleMap": {"a": {"b": "1"}}},
            {"simpleMap": {"a": {}}},
            "merging an object in json but data type is not struct, instead is: map",
        ),
        (
            {"simpleMap": ["a"]},
            {"simpleMap": ["b"]},
            "expected slice or array type, but got: struct",
        ),
    ],
)
def test_what_the_server_does_not_expect_is_answered_500(patch: Any, document: Any, message: str) -> None:
    assert rejected(patch, document) == ApiError(500, "", message)


def test_objects_of_any_shape_merge_at_their_top_only() -> None:
    document = {"parameters": {"a": 1, "b": {"c": 1}}}
    merged = strategic_merge.apply({"parameters": {"a": 2}}, document, STATUS)
    assert merged == {"parameters": {"a": 2, "b": {"c": 1}}}
    error = rejected({"parameters": {"b": {"d": 1}}}, document, STATUS)
    assert error.message == 'unable to find api field in struct RawExtension for the json field "b"'


def test_a_list_of_lists_is_answered_422() -> None:
    assert rejected({"mergingIntList": [[1]]}, {"mergingIntList": [1]}).code == 500
    assert rejected({"mergingIntList": [[1]]}, {"mergingIntList": []}) == ApiError(
        422, "Invalid", "the server rejected our request due to an error in our request", Details()
    )


def test_a_directive_without_a_field_is_answered_400() -> None:
    for directive, name in (
        ("$deleteFromPrimitiveList", "primitive list"),
        ("$setElementOrder", "setElementOrder list"),
    ):
        error = rejected({directive: [1]}, {})
        assert error == ApiError(400, "BadRequest", f"invalid patch format of {name}")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"{", "unexpected end of JSON input"),
        (b"", "unexpected end of JSON input"),
        (b"[]", "json: cannot unmarshal array into Go value of type map[string]interface {}"),
    ],
)
def test_a_body_that_is_no_object_is_answered_400(body: bytes, message: str) -> None:
    with pytest.raises(ApiError) as caught:
        strategic_merge.decode_patch(body)
    assert caught.value == ApiError(400, "BadRequest", message)


def test_null_is_a_patch_that_changes_nothing() -> None:
    assert strategic_merge.decode_patch(b"null") == {}


def test_strict_errors_name_repeated_keys() -> None:
    assert strategic_merge.strict_errors(b'{"a":{"b":1,"b":2}}') == ['duplicate field "a.b"']


NAMES = st.sampled_from("abcd")
NUMBERS = st.lists(st.integers(0, 5), max_size=4, unique=True)


def items(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    listed = st.lists(inner, max_size=3, unique_by=lambda item: item["name"])
    optional = {
        "mergingList": listed,
        "nonMergingList": listed,
        "mergingIntList": NUMBERS,
        "nonMergingIntList": NUMBERS,
        "simpleMap": st.dictionaries(NAMES, NAMES, max_size=2),
        "mergeItemPtr": inner,
    }
    return st.fixed_dictionaries({"name": NAMES}, optional=optional)


ITEMS = st.recursive(st.fixed_dictionaries({"name": NAMES}), items, max_leaves=8)


@settings(max_examples=80, derandomize=True, deadline=None)
@given(ITEMS)
def test_an_empty_patch_and_a_patch_that_says_what_is_leave_a_document_equal(document: Any) -> None:
    before = json.dumps(document)
    assert strategic_merge.apply({}, document, ITEM) == document
    assert strategic_merge.apply(document, document, ITEM) == document
    assert json.dumps(document) == before


@settings(max_examples=80, derandomize=True, deadline=None)
@given(ITEMS, ITEMS)
def test_a_patch_without_directives_is_wholly_in_its_result(document: Any, patch: Any) -> None:
    merged = strategic_merge.apply(patch, document, ITEM)
    again = strategic_merge.apply(patch, merged, ITEM)
    assert sorted(merged) == sorted({*document, *patch})
    assert again == merged
