"""Objects are decoded to the JSON that Go's encoding/json would write for the type."""

import contextlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.machinery import codec
from fakeapi.machinery.golang.json_decoding import decode_marking_duplicates
from fakeapi.machinery.schema.decode_errors import UnstructuredDecodeErrors, spell
from fakeapi.machinery.schema.decoding import DecodeError, decode, zero
from fakeapi.machinery.schema.empty_values import without_empty
from fakeapi.machinery.schema.nodes import AnyValue, List, Map, Node
from fakeapi.releases import load_release
from tests.machinery.schema.outer_type import BOOL, INNER, INT64, OUTER, STRING, TIME

LEAST = {"inner": {"must": ""}, "needed": None}
"""The JSON of an empty object: structs and fields without omitempty are always present."""


def canonical(value: Any) -> Any:
    return decode(value, OUTER)[0]


def test_an_empty_object_has_what_go_always_writes() -> None:
    assert canonical({}) == canonical(None) == LEAST


def test_fields_come_in_the_order_of_the_type() -> None:
    obj = canonical({"needed": ["x"], "flag": True, "count": 1, "name": "n", "inner": {}})
    assert list(obj) == ["name", "count", "flag", "inner", "needed"]


@pytest.mark.parametrize(
    "empty", [{"name": ""}, {"count": 0}, {"flag": False}, {"items": []}, {"labels": {}}, {"name": None}]
)
def test_zero_values_are_left_out_where_the_type_says_so(empty: dict[str, Any]) -> None:
    assert canonical(empty) == LEAST


@pytest.mark.parametrize("kept", [{"maybe": False}, {"number": 0}, {"pointed": {"must": ""}}, {"any": {}}])
def test_what_is_behind_a_pointer_is_written_though_it_is_zero(kept: dict[str, Any]) -> None:
    assert canonical(kept) == {**LEAST, **kept}


def test_null_leaves_a_field_as_it_was_and_is_the_zero_value_of_an_item() -> None:
    assert canonical({"inner": None, "needed": None, "pointed": None}) == LEAST
    obj = canonical({"items": [None], "needed": [None], "labels": {"a": None}})
    assert (obj["items"], obj["needed"], obj["labels"]) == ([{"must": ""}], [""], {"a": ""})


def test_keys_of_maps_are_sorted_and_values_of_any_shape_are_kept() -> None:
    obj = canonical({"labels": {"b": "2", "a": "1"}, "any": {"z": [1, {"y": None}], "a": 1}})
    assert list(obj["labels"]) == ["a", "b"]
    assert obj["any"] == {"z": [1, {"y": None}], "a": 1}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"name": 1}, "json: cannot unmarshal number into Go struct field Outer.name of type string"),
        ({"name": True}, "json: cannot unmarshal bool into Go struct field Outer.name of type string"),
        ({"name": ["a"]}, "json: cannot unmarshal array into Go struct field Outer.name of type string"),
        ({"flag": "true"}, "json: cannot unmarshal string into Go struct field Outer.flag of type bool"),
        ({"count": "1"}, "json: cannot unmarshal string into Go struct field Outer.count of type int64"),
        ({"count": 1.5}, "json: cannot unmarshal number 1.5 into Go struct field Outer.count of type int64"),
        ({"count": True}, "json: cannot unmarshal bool into Go struct field Outer.count of type int64"),
        (
            {"count": 2**63},
            f"json: cannot unmarshal number {2**63} into Go struct field Outer.count of type int64",
        ),
        (
            {"small": 2**31},
            f"json: cannot unmarshal number {2**31} into Go struct field Outer.small of type int32",
        ),
        ({"inner": []}, "json: cannot unmarshal array into Go struct field Outer.inner of type v1.Inner"),
        (
            {"inner": {"text": {}}},
            "json: cannot unmarshal object into Go struct field Inner.inner.text of type string",
        ),
        (
            {"items": [{}, {"text": 1}]},
            "json: cannot unmarshal number into Go struct field Inner.items.text of type string",
        ),
        ({"items": {}}, "json: cannot unmarshal object into Go struct field Outer.items of type []v1.Inner"),
        (
            {"labels": {"a": 1}},
            "json: cannot unmarshal number into Go struct field Outer.labels of type string",
        ),
        ({"when": 5}, "json: cannot unmarshal number into Go struct field Outer.when of type string"),
        (
            {"when": "soon"},
            'parsing time "soon" as "2006-01-02T15:04:05Z07:00": cannot parse "soon" as "2006"',
        ),
        ([], "json: cannot unmarshal array into Go value of type v1.Outer"),
    ],
)
def test_a_value_of_the_wrong_type_is_an_error_in_gos_words(value: Any, message: str) -> None:
    with pytest.raises(DecodeError) as caught:
        decode(value, OUTER)
    assert str(caught.value) == message


def test_the_first_error_of_the_document_is_the_one_that_is_told() -> None:
    with pytest.raises(DecodeError, match=r"Outer\.name"):
        decode({"name": 1, "count": "x", "flag": 7}, OUTER)
    with pytest.raises(DecodeError, match=r"Outer\.flag"):
        decode({"flag": 7, "name": 1}, OUTER)


@pytest.mark.parametrize(
    ("field", "sent", "kept"),
    [
        ("when", "2026-01-01T02:00:00+02:00", "2026-01-01T00:00:00Z"),
        ("when", "2026-01-01T00:00:00.9Z", "2026-01-01T00:00:00Z"),
        ("size", "1024Mi", "1Gi"),
        ("size", 1000, "1k"),
        ("port", 80, 80),
        ("port", "http", "http"),
        ("data", "aGVsbG8=", "aGVsbG8="),
    ],
)
def test_times_and_quantities_have_one_spelling(field: str, sent: Any, kept: Any) -> None:
    assert canonical({field: sent})[field] == kept


def test_names_are_case_sensitive_and_unknown_ones_are_dropped_and_noticed() -> None:
    obj, strict = decode({"Name": "x", "inner": {"odd": 1}, "items": [{}, {"odd": 1}], "x\r\ny": 1}, OUTER)
    assert obj == {"inner": {"must": ""}, "items": [{"must": ""}, {"must": ""}], "needed": None}
    assert strict == [
        'unknown field "Name"',
        'unknown field "inner.odd"',
        'unknown field "items[1].odd"',
        r'unknown field "x\r\ny"',
    ]


def test_repeated_fields_are_noticed_once_each_and_the_last_one_counts() -> None:
    body = b'{"name":"a","name":"b","name":"c","inner":{"text":"x","text":"y"},"labels":{"k":"1","k":"2"}}'
    obj, strict = decode(decode_marking_duplicates(body), OUTER)
    assert (obj["name"], obj["inner"]["text"], obj["labels"]) == ("c", "y", {"k": "2"})
    assert strict == ['duplicate field "name"', 'duplicate field "inner.text"', 'duplicate field "labels.k"']


@pytest.mark.parametrize(
    ("body", "comes_to"),
    [
        (b'{"inner":{"text":"x"},"inner":{}}', {"inner": {"text": "x"}}),
        (b'{"labels":{"a":"1"},"labels":{"b":"2"}}', {"labels": {"a": "1", "b": "2"}}),
        (b'{"labels":{"a":"1"},"labels":null}', {"labels": None}),
        (b'{"name":"a","name":null}', {"name": "a"}),
        (b'{"items":[{"text":"x"},{"text":"y"}],"items":[{}]}', {"items": [{"text": "x"}]}),
    ],
)
def test_a_repeated_field_is_decoded_into_what_the_one_before_it_left(
    body: bytes, comes_to: dict[str, Any]
) -> None:
    obj, _ = decode(decode_marking_duplicates(body), OUTER)
    expected, _ = decode(comes_to, OUTER)
    assert obj == expected


def test_what_is_wrong_inside_a_value_that_is_overwritten_later_is_an_error_all_the_same() -> None:
    with pytest.raises(DecodeError, match=r"Inner\.inner\.text"):
        decode(decode_marking_duplicates(b'{"inner":{"text":1},"inner":{"text":"y"}}'), OUTER)


def test_no_more_than_a_hundred_strict_errors_are_told() -> None:
    assert len(decode({f"odd{number}": 1 for number in range(500)}, OUTER)[1]) == 100


def test_a_path_is_spelled_with_dots_and_indexes() -> None:
    assert spell(((((), "spec"), "requests"), 0)) == "spec.requests[0]"
    assert spell(()) == ""


def test_zero_values_are_written_as_go_writes_them() -> None:
    nodes: list[tuple[Node, Any]] = [
        (STRING, ""),
        (INT64, 0),
        (BOOL, False),
        (List(STRING, "[]string"), None),
        (Map(STRING, "map[string]string"), None),
        (INNER, {"must": ""}),
        (AnyValue("runtime.RawExtension"), None),
        (TIME, None),
    ]
    for node, expected in nodes:
        assert zero(node) == expected


def test_a_store_that_writes_protobuf_gives_empty_lists_back_as_null() -> None:
    obj = canonical({"needed": [], "items": [{"must": ""}]})
    assert obj["needed"] == []
    assert without_empty(obj, OUTER)["needed"] is None


ANY = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
TEXT = st.text(max_size=3) | st.none()
INNERS = st.fixed_dictionaries({}, optional={"text": TEXT, "must": TEXT, "odd": ANY})
OUTERS = st.fixed_dictionaries(
    {},
    optional={
        "name": TEXT,
        "count": st.integers(-(2**63), 2**63 - 1),
        "flag": st.booleans(),
        "maybe": st.booleans() | st.none(),
        "inner": INNERS,
        "pointed": INNERS,
        "items": st.lists(INNERS | st.none(), max_size=3) | st.none(),
        "needed": st.lists(TEXT, max_size=3) | st.none(),
        "labels": st.dictionaries(st.text(max_size=3), TEXT, max_size=3),
        "any": ANY,
        "odd": ANY,
    },
)


@settings(max_examples=80)
@given(value=OUTERS)
def test_decoding_twice_is_decoding_once(value: dict[str, Any]) -> None:
    once, _ = decode(value, OUTER)
    again, strict = decode(codec.decode(codec.encode(once)), OUTER)
    assert again == once
    assert list(again) == list(once)
    assert strict == []


@settings(max_examples=80)
@given(value=ANY)
def test_any_json_at_all_is_decoded_or_refused(value: Any) -> None:
    with contextlib.suppress(DecodeError):
        assert set(LEAST) <= set(canonical(value))


def test_managed_fields_that_are_an_empty_list_stay_so_since_they_ask_to_forget_all() -> None:
    schema = load_release("1.31").kind("resource.k8s.io", "v1alpha3", "resourceclaims").schema
    sent, _ = decode({"metadata": {"name": "a", "managedFields": [], "finalizers": []}}, schema)
    assert sent["metadata"]["managedFields"] == []
    assert "finalizers" not in sent["metadata"]


@pytest.mark.parametrize(
    ("metadata", "words"),
    [
        ({"labels": "x"}, "cannot restore map from string"),
        ({"finalizers": "x"}, "cannot restore slice from string"),
        ({"ownerReferences": {}}, "cannot restore slice from map"),
        ({"labels": {"a": 5}}, "cannot convert int64 to string"),
        ({"labels": {"a": True}}, "unrecognized type: string"),
        ({"labels": {"a": {}}}, "unrecognized type: string"),
        ({"generation": "x"}, "unrecognized type: int64"),
        ({"generation": 1.5}, "cannot convert float64 to int64"),
        ({"creationTimestamp": 5}, "json: cannot unmarshal number into Go value of type string"),
        ({"ownerReferences": [{"uid": 5}]}, "cannot convert int64 to types.UID"),
        ({"ownerReferences": ["x"]}, "cannot restore struct from: string"),
    ],
)
def test_a_conversion_from_maps_has_words_of_its_own(metadata: dict[str, Any], words: str) -> None:
    schema = load_release("1.31").kind("resource.k8s.io", "v1alpha3", "resourceclaims").schema
    with pytest.raises(DecodeError, match=f"^{words}$"):
        decode({"metadata": metadata}, schema, UnstructuredDecodeErrors())


def test_a_conversion_from_maps_sorts_the_keys_of_values_of_any_shape() -> None:
    value = {"any": {"b": [{"d": 1, "c": 2}], "a": 1}}
    kept, _ = decode(value, OUTER)
    assert list(kept["any"]) == ["b", "a"]
    converted, _ = decode(value, OUTER, UnstructuredDecodeErrors())
    assert codec.encode(converted["any"]) == b'{"a":1,"b":[{"c":2,"d":1}]}'
