"""Raw JSON values, such as opaque parameters of DRA drivers, keep every byte."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery import codec
from fakeapi.machinery.apply.compare import compare
from fakeapi.machinery.codec import RawJson
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.field_errors import invalid
from fakeapi.machinery.golang.json_decoding import decode_noting_form
from fakeapi.machinery.golang.numbers import rewritten
from fakeapi.machinery.patch import json_patch
from fakeapi.machinery.schema import protobuf, raw_extension
from fakeapi.machinery.schema.nodes import AnyValue, Field, List, Map, Struct
from tests.machinery.schema.protobuf_fields import blob

RAW = AnyValue(raw_extension.RAW)
ITEM = Struct(
    "v1.Item",
    {"raw": Field("raw", RAW), "fields": Field("fields", AnyValue("v1.FieldsV1"))},
    full_name="core/v1.Item",
)
ROOT = Struct(
    "v1.Root",
    {
        "list": Field("list", List(ITEM, "[]v1.Item")),
        "map": Field("map", Map(RAW, "map[string]runtime.RawExtension")),
    },
)
ROOT.fields["inner"] = Field("inner", ROOT)

SCALARS = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
LAYOUTS = st.sampled_from(
    [{}, {"indent": 1}, {"separators": (",", ":")}, {"separators": (" , ", " : ")}, {"ensure_ascii": False}]
)


def written(text: str) -> Any:
    """Decodes a request body in which a raw JSON field has this text; returns the field's value."""
    body = f'{{"list": [{{"raw": {text} }}]}}'.encode()
    return raw_extension.as_written(json.loads(body), body, ROOT)["list"][0]["raw"]


@given(value=VALUES, layout=LAYOUTS, end=st.sampled_from(["", "\n", " "]))
def test_an_object_of_a_body_that_is_as_encoded_has_its_texts_already(
    value: Any, layout: dict[str, Any], end: str
) -> None:
    body = (json.dumps({"list": [{"raw": value}], "map": {"a": value}}, **layout) + end).encode()
    obj, is_encoded = decode_noting_form(body)
    assert not is_encoded or raw_extension.as_written(obj, body, ROOT) == obj


@given(value=VALUES.filter(lambda value: value is not None), layout=LAYOUTS)
def test_a_value_is_written_again_as_it_came(value: Any, layout: dict[str, Any]) -> None:
    text = json.dumps(value, **layout)
    found = written(text)
    assert codec.encode(found) == text.encode()
    assert codec.value_of(found) == value


@given(value=VALUES.filter(lambda value: value is not None), layout=LAYOUTS)
def test_a_value_is_compact_when_it_is_patched(value: Any, layout: dict[str, Any]) -> None:
    found = codec.encode(raw_extension.compact(written(json.dumps(value, **layout))))
    assert found == codec.compact(found)
    assert json.loads(found) == value


@pytest.mark.parametrize("text", ['{"a":1}', "[]", "{}", '"é"', "1.5", '{"b":"<","a":null}'])
def test_what_is_compact_has_no_text_of_its_own(text: str) -> None:
    assert not isinstance(written(text), RawJson)


@pytest.mark.parametrize("text", ['{"a": 1}', "{ }", '"\\u00e9"', "1.50", "1e3", '{"a":1,"a":1}'])
def test_what_is_written_otherwise_has_its_text(text: str) -> None:
    assert written(text) == RawJson(text.encode(), None)


def test_a_text_shows_itself_in_messages() -> None:
    message = str(invalid("spec", {"parameters": written('{"a": 1}')}, "field is immutable"))
    assert (
        message == 'spec: Invalid value: map[string]interface {}{"parameters":{"a": 1}}: field is immutable'
    )


def test_values_are_found_wherever_the_type_has_them() -> None:
    body = b'{"inner": {"map": {"a": {"x": 1}}, "list": [{}, {"raw": [1, 2]}], "inner": null}}'
    obj = {"inner": {"map": {"a": {"x": 1}}, "list": [{}, {"raw": [1, 2]}], "inner": None}}
    found = raw_extension.as_written(obj, body, ROOT)["inner"]
    assert found["map"]["a"] == RawJson(b'{"x": 1}', None)
    assert found["list"] == [{}, {"raw": RawJson(b"[1, 2]", None)}]


def test_fields_v1_has_no_text_of_its_own() -> None:
    body = b'{"list": [{"fields": {"f:a": {}}, "raw": 1}]}'
    assert raw_extension.as_written(json.loads(body), body, ROOT) == json.loads(body)


def test_an_object_without_such_values_is_the_one_that_was_given() -> None:
    obj: dict[str, Any] = {"list": [{}], "map": None}
    assert raw_extension.as_written(obj, b'{"list": [{}], "map": null}', ROOT) is obj


@pytest.mark.parametrize(
    "body",
    [b'{"list": [{"raw": "\xff" }]}', b'{"list": [{"raw": "\\ud800" }]}', b'{"list": [1, 2], "list": [1]}'],
)
def test_a_text_that_cannot_be_read_again_is_not_kept(body: bytes) -> None:
    obj = {"list": [{"raw": "\ufffd"}]}
    assert raw_extension.as_written(obj, body, ROOT) == obj


def test_what_a_patch_leaves_has_the_characters_of_html_escaped() -> None:
    marked = raw_extension.marshalled({"a": "<"})
    assert marked == RawJson(b'{"a":"\\u003c"}', None)
    assert raw_extension.marshalled(marked) is marked
    assert raw_extension.marshalled({"a": 1}) == {"a": 1}


def test_a_text_that_a_patch_rewrites_is_that_of_its_value() -> None:
    assert rewritten(written('{"b": 1.0, "a": "\\u00e9"}')) == {"a": "é", "b": 1}


def test_what_is_inside_a_text_has_a_text_of_its_own() -> None:
    assert raw_extension.opened(written('{"a":1e3,"b":1}')) == {"a": RawJson(b"1e3", None), "b": 1}
    assert raw_extension.opened(written("[1e3,1]")) == [RawJson(b"1e3", None), 1]
    assert raw_extension.opened("a") == "a"


def test_a_json_patch_tests_and_changes_what_is_inside_a_text() -> None:
    document = {"list": [{"raw": written('{"a":1e3,"b":1}')}]}
    path = "/list/0/raw"
    operations = (
        f'[{{"op":"test","path":"{path}","value":{{"b":1,"a":1e3}}}},'
        f'{{"op":"test","path":"{path}/a","value":1e3}},'
        f'{{"op":"add","path":"{path}/b","value":2}},'
        f'{{"op":"copy","from":"{path}/a","path":"{path}/c"}}]'
    )
    patched = json_patch.apply(json_patch.decode_operations(operations.encode()), document)
    assert codec.encode(patched) == b'{"list":[{"raw":{"a":1e3,"b":2,"c":1000.0}}]}'
    with pytest.raises(ApiError):
        json_patch.apply(
            json_patch.decode_operations(b'[{"op":"test","path":"/list/0/raw/a","value":1000}]'), document
        )


def test_what_an_apply_changes_is_decided_by_values() -> None:
    spaced, compact = ({"list": [{"raw": written(text)}]} for text in ('{"a": [1]}', '{"a":[1]}'))
    assert not any(compare(spaced, compact, ROOT))
    assert compare(spaced, {"list": [{"raw": written('{"a": [true]}')}]}, ROOT).modified


def test_an_update_changes_a_list_owned_as_a_whole_when_its_bytes_change() -> None:
    spaced, compact = ({"list": [{"raw": written(text)}]} for text in ('{"a": [1]}', '{"a":[1]}'))
    assert compare(spaced, compact, ROOT, typed=True).modified
    assert compare(
        {"list": [{"raw": {"a": 1, "b": 2}}]}, {"list": [{"raw": {"b": 2, "a": 1}}]}, ROOT, typed=True
    ).modified
    assert not any(compare(spaced, {"list": [{"raw": written('{"a": [1]}')}]}, ROOT, typed=True))
    one, other = ({"map": {"a": written(text)}} for text in ('{"a": [1]}', '{"a":[1]}'))
    assert not any(compare(one, other, ROOT, typed=True)), "a value that is owned by itself"


def test_protobuf_has_the_text_too() -> None:
    raw = Field("raw", RAW, protobuf_path=(1,))
    found = protobuf.decode(blob(1, blob(1, b' {"a": 1}\n')), Struct("v1.One", {"raw": raw}))
    assert found == {"raw": RawJson(b'{"a": 1}', None)}
    assert protobuf.decode(blob(1, blob(1, b" ")), Struct("v1.One", {"raw": raw})) == {"raw": None}


def test_what_is_no_json_is_not_written() -> None:
    with pytest.raises(TypeError, match="object is not JSON"):
        codec.encode({"a": object()})


@given(value=VALUES)
def test_a_change_of_drivers_values_reaches_each_of_them_and_copies_nothing_else(value: Any) -> None:
    obj = {"list": [{"raw": value}, {"raw": 1}], "map": {"a": value, "b": None}}
    before = json.dumps(obj)
    found = raw_extension.mapped(obj, ROOT, lambda each: {"was": each})
    wrapped = None if value is None else {"was": value}
    assert found == {"list": [{"raw": wrapped}, {"raw": {"was": 1}}], "map": {"a": wrapped, "b": None}}
    assert json.dumps(obj) == before
    assert raw_extension.mapped(obj, ROOT, lambda each: each) is obj
