"""The server stores an object as its JSON, with space for its resourceVersion."""

import json
import tracemalloc
from typing import Any, cast

from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.machinery import codec
from fakeapi.machinery.codec import RawJson
from fakeapi.registry.stored import form as stored_form
from fakeapi.releases import served
from fakeapi_storage import Entry
from tests.registry.world import World, in_world

TEXT = st.text(max_size=12)
OBJECT = st.fixed_dictionaries(
    {
        "kind": st.just("ResourceClaim"),
        "apiVersion": st.just("resource.k8s.io/v1alpha3"),
        "metadata": st.fixed_dictionaries(
            {"name": st.just("a"), "creationTimestamp": st.just("2026-01-01T00:00:00Z")},
            optional={
                "labels": st.dictionaries(TEXT, TEXT, max_size=3),
                "annotations": st.dictionaries(TEXT, TEXT | st.just('"resourceVersion":""'), max_size=3),
                "resourceVersion": st.just("5"),
                "uid": st.uuids().map(str),
            },
        ),
        "spec": st.just({"devices": {"requests": None}})
        | st.just({"target": {"resourceVersion": ""}, "parameters": RawJson(b'{ "a" : 1.50 }', {"a": 1.5})}),
    },
    optional={"a": st.just({"resourceVersion": ""})},
).flatmap(lambda obj: st.permutations(list(obj)).map(lambda names: {name: obj[name] for name in names}))


SCHEMA = next(
    kind.schema
    for version in served(None, {}).versions
    for kind in version.kinds
    if kind.api_version == "resource.k8s.io/v1alpha3" and kind.resource == "resourceclaims"
)


def without_version(obj: dict[str, Any]) -> dict[str, Any]:
    meta = {name: value for name, value in obj["metadata"].items() if name != "resourceVersion"}
    return {**obj, "metadata": meta}


def plain(obj: dict[str, Any]) -> dict[str, Any]:
    """Returns the object as plain JSON values, with its raw JSON decoded."""
    return cast("dict[str, Any]", codec.decode(codec.encode(obj)))


@settings(max_examples=100)
@given(obj=OBJECT, revision=st.integers(1, 2**40))
def test_an_object_comes_back_as_it_was_stored_with_the_version_of_its_revision(
    obj: dict[str, Any], revision: int
) -> None:
    value = stored_form.encode(obj, SCHEMA)
    entry = Entry("/k", value, revision, revision)
    assert stored_form.decode(entry) == json.loads(stored_form.with_version(value, revision))
    found = stored_form.decode(entry)
    assert found["metadata"]["resourceVersion"] == str(revision)
    assert without_version(found) == without_version(plain(obj))
    assert json.loads(stored_form.with_given_version(value, "")) == without_version(plain(obj))
    given = json.loads(stored_form.with_given_version(value, 'x"5'))["metadata"]["resourceVersion"]
    assert given == 'x"5'


@settings(max_examples=50)
@given(obj=OBJECT)
def test_a_list_item_is_the_object_without_its_type(obj: dict[str, Any]) -> None:
    prefix = stored_form.type_prefix(obj["kind"], obj["apiVersion"])
    value = stored_form.encode(obj, SCHEMA)
    assert stored_form.json_of(value).startswith(prefix)
    item = json.loads(stored_form.list_item(value, 7, prefix))
    expected = {name: value for name, value in plain(obj).items() if name not in ("kind", "apiVersion")}
    assert without_version(item) == without_version(expected)
    assert item["metadata"]["resourceVersion"] == "7"


@settings(max_examples=50)
@given(obj=OBJECT)
def test_another_type_is_put_in_place_of_the_stored_one(obj: dict[str, Any]) -> None:
    value = stored_form.encode(obj, SCHEMA)
    other = {**obj, "kind": "Other", "apiVersion": "v2"}
    prefixes = [stored_form.type_prefix(o["kind"], o["apiVersion"]) for o in (obj, other)]
    assert stored_form.with_type(value, *prefixes) == stored_form.encode(other, SCHEMA)


def test_a_value_as_a_driver_wrote_it_is_stored_so_and_answered_compact() -> None:
    text = b'{ "share" : 1.50 }'
    obj = {"kind": "K", "apiVersion": "v1", "metadata": {"name": "a"}, "a": RawJson(text, {"share": 1.5})}
    value = stored_form.encode(obj, SCHEMA)
    assert value == (
        b'R{"kind":"K","apiVersion":"v1","metadata":{"name":"a","resourceVersion":""},"a":{ "share" : 1.50 }}'
    )
    assert stored_form.with_version(value, 7) == (
        b'{"kind":"K","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"7"},"a":{"share":1.50}}'
    )


def test_empty_lists_and_maps_are_stored_as_protobuf_would_give_them_back() -> None:
    async def scenario(world: World) -> None:
        obj = world.claims.empty_object()
        obj["metadata"] |= {"name": "a", "labels": {}, "annotations": {"text": ":[]"}}
        obj["spec"]["devices"]["requests"] = []
        stored = json.loads(stored_form.encode(obj, world.claims.schema))
        assert stored["spec"]["devices"]["requests"] is None
        assert stored["metadata"]["annotations"] == {"text": ":[]"}

    in_world(scenario)


def test_the_version_is_written_where_kubernetes_writes_it() -> None:
    meta = {"creationTimestamp": "t", "uid": "u", "name": "n", "namespace": "s"}
    value = stored_form.encode({"metadata": meta, "kind": "K", "apiVersion": "v"}, SCHEMA)
    names = ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"]
    assert list(json.loads(value)["metadata"]) == names


def test_a_stored_value_takes_no_more_memory_than_its_bytes() -> None:
    data = {"key": "x" * 1400}
    config_map = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "a"}, "data": data}
    tracemalloc.start()
    try:
        values = [stored_form.encode_value(config_map) for _ in range(100)]
        taken = tracemalloc.get_traced_memory()[0] / 100
    finally:
        tracemalloc.stop()
    assert len(values[0]) <= taken < len(values[0]) + 100
